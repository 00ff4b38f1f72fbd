/* SPDX-License-Identifier: MIT */
/* sim_events.c — what happens next: a lane for each frequent delay, a radix heap for the others */
#include "sim/sim_events.h"

#define TIME_MAX ((uint64_t)1 << 62)

/* --- chunks --- */

static struct sim_chunk *chunk_open(struct sim_queue *queue)
{
	struct sim_chunk *chunk = queue->spare;

	if (chunk)
		queue->spare = chunk->next;
	else
		chunk = sim_get(queue->heap, 1, sizeof(*chunk));
	if (!chunk) {
		queue->is_out = true;
		return NULL;
	}
	chunk->next = NULL;
	chunk->begin = chunk->end = 0;
	return chunk;
}

static void fifo_put(struct sim_queue *queue, struct sim_fifo *fifo, const struct sim_event *event)
{
	struct sim_chunk *tail = fifo->tail;

	if (!tail || tail->end == SIM_CHUNK) {
		struct sim_chunk *chunk = chunk_open(queue);
		if (!chunk)
			return;
		if (tail)
			tail->next = chunk;
		else
			fifo->head = chunk;
		fifo->tail = tail = chunk;
	}
	tail->events[tail->end++] = *event;
}

/* The first one, or NULL. */
static const struct sim_event *fifo_first(const struct sim_fifo *fifo)
{
	const struct sim_chunk *head = fifo->head;

	return head && head->begin < head->end ? &head->events[head->begin] : NULL;
}

/* Drop the first one. */
static void fifo_drop(struct sim_queue *queue, struct sim_fifo *fifo)
{
	struct sim_chunk *head = fifo->head;

	if (++head->begin < head->end)
		return;
	if (head->next) {
		fifo->head = head->next;
		head->next = queue->spare;
		queue->spare = head;
	} else {
		head->begin = head->end = 0;
	}
}

static void chunks_free(struct sim_queue *queue, struct sim_chunk *chunk)
{
	while (chunk) {
		struct sim_chunk *next = chunk->next;
		sim_put(queue->heap, chunk, 1, sizeof(*chunk));
		chunk = next;
	}
}

/* --- the heap --- */

static unsigned bucket_of(const struct sim_queue *queue, uint64_t time)
{
	uint64_t differs = time ^ queue->last;

	return differs ? 64 - (unsigned)__builtin_clzll(differs) : 0;
}

static void bucket_put(struct sim_queue *queue, const struct sim_event *event)
{
	unsigned b = bucket_of(queue, event->time);
	uint64_t bit = (uint64_t)1 << b;

	if (!(queue->filled & bit) || event->time < queue->least[b])
		queue->least[b] = event->time;
	queue->filled |= bit;
	fifo_put(queue, &queue->bucket[b], event);
}

/* The events of the lowest bucket go to lower ones; those of the earliest time to bucket 0. */
static void bucket_spread(struct sim_queue *queue, unsigned b)
{
	struct sim_fifo from = queue->bucket[b];
	const struct sim_event *event;

	queue->bucket[b] = (struct sim_fifo){ NULL, NULL };
	queue->filled &= ~((uint64_t)1 << b);
	queue->last = queue->least[b];
	while ((event = fifo_first(&from))) {
		bucket_put(queue, event);
		fifo_drop(queue, &from);
	}
	from.head->next = queue->spare;
	queue->spare = from.head;
}

static void bucket_take(struct sim_queue *queue, struct sim_event *event)
{
	unsigned lowest = (unsigned)__builtin_ctzll(queue->filled);

	if (lowest)
		bucket_spread(queue, lowest);
	if (queue->is_out)
		return;
	*event = *fifo_first(&queue->bucket[0]);
	fifo_drop(queue, &queue->bucket[0]);
	if (!fifo_first(&queue->bucket[0]))
		queue->filled &= ~(uint64_t)1;
}

/* --- all of it --- */

void sim_queue_open(struct sim_queue *queue, struct sim_heap *heap)
{
	*queue = (struct sim_queue){ .heap = heap };
}

void sim_queue_close(struct sim_queue *queue)
{
	for (unsigned i = 0; i < SIM_LANES; i++)
		chunks_free(queue, queue->lane[i].head);
	for (unsigned i = 0; i < SIM_BUCKETS; i++)
		chunks_free(queue, queue->bucket[i].head);
	chunks_free(queue, queue->spare);
}

void sim_queue_lane(struct sim_queue *queue, uint64_t delay)
{
	for (unsigned i = 0; i < queue->lanes; i++)
		if (queue->delays[i] == delay)
			return;
	if (queue->lanes == SIM_LANES)
		return;
	queue->due[queue->lanes] = UINT64_MAX;
	queue->delays[queue->lanes++] = delay;
}

void sim_queue_put(struct sim_queue *queue, uint64_t delay, uint32_t who, uint32_t what)
{
	struct sim_event event = { queue->now + delay, who, what };

	if (delay > TIME_MAX || event.time > TIME_MAX) {
		queue->is_out = queue->is_late = true;
		return;
	}
	queue->pending++;
	for (unsigned i = 0; i < queue->lanes; i++) {
		if (queue->delays[i] != delay)
			continue;
		if (queue->due[i] == UINT64_MAX)
			queue->due[i] = event.time;
		fifo_put(queue, &queue->lane[i], &event);
		return;
	}
	bucket_put(queue, &event);
}

bool sim_queue_take(struct sim_queue *queue, struct sim_event *event)
{
	uint64_t soonest = UINT64_MAX;
	unsigned lane = 0;

	if (!queue->pending || queue->is_out)
		return false;
	for (unsigned i = 0; i < queue->lanes; i++) {
		if (queue->due[i] < soonest) {
			soonest = queue->due[i];
			lane = i;
		}
	}
	bool is_lane = !queue->filled || soonest <= queue->least[__builtin_ctzll(queue->filled)];
	if (is_lane) {
		struct sim_fifo *fifo = &queue->lane[lane];
		*event = *fifo_first(fifo);
		fifo_drop(queue, fifo);
		const struct sim_event *next = fifo_first(fifo);
		queue->due[lane] = next ? next->time : UINT64_MAX;
	} else {
		bucket_take(queue, event);
		if (queue->is_out)
			return false;
	}
	queue->from = is_lane ? &queue->lane[lane] : &queue->bucket[0];
	queue->pending--;
	queue->taken++;
	queue->now = event->time;
	queue->hash = (queue->hash ^ event->time ^ (uint64_t)event->who << 32 ^ event->what) *
		      0x9e3779b97f4a7c15u;
	return true;
}

const struct sim_event *sim_queue_ahead(const struct sim_queue *queue, unsigned places)
{
	const struct sim_chunk *chunk = queue->from->head;
	uint32_t at = chunk->begin + places;

	if (at >= chunk->end) {
		at -= chunk->end;
		chunk = chunk->next;
	}
	return chunk && at < chunk->end ? &chunk->events[at] : NULL;
}

int sim_queue_fail(const struct sim_queue *queue, struct sim_error *error)
{
	if (queue->is_late)
		return sim_fail(error,
				"simulated time is over after # ticks; make costs or work smaller",
				queue->now, 0);
	return sim_fail_memory(error, queue->heap);
}
