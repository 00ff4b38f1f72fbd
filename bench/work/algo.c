/* SPDX-License-Identifier: MIT */
/* algo.c — loops, reductions, scans and sorts of arrays: nanoseconds an element */
#include "algo_run.h"

#include <pthread.h>
#include <skua/find.h>
#include <skua/fork.h>
#include <skua/loop.h>
#include <skua/pack.h>
#include <skua/scan.h>
#include <skua/sort.h>
#include <stdlib.h>

/*
 * The cases of bench/peers/algo, where other runtimes are measured alike: by a worker, whom
 * skua_run lets the calling thread be.  Only the algorithm is timed, not what makes its array anew.
 */
struct algo {
	struct algo_set set;
	bool is_wrong;
	unsigned measured; /* of the last run */
	struct work_notes notes;
};

/* --- loops --- */

static int scale(struct skua_slot *skua_here, uint64_t lo, uint64_t hi, void *x)
{
	(void)skua_here;
	algo_scale((double *)x + lo, hi - lo);
	return 0;
}

static int run_for(struct skua_slot *skua_here, struct algo_data *data)
{
	return skua_for(skua_here, 0, data->n, scale, data->output, NULL);
}

/* --- reductions --- */

static int sum_part(struct skua_slot *skua_here, uint64_t lo, uint64_t hi, void *into,
		    void *argument)
{
	(void)skua_here;
	*(float *)into += algo_sum((const float *)argument + lo, hi - lo);
	return 0;
}

static void sum_merge(void *into, void *next, void *argument)
{
	(void)argument;
	*(float *)into += *(float *)next;
}

static const struct skua_fold sum = { sizeof(float), sum_part, NULL, sum_merge };

static int run_reduce(struct skua_slot *skua_here, struct algo_data *data)
{
	float result = 0;
	int error = skua_reduce(skua_here, 0, data->n, sum, data->input, &result, NULL);

	data->value = (uint64_t)(int64_t)result;
	return error;
}

static int run_reduces(struct skua_slot *skua_here, struct algo_data *data)
{
	int64_t all = 0;
	int error = 0;

	for (uint64_t k = 0; k < data->n / ALGO_SHORT; k++) {
		float result = 0;
		error |= skua_reduce(skua_here, 0, ALGO_SHORT, sum, data->input, &result, NULL);
		all += (int64_t)result;
	}
	data->value = (uint64_t)all;
	return error;
}

SKUA_FOLD(steps, uint64_t, count, const uint32_t *, items, i)
{
	*count += algo_steps(items[i]);
}
SKUA_FOLD_MERGE(steps, uint64_t, count, next)
{
	*count += *next;
}

static int run_uneven(struct skua_slot *skua_here, struct algo_data *data)
{
	return skua_reduce(skua_here, 0, data->n, steps, data->input, &data->value, NULL);
}

/* --- searches and counts --- */

SKUA_FIND(is_wanted, const uint32_t *, x, i)
{
	return algo_is_wanted(x[i]);
}

static int run_find(struct skua_slot *skua_here, struct algo_data *data)
{
	return skua_find_first(skua_here, 0, data->n, is_wanted, data->input, &data->value, NULL);
}

SKUA_HISTOGRAM(bin_of, const uint32_t *, x, i)
{
	return algo_bin(x[i]);
}

static int run_histo(struct skua_slot *skua_here, struct algo_data *data)
{
	return skua_histogram(skua_here, 0, data->n, bin_of, data->input, ALGO_BINS, data->output,
			      NULL);
}

/* --- scans and filters --- */

SKUA_SCAN(add, int64_t, all, next)
{
	*all += *next;
}

static int run_scan(struct skua_slot *skua_here, struct algo_data *data)
{
	return skua_scan(skua_here, data->input, data->output, data->n, add, NULL);
}

/* --- sorts --- */

static int run_sort(struct skua_slot *skua_here, struct algo_data *data)
{
	enum skua_key kind = data->which == ALGO_sort64	   ? SKUA_KEY_UINT64
			     : data->which == ALGO_sortdbl ? SKUA_KEY_DOUBLE
							   : SKUA_KEY_UINT32;

	return skua_sort_keys(skua_here, data->output, data->n, kind, NULL);
}

SKUA_SORT(by_letters, char *, a, b)
{
	return strcmp(*a, *b) < 0;
}

static int run_strings(struct skua_slot *skua_here, struct algo_data *data)
{
	(void)skua_here;
	return by_letters(NULL, data->output, data->n, NULL);
}

SKUA_FILTER(is_kept, uint32_t, x, const void *, none)
{
	return algo_is_kept(*x);
}

static int run_filter(struct skua_slot *skua_here, struct algo_data *data)
{
	size_t kept = 0;
	int error = skua_filter(skua_here, data->input, data->output, data->n, is_kept, NULL, &kept,
				NULL);

	data->value = kept;
	return error;
}

/* --- the memory's share: the same sum by plain threads --- */

struct share {
	pthread_t thread;
	const float *x;
	uint64_t count;
	float sum;
};

static void *sum_share(void *argument)
{
	struct share *share = argument;

	share->sum = algo_sum(share->x, share->count);
	return NULL;
}

bool algo_run_threads(struct algo_data *data, unsigned threads)
{
	struct share *shares = calloc(threads, sizeof(*shares));
	float all = 0;
	unsigned started = 1;

	if (!shares)
		return false;
	for (unsigned i = 0; i < threads; i++) {
		uint64_t lo = data->n / threads * i;
		shares[i].x = (const float *)data->input + lo;
		shares[i].count = i + 1 < threads ? data->n / threads : data->n - lo;
	}
	while (started < threads &&
	       !pthread_create(&shares[started].thread, NULL, sum_share, &shares[started]))
		started++;
	sum_share(&shares[0]);
	for (unsigned i = 1; i < started; i++)
		pthread_join(shares[i].thread, NULL);
	for (unsigned i = 0; i < started; i++)
		all += shares[i].sum;
	free(shares);
	data->value = (uint64_t)(int64_t)all;
	return started == threads;
}

/* --- the cases --- */

/* NULL: not measured. */
static int (*const runs[ALGO_COUNT])(struct skua_slot *skua_here, struct algo_data *data) = {
	[ALGO_for] = run_for,	    [ALGO_reduce] = run_reduce,	  [ALGO_reduces] = run_reduces,
	[ALGO_uneven] = run_uneven, [ALGO_histo] = run_histo,	  [ALGO_find] = run_find,
	[ALGO_scan] = run_scan,	    [ALGO_sort32] = run_sort,	  [ALGO_sort64] = run_sort,
	[ALGO_sortdbl] = run_sort,  [ALGO_strings] = run_strings, [ALGO_sorted] = run_sort,
	[ALGO_filter] = run_filter,
};

int algo_run(struct skua_slot *skua_here, struct algo_data *data)
{
	return runs[data->which](skua_here, data);
}

/* Nanoseconds; negative: it failed. */
SKUA_TASK(int64_t, measure, struct algo_data *, data)
{
	int64_t start = skua_clock_ns();
	int error = algo_run(skua_here, data);

	return error ? -1 : skua_clock_ns() - start;
}

static int64_t measure_plain(struct algo_data *data)
{
	int64_t start = skua_clock_ns();

	algo_plain(data);
	return skua_clock_ns() - start;
}

static void note(struct algo *algo, const char *name, const char *role, int64_t ns, uint64_t n)
{
	struct work_notes *notes = &algo->notes;

	notes->readings[notes->count++] = (struct work_reading){ name, role,
								 (double)ns / (double)n };
}

/* The system may have no thread to spare: then there is nothing to tell of it. */
static void measure_threads(struct algo *algo, struct algo_data *data, unsigned threads)
{
	algo_reset(data);
	int64_t start = skua_clock_ns();
	bool is_done = algo_run_threads(data, threads);
	int64_t ns = skua_clock_ns() - start;

	if (!is_done)
		return;
	algo->is_wrong |= !algo_is_right(data);
	note(algo, "threads", "reduce, floats, plain threads", ns, data->n);
}

/* With a pool, or without: the plain programs. */
static void run_all(struct algo *algo, struct skua_pool *pool)
{
	for (unsigned i = 0; i < algo->set.count; i++) {
		struct algo_data *data = &algo->set.cases[i];
		if (!runs[data->which])
			continue;
		algo_reset(data);
		int64_t ns = pool ? skua_run(pool, measure, data) : measure_plain(data);
		algo->is_wrong |= ns < 0 || !algo_is_right(data);
		algo->measured++;
		algo->notes.seconds += (double)ns * 1e-9;
		note(algo, algo_name(data->which), algo_role(data->which), ns, data->n);
		if (pool && data->which == ALGO_reduce)
			measure_threads(algo, data, skua_pool_workers(pool));
	}
}

static void run_serial(void *data)
{
	run_all(data, NULL);
}

static void run_skua(void *data, struct skua_pool *pool)
{
	run_all(data, pool);
}

static void *prepare(const struct work_problem *problem)
{
	struct algo *algo = calloc(1, sizeof(*algo));

	if (algo && algo_set_open(&algo->set, problem))
		return algo;
	free(algo);
	return NULL;
}

static void reset(void *data)
{
	struct algo *algo = data;

	algo->is_wrong = false;
	algo->measured = 0;
	algo->notes = (struct work_notes){ 0 };
}

static bool check(void *data)
{
	const struct algo *algo = data;

	return algo->measured && !algo->is_wrong;
}

static void drop(void *data)
{
	struct algo *algo = data;

	algo_set_close(&algo->set);
	free(algo);
}

static const struct work_notes *notes(const void *data)
{
	return &((const struct algo *)data)->notes;
}

const struct work work_algo = {
	.name = "algo",
	.role = "loops, reductions, scans and sorts of arrays",
	.unit = "elements",
	.problems = algo_problems,
	.prepare = prepare,
	.reset = reset,
	.serial = run_serial,
	.skua = run_skua,
	.check = check,
	.drop = drop,
	.notes = notes,
};
