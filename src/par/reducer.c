/* SPDX-License-Identifier: MIT */
/* reducer.c — reducers, lists and histograms: views leased from local.c, merged at the end */
#include "base/alloc.h"

#include <skua/error.h>
#include <skua/reducer.h>

#include <assert.h>
#include <stdalign.h>
#include <string.h>

/* --- any reducer --- */

int skua_reducer_open(struct skua_reducer *reducer, const struct skua_reducer_options *options)
{
	struct skua_reducer opened;

	if (!reducer || !options || options->size < sizeof(*options) || !options->merge)
		return SKUA_EINVAL;
	int error = skua_local_open(
		&opened.local,
		&(struct skua_local_options){ .size = sizeof(struct skua_local_options),
					      .pool = options->pool,
					      .bytes = options->bytes,
					      .align = options->align,
					      .init = options->init,
					      .fini = options->fini,
					      .context = options->context });
	if (error)
		return error;
	opened.bytes = options->bytes;
	opened.init = options->init;
	opened.merge = options->merge;
	opened.context = options->context;
	*reducer = opened;
	return SKUA_OK;
}

void *skua_reducer_lease(struct skua_reducer *reducer)
{
	return reducer ? skua_local_lease(&reducer->local) : NULL;
}

int skua_reducer_return(struct skua_reducer *reducer, void *view)
{
	return reducer ? skua_local_return(&reducer->local, view) : SKUA_EINVAL;
}

struct merging {
	struct skua_reducer *reducer;
	void *total;
};

static void merge_view(void *context, void *view)
{
	struct merging *t = context;

	t->reducer->merge(t->reducer->context, t->total, view);
}

static void visit_nothing(void *context, void *instance)
{
	(void)context, (void)instance;
}

int skua_reducer_total(struct skua_reducer *reducer, void *total)
{
	if (!reducer || !total)
		return SKUA_EINVAL;
	/* Before *total is touched: is it open, and is every view here? */
	int error = skua_local_each(&reducer->local, visit_nothing, NULL);
	if (error)
		return error;
	memset(total, 0, reducer->bytes);
	if (reducer->init && reducer->init(reducer->context, total) != 0)
		return SKUA_ENOMEM;
	return skua_local_each(&reducer->local, merge_view,
			       &(struct merging){ .reducer = reducer, .total = total });
}

int skua_reducer_reset(struct skua_reducer *reducer)
{
	return reducer ? skua_local_clear(&reducer->local) : SKUA_EINVAL;
}

int skua_reducer_close(struct skua_reducer *reducer)
{
	return reducer ? skua_local_close(&reducer->local) : SKUA_EINVAL;
}

/* --- lists --- */

#define LIST_FIRST_BYTES ((size_t)512)	 /* arbitrary; of the first block's items */
#define LIST_MOST_BYTES	 ((size_t)65536) /* arbitrary; blocks double up to this */

/* A view of a list is a chain of blocks; only the last one has room. */
struct list_block {
	struct list_block *next;
	size_t room, used; /* bytes */
	alignas(max_align_t) unsigned char items[];
};

struct skua_list_view {
	struct list_block *first, *last;
	size_t item_bytes, bytes; /* of an item, of all items */
};

static int list_init(void *context, void *instance)
{
	struct skua_list_view *view = instance;

	view->item_bytes = ((struct skua_list *)context)->item_bytes;
	return SKUA_OK;
}

static void list_fini(void *context, void *instance)
{
	struct skua_list_view *view = instance;

	(void)context;
	for (struct list_block *block = view->first; block;) {
		struct list_block *next = block->next;
		skuai_free(block);
		block = next;
	}
}

int skua_list_open(struct skua_list *list, struct skua_pool *pool, size_t item_bytes)
{
	struct skua_local local;

	if (!list || item_bytes == 0 || item_bytes > PTRDIFF_MAX / 2)
		return SKUA_EINVAL;
	int error = skua_local_open(
		&local, &(struct skua_local_options){ .size = sizeof(struct skua_local_options),
						      .pool = pool,
						      .bytes = sizeof(struct skua_list_view),
						      .align = alignof(struct skua_list_view),
						      .init = list_init,
						      .fini = list_fini,
						      .context = list });
	if (error)
		return error;
	*list = (struct skua_list){ .local = local, .item_bytes = item_bytes };
	return SKUA_OK;
}

/* A block with room for one more item at least, behind the last. */
static struct list_block *list_grow(struct skua_list_view *view)
{
	size_t room = view->last ? 2 * view->last->room : LIST_FIRST_BYTES;

	if (room > LIST_MOST_BYTES)
		room = LIST_MOST_BYTES;
	room = room < view->item_bytes ? view->item_bytes : room - room % view->item_bytes;
	struct list_block *block = skuai_alloc(1, sizeof(*block) + room);
	if (!block)
		return NULL;
	block->room = room;
	if (view->last)
		view->last->next = block;
	else
		view->first = block;
	view->last = block;
	return block;
}

int skua_list_view_add(struct skua_list_view *view, const void *item)
{
	if (!view || !item)
		return SKUA_EINVAL;
	struct list_block *block = view->last;
	if (!block || block->used == block->room)
		block = list_grow(view);
	if (!block)
		return SKUA_ENOMEM;
	memcpy(block->items + block->used, item, view->item_bytes);
	block->used += view->item_bytes;
	view->bytes += view->item_bytes;
	return SKUA_OK;
}

int skua_list_add(struct skua_list *list, const void *item)
{
	if (!list || !item || list->item_bytes == 0)
		return SKUA_EINVAL;
	struct skua_list_view *view = skua_list_lease(list);
	if (!view)
		return SKUA_ENOMEM;
	int error = skua_list_view_add(view, item);
	skua_list_return(list, view);
	return error;
}

struct skua_list_view *skua_list_lease(struct skua_list *list)
{
	return list ? skua_local_lease(&list->local) : NULL;
}

int skua_list_return(struct skua_list *list, struct skua_list_view *view)
{
	return list ? skua_local_return(&list->local, view) : SKUA_EINVAL;
}

static void count_list_view(void *context, void *instance)
{
	struct skua_list_view *view = instance;

	*(size_t *)context += view->bytes / view->item_bytes;
}

int skua_list_count(struct skua_list *list, size_t *count)
{
	size_t sum = 0;

	if (!list || !count)
		return SKUA_EINVAL;
	int error = skua_local_each(&list->local, count_list_view, &sum);
	if (!error)
		*count = sum;
	return error;
}

static void copy_list_view(void *context, void *instance)
{
	unsigned char **to = context;
	struct skua_list_view *view = instance;

	for (struct list_block *block = view->first; block; block = block->next) {
		memcpy(*to, block->items, block->used);
		*to += block->used;
	}
}

int skua_list_copy(struct skua_list *list, void *items, size_t room)
{
	unsigned char *to = items;
	size_t count;
	int error = skua_list_count(list, &count);

	if (error)
		return error;
	if (count > room)
		return SKUA_EFULL;
	if (count == 0)
		return SKUA_OK;
	return items ? skua_local_each(&list->local, copy_list_view, &to) : SKUA_EINVAL;
}

struct item_visit {
	void (*visit)(void *context, void *item);
	void *context;
};

static void visit_list_view(void *context, void *instance)
{
	struct item_visit *v = context;
	struct skua_list_view *view = instance;

	for (struct list_block *block = view->first; block; block = block->next)
		for (size_t at = 0; at < block->used; at += view->item_bytes)
			v->visit(v->context, block->items + at);
}

int skua_list_each(struct skua_list *list, void (*visit)(void *context, void *item), void *context)
{
	if (!list || !visit)
		return SKUA_EINVAL;
	return skua_local_each(&list->local, visit_list_view,
			       &(struct item_visit){ .visit = visit, .context = context });
}

int skua_list_reset(struct skua_list *list)
{
	return list ? skua_local_clear(&list->local) : SKUA_EINVAL;
}

int skua_list_close(struct skua_list *list)
{
	int error = list ? skua_local_close(&list->local) : SKUA_EINVAL;

	if (!error)
		list->item_bytes = 0;
	return error;
}

/* --- histograms --- */

static void merge_counts(void *context, void *into, const void *view)
{
	const struct skua_histogram *histogram = context;
	uint64_t *totals = into;
	const uint64_t *counts = view;

	for (size_t i = 0; i < histogram->buckets; i++)
		totals[i] += counts[i];
}

int skua_histogram_open(struct skua_histogram *histogram, struct skua_pool *pool, size_t buckets)
{
	struct skua_reducer reducer;

	if (!histogram || buckets == 0 || buckets > PTRDIFF_MAX / sizeof(uint64_t))
		return SKUA_EINVAL;
	int error = skua_reducer_open(&reducer, &(struct skua_reducer_options){
							.size = sizeof(struct skua_reducer_options),
							.pool = pool,
							.bytes = buckets * sizeof(uint64_t),
							.align = alignof(uint64_t),
							.merge = merge_counts,
							.context = histogram });
	if (error)
		return error;
	*histogram = (struct skua_histogram){ .reducer = reducer, .buckets = buckets };
	return SKUA_OK;
}

int skua_histogram_add(struct skua_histogram *histogram, size_t bucket, uint64_t count)
{
	if (!histogram || bucket >= histogram->buckets)
		return SKUA_EINVAL;
	uint64_t *view = skua_histogram_lease(histogram);
	if (!view)
		return SKUA_ENOMEM;
	view[bucket] += count;
	return skua_histogram_return(histogram, view);
}

uint64_t *skua_histogram_lease(struct skua_histogram *histogram)
{
	return histogram ? skua_reducer_lease(&histogram->reducer) : NULL;
}

int skua_histogram_return(struct skua_histogram *histogram, uint64_t *view)
{
	return histogram ? skua_reducer_return(&histogram->reducer, view) : SKUA_EINVAL;
}

int skua_histogram_total(struct skua_histogram *histogram, uint64_t *totals, size_t buckets)
{
	return histogram && buckets == histogram->buckets
		       ? skua_reducer_total(&histogram->reducer, totals)
		       : SKUA_EINVAL;
}

int skua_histogram_reset(struct skua_histogram *histogram)
{
	return histogram ? skua_reducer_reset(&histogram->reducer) : SKUA_EINVAL;
}

int skua_histogram_close(struct skua_histogram *histogram)
{
	int error = histogram ? skua_reducer_close(&histogram->reducer) : SKUA_EINVAL;

	if (!error)
		histogram->buckets = 0;
	return error;
}
