/* SPDX-License-Identifier: MIT */
/* pack.c — skua_filter: elements moved together, in order; what unique and partition stand on */
#include "par/pack_parts.h"

#include "base/alloc.h"

#include <skua/error.h>

#include <string.h>

/*
 * How many were kept is carried from block to block (blocks.c).  A block that this has come to is
 * moved to its place at once.  Ahead of that, what is to be kept goes to a room, and from there to
 * its place when that is known.  Without a room, it is moved together in out, at the start of the
 * block itself, and whoever has the token moves it on when it comes by:
 *
 *	out  [ kept so far ]      [kept |    block    ][kept|    block    ]
 *	                   <------                <-----
 *
 * Nobody writes behind the end of his own block, and what is written before it was moved away
 * already: the places of blocks before this one are final, and blocks after it come to know theirs
 * later.  So in and out may be the same.
 */

static char *pack_at(const struct skuai_pack *pack, char *array, size_t index)
{
	return array + index * pack->bytes;
}

static bool pack_prepare(void *argument, size_t blocks)
{
	struct skuai_pack *pack = argument;

	pack->blocks = skuai_alloc(blocks, sizeof(*pack->blocks));
	pack->block_count = pack->blocks ? blocks : 0;
	return pack->blocks;
}

static void pack_whole(void *argument, const struct skuai_span *span)
{
	struct skuai_pack *pack = argument;
	size_t start = pack->kept;
	bool is_block = span->number != SKUAI_NO_BLOCK;
	/* Alone, the rest is moved together too; else it stays where its block is. */
	char *rest = pack->rest ? pack_at(pack, pack->rest, is_block ? span->lo : span->lo - start)
				: NULL;

	size_t kept = pack->compact(pack, span, pack_at(pack, pack->out, start), rest);
	pack->kept += kept;
	if (is_block) {
		pack->blocks[span->number] = (struct skuai_pack_block){
			.lo = span->lo, .count = span->hi - span->lo, .kept = kept, .start = start
		};
	} else {
		pack->alone = span->hi;
		pack->alone_kept = pack->kept;
	}
}

static void pack_ahead(void *argument, const struct skuai_span *span, void *room)
{
	struct skuai_pack *pack = argument;
	struct skuai_pack_block *block = &pack->blocks[span->number];
	char *rest = pack->rest ? pack_at(pack, pack->rest, span->lo) : NULL;

	block->lo = span->lo;
	block->count = span->hi - span->lo;
	block->from = room ? room : pack_at(pack, pack->out, span->lo);
	block->kept = pack->compact(pack, span, block->from, rest);
}

static void pack_finish(void *argument, const struct skuai_span *span)
{
	struct skuai_pack *pack = argument;
	const struct skuai_pack_block *block = &pack->blocks[span->number];

	/* All of it is in its place: unique may be reading the last of it, so it is not touched. */
	if (pack->in == pack->out && block->start == block->lo && block->kept == block->count)
		return;
	memmove(pack_at(pack, pack->out, block->start), block->from, block->kept * pack->bytes);
}

static bool pack_pass(void *argument, const struct skuai_span *span)
{
	struct skuai_pack *pack = argument;
	struct skuai_pack_block *block = &pack->blocks[span->number];
	bool has_room = block->from != pack_at(pack, pack->out, block->lo);

	block->start = pack->kept;
	pack->kept += block->kept;
	if (!has_room && block->start != block->lo)
		pack_finish(pack, span);
	return !has_room;
}

static const struct skuai_blocks_way pack_way = { .prepare = pack_prepare,
						  .whole = pack_whole,
						  .ahead = pack_ahead,
						  .pass = pack_pass,
						  .finish = pack_finish };

bool skuai_pack_is_valid(const void *array, size_t count, size_t bytes,
			 const struct skua_pack_options *options)
{
	return skuai_array_is_possible(array, count, bytes) &&
	       (!options ||
		(options->size == sizeof(*options) && options->priority >= SKUA_PRIORITY_NORMAL &&
		 options->priority <= SKUA_PRIORITY_LOW));
}

void skuai_pack_run(struct skua_pool *pool, struct skuai_pack *pack, uintptr_t who,
		    const struct skua_pack_options *options)
{
	const struct skuai_blocks blocks = { .way = &pack_way,
					     .job = pack,
					     .count = pack->count,
					     .bytes = pack->bytes,
					     .has_rooms = true,
					     .priority = options ? options->priority
								 : SKUA_PRIORITY_NORMAL,
					     .who = who };

	if (pack->count)
		skuai_blocks_run(pool, &blocks);
}

/* --- filter --- */

static size_t filter_compact(const struct skuai_pack *pack, const struct skuai_span *span, char *to,
			     char *rest)
{
	const struct skua_test *test = pack->how;
	const char *in = pack->in + span->lo * pack->bytes;
	size_t kept = 0, bytes = pack->bytes;

	(void)rest;
	if (test->filter)
		return test->filter(in, to, span->hi - span->lo, pack->argument);
	for (size_t i = span->lo; i < span->hi; i++, in += bytes) {
		if (!test->is_true(in, pack->argument))
			continue;
		if (to + kept * bytes != in)
			memcpy(to + kept * bytes, in, bytes);
		kept++;
	}
	return kept;
}

int skua_array_filter(struct skua_pool *pool, const void *in, void *out, size_t count,
		      const struct skua_test *test, const void *argument, size_t *kept,
		      const struct skua_pack_options *options)
{
	if (!test || !test->is_true || !kept ||
	    !skuai_pack_is_valid(in, count, test->bytes, options) || (count && !out) ||
	    (in != out && skuai_arrays_overlap(in, out, count, test->bytes)))
		return SKUA_EINVAL;
	struct skuai_pack pack = { .in = in,
				   .out = out,
				   .count = count,
				   .bytes = test->bytes,
				   .how = test,
				   .argument = (void *)argument,
				   .compact = filter_compact };
	skuai_pack_run(pool, &pack, (uintptr_t)test->is_true, options);
	skuai_free(pack.blocks);
	*kept = pack.kept;
	return SKUA_OK;
}
