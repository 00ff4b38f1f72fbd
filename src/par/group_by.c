/* SPDX-License-Identifier: MIT */
/* group_by.c — skua_group_by: which records have the same key */
#include "base/alloc.h"
#include "par/pack_parts.h"
#include "par/split.h"

#include <skua/error.h>

#include <string.h>

/*
 * Keys with the numbers of their records are sorted byte by byte from the lowest on, which keeps
 * the order of equal ones; only bytes in which keys differ are looked at.  Each pass is done by
 * blocks: count the digits of each block; so it is known where each block puts each digit, in
 * order; put them there.  Then a group begins wherever the key is not that of the one before.
 *
 * Keys that differ in a few neighbouring bits only need one pass, straight to the result.
 */

#define GROUP_BLOCK  8192 /* records of a block at least */
#define GROUP_BLOCKS 256  /* at most */
#define GROUP_DIGITS 256
#define GROUP_KEYS   128 /* asked for at once */
#define GROUP_BITS   11	 /* that few keys differ in; the bins of more would not fit in a cache */

struct group_entry {
	uint64_t key;
	size_t record;
};

struct group_block {
	uint64_t differing;	     /* bits, from the key of the first record */
	size_t groups;		     /* that begin in it; then: before it */
	size_t digits[GROUP_DIGITS]; /* how many; then: where the next goes */
};

struct group_job {
	const char *records;
	const struct skua_group_key *key;
	void *argument;
	struct skua_pool *pool;
	enum skua_priority priority;
	size_t count, block, blocks;
	uint64_t first_key;
	unsigned shift; /* of the digit that is looked at */
	unsigned bits;	/* of few keys */
	struct group_entry *from, *to;
	struct group_block *each;
	size_t *bins; /* for few keys: as digits of a block, one after the other */
	struct skua_groups result;
};

/* The entries of a block. */
static struct skuai_span group_span(const struct group_job *job, uint64_t number)
{
	size_t lo = (size_t)number * job->block, left = job->count - lo;

	return (struct skuai_span){ .lo = lo,
				    .hi = lo + (left < job->block ? left : job->block),
				    .number = (size_t)number };
}

static void group_for_blocks(struct group_job *job, skua_loop_body *body)
{
	skuai_blocks_each(job->pool, job->blocks, body, job, job->priority);
}

/* --- keys --- */

static void group_ask(struct group_job *job, uint64_t *keys, size_t lo, size_t count)
{
	const struct skua_group_key *key = job->key;
	const char *records = job->records + lo * key->bytes;

	if (key->keys)
		key->keys(records, keys, count, job->argument);
	else
		for (size_t i = 0; i < count; i++)
			keys[i] = key->key(records + i * key->bytes, job->argument);
}

static int group_read(struct skua_slot *here, uint64_t lo, uint64_t hi, void *argument)
{
	struct group_job *job = argument;

	(void)here;
	for (uint64_t block = lo; block < hi; block++) {
		struct skuai_span span = group_span(job, block);
		uint64_t keys[GROUP_KEYS], differing = 0;
		for (size_t at = span.lo; at < span.hi; at += GROUP_KEYS) {
			size_t some = span.hi - at < GROUP_KEYS ? span.hi - at : GROUP_KEYS;
			group_ask(job, keys, at, some);
			for (size_t i = 0; i < some; i++) {
				differing |= keys[i] ^ job->first_key;
				job->from[at + i] = (struct group_entry){ keys[i], at + i };
			}
		}
		job->each[block].differing = differing;
	}
	return SKUA_OK;
}

/* --- one digit --- */

static int group_count_digits(struct skua_slot *here, uint64_t lo, uint64_t hi, void *argument)
{
	struct group_job *job = argument;

	(void)here;
	for (uint64_t block = lo; block < hi; block++) {
		struct skuai_span span = group_span(job, block);
		size_t *digits = job->each[block].digits;
		memset(digits, 0, sizeof(job->each[block].digits));
		for (size_t i = span.lo; i < span.hi; i++)
			digits[job->from[i].key >> job->shift & (GROUP_DIGITS - 1)]++;
	}
	return SKUA_OK;
}

static int group_place(struct skua_slot *here, uint64_t lo, uint64_t hi, void *argument)
{
	struct group_job *job = argument;

	(void)here;
	for (uint64_t block = lo; block < hi; block++) {
		struct skuai_span span = group_span(job, block);
		size_t *digits = job->each[block].digits;
		for (size_t i = span.lo; i < span.hi; i++) {
			struct group_entry entry = job->from[i];
			job->to[digits[entry.key >> job->shift & (GROUP_DIGITS - 1)]++] = entry;
		}
	}
	return SKUA_OK;
}

static void group_sort_digit(struct group_job *job)
{
	size_t place = 0;

	group_for_blocks(job, group_count_digits);
	for (unsigned digit = 0; digit < GROUP_DIGITS; digit++)
		for (size_t block = 0; block < job->blocks; block++) {
			size_t count = job->each[block].digits[digit];
			job->each[block].digits[digit] = place;
			place += count;
		}
	group_for_blocks(job, group_place);
	struct group_entry *sorted = job->to;
	job->to = job->from;
	job->from = sorted;
}

/* --- where groups begin --- */

static bool group_begins(const struct group_job *job, size_t i)
{
	return i == 0 || job->from[i].key != job->from[i - 1].key;
}

static int group_count_begins(struct skua_slot *here, uint64_t lo, uint64_t hi, void *argument)
{
	struct group_job *job = argument;

	(void)here;
	for (uint64_t block = lo; block < hi; block++) {
		struct skuai_span span = group_span(job, block);
		job->each[block].groups = 0;
		for (size_t i = span.lo; i < span.hi; i++)
			job->each[block].groups += group_begins(job, i);
	}
	return SKUA_OK;
}

static int group_write(struct skua_slot *here, uint64_t lo, uint64_t hi, void *argument)
{
	struct group_job *job = argument;

	(void)here;
	for (uint64_t block = lo; block < hi; block++) {
		struct skuai_span span = group_span(job, block);
		size_t group = job->each[block].groups;
		for (size_t i = span.lo; i < span.hi; i++) {
			job->result.order[i] = job->from[i].record;
			if (!group_begins(job, i))
				continue;
			job->result.start[group] = i;
			job->result.keys[group++] = job->from[i].key;
		}
	}
	return SKUA_OK;
}

/* Room for the groups, now that their number is known. */
static bool group_open_result(struct group_job *job, size_t groups)
{
	struct skua_groups *result = &job->result;

	result->count = groups;
	result->keys = skuai_alloc(groups + 1, sizeof(*result->keys));
	result->start = skuai_alloc(groups + 1, sizeof(*result->start));
	result->order = skuai_alloc(job->count + 1, sizeof(*result->order));
	if (!result->keys || !result->start || !result->order)
		return false;
	result->start[groups] = job->count;
	return true;
}

static bool group_many(struct group_job *job, uint64_t differing)
{
	size_t groups = 0;

	job->to = skuai_alloc(job->count, sizeof(*job->to));
	if (!job->to)
		return false;
	while (differing) {
		job->shift = (unsigned)__builtin_ctzll(differing);
		group_sort_digit(job);
		differing &= ~((uint64_t)(GROUP_DIGITS - 1) << job->shift);
	}
	group_for_blocks(job, group_count_begins);
	for (size_t block = 0; block < job->blocks; block++) {
		size_t begins = job->each[block].groups;
		job->each[block].groups = groups;
		groups += begins;
	}
	if (!group_open_result(job, groups))
		return false;
	group_for_blocks(job, group_write);
	return true;
}

/* --- few keys --- */

static size_t group_bin(const struct group_job *job, size_t i)
{
	return (size_t)(job->from[i].key >> job->shift & (((uint64_t)1 << job->bits) - 1));
}

static int group_count_few(struct skua_slot *here, uint64_t lo, uint64_t hi, void *argument)
{
	struct group_job *job = argument;

	(void)here;
	for (uint64_t block = lo; block < hi; block++) {
		struct skuai_span span = group_span(job, block);
		size_t *bins = job->bins + (block << job->bits);
		for (size_t i = span.lo; i < span.hi; i++)
			bins[group_bin(job, i)]++;
	}
	return SKUA_OK;
}

static int group_place_few(struct skua_slot *here, uint64_t lo, uint64_t hi, void *argument)
{
	struct group_job *job = argument;

	(void)here;
	for (uint64_t block = lo; block < hi; block++) {
		struct skuai_span span = group_span(job, block);
		size_t *bins = job->bins + (block << job->bits);
		for (size_t i = span.lo; i < span.hi; i++)
			job->result.order[bins[group_bin(job, i)]++] = i;
	}
	return SKUA_OK;
}

/* Where each block puts what is in each bin; how many bins have something in them. */
static size_t group_place_bins(struct group_job *job)
{
	size_t place = 0, groups = 0, bins = (size_t)1 << job->bits;

	for (size_t bin = 0; bin < bins; bin++) {
		size_t start = place;
		for (size_t block = 0; block < job->blocks; block++) {
			size_t *here = &job->bins[(block << job->bits) + bin], count = *here;
			*here = place;
			place += count;
		}
		groups += place > start;
	}
	return groups;
}

static bool group_few(struct group_job *job)
{
	size_t bins = (size_t)1 << job->bits, group = 0;
	uint64_t rest = job->first_key & ~((uint64_t)(bins - 1) << job->shift);

	job->bins = skuai_alloc(job->blocks << job->bits, sizeof(*job->bins));
	if (!job->bins)
		return false;
	group_for_blocks(job, group_count_few);
	if (!group_open_result(job, group_place_bins(job)))
		return false;
	/* The first block puts a bin where it begins; one that ends there too is empty. */
	for (size_t bin = 0; bin < bins; bin++) {
		size_t end = bin + 1 < bins ? job->bins[bin + 1] : job->count;
		if (job->bins[bin] == end)
			continue;
		job->result.start[group] = job->bins[bin];
		job->result.keys[group++] = rest | (uint64_t)bin << job->shift;
	}
	group_for_blocks(job, group_place_few);
	return true;
}

/* --- the whole --- */

/* False: no memory, and what there is of it is in job. */
static bool group_all(struct group_job *job)
{
	uint64_t differing = 0;

	if (!job->count)
		return group_open_result(job, 0);
	job->from = skuai_alloc(job->count, sizeof(*job->from));
	job->each = skuai_alloc(job->blocks, sizeof(*job->each));
	if (!job->from || !job->each)
		return false;
	group_ask(job, &job->first_key, 0, 1);
	group_for_blocks(job, group_read);
	for (size_t block = 0; block < job->blocks; block++)
		differing |= job->each[block].differing;
	if (differing) {
		job->shift = (unsigned)__builtin_ctzll(differing);
		job->bits = 64 - (unsigned)__builtin_clzll(differing) - job->shift;
	}
	return job->bits <= GROUP_BITS ? group_few(job) : group_many(job, differing);
}

int skua_array_group_by(struct skua_pool *pool, const void *records, size_t count,
			const struct skua_group_key *key, const void *argument,
			struct skua_groups *groups, const struct skua_pack_options *options)
{
	if (!key || !key->key || !groups ||
	    !skuai_pack_is_valid(records, count, key->bytes, options))
		return SKUA_EINVAL;
	struct group_job job = { .records = records,
				 .key = key,
				 .argument = (void *)argument,
				 .pool = pool,
				 .priority = options ? options->priority : SKUA_PRIORITY_NORMAL,
				 .count = count,
				 .block = count / GROUP_BLOCKS + 1 };
	if (job.block < GROUP_BLOCK)
		job.block = GROUP_BLOCK;
	job.blocks = count / job.block + (count % job.block != 0);
	struct skua_pool *held = skuai_split_hold(pool);
	bool is_done = group_all(&job);
	skuai_split_release(held);
	skuai_free(job.from);
	skuai_free(job.to);
	skuai_free(job.each);
	skuai_free(job.bins);
	if (is_done)
		*groups = job.result;
	else
		skua_groups_free(&job.result);
	return is_done ? SKUA_OK : SKUA_ENOMEM;
}

void skua_groups_free(struct skua_groups *groups)
{
	if (!groups)
		return;
	skuai_free(groups->keys);
	skuai_free(groups->start);
	skuai_free(groups->order);
	*groups = (struct skua_groups){ .count = 0 };
}
