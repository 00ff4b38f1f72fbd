/* SPDX-License-Identifier: MIT */
/* local.c — worker-local storage: instances leased to one task at a time */
#include "base/alloc.h"
#include "base/atomic.h"
#include "sched/shelf.h"
#include "sched/worker.h"

#include <skua/error.h>
#include <skua/local.h>

#include <assert.h>
#include <stdalign.h>

/*
 * Every worker has a shelf (sched/shelf.c), and whoever is at its place, thread or guest, owns it:
 * a lease and its return there are plain loads and stores.  One more shelf is for all other
 * threads; its owner is who holds the lock.  A lease takes the instance off its shelf, so a task
 * that runs inside another's wait cannot find it there: that is the whole secret.
 *
 * An instance in memory, so that a small one shares its line with what leads to it:
 *
 *	block          header        instance
 *	|  (padding)   |  32 bytes   |  bytes ...
 */
#define LOCAL_ALIGN_MAX ((size_t)1 << 20) /* arbitrary; aligned_alloc wastes as much */

struct local_header {
	struct skuai_item item;
	struct local_header *older; /* of all instances; never changes */
};
static_assert(sizeof(struct local_header) <= 32, "half a line");

struct local_common {
	_Alignas(SKUAI_LINE) struct skuai_lock lock;
	_Atomic(struct local_header *) newest; /* of all instances; who holds the lock writes */
	_Alignas(SKUAI_LINE) struct skuai_shelf shelves[]; /* one a worker, the last for the rest */
};

/* Written by open and close only. */
struct local {
	struct local_common *common; /* NULL: closed */
	struct skua_pool *pool;
	size_t count;  /* of workers, when it was opened */
	size_t offset; /* from a block to its instance */
	size_t bytes, align;
	int (*init)(void *context, void *instance);
	void (*fini)(void *context, void *instance);
	void *context;
};
static_assert(sizeof(struct local) <= sizeof(struct skua_local), "the caller has room for it");
static_assert(alignof(struct local) <= alignof(struct skua_local), "and at the right place");

static struct local *local_of(struct skua_local *local)
{
	return (struct local *)(void *)local;
}

static void *instance_of(struct local_header *header)
{
	return header + 1;
}

static struct local_header *header_of(void *instance)
{
	return (struct local_header *)instance - 1;
}

/* --- open --- */

static bool local_options_are_valid(const struct skua_local_options *o)
{
	return o && o->size >= sizeof(*o) && o->bytes > 0 && o->bytes <= PTRDIFF_MAX &&
	       o->align <= LOCAL_ALIGN_MAX && (o->align & (o->align - 1)) == 0;
}

int skua_local_open(struct skua_local *storage, const struct skua_local_options *options)
{
	int error;

	if (!storage || !local_options_are_valid(options))
		return SKUA_EINVAL;
	struct skua_pool *pool = skuai_pool_of(options->pool, &error);
	if (!pool)
		return error;
	struct local_common *common = skuai_alloc_aligned(
		1, sizeof(*common) + (pool->count + 1) * sizeof(common->shelves[0]), SKUAI_LINE);
	if (!common)
		return SKUA_ENOMEM;
	size_t align = options->align ? options->align : alignof(max_align_t);
	if (align < alignof(struct local_header))
		align = alignof(struct local_header);
	*local_of(storage) = (struct local){
		.common = common,
		.pool = pool,
		.count = pool->count,
		.offset = (sizeof(struct local_header) + align - 1) & ~(align - 1),
		.bytes = options->bytes,
		.align = align,
		.init = options->init,
		.fini = options->fini,
		.context = options->context,
	};
	return SKUA_OK;
}

/* --- lease --- */

/*
 * The shelf that the calling thread owns, or NULL.  The pool is only compared: it may be closed,
 * and another one with more workers may stand at its address.
 */
static struct skuai_shelf *own_shelf(const struct local *local)
{
	const struct skuai_worker *self = skuai_self;

	return self && self->pool == local->pool && self->number < local->count
		       ? &local->common->shelves[self->number]
		       : NULL;
}

__attribute__((noinline)) static struct skuai_item *take_common(struct local *local)
{
	struct local_common *common = local->common;

	skuai_lock_take(&common->lock);
	struct skuai_item *item = skuai_shelf_take(&common->shelves[local->count]);
	skuai_lock_give(&common->lock);
	return item;
}

/* A new instance, leased.  `init` is the caller's code: it runs before anything is held. */
__attribute__((noinline)) static struct skuai_item *make_instance(struct local *local,
								  struct skuai_shelf *own)
{
	struct local_common *common = local->common;
	size_t align = local->align > SKUAI_LINE ? local->align : SKUAI_LINE;

	size_t bytes = (local->offset + local->bytes + SKUAI_LINE - 1) / SKUAI_LINE * SKUAI_LINE;
	char *block = skuai_alloc_aligned(1, bytes, align);
	if (!block)
		return NULL;
	void *instance = block + local->offset;
	if (local->init && local->init(local->context, instance) != 0) {
		skuai_free(block);
		return NULL;
	}
	struct local_header *header = header_of(instance);
	if (own)
		skuai_shelf_add(own, &header->item);
	skuai_lock_take(&common->lock);
	if (!own)
		skuai_shelf_add(&common->shelves[local->count], &header->item);
	header->older = skua_load(&common->newest, relaxed); /* order local.make.1: the lock's */
	/* order local.make.2: release, pairs local.newest.1; the header */
	skua_store(&common->newest, header, release);
	skuai_lock_give(&common->lock);
	return &header->item;
}

bool skua_local_is_open(const struct skua_local *local)
{
	return local && ((const struct local *)(const void *)local)->common;
}

void *skua_local_lease(struct skua_local *storage)
{
	struct local *local = local_of(storage);

	if (!local || !local->common)
		return NULL;
	struct skuai_shelf *own = own_shelf(local);
	struct skuai_item *item = own ? skuai_shelf_take(own) : take_common(local);
	if (!item)
		item = make_instance(local, own);
	return item ? instance_of((struct local_header *)(void *)item) : NULL;
}

/* --- return --- */

static struct local_header *newest_of(struct local_common *common)
{
	/* order local.newest.1: acquire, pairs local.make.2 */
	return skua_load(&common->newest, acquire);
}

/* Is this one of ours?  Without assertions it is at least an instance of somebody's. */
static bool is_ours(struct local *local, void *instance)
{
	if (!instance || ((uintptr_t)instance & (local->align - 1)) != 0)
		return false;
#ifndef NDEBUG
	struct local_header *header = newest_of(local->common);
	while (header && instance_of(header) != instance)
		header = header->older;
	if (!header)
		return false;
#endif
	const struct skuai_shelf *home = header_of(instance)->item.home;
	return home >= local->common->shelves && home <= &local->common->shelves[local->count];
}

int skua_local_return(struct skua_local *storage, void *instance)
{
	struct local *local = local_of(storage);

	if (!local || !local->common || !is_ours(local, instance))
		return SKUA_EINVAL;
	struct skuai_item *item = &header_of(instance)->item;
	struct skuai_shelf *own = own_shelf(local);
	bool was_out = own && own == item->home ? skuai_shelf_put(own, item)
						: skuai_shelf_put_back(item);
	return was_out ? SKUA_OK : SKUA_EINVAL;
}

/* --- all of them --- */

static bool is_any_out(struct local *local)
{
	for (size_t i = 0; i <= local->count; i++)
		if (skuai_shelf_is_out(&local->common->shelves[i]))
			return true;
	return false;
}

int skua_local_each(struct skua_local *storage, void (*visit)(void *context, void *instance),
		    void *context)
{
	struct local *local = local_of(storage);

	if (!local || !local->common || !visit)
		return SKUA_EINVAL;
	if (is_any_out(local))
		return SKUA_EBUSY;
	for (struct local_header *h = newest_of(local->common); h; h = h->older)
		visit(context, instance_of(h));
	return SKUA_OK;
}

int skua_local_clear(struct skua_local *storage)
{
	struct local *local = local_of(storage);

	if (!local || !local->common)
		return SKUA_EINVAL;
	if (is_any_out(local))
		return SKUA_EBUSY;
	struct local_header *header = newest_of(local->common);
	while (header) {
		struct local_header *older = header->older;
		char *instance = instance_of(header);
		if (local->fini)
			local->fini(local->context, instance);
		skuai_free(instance - local->offset);
		header = older;
	}
	/* order local.clear.1: relaxed, who leases next is told by the caller */
	skua_store(&local->common->newest, NULL, relaxed);
	for (size_t i = 0; i <= local->count; i++)
		local->common->shelves[i] = (struct skuai_shelf){ 0 };
	return SKUA_OK;
}

int skua_local_close(struct skua_local *storage)
{
	struct local *local = local_of(storage);

	if (!local)
		return SKUA_EINVAL;
	int error = local->common ? skua_local_clear(storage) : SKUA_OK;
	if (error)
		return error;
	skuai_free(local->common);
	*local = (struct local){ 0 };
	return SKUA_OK;
}
