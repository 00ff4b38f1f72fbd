/* SPDX-License-Identifier: MIT */
/* scan.c — skua_scan: prefix sums of an array, with any associative operator */
#include "base/alloc.h"
#include "par/blocks.h"

#include <skua/error.h>
#include <skua/scan.h>

#include <string.h>

/*
 * The sum of all that came before is carried from block to block (blocks.c).  A block that the sum
 * has not come to is reduced ahead; its slot holds its own sum until the other comes by, and from
 * then on what came before it.
 *
 * Stable: blocks have a length that follows from the count, each is summed up by itself, from left
 * to right, and what came before is put in front of each result.  So it makes no difference if a
 * block is done ahead or in one go.
 */

#define SCAN_ROOM	 64   /* bytes of an element that has room in the frame */
#define SCAN_BLOCKS	 256  /* of a stable scan, if they are not too long or too short then */
#define SCAN_BLOCK_LEAST 32   /* elements: below, a call would cost more than what it does */
#define SCAN_BLOCK_MOST	 4096 /* arbitrary; 32 KiB of doubles */

struct scan_job {
	const struct skua_scan_op *op;
	const char *in;
	char *out;
	void *argument;
	bool is_exclusive, is_stable;
	bool is_begun;	  /* sum is one */
	char *sum;	  /* of all before the block with the token; who has that writes */
	char *spare;	  /* the next one */
	char *scratch[2]; /* for who is alone */
	char *slots; /* of the blocks: a sum, and two elements of scratch if there are no leaves */
	size_t slot_bytes;
};

/* --- the loops, for operators that have none --- */

static void scan_reduce(const struct scan_job *job, void *into, const char *in, size_t count)
{
	const struct skua_scan_op *op = job->op;

	if (op->reduce) {
		op->reduce(into, in, count, job->is_stable, job->argument);
		return;
	}
	memcpy(into, in, op->bytes);
	for (size_t i = 1; i < count; i++)
		op->combine(into, in + i * op->bytes, job->argument);
}

static void scan_plain(const struct scan_job *job, struct skuai_span span, void *sum,
		       char *const scratch[2])
{
	const struct skua_scan_op *op = job->op;
	size_t bytes = op->bytes;
	const char *in = job->in + span.lo * bytes;
	char *out = job->out + span.lo * bytes;

	if (op->scan) {
		op->scan(in, out, span.hi - span.lo, sum, job->is_exclusive, job->argument);
		return;
	}
	for (size_t i = span.lo; i < span.hi; i++, in += bytes, out += bytes) {
		memcpy(scratch[0], in, bytes); /* which may be out */
		if (job->is_exclusive)
			memcpy(out, sum, bytes);
		op->combine(sum, scratch[0], job->argument);
		if (!job->is_exclusive)
			memcpy(out, sum, bytes);
	}
}

/* The same, each result after *before; *sum: of the span alone. */
static void scan_after(const struct scan_job *job, struct skuai_span span, const void *before,
		       char *sum, char *const scratch[2])
{
	const struct skua_scan_op *op = job->op;
	size_t bytes = op->bytes;
	const char *in = job->in + span.lo * bytes;
	char *out = job->out + span.lo * bytes;

	if (op->scan_after) {
		op->scan_after(in, out, span.hi - span.lo, before, sum, job->is_exclusive,
			       job->argument);
		return;
	}
	for (size_t i = span.lo; i < span.hi; i++, in += bytes, out += bytes) {
		memcpy(scratch[0], in, bytes);
		memcpy(out, before, bytes);
		if (job->is_exclusive && i != span.lo)
			op->combine(out, sum, job->argument);
		if (i == span.lo)
			memcpy(sum, scratch[0], bytes);
		else
			op->combine(sum, scratch[0], job->argument);
		if (!job->is_exclusive)
			op->combine(out, sum, job->argument);
	}
}

/* --- the way of blocks.h --- */

static char *scan_slot(const struct scan_job *job, size_t number)
{
	return job->slots + number * job->slot_bytes;
}

static bool scan_prepare(void *argument, size_t blocks)
{
	struct scan_job *job = argument;
	size_t bytes = job->op->bytes, align = bytes & (~bytes + 1);

	/* A slot has what came before; a sum besides if stable, and an element to copy to. */
	job->slot_bytes = bytes * 3;
	job->slots = skuai_alloc_aligned(blocks, job->slot_bytes,
					 align < 64	? 64
					 : align > 4096 ? 4096
							: align);
	return job->slots;
}

/* What comes after `next` is added to what is carried. */
static void scan_carry(struct scan_job *job, const void *next)
{
	char *sum = job->spare;

	memcpy(sum, job->sum, job->op->bytes);
	job->op->combine(sum, next, job->argument);
	job->spare = job->sum;
	job->sum = sum;
}

static void scan_whole(void *argument, const struct skuai_span *whole)
{
	struct scan_job *job = argument;
	struct skuai_span span = *whole;
	size_t bytes = job->op->bytes;

	if (!job->is_begun) { /* the first is nobody's sum but its own */
		memcpy(job->sum, job->in + span.lo * bytes, bytes);
		memmove(job->out + span.lo * bytes, job->in + span.lo * bytes, bytes);
		job->is_begun = true;
		span.lo++;
		scan_plain(job, span, job->sum, job->scratch);
	} else if (!job->is_stable) {
		scan_plain(job, span, job->sum, job->scratch);
	} else {
		scan_after(job, span, job->sum, job->scratch[1], job->scratch);
		scan_carry(job, job->scratch[1]);
	}
}

static void scan_ahead(void *argument, const struct skuai_span *span, void *room)
{
	struct scan_job *job = argument;

	(void)room;
	scan_reduce(job, scan_slot(job, span->number), job->in + span->lo * job->op->bytes,
		    span->hi - span->lo);
}

static bool scan_pass(void *argument, const struct skuai_span *span)
{
	struct scan_job *job = argument;
	char *slot = scan_slot(job, span->number);

	scan_carry(job, slot);
	memcpy(slot, job->spare, job->op->bytes);
	return false;
}

static void scan_finish(void *argument, const struct skuai_span *span)
{
	struct scan_job *job = argument;
	size_t bytes = job->op->bytes;
	char *slot = scan_slot(job, span->number);
	char *const scratch[2] = { slot + bytes, slot + 2 * bytes };

	if (job->is_stable)
		scan_after(job, *span, slot, scratch[1], scratch);
	else
		scan_plain(job, *span, slot, scratch);
}

static const struct skuai_blocks_way scan_way = { .prepare = scan_prepare,
						  .whole = scan_whole,
						  .ahead = scan_ahead,
						  .pass = scan_pass,
						  .finish = scan_finish };

/* --- the whole --- */

static bool scan_is_valid(const void *in, const void *out, size_t count,
			  const struct skua_scan_op *op, const struct skua_scan_options *options)
{
	bool has_leaves = op && op->reduce && op->scan && op->scan_after;
	bool has_none = op && !op->reduce && !op->scan && !op->scan_after;

	return op && op->combine && (has_leaves || has_none) &&
	       skuai_array_is_possible(in, count, op->bytes) &&
	       skuai_array_is_possible(out, count, op->bytes) &&
	       (in == out || !skuai_arrays_overlap(in, out, count, op->bytes)) &&
	       options->size == sizeof(*options) && options->priority >= SKUA_PRIORITY_NORMAL &&
	       options->priority <= SKUA_PRIORITY_LOW;
}

static size_t scan_block_of(size_t count)
{
	size_t block = count / SCAN_BLOCKS;

	return block < SCAN_BLOCK_LEAST	 ? SCAN_BLOCK_LEAST
	       : block > SCAN_BLOCK_MOST ? SCAN_BLOCK_MOST
					 : block;
}

/* The sum of no elements is what comes before them; without that it is left alone. */
static void scan_nothing(size_t bytes, const struct skua_scan_options *options)
{
	if (options->total && options->initial)
		memmove(options->total, options->initial, bytes);
	else if (options->total && options->is_exclusive)
		memset(options->total, 0, bytes);
}

int skua_array_scan(struct skua_pool *pool, const void *in, void *out, size_t count,
		    const struct skua_scan_op *op, const struct skua_scan_options *options)
{
	static const struct skua_scan_options usual = { .size = sizeof(usual) };
	_Alignas(64) char room[4 * SCAN_ROOM];

	options = options ? options : &usual;
	if (!scan_is_valid(in, out, count, op, options))
		return SKUA_EINVAL;
	if (!count) {
		scan_nothing(op->bytes, options);
		return SKUA_OK;
	}
	char *four = op->bytes <= SCAN_ROOM ? room : skuai_alloc_aligned(4, op->bytes, 64);
	if (!four)
		return SKUA_ENOMEM;
	struct scan_job job = { .op = op,
				.in = in,
				.out = out,
				.argument = options->argument,
				.is_exclusive = options->is_exclusive,
				.is_stable = options->is_stable,
				.is_begun = options->initial || options->is_exclusive,
				.sum = four,
				.spare = four + op->bytes,
				.scratch = { four + 2 * op->bytes, four + 3 * op->bytes } };
	if (options->initial)
		memcpy(job.sum, options->initial, op->bytes);
	else if (options->is_exclusive)
		memset(job.sum, 0, op->bytes);
	const struct skuai_blocks blocks = { .way = &scan_way,
					     .job = &job,
					     .count = count,
					     .bytes = op->bytes,
					     .fixed = job.is_stable ? scan_block_of(count) : 0,
					     .priority = options->priority,
					     .who = (uintptr_t)op->combine };
	skuai_blocks_run(pool, &blocks);
	if (options->total)
		memcpy(options->total, job.sum, op->bytes);
	skuai_free(job.slots);
	if (four != room)
		skuai_free(four);
	return SKUA_OK;
}
