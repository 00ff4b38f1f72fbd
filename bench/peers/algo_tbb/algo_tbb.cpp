/* SPDX-License-Identifier: MIT */
/* algo_tbb.cpp — oneTBB: parallel_for, parallel_reduce, parallel_scan, parallel_sort */
#include "../algo_peer.h"

#include <array>
#include <functional>

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_reduce.h>
#include <oneapi/tbb/parallel_scan.h>
#include <oneapi/tbb/parallel_sort.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/version.h>

typedef tbb::blocked_range<uint64_t> range;

static void run_for(struct algo_data *data)
{
	double *x = (double *)data->output;

	tbb::parallel_for(range(0, data->n),
			  [x](const range &r) { algo_scale(x + r.begin(), r.size()); });
}

static float sum_of(const float *x, uint64_t n)
{
	return tbb::parallel_reduce(
		range(0, n), 0.0f,
		[x](const range &r, float sum) { return sum + algo_sum(x + r.begin(), r.size()); },
		std::plus<float>());
}

static void run_reduce(struct algo_data *data)
{
	data->value = (uint64_t)(int64_t)sum_of((const float *)data->input, data->n);
}

static void run_reduces(struct algo_data *data)
{
	int64_t all = 0;

	for (uint64_t k = 0; k < data->n / ALGO_SHORT; k++)
		all += (int64_t)sum_of((const float *)data->input, ALGO_SHORT);
	data->value = (uint64_t)all;
}

static void run_uneven(struct algo_data *data)
{
	const uint32_t *items = (const uint32_t *)data->input;

	data->value = tbb::parallel_reduce(
		range(0, data->n), (uint64_t)0,
		[items](const range &r, uint64_t steps) {
			for (uint64_t i = r.begin(); i < r.end(); i++)
				steps += algo_steps(items[i]);
			return steps;
		},
		std::plus<uint64_t>());
}

typedef std::array<uint64_t, ALGO_BINS> bins;

static void run_histo(struct algo_data *data)
{
	const uint32_t *x = (const uint32_t *)data->input;
	bins all = tbb::parallel_reduce(
		range(0, data->n), bins{},
		[x](const range &r, bins counts) {
			for (uint64_t i = r.begin(); i < r.end(); i++)
				counts[algo_bin(x[i])]++;
			return counts;
		},
		[](bins a, const bins &b) {
			for (unsigned k = 0; k < ALGO_BINS; k++)
				a[k] += b[k];
			return a;
		});

	memcpy(data->output, all.data(), sizeof(all));
}

static void run_scan(struct algo_data *data)
{
	const int64_t *x = (const int64_t *)data->input;
	int64_t *to = (int64_t *)data->output;

	tbb::parallel_scan(
		range(0, data->n), (int64_t)0,
		[x, to](const range &r, int64_t sum, bool is_final) {
			if (is_final)
				for (uint64_t i = r.begin(); i < r.end(); i++)
					to[i] = sum += x[i];
			else
				for (uint64_t i = r.begin(); i < r.end(); i++)
					sum += x[i];
			return sum;
		},
		std::plus<int64_t>());
}

template <typename T> static void run_sort(struct algo_data *data)
{
	T *x = (T *)data->output;

	tbb::parallel_sort(x, x + data->n);
}

static void run_strings(struct algo_data *data)
{
	const char **x = (const char **)data->output;

	tbb::parallel_sort(x, x + data->n,
			   [](const char *a, const char *b) { return peer_string_is_less(a, b); });
}

static const struct peer_algo algo[] = {
	{ ALGO_for, "parallel_for", run_for },
	{ ALGO_reduce, "parallel_reduce", run_reduce },
	{ ALGO_reduces, "parallel_reduce", run_reduces },
	{ ALGO_uneven, "parallel_reduce", run_uneven },
	{ ALGO_histo, "parallel_reduce of arrays", run_histo },
	{ ALGO_scan, "parallel_scan", run_scan },
	{ ALGO_sort32, "parallel_sort", run_sort<uint32_t> },
	{ ALGO_sort64, "parallel_sort", run_sort<uint64_t> },
	{ ALGO_sortdbl, "parallel_sort", run_sort<double> },
	{ ALGO_strings, "parallel_sort", run_strings },
	{ ALGO_sorted, "parallel_sort", run_sort<uint32_t> },
	{ ALGO_COUNT, NULL, NULL },
};

template <void body(const struct loops_data *, uint64_t)>
static void repeat(const struct loops_data *data)
{
	for (uint64_t k = 0; k < data->times; k++)
		tbb::parallel_for(range(0, data->n), [data](const range &r) {
			for (uint64_t i = r.begin(); i < r.end(); i++)
				body(data, i);
		});
}

static void run_loops(struct loops_data *data)
{
	if (data->shape == LOOPS_cheap1)
		repeat<loops_cheap1>(data);
	else if (data->shape == LOOPS_cheap10)
		repeat<loops_cheap10>(data);
	else
		repeat<loops_skewed>(data);
}

static const struct peer_loops loops[] = {
	{ "", "parallel_for, auto_partitioner", run_loops },
	{ NULL, NULL, NULL },
};

int main(int argc, char **argv)
{
	struct peer_options options = peer_parse(argc, argv);
	tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
				  (size_t)options.workers);
	tbb::task_arena arena((int)options.workers, 1); /* main() is one of its threads */
	char version[32];
	struct peer peer = { "oneTBB", version, algo, loops };

	snprintf(version, sizeof(version), "%d.%d.%d", TBB_VERSION_MAJOR, TBB_VERSION_MINOR,
		 TBB_VERSION_PATCH);
	return arena.execute([&] { return peer_run(&peer, 1, &options); });
}
