/* SPDX-License-Identifier: MIT */
/* histogram.c — how many indices fall into each bin */
#include "base/alloc.h"
#include "base/atomic.h"
#include "os/relax.h"
#include "par/split.h"
#include "sched/lock.h"
#include "sched/worker.h"

#include <skua/error.h>
#include <skua/find.h>

#include <assert.h>
#include <string.h>

/*
 * Where indices are counted depends:
 *
 *   few bins, or    a reduction whose results are arrays of counts: one for each theft
 *   one worker
 *   many bins       an array for each worker, in a lane that a chunk takes and gives back, so that
 *                   a theft costs nothing; all are added up at the end
 *   no lane         straight to the caller's counts: where arrays are not worth their memory, where
 *                   there is none, and where more workers have come
 *
 * The caller's counts are shared, so additions are atomic, if many may help.  Each takes about
 * twice as long then, which two workers would not make up for: a few add some hundred at a time
 * with a lock instead, and share the work of the body alone.
 */

#define HISTOGRAM_FEW	 2048 /* bins: 16 KiB, cleared and merged in a microsecond or two */
#define HISTOGRAM_WORTH	 4    /* indices a bin and worker, for arrays of their own: 2 bytes each */
#define HISTOGRAM_BATCH	 256  /* bins at a time; arbitrary, they stay in the first cache */
#define HISTOGRAM_NARROW 4    /* workers that had better use a lock; arbitrary */
#define HISTOGRAM_SPINS	 100  /* looks at the lock before going to sleep; arbitrary */

static_assert(sizeof(_Atomic uint64_t) == sizeof(uint64_t), "the caller's counts can be both");
static_assert(_Alignof(_Atomic uint64_t) == _Alignof(uint64_t), "the caller's counts can be both");

struct histogram_lane {
	_Alignas(SKUAI_LINE) _Atomic bool is_taken;
	uint64_t *counts; /* whoever has taken it reads and writes; NULL: not needed yet */
};

struct histogram {
	const struct skua_bins *bins_of;
	void *argument;
	size_t bins;
	uint64_t *counts; /* the caller's */
	bool is_narrow;	  /* whoever has no lane takes the lock; else adds atomically */
	struct skuai_lock lock;
	struct histogram_lane *lanes;
	unsigned lane_count;
};

/* --- a chunk --- */

static bool histogram_add(const uint64_t *batch, uint64_t count, uint64_t *counts, size_t bins)
{
	for (uint64_t i = 0; i < count; i++) {
		if (batch[i] >= bins)
			return false;
		counts[batch[i]]++;
	}
	return true;
}

static bool histogram_add_atomic(const uint64_t *batch, uint64_t count, uint64_t *counts,
				 size_t bins)
{
	for (uint64_t i = 0; i < count; i++) {
		if (batch[i] >= bins)
			return false;
		/* order histogram.add.1: relaxed, a count; the joins carry it */
		skua_add((_Atomic uint64_t *)&counts[batch[i]], 1, relaxed);
	}
	return true;
}

static bool histogram_add_locked(const uint64_t *batch, uint64_t count, struct histogram *histogram)
{
	unsigned spins = 0;

	while (!skuai_lock_try(&histogram->lock)) {
		if (spins++ == HISTOGRAM_SPINS) {
			skuai_lock_take(&histogram->lock);
			break;
		}
		skuai_relax();
	}
	bool are_right = histogram_add(batch, count, histogram->counts, histogram->bins);
	skuai_lock_give(&histogram->lock);
	return are_right;
}

/* To the caller's counts, which others add to as well. */
static bool histogram_add_shared(const uint64_t *batch, uint64_t count, struct histogram *histogram)
{
	uint64_t *counts = histogram->counts;
	size_t bins = histogram->bins;

	/* All are fetched at once: atomic additions wait for one after the other. */
	for (uint64_t i = 0; i < count; i++)
		if (batch[i] < bins)
			__builtin_prefetch(&counts[batch[i]], 1);
	return histogram->is_narrow ? histogram_add_locked(batch, count, histogram)
				    : histogram_add_atomic(batch, count, counts, bins);
}

/* own: an array that nobody else counts to now; NULL: the caller's, shared. */
static int histogram_count(struct skua_slot *here, uint64_t lo, uint64_t hi,
			   struct histogram *histogram, uint64_t *own)
{
	const struct skua_bins *bins_of = histogram->bins_of;
	uint64_t batch[HISTOGRAM_BATCH];
	size_t bins = histogram->bins;

	if (own && bins_of->count)
		return bins_of->count(here, lo, hi, own, bins, histogram->argument) ? 0
										    : SKUA_EINVAL;
	for (uint64_t count; lo < hi; lo += count) {
		count = hi - lo < HISTOGRAM_BATCH ? hi - lo : HISTOGRAM_BATCH;
		bins_of->body(here, lo, lo + count, batch, histogram->argument);
		if (!(own ? histogram_add(batch, count, own, bins)
			  : histogram_add_shared(batch, count, histogram)))
			return SKUA_EINVAL;
	}
	return 0;
}

/* --- few bins --- */

static int histogram_fold(struct skua_slot *here, uint64_t lo, uint64_t hi, void *into,
			  void *argument)
{
	return histogram_count(here, lo, hi, argument, into);
}

static void histogram_merge(void *into, void *next, void *argument)
{
	const struct histogram *histogram = argument;
	uint64_t *counts = into;
	const uint64_t *part = next;

	for (size_t bin = 0; bin < histogram->bins; bin++)
		counts[bin] += part[bin];
}

/* --- many bins --- */

/* A lane for this chunk alone; NULL: none to be had. */
static struct histogram_lane *histogram_take_lane(struct histogram *histogram)
{
	unsigned first = skuai_self ? skuai_self->number : 0;

	for (unsigned i = 0; i < histogram->lane_count; i++) {
		struct histogram_lane *lane =
			&histogram->lanes[(first + i) % histogram->lane_count];
		/* order histogram.take.1: acquire, pairs histogram.leave.1; what was counted there
		 * is seen */
		if (skua_exchange(&lane->is_taken, true, acquire))
			continue;
		if (!lane->counts)
			lane->counts = skuai_alloc(histogram->bins, sizeof(*lane->counts));
		if (lane->counts)
			return lane;
		/* order histogram.take.2: release, as histogram.leave.1 */
		skua_store(&lane->is_taken, false, release);
		return NULL;
	}
	return NULL;
}

static int histogram_chunk(struct skua_slot *here, uint64_t lo, uint64_t hi, void *argument)
{
	struct histogram *histogram = argument;
	struct histogram_lane *lane = histogram_take_lane(histogram);
	int error = histogram_count(here, lo, hi, histogram, lane ? lane->counts : NULL);

	/* order histogram.leave.1: release, pairs histogram.take.1; the next one sees what we
	 * counted */
	if (lane)
		skua_store(&lane->is_taken, false, release);
	return error;
}

/* All lanes, for some bins. */
static int histogram_sum(struct skua_slot *here, uint64_t lo, uint64_t hi, void *argument)
{
	struct histogram *histogram = argument;

	(void)here;
	for (unsigned i = 0; i < histogram->lane_count; i++) {
		const uint64_t *counts = histogram->lanes[i].counts;
		for (uint64_t bin = lo; counts && bin < hi; bin++)
			histogram->counts[bin] += counts[bin];
	}
	return 0;
}

static void histogram_open_lanes(struct histogram *histogram, uint64_t count, unsigned width)
{
	if (count / width / HISTOGRAM_WORTH >= histogram->bins)
		histogram->lanes = skuai_alloc_aligned(width, sizeof(*histogram->lanes),
						       SKUAI_LINE);
	histogram->lane_count = histogram->lanes ? width : 0;
}

static void histogram_close_lanes(struct histogram *histogram, struct skua_pool *pool)
{
	const struct skuai_work work = { .body = histogram_sum, .argument = histogram };

	/* Without options it does all or, in a pool that closes, nothing. */
	if (histogram->lane_count > 0 && skuai_split(pool, 0, histogram->bins, &work, NULL))
		histogram_sum(NULL, 0, histogram->bins, histogram);
	for (unsigned i = 0; i < histogram->lane_count; i++)
		skuai_free(histogram->lanes[i].counts);
	skuai_free(histogram->lanes);
}

/* --- the whole --- */

/* Many bins, and somebody to help. */
static int histogram_in_lanes(struct histogram *histogram, struct skua_pool *pool, uint64_t lo,
			      uint64_t hi, unsigned width, const struct skua_loop_options *options)
{
	const struct skuai_work work = { .body = histogram_chunk, .argument = histogram };

	histogram->is_narrow = width <= HISTOGRAM_NARROW;
	memset(histogram->counts, 0, histogram->bins * sizeof(*histogram->counts));
	histogram_open_lanes(histogram, hi - lo, width);
	int error = skuai_split(pool, lo, hi, &work, options);
	histogram_close_lanes(histogram, pool);
	return error;
}

int skua_loop_histogram(struct skua_pool *pool, uint64_t lo, uint64_t hi,
			const struct skua_bins *bins_of, const void *argument, size_t bins,
			uint64_t *counts, const struct skua_loop_options *options)
{
	struct histogram histogram = {
		.bins_of = bins_of, .argument = (void *)argument, .bins = bins, .counts = counts
	};
	const struct skua_fold fold = { .bytes = bins * sizeof(*counts),
					.body = histogram_fold,
					.merge = histogram_merge };
	struct skuai_work work = {
		.fold = &fold, .argument = &histogram, .result = counts, .key = (uintptr_t)bins_of
	};
	struct skua_loop_options mine = { .size = sizeof(mine) };

	if (!bins_of || !bins_of->body || !counts || bins == 0 ||
	    bins > PTRDIFF_MAX / sizeof(*counts) || !skuai_loop_options_are_valid(options))
		return SKUA_EINVAL;
	if (options)
		mine = *options;
	mine.is_stable = false; /* sums of whole numbers are */
	if (bins <= HISTOGRAM_FEW || lo >= hi)
		return skuai_split(pool, lo, hi, &work, &mine);
	struct skua_pool *held = skuai_split_hold(pool);
	unsigned width = skuai_split_width(pool);
	int error = width == 1 ? skuai_split(pool, lo, hi, &work, &mine)
			       : histogram_in_lanes(&histogram, pool, lo, hi, width, &mine);
	skuai_split_release(held);
	return error;
}
