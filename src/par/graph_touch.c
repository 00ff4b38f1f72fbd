/* SPDX-License-Identifier: MIT */
/* graph_touch.c — data hazards: who touches an object after whom, as edges */
#include "base/alloc.h"
#include "par/graph_parts.h"

#include <string.h>

/*
 * Of every object we know the last writer and the readers since.  A reader follows that writer.  A
 * writer follows those readers, or the writer when there are none, and takes its place: whoever
 * follows the new writer follows all before it.
 *
 * Objects are in a hash table by address, open, at most half full.  Readers are short lists in one
 * array; a writer gives those of its object back.
 */

/* Addresses differ in their middle bits; a multiplication brings those to the top. */
static uint32_t hazard_place(const void *address, uint32_t room)
{
	uint64_t mixed = (uint64_t)(uintptr_t)address * UINT64_C(0x9e3779b97f4a7c15);

	return (uint32_t)(mixed >> 32) & (room - 1);
}

/* Where the object is, or belongs.  There is a free place. */
static struct skuai_object *hazard_find(struct skuai_object *objects, uint32_t room,
					const void *address)
{
	uint32_t place = hazard_place(address, room);

	while (objects[place].address && objects[place].address != address)
		place = (place + 1) & (room - 1);
	return &objects[place];
}

/* A free place for one more object. */
static int hazard_reserve_object(struct skuai_hazards *hazards)
{
	uint32_t room = hazards->object_room ? 2 * hazards->object_room : SKUAI_OBJECTS_LEAST;

	if (hazards->object_count < hazards->object_room / 2)
		return SKUA_OK;
	if (room > SKUAI_GRAPH_MOST)
		return SKUA_EFULL;
	struct skuai_object *objects = skuai_alloc(room, sizeof(*objects));
	if (!objects)
		return SKUA_ENOMEM;
	for (uint32_t i = 0; i < hazards->object_room; i++)
		if (hazards->objects[i].address)
			*hazard_find(objects, room,
				     hazards->objects[i].address) = hazards->objects[i];
	skuai_free(hazards->objects);
	hazards->objects = objects;
	hazards->object_room = room;
	return SKUA_OK;
}

/* A free reader. */
static int hazard_reserve_reader(struct skuai_hazards *hazards)
{
	size_t room = hazards->reader_room;

	if (hazards->free)
		return SKUA_OK;
	int error = skuai_graph_grow(&hazards->readers, sizeof(*hazards->readers),
				     hazards->reader_count, &room,
				     (size_t)hazards->reader_count + 1, SKUAI_GRAPH_MOST);
	hazards->reader_room = (uint32_t)room;
	return error;
}

static void hazard_add_reader(struct skuai_hazards *hazards, struct skuai_object *object,
			      uint32_t node)
{
	uint32_t index = hazards->free ? hazards->free - 1 : hazards->reader_count++;

	if (hazards->free)
		hazards->free = hazards->readers[index].next;
	hazards->readers[index] = (struct skuai_reader){ node, object->readers };
	object->readers = index + 1;
}

static int touch_read(struct skua_graph *graph, struct skuai_object *object, uint32_t node)
{
	struct skuai_hazards *hazards = &graph->hazards;

	if (object->writer == node ||
	    (object->readers && hazards->readers[object->readers - 1].node == node))
		return SKUA_OK;
	int error = hazard_reserve_reader(hazards);
	if (!error && object->writer != SKUAI_NODE_NONE)
		error = skuai_graph_reserve_links(graph, 1);
	if (error)
		return error;
	if (object->writer != SKUAI_NODE_NONE)
		skuai_graph_link(graph, object->writer, node);
	hazard_add_reader(hazards, object, node);
	return SKUA_OK;
}

static int touch_write(struct skua_graph *graph, struct skuai_object *object, uint32_t node)
{
	struct skuai_hazards *hazards = &graph->hazards;
	uint32_t others = 0;

	for (uint32_t i = object->readers; i; i = hazards->readers[i - 1].next)
		others += hazards->readers[i - 1].node != node;
	/* Without readers, or with none but itself, it follows the writer; once is enough. */
	bool after_writer = !object->readers && object->writer != SKUAI_NODE_NONE &&
			    object->writer != node;
	int error = skuai_graph_reserve_links(graph, others + after_writer);
	if (error)
		return error;
	if (after_writer)
		skuai_graph_link(graph, object->writer, node);
	while (object->readers) {
		uint32_t index = object->readers - 1;
		struct skuai_reader *reader = &hazards->readers[index];
		if (reader->node != node)
			skuai_graph_link(graph, reader->node, node);
		object->readers = reader->next;
		reader->next = hazards->free;
		hazards->free = index + 1;
	}
	object->writer = node;
	return SKUA_OK;
}

int skua_graph_touch(struct skua_graph *graph, skua_node node, const void *object, unsigned access)
{
	struct skuai_node *task = graph ? skuai_graph_node(graph, node) : NULL;

	if (!task || task->first & SKUAI_CONDITION || !object || access == 0 ||
	    access > (SKUA_READS | SKUA_WRITES))
		return SKUA_EINVAL;
	int error = skuai_graph_idle(graph);
	if (!error)
		error = hazard_reserve_object(&graph->hazards);
	if (error)
		return error;
	struct skuai_hazards *hazards = &graph->hazards;
	struct skuai_object *place = hazard_find(hazards->objects, hazards->object_room, object);
	struct skuai_object touched = { object, SKUAI_NODE_NONE, 0 };
	bool is_new = !place->address;
	if (!is_new)
		touched = *place;
	error = access & SKUA_WRITES ? touch_write(graph, &touched, (uint32_t)node)
				     : touch_read(graph, &touched, (uint32_t)node);
	if (error)
		return error;
	*place = touched;
	hazards->object_count += is_new;
	return SKUA_OK;
}

void skuai_hazards_close(struct skuai_hazards *hazards)
{
	skuai_free(hazards->objects);
	skuai_free(hazards->readers);
}

size_t skuai_hazards_bytes(const struct skuai_hazards *hazards)
{
	return hazards->object_room * sizeof(*hazards->objects) +
	       hazards->reader_room * sizeof(*hazards->readers);
}
