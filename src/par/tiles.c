/* SPDX-License-Identifier: MIT */
/* tiles.c — loops over the tiles of a grid, in an order that keeps neighbours together */
#include "base/diag.h"
#include "par/split.h"

#include <skua/error.h>
#include <skua/map.h>

/*
 * The tiles have numbers, and a loop runs over those; what matters is which tile has which number.
 * A box of tiles is halved across its longest direction, and the numbers of the one half come
 * before those of the other; and so on in each half.  Four rows of five:
 *
 *	 0  1  4 | 12 13
 *	 2  3  5 | 14 15
 *	---------+------
 *	 6  7 10 | 16 17
 *	 8  9 11 | 18 19
 *
 * So any run of numbers is a few boxes, a half of the numbers about a half of the grid, and the
 * tiles behind each other are beside each other, in any grid.  To walk over a run of numbers is to
 * walk down the halves that have some of them: a few steps a tile.
 *
 * Where the size is ours to choose, tiles are small, so that a loop over a few places that take
 * long can be shared; and a box of them that is in a run as a whole is given to the body at once,
 * up to a size that suits caches.  Runs are short where bodies are slow (pace.h), so this follows.
 */

#define TILE_MOST  4096 /* indices that a body is given at once, if we choose; arbitrary */
#define TILE_SMALL 64	/* indices of the tiles that those are made of, */
#define TILE_COUNT 256	/* or fewer, so that there are as many tiles */
#define TILE_LONG  4	/* times as long in the last direction as in others; measured */

/* Tiles, counted in each direction, and the number of the first. */
struct tile_box {
	uint64_t at[3], count[3];
	uint64_t first, total;
};

struct tiles {
	struct skua_tile space;
	uint64_t size[3];
	struct tile_box whole;
	uint64_t together; /* tiles that may be given to the body at once */
	skua_tile_body *body;
	void *argument;
};

static int tile_run(struct skua_slot *here, const struct tiles *tiles, const struct tile_box *box)
{
	struct skua_tile tile;

	for (unsigned d = 0; d < 3; d++) {
		uint64_t end = tiles->space.hi[d], size = box->count[d] * tiles->size[d];
		tile.lo[d] = tiles->space.lo[d] + box->at[d] * tiles->size[d];
		tile.hi[d] = end - tile.lo[d] > size ? tile.lo[d] + size : end;
	}
	return tiles->body(here, &tile, tiles->argument);
}

/* Halve a box across its longest direction: *box becomes the first half. */
static struct tile_box tile_halve(struct tile_box *box)
{
	unsigned d = 0;

	for (unsigned other = 1; other < 3; other++)
		if (box->count[other] > box->count[d])
			d = other;
	struct tile_box back = *box;
	uint64_t layer = box->count[(d + 1) % 3] * box->count[(d + 2) % 3];
	box->count[d] -= box->count[d] / 2;
	box->total = layer * box->count[d];
	back.at[d] += box->count[d];
	back.count[d] -= box->count[d];
	back.first += box->total;
	back.total -= box->total;
	return back;
}

/* The tiles of a box whose numbers are from lo on, before hi. */
static int tile_walk(struct skua_slot *here, const struct tiles *tiles, struct tile_box box,
		     uint64_t lo, uint64_t hi)
{
	while (box.total > 1 &&
	       (box.total > tiles->together || lo > box.first || hi < box.first + box.total)) {
		struct tile_box back = tile_halve(&box);
		if (hi > back.first && lo < back.first) {
			int error = tile_walk(here, tiles, box, lo, back.first);
			if (error)
				return error;
			lo = back.first;
		}
		if (lo >= back.first)
			box = back;
	}
	return tile_run(here, tiles, &box);
}

/* False: there are too many to have numbers. */
static bool tile_count(struct tiles *tiles)
{
	struct tile_box *whole = &tiles->whole;

	whole->total = 1;
	for (unsigned d = 0; d < 3; d++) {
		uint64_t indices = tiles->space.hi[d] - tiles->space.lo[d];
		whole->count[d] = indices / tiles->size[d] + (indices % tiles->size[d] != 0);
		if (__builtin_mul_overflow(whole->total, whole->count[d], &whole->total))
			return false;
	}
	return true;
}

static int tile_chunk(struct skua_slot *here, uint64_t lo, uint64_t hi, void *argument)
{
	const struct tiles *tiles = argument;

	return tile_walk(here, tiles, tiles->whole, lo, hi);
}

/* --- sizes --- */

/* The largest number, but at least 1, whose power of that degree, 1 to 3, is not above another. */
static uint64_t tile_root(uint64_t number, unsigned degree)
{
	uint64_t root = 1;

	if (degree == 1)
		return number > 0 ? number : 1;
	while ((root + 1) * (root + 1) * (degree == 3 ? root + 1 : 1) <= number)
		root++;
	return root;
}

/*
 * About the same in each direction, but that the last one, where inner loops run, is longer.  A
 * direction that has less takes what it has, and leaves more to the others: so the one that is
 * shortest for its part is served first.
 */
static void tile_choose(struct tiles *tiles)
{
	uint64_t extent[3], part[3] = { 1, 1, 1 }, parts = TILE_LONG, total = 1;
	unsigned last = 0;

	for (unsigned d = 0; d < 3; d++) {
		extent[d] = tiles->space.hi[d] - tiles->space.lo[d];
		skua_assert(extent[d] > 0);
		last = extent[d] > 1 ? d : last;
		if (__builtin_mul_overflow(total, extent[d], &total))
			total = UINT64_MAX;
	}
	part[last] = TILE_LONG;
	uint64_t left = total / TILE_COUNT < TILE_SMALL ? total / TILE_COUNT : TILE_SMALL;
	left = left > 0 ? left : 1;
	tiles->together = TILE_MOST / left;
	for (unsigned open = 3; open > 0; open--) {
		unsigned next = 3;
		for (unsigned d = 0; d < 3; d++)
			if (part[d] &&
			    (next == 3 || extent[d] / part[d] < extent[next] / part[next]))
				next = d;
		uint64_t side = tile_root(left / parts, open) * part[next];
		side = side < left ? side : left;
		skua_assert(side > 0);
		tiles->size[next] = extent[next] < side ? extent[next] : side;
		left /= tiles->size[next];
		parts /= part[next];
		part[next] = 0;
	}
}

int skua_loop_tiles(struct skua_pool *pool, const struct skua_tile *space, const uint64_t *size,
		    skua_tile_body *body, const void *argument,
		    const struct skua_loop_options *options)
{
	struct tiles tiles = { .together = 1, .body = body, .argument = (void *)argument };
	bool is_empty = false;

	if (!space || !body || !skuai_loop_options_are_valid(options) ||
	    (size && (!size[0] || !size[1] || !size[2])))
		return SKUA_EINVAL;
	tiles.space = *space;
	for (unsigned d = 0; d < 3; d++) {
		is_empty = is_empty || space->lo[d] >= space->hi[d];
		tiles.size[d] = size ? size[d] : 1;
	}
	if (!size && !is_empty)
		tile_choose(&tiles);
	if (!is_empty && !tile_count(&tiles))
		return SKUA_EINVAL;
	return skuai_split(pool, 0, tiles.whole.total,
			   &(struct skuai_work){
				   .body = tile_chunk, .argument = &tiles, .key = (uintptr_t)body },
			   options);
}
