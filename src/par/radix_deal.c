/* SPDX-License-Identifier: MIT */
/* radix_deal.c — many keys dealt out to buckets that fit a cache, by all workers at once */
#include "par/sort_radix.h"

#include "base/alloc.h"
#include "base/rng.h"

/*
 * A sample says between which ranks most keys are.  That range is cut into thousands of cells of
 * one width, and neighbouring cells are put together to buckets of about as many samples; a rank
 * becomes a cell by a shift, and a cell a bucket by a table.  So buckets are even although keys may
 * crowd in a few places, as the exponents of floating-point numbers do.
 *
 * The keys are cut into blocks.  Each block is counted, bucket by bucket; then it is known where
 * the keys of a block go in each bucket, and blocks are dealt out with nothing to agree on.  Keys
 * of one rank stay in order.
 *
 * Keys become ranks on the way.  A bucket that is still large is dealt out again: a sample of two
 * ranks or more cuts it, and one of a single rank leaves that rank a bucket of its own.
 */

#define DEAL_CELLS   4096
#define DEAL_SAMPLES 4096
#define DEAL_EACH    16 /* samples in a bucket, unless a cell alone has more */
/* The most: two neighbours have more than DEAL_EACH together, but for one before a full cell. */
#define DEAL_BUCKETS	       768
#define DEAL_BLOCK	       ((size_t)1 << 15) /* items that are not worth a block of their own */
#define DEAL_BLOCKS_PER_WORKER 16
#define DEAL_DEPTH	       8 /* then a bucket is sorted by comparison, whatever it is like */

struct deal {
	const struct skuai_radix *radix;
	struct skuai_keymap map; /* of the keys that are dealt out; ranks: of nothing */
	const char *from;
	char *to;
	size_t first, count; /* of the whole array */
	size_t block;	     /* items */
	uint64_t least;	     /* of the sample */
	unsigned shift;
	unsigned depth; /* deals that this one is inside of */
	bool is_to_temp;
	uint16_t bucket[DEAL_CELLS];
	size_t starts[DEAL_BUCKETS + 1];
	uint64_t samples[DEAL_SAMPLES];
	size_t places[][DEAL_BUCKETS]; /* of each block: counts, then where the next one goes */
};

/* 0: below all samples; the last: above. */
SKUAI_RADIX_INLINE size_t deal_cell(uint64_t rank, uint64_t least, unsigned shift)
{
	uint64_t cell = (rank - least) >> shift;

	cell = cell < DEAL_CELLS - 2 ? cell + 1 : DEAL_CELLS - 1;
	return rank < least ? 0 : cell;
}

SKUAI_RADIX_INLINE uint64_t deal_rank(const char *item, struct skuai_keymap map, unsigned width)
{
	return skuai_rank_of(skuai_radix_get(item, width), map, width);
}

/* --- what goes where --- */

static void deal_sample(struct deal *deal)
{
	/* Places that nobody knows beforehand: keys could be made so that all samples are alike. */
	struct skuai_rng rng = { deal->count ^ (uint64_t)(uintptr_t)deal };
	unsigned width = deal->radix->width;
	uint64_t least = UINT64_MAX, most = 0;

	for (size_t i = 0; i < DEAL_SAMPLES; i++) {
		size_t at = skuai_rng_next(&rng) % deal->count;
		uint64_t rank = width == 4 ? deal_rank(deal->from + at * 4, deal->map, 4)
					   : deal_rank(deal->from + at * width, deal->map, 8);
		deal->samples[i] = rank;
		least = rank < least ? rank : least;
		most = rank > most ? rank : most;
	}
	deal->least = least;
	deal->shift = 0;
	while ((most - least) >> deal->shift >= DEAL_CELLS - 2)
		deal->shift++;
}

static void deal_plan(struct deal *deal)
{
	uint16_t counts[DEAL_CELLS] = { 0 };
	unsigned bucket = 0, inside = 0;

	deal_sample(deal);
	for (size_t i = 0; i < DEAL_SAMPLES; i++)
		counts[deal_cell(deal->samples[i], deal->least, deal->shift)]++;
	for (size_t i = 0; i < DEAL_CELLS; i++) {
		if (i && inside + counts[i] > DEAL_EACH) {
			bucket++;
			inside = 0;
		}
		inside += counts[i];
		deal->bucket[i] = (uint16_t)bucket;
	}
}

/* --- count, and deal out --- */

SKUAI_RADIX_INLINE void deal_count(const struct deal *deal, size_t lo, size_t hi, size_t *counts,
				   unsigned width)
{
	const struct skuai_keymap map = deal->map;
	const char *from = deal->from;
	const uint64_t least = deal->least;
	const unsigned shift = deal->shift;

	for (size_t i = lo; i < hi; i++) {
		uint64_t rank = deal_rank(from + i * width, map, width);
		counts[deal->bucket[deal_cell(rank, least, shift)]]++;
	}
}

SKUAI_RADIX_INLINE void deal_out(const struct deal *deal, size_t lo, size_t hi, size_t *places,
				 unsigned width)
{
	const struct skuai_keymap map = deal->map;
	const char *from = deal->from;
	char *to = deal->to;
	const uint64_t least = deal->least;
	const unsigned shift = deal->shift;

	for (size_t i = lo; i < hi; i++) {
		const char *item = from + i * width;
		uint64_t rank = deal_rank(item, map, width);
		char *place = to + places[deal->bucket[deal_cell(rank, least, shift)]]++ * width;
		skuai_radix_put(place, rank, width);
		skuai_radix_follow(place, item, width);
	}
}

static int deal_count_blocks(struct skua_slot *here, uint64_t lo, uint64_t hi, void *argument)
{
	struct deal *deal = argument;
	size_t first = lo * deal->block, end;

	(void)here;
	for (; lo < hi; lo++, first += deal->block) {
		end = deal->count - first < deal->block ? deal->count : first + deal->block;
		if (deal->radix->width == 4)
			deal_count(deal, first, end, deal->places[lo], 4);
		else if (deal->radix->width == 8)
			deal_count(deal, first, end, deal->places[lo], 8);
		else
			deal_count(deal, first, end, deal->places[lo], 16);
	}
	return 0;
}

static int deal_out_blocks(struct skua_slot *here, uint64_t lo, uint64_t hi, void *argument)
{
	struct deal *deal = argument;
	size_t first = lo * deal->block, end;

	(void)here;
	for (; lo < hi; lo++, first += deal->block) {
		end = deal->count - first < deal->block ? deal->count : first + deal->block;
		if (deal->radix->width == 4)
			deal_out(deal, first, end, deal->places[lo], 4);
		else if (deal->radix->width == 8)
			deal_out(deal, first, end, deal->places[lo], 8);
		else
			deal_out(deal, first, end, deal->places[lo], 16);
	}
	return 0;
}

/* Counts become places: bucket after bucket, in each block after block. */
static void deal_place(struct deal *deal, size_t blocks)
{
	size_t sum = 0;

	for (size_t bucket = 0; bucket < DEAL_BUCKETS; bucket++) {
		deal->starts[bucket] = sum;
		for (size_t block = 0; block < blocks; block++) {
			size_t count = deal->places[block][bucket];
			deal->places[block][bucket] = sum;
			sum += count;
		}
	}
	deal->starts[DEAL_BUCKETS] = sum;
}

/* --- each bucket --- */

struct deal_rest {
	const struct skuai_radix *radix;
	size_t first;
	bool is_in_temp;
};

static int deal_finish(struct skua_slot *here, uint64_t lo, uint64_t hi, void *argument)
{
	const struct deal_rest *rest = argument;

	(void)here;
	skuai_radix_finish(rest->radix, rest->first + lo, hi - lo, rest->is_in_temp);
	return 0;
}

static bool deal_ranks(struct skua_slot *here, const struct skuai_radix *radix, size_t first,
		       size_t count, bool is_in_temp, unsigned depth);

static int deal_compare(const void *a, const void *b, void *context)
{
	const unsigned *width = context;
	uint64_t rank_a = skuai_radix_get(a, *width), rank_b = skuai_radix_get(b, *width);

	return (rank_a > rank_b) - (rank_a < rank_b);
}

/* A bucket for which there is no more memory, or that would not fall apart. */
static void deal_sort_in_place(struct skua_slot *here, char *ranks, size_t count, unsigned width)
{
	const struct skua_sort_leaves leaves = { width, deal_compare, NULL, NULL, NULL };
	const struct skuai_order order = { &leaves, &width };

	skuai_sort_in_place(here, &order, ranks, count);
}

static void deal_sort_bucket(struct skua_slot *here, const struct skuai_radix *radix, size_t first,
			     size_t count, bool is_in_temp, unsigned depth)
{
	struct deal_rest rest = { radix, first, is_in_temp };
	char *ranks = (is_in_temp ? radix->temp : radix->base) + first * radix->width;

	if (count <= SKUAI_RADIX_LARGE) {
		skuai_radix_bucket(radix, first, count, is_in_temp);
		return;
	}
	if (!skuai_radix_is_sorted(ranks, count, radix->width)) {
		if (depth < DEAL_DEPTH && deal_ranks(here, radix, first, count, is_in_temp, depth))
			return;
		deal_sort_in_place(here, ranks, count, radix->width);
	}
	skuai_sort_each(here, count, deal_finish, &rest);
}

static int deal_sort_buckets(struct skua_slot *here, uint64_t lo, uint64_t hi, void *argument)
{
	struct deal *deal = argument;

	for (; lo < hi; lo++)
		if (deal->starts[lo + 1] > deal->starts[lo])
			deal_sort_bucket(here, deal->radix, deal->first + deal->starts[lo],
					 deal->starts[lo + 1] - deal->starts[lo], deal->is_to_temp,
					 deal->depth + 1);
	return 0;
}

/* Deal out and sort; depth 0: they are keys still.  False: no memory, nothing was done. */
static bool deal_ranks(struct skua_slot *here, const struct skuai_radix *radix, size_t first,
		       size_t count, bool is_in_temp, unsigned depth)
{
	size_t blocks = count / DEAL_BLOCK + 1, offset = first * radix->width;
	size_t most = here ? skuai_split_width(NULL) * DEAL_BLOCKS_PER_WORKER : 1;

	if (most && blocks > most)
		blocks = most;
	struct deal *deal = skuai_alloc(1, sizeof(*deal) + blocks * sizeof(deal->places[0]));
	if (!deal)
		return false;
	deal->radix = radix;
	deal->depth = depth;
	deal->map = depth ? (struct skuai_keymap){ 0, 0, 0 } : radix->map;
	deal->from = (is_in_temp ? radix->temp : radix->base) + offset;
	deal->to = (is_in_temp ? radix->base : radix->temp) + offset;
	deal->first = first;
	deal->count = count;
	deal->is_to_temp = !is_in_temp;
	deal->block = (count + blocks - 1) / blocks;
	blocks = (count + deal->block - 1) / deal->block;
	deal_plan(deal);
	skuai_sort_each(here, blocks, deal_count_blocks, deal);
	deal_place(deal, blocks);
	skuai_sort_each(here, blocks, deal_out_blocks, deal);
	skuai_sort_each(here, DEAL_BUCKETS, deal_sort_buckets, deal);
	skuai_free(deal);
	return true;
}

/* --- the whole --- */

#define DEAL_WORTH ((size_t)1 << 15) /* items that are dealt out if there is help */

static void deal_map(const struct skuai_radix *radix, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		char *item = radix->base + i * radix->width;
		if (radix->width == 4)
			skuai_radix_put(item, deal_rank(item, radix->map, 4), 4);
		else
			skuai_radix_put(item, deal_rank(item, radix->map, 8), 8);
	}
}

bool skuai_radix_sort(struct skua_slot *here, const struct skuai_radix *radix, size_t count,
		      bool has_ranks)
{
	bool has_help = here && skuai_split_width(NULL) > 1;

	if (count > (has_help ? DEAL_WORTH : SKUAI_RADIX_LARGE))
		return deal_ranks(here, radix, 0, count, false, has_ranks ? 1 : 0);
	if (!has_ranks && (radix->map.flip || radix->map.bias))
		deal_map(radix, count);
	skuai_radix_bucket(radix, 0, count, false);
	return true;
}
