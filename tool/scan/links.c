/* SPDX-License-Identifier: MIT */
/* links.c — files with several names: noted while walking, charged by a policy afterwards */
#include "scan/links.h"

#include "scan/found.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/*
 * At level totals it does not matter which name of a file is charged, only that one is: a set of
 * files that were met, in shards, each with a lock that is held for one look.
 *
 * Where a tree is kept, workers only note the names they meet.  After the walk the notes are sorted
 * by file, the names of one file in the order in which du would meet them, and then charged:
 *
 *	once     at the first name: in its directory and all above
 *	subtree  once in each directory that has one or more of the names, at whatever depth: at
 *	         every name going up, and taken back where the ways of two neighbours meet
 *
 * So nothing depends on who came first.
 */

#define SHARDS 64

struct link_key {
	uint64_t dev, ino;
};

struct link_shard {
	_Alignas(64) pthread_mutex_t lock;
	struct link_key *keys; /* open addressing; ino 0 and dev 0: free */
	size_t count, room;
};

struct link_set {
	struct link_shard shards[SHARDS];
};

struct link_set *links_set_make(void)
{
	struct link_set *set = aligned_alloc(64, sizeof(*set));

	if (!set)
		return NULL;
	memset(set, 0, sizeof(*set));
	for (unsigned i = 0; i < SHARDS; i++)
		pthread_mutex_init(&set->shards[i].lock, NULL);
	return set;
}

void links_set_free(struct link_set *set)
{
	for (unsigned i = 0; set && i < SHARDS; i++) {
		pthread_mutex_destroy(&set->shards[i].lock);
		free(set->shards[i].keys);
	}
	free(set);
}

static uint64_t mixed(struct link_key key)
{
	uint64_t x = (key.ino ^ key.dev << 40) * 0x9e3779b97f4a7c15;

	return x ^ x >> 29;
}

/* The place of a key, or the free one where it belongs. */
static struct link_key *place_of(struct link_key *keys, size_t room, struct link_key key)
{
	size_t i = mixed(key) / SHARDS & (room - 1);

	while ((keys[i].ino || keys[i].dev) && (keys[i].ino != key.ino || keys[i].dev != key.dev))
		i = (i + 1) & (room - 1);
	return &keys[i];
}

static bool grow(struct link_shard *shard)
{
	size_t room = shard->room ? 2 * shard->room : 64;
	struct link_key *keys = calloc(room, sizeof(*keys));

	if (!keys)
		return false;
	for (size_t i = 0; i < shard->room; i++)
		if (shard->keys[i].ino || shard->keys[i].dev)
			*place_of(keys, room, shard->keys[i]) = shard->keys[i];
	free(shard->keys);
	shard->keys = keys;
	shard->room = room;
	return true;
}

static enum link_charge meet(struct link_set *set, struct link_key key)
{
	struct link_shard *shard = &set->shards[mixed(key) % SHARDS];
	enum link_charge charge = LINK_LOST;

	pthread_mutex_lock(&shard->lock);
	if (2 * (shard->count + 1) <= shard->room || grow(shard)) {
		struct link_key *place = place_of(shard->keys, shard->room, key);
		charge = place->ino || place->dev ? LINK_LATER : LINK_NEW;
		shard->count += charge == LINK_NEW;
		*place = key;
	}
	pthread_mutex_unlock(&shard->lock);
	return charge;
}

static bool note(struct scan_link_list *list, const struct scan_link *link)
{
	if (list->count == list->room) {
		size_t room = list->room ? 2 * list->room : 64;
		struct scan_link *all = realloc(list->all, room * sizeof(*all));
		if (!all)
			return false;
		list->all = all;
		list->room = room;
	}
	list->all[list->count++] = *link;
	return true;
}

enum link_charge links_met(struct scan *scan, struct scan_worker *worker,
			   const struct scan_link *link)
{
	if (scan->options.level == SCAN_TOTALS)
		return meet(scan->seen, (struct link_key){ link->dev, link->ino });
	return note(&worker->links, link) ? LINK_LATER : LINK_LOST;
}

bool links_is_first(struct scan *scan, const struct stat *stat)
{
	return meet(scan->seen, (struct link_key){ stat->st_dev, stat->st_ino }) != LINK_LATER;
}

int links_compare_places(const struct scan_dir *x, uint32_t p, const struct scan_dir *y, uint32_t q)
{
	while (x->depth > y->depth) {
		p = x->position;
		x = x->parent;
	}
	while (y->depth > x->depth) {
		q = y->position;
		y = y->parent;
	}
	while (x != y) {
		p = x->position;
		q = y->position;
		if (!x->parent) /* two operands: roots have the position of their operand */
			break;
		x = x->parent;
		y = y->parent;
	}
	return (p > q) - (p < q);
}

static int compare_links(const void *left, const void *right)
{
	const struct scan_link *a = left, *b = right;

	if (a->dev != b->dev)
		return a->dev < b->dev ? -1 : 1;
	if (a->ino != b->ino)
		return a->ino < b->ino ? -1 : 1;
	return links_compare_places(a->dir, a->position, b->dir, b->position);
}

static void charge_up(struct scan_dir *dir, const struct scan_link *link, int64_t times)
{
	/* order: all relaxed; the walk is over, one thread is left */
	for (; dir; dir = dir->parent) {
		atomic_fetch_add_explicit(&dir->bytes, link->bytes * (uint64_t)times,
					  memory_order_relaxed);
		atomic_fetch_add_explicit(&dir->blocks, link->blocks * (uint64_t)times,
					  memory_order_relaxed);
	}
}

static struct scan_dir *common_dir(struct scan_dir *a, struct scan_dir *b)
{
	while (a->depth > b->depth)
		a = a->parent;
	while (b->depth > a->depth)
		b = b->parent;
	while (a != b && a) {
		a = a->parent;
		b = b->parent;
	}
	return a; /* NULL: below two operands */
}

/* It was charged at another name. */
static void mark_repeated(const struct scan_link *link)
{
	if (link->file)
		((struct scan_file *)link->file)->flags |=
			SCAN_REPEATED; /* an arena of ours has it */
	else if (link->dir->type != SCAN_DIRECTORY)
		link->dir->type = SCAN_SKIP_MET; /* it is an operand */
}

void links_charge(struct scan *scan)
{
	struct scan_link_list all = { NULL, 0, 0 };

	for (unsigned i = 0; i <= scan->places; i++)
		all.count += scan->workers[i].links.count;
	if (all.count == 0)
		return;
	all.all = malloc(all.count * sizeof(*all.all));
	if (!all.all) {
		scan->errors.lost++;
		return;
	}
	all.count = 0;
	for (unsigned i = 0; i <= scan->places; i++) {
		const struct scan_link_list *some = &scan->workers[i].links;
		if (some->count)
			memcpy(all.all + all.count, some->all, some->count * sizeof(*some->all));
		all.count += some->count;
	}
	qsort(all.all, all.count, sizeof(*all.all), compare_links);
	for (size_t i = 0; i < all.count; i++) {
		const struct scan_link *link = &all.all[i], *before = i ? link - 1 : NULL;
		bool is_first = !before || before->dev != link->dev || before->ino != link->ino;
		if (is_first) {
			scan->total.bytes += link->bytes;
			scan->total.blocks += link->blocks;
		} else {
			mark_repeated(link);
		}
		if (is_first || scan->options.links == SCAN_LINKS_SUBTREE)
			charge_up(link->dir, link, 1);
		if (!is_first && scan->options.links == SCAN_LINKS_SUBTREE)
			charge_up(common_dir(link->dir, before->dir), link, -1);
	}
	free(all.all);
}
