/* SPDX-License-Identifier: MIT */
/* partition.c — skua_partition: those for which a test is true to the front */
#include "base/alloc.h"
#include "par/pack_parts.h"
#include "par/split.h"

#include <skua/error.h>

#include <string.h>

/* --- in order --- */

/*
 * As a filter in place; what is not kept goes to another array, at the place of its block, and from
 * there behind what was kept, when it is known how many those are.
 */

static size_t divide_compact(const struct skuai_pack *pack, const struct skuai_span *span, char *to,
			     char *rest)
{
	const struct skua_test *test = pack->how;
	const char *in = pack->in + span->lo * pack->bytes;
	size_t kept = 0, bytes = pack->bytes;

	if (test->divide)
		return test->divide(in, to, rest, span->hi - span->lo, pack->argument);
	for (size_t i = span->lo; i < span->hi; i++, in += bytes) {
		if (!test->is_true(in, pack->argument)) {
			memcpy(rest, in, bytes);
			rest += bytes;
			continue;
		}
		if (to + kept * bytes != in)
			memcpy(to + kept * bytes, in, bytes);
		kept++;
	}
	return kept;
}

static int divide_rest(struct skua_slot *here, uint64_t lo, uint64_t hi, void *argument)
{
	struct skuai_pack *pack = argument;

	(void)here;
	for (uint64_t i = lo; i < hi; i++) {
		const struct skuai_pack_block *block = &pack->blocks[i];
		memcpy(pack->out + (pack->kept + block->lo - block->start) * pack->bytes,
		       pack->rest + block->lo * pack->bytes,
		       (block->count - block->kept) * pack->bytes);
	}
	return SKUA_OK;
}

static int partition_ordered(struct skua_pool *pool, struct skuai_pack *pack,
			     const struct skua_pack_options *options)
{
	const struct skua_test *test = pack->how;

	pack->rest = skuai_alloc(pack->count, pack->bytes);
	if (!pack->rest)
		return SKUA_ENOMEM;
	skuai_pack_run(pool, pack, (uintptr_t)test->is_true, options);
	/* The blocks go where the caller alone put nothing yet; its own part is first. */
	memcpy(pack->out + pack->kept * pack->bytes, pack->rest,
	       (pack->alone - pack->alone_kept) * pack->bytes);
	if (pack->alone < pack->count)
		skuai_blocks_each(pool, pack->block_count, divide_rest, pack,
				  options ? options->priority : SKUA_PRIORITY_NORMAL);
	skuai_free(pack->rest);
	skuai_free(pack->blocks);
	return SKUA_OK;
}

/* --- in any order --- */

/*
 * Blocks of a fixed length are partitioned in place, each by itself.  Then some that are not to be
 * kept stand before the end of what is kept, and as many that are stand after it: the first of the
 * ones change places with the first of the others, and so on.
 *
 *	[yes|no][yes|no][yes  |no][yes|no]
 *	     xx      xx      ^ end     xxx   the three x that are yes, and those that are no
 */
#define LOOSE_BLOCK 1024 /* elements; the result depends on it */
#define LOOSE_SMALL 16	 /* bytes of an element, so that a block has room in a frame */

struct loose_block {
	size_t yes;		  /* the first so many */
	size_t no_before;	  /* out of place, in blocks before this one */
	size_t yes_before;	  /* likewise */
	size_t no_from, yes_from; /* where those of this block begin */
};

struct loose {
	struct skuai_pack *pack;
	struct loose_block *blocks; /* one more than there are */
	size_t count;
};

static void loose_swap(char *a, char *b, size_t bytes)
{
	char part[256];

	while (bytes) {
		size_t some = bytes < sizeof(part) ? bytes : sizeof(part);
		memcpy(part, a, some);
		memcpy(a, b, some);
		memcpy(b, part, some);
		a += some;
		b += some;
		bytes -= some;
	}
}

/* From both ends; each element is asked once. */
static size_t loose_divide(const struct skuai_pack *pack, size_t lo, size_t hi)
{
	const struct skua_test *test = pack->how;
	size_t first = lo;

	for (;;) {
		while (lo < hi && test->is_true(pack->out + lo * pack->bytes, pack->argument))
			lo++;
		if (lo == hi)
			return lo - first;
		hi--; /* lo is false; is this one true? */
		while (lo < hi && !test->is_true(pack->out + hi * pack->bytes, pack->argument))
			hi--;
		if (lo == hi)
			return lo - first;
		loose_swap(pack->out + lo * pack->bytes, pack->out + hi * pack->bytes, pack->bytes);
		lo++;
	}
}

/* The same for small elements, without a branch to guess. */
static size_t loose_divide_small(const struct skuai_pack *pack, size_t lo, size_t hi)
{
	const struct skua_test *test = pack->how;
	_Alignas(LOOSE_SMALL) char rest[LOOSE_BLOCK * LOOSE_SMALL];
	char *data = pack->out + lo * pack->bytes;
	size_t yes = test->divide(data, data, rest, hi - lo, pack->argument);

	memcpy(data + yes * pack->bytes, rest, (hi - lo - yes) * pack->bytes);
	return yes;
}

static size_t loose_end(const struct loose *loose, size_t block)
{
	size_t end = (block + 1) * LOOSE_BLOCK;

	return end < loose->pack->count ? end : loose->pack->count;
}

static int loose_divide_blocks(struct skua_slot *here, uint64_t lo, uint64_t hi, void *argument)
{
	struct loose *loose = argument;
	const struct skua_test *test = loose->pack->how;
	bool is_small = test->divide && test->bytes <= LOOSE_SMALL;

	(void)here;
	for (size_t i = (size_t)lo; i < hi; i++) {
		size_t first = i * LOOSE_BLOCK, end = loose_end(loose, i);
		loose->blocks[i].yes = is_small ? loose_divide_small(loose->pack, first, end)
						: loose_divide(loose->pack, first, end);
	}
	return SKUA_OK;
}

/* Count what is out of place, block by block. */
static size_t loose_count_wrong(struct loose *loose)
{
	size_t kept = 0;

	for (size_t i = 0; i < loose->count; i++)
		kept += loose->blocks[i].yes;
	loose->pack->kept = kept;
	for (size_t i = 0; i < loose->count; i++) {
		struct loose_block *block = &loose->blocks[i];
		size_t lo = i * LOOSE_BLOCK, mid = lo + block->yes, hi = loose_end(loose, i);
		size_t no_end = hi < kept ? hi : kept;
		block->no_from = mid;
		block->yes_from = lo > kept ? lo : kept;
		block[1].no_before = block->no_before + (no_end > mid ? no_end - mid : 0);
		block[1].yes_before = block->yes_before +
				      (mid > block->yes_from ? mid - block->yes_from : 0);
	}
	return loose->blocks[loose->count].no_before;
}

/* The block with the wrong one of this number. */
static size_t loose_find(const struct loose *loose, size_t number, bool is_yes)
{
	size_t lo = 0, hi = loose->count;

	while (hi - lo > 1) {
		size_t mid = lo + (hi - lo) / 2;
		const struct loose_block *block = &loose->blocks[mid];
		if ((is_yes ? block->yes_before : block->no_before) <= number)
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

/* Wrong ones change places, from number lo on, before hi. */
static int loose_swap_wrong(struct skua_slot *here, uint64_t lo, uint64_t hi, void *argument)
{
	struct loose *loose = argument;
	size_t bytes = loose->pack->bytes, i = (size_t)lo;

	(void)here;
	while (i < hi) {
		const struct loose_block *no = &loose->blocks[loose_find(loose, i, false)];
		const struct loose_block *yes = &loose->blocks[loose_find(loose, i, true)];
		size_t end = no[1].no_before < yes[1].yes_before ? no[1].no_before
								 : yes[1].yes_before;
		end = end < hi ? end : (size_t)hi;
		loose_swap(loose->pack->out + (no->no_from + i - no->no_before) * bytes,
			   loose->pack->out + (yes->yes_from + i - yes->yes_before) * bytes,
			   (end - i) * bytes);
		i = end;
	}
	return SKUA_OK;
}

static void partition_unordered(struct skua_pool *pool, struct skuai_pack *pack,
				enum skua_priority priority)
{
	struct loose loose = {
		.pack = pack, .count = pack->count / LOOSE_BLOCK + (pack->count % LOOSE_BLOCK != 0)
	};

	loose.blocks = skuai_alloc(loose.count + 1, sizeof(*loose.blocks));
	if (!loose.blocks) {
		pack->kept = loose_divide(pack, 0, pack->count);
		return;
	}
	skuai_blocks_each(pool, loose.count, loose_divide_blocks, &loose, priority);
	size_t wrong = loose_count_wrong(&loose);
	if (wrong)
		skuai_blocks_each(pool, wrong, loose_swap_wrong, &loose, priority);
	skuai_free(loose.blocks);
}

/* --- the whole --- */

int skua_array_partition(struct skua_pool *pool, void *data, size_t count,
			 const struct skua_test *test, const void *argument, size_t *kept,
			 const struct skua_pack_options *options)
{
	int error = SKUA_OK;

	if (!test || !test->is_true || !kept ||
	    !skuai_pack_is_valid(data, count, test->bytes, options))
		return SKUA_EINVAL;
	struct skuai_pack pack = { .in = data,
				   .out = data,
				   .count = count,
				   .bytes = test->bytes,
				   .how = test,
				   .argument = (void *)argument,
				   .compact = divide_compact };
	struct skua_pool *held = count ? skuai_split_hold(pool) : NULL;
	if (count && options && options->is_unordered)
		partition_unordered(pool, &pack, options->priority);
	else if (count)
		error = partition_ordered(pool, &pack, options);
	skuai_split_release(held);
	if (!error)
		*kept = pack.kept;
	return error;
}
