/* SPDX-License-Identifier: MIT */
/* algo_omp.cpp — OpenMP, libgomp's by gcc, libomp's by clang; sorts of libstdc++'s parallel mode */
#include "../algo_peer.h"

#include <omp.h>
#include <parallel/algorithm>

/* --- algo --- */

static void run_for(struct algo_data *data)
{
	double *x = (double *)data->output;

#pragma omp parallel for simd schedule(static)
	for (uint64_t i = 0; i < data->n; i++)
		x[i] = ALGO_FACTOR * x[i] + ALGO_PLUS;
}

/* Each thread adds up its share with the leaf that all have. */
static float sum_of(const float *x, uint64_t n)
{
	float sum = 0;

#pragma omp parallel reduction(+ : sum)
	{
		uint64_t threads = (uint64_t)omp_get_num_threads();
		uint64_t own = (uint64_t)omp_get_thread_num();
		uint64_t lo = n * own / threads, hi = n * (own + 1) / threads;

		sum += algo_sum(x + lo, hi - lo);
	}
	return sum;
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
	uint64_t steps = 0;

#pragma omp parallel for schedule(guided) reduction(+ : steps)
	for (uint64_t i = 0; i < data->n; i++)
		steps += algo_steps(items[i]);
	data->value = steps;
}

static void run_histo(struct algo_data *data)
{
	const uint32_t *x = (const uint32_t *)data->input;
	uint64_t bins[ALGO_BINS] = { 0 };

#pragma omp parallel for schedule(static) reduction(+ : bins[:ALGO_BINS])
	for (uint64_t i = 0; i < data->n; i++)
		bins[algo_bin(x[i])]++;
	memcpy(data->output, bins, sizeof(bins));
}

static void run_scan(struct algo_data *data)
{
	const int64_t *x = (const int64_t *)data->input;
	int64_t *to = (int64_t *)data->output;
	int64_t sum = 0;

#pragma omp parallel for reduction(inscan, + : sum)
	for (uint64_t i = 0; i < data->n; i++) {
		sum += x[i];
#pragma omp scan inclusive(sum)
		to[i] = sum;
	}
}

/* By hand: count, then copy to where the shares before end. */
static void run_filter(struct algo_data *data)
{
	const uint32_t *x = (const uint32_t *)data->input;
	uint32_t *to = (uint32_t *)data->output;
	uint64_t *starts = (uint64_t *)calloc((size_t)omp_get_max_threads() + 1, sizeof(*starts));
	uint64_t kept = 0;

#pragma omp parallel
	{
		uint64_t threads = (uint64_t)omp_get_num_threads();
		uint64_t own = (uint64_t)omp_get_thread_num(), count = 0, start = 0;
		uint64_t lo = data->n * own / threads, hi = data->n * (own + 1) / threads;

		for (uint64_t i = lo; i < hi; i++)
			count += algo_is_kept(x[i]);
		starts[own + 1] = count;
#pragma omp barrier
		for (uint64_t i = 0; i <= own; i++)
			start += starts[i];
		uint64_t end = start + count;
		for (uint64_t i = lo; i < hi && start < end; i++) {
			to[start] = x[i];
			start += algo_is_kept(x[i]);
		}
		if (own + 1 == threads)
			kept = end;
	}
	free(starts);
	data->value = kept;
}

template <typename T> static void run_sort(struct algo_data *data)
{
	T *x = (T *)data->output;

	__gnu_parallel::sort(x, x + data->n);
}

static void run_strings(struct algo_data *data)
{
	const char **x = (const char **)data->output;

	__gnu_parallel::sort(x, x + data->n, [](const char *a, const char *b) {
		return peer_string_is_less(a, b);
	});
}

static const struct peer_algo algo[] = {
	{ ALGO_for, "parallel for simd schedule(static)", run_for },
	{ ALGO_reduce, "parallel reduction", run_reduce },
	{ ALGO_reduces, "parallel reduction", run_reduces },
	{ ALGO_uneven, "parallel for schedule(guided) reduction", run_uneven },
	{ ALGO_histo, "parallel for reduction of an array", run_histo },
	{ ALGO_scan, "parallel for reduction(inscan)", run_scan },
	{ ALGO_filter, "parallel, by hand", run_filter },
	{ ALGO_sort32, "__gnu_parallel::sort", run_sort<uint32_t> },
	{ ALGO_sort64, "__gnu_parallel::sort", run_sort<uint64_t> },
	{ ALGO_sortdbl, "__gnu_parallel::sort", run_sort<double> },
	{ ALGO_strings, "__gnu_parallel::sort", run_strings },
	{ ALGO_sorted, "__gnu_parallel::sort", run_sort<uint32_t> },
	{ ALGO_COUNT, NULL, NULL },
};

/* --- loops --- */

/* Each schedule as a type whose run() is one loop; the body is a constant, so it is inlined. */
typedef void loop_body(const struct loops_data *data, uint64_t i);

template <loop_body body> struct by_static {
	static void run(const struct loops_data *data, int)
	{
#pragma omp parallel for schedule(static)
		for (uint64_t i = 0; i < data->n; i++)
			body(data, i);
	}
};

template <loop_body body> struct by_chunks {
	static void run(const struct loops_data *data, int chunk)
	{
#pragma omp parallel for schedule(static, chunk)
		for (uint64_t i = 0; i < data->n; i++)
			body(data, i);
	}
};

template <loop_body body> struct by_dynamic {
	static void run(const struct loops_data *data, int)
	{
#pragma omp parallel for schedule(dynamic)
		for (uint64_t i = 0; i < data->n; i++)
			body(data, i);
	}
};

template <loop_body body> struct by_guided {
	static void run(const struct loops_data *data, int)
	{
#pragma omp parallel for schedule(guided)
		for (uint64_t i = 0; i < data->n; i++)
			body(data, i);
	}
};

template <template <loop_body> class schedule, int chunk>
static void run_loops(struct loops_data *data)
{
	void (*run)(const struct loops_data *, int) = schedule<loops_skewed>::run;

	if (data->shape == LOOPS_cheap1)
		run = schedule<loops_cheap1>::run;
	else if (data->shape == LOOPS_cheap10)
		run = schedule<loops_cheap10>::run;
	for (uint64_t k = 0; k < data->times; k++)
		run(data, chunk);
}

static const struct peer_loops loops[] = {
	{ "static", "schedule(static)", run_loops<by_static, 0> },
	{ "static,1", "schedule(static, 1)", run_loops<by_chunks, 1> },
	{ "static,4", "schedule(static, 4)", run_loops<by_chunks, 4> },
	{ "static,16", "schedule(static, 16)", run_loops<by_chunks, 16> },
	{ "static,256", "schedule(static, 256)", run_loops<by_chunks, 256> },
	{ "dynamic", "schedule(dynamic)", run_loops<by_dynamic, 0> },
	{ "guided", "schedule(guided)", run_loops<by_guided, 0> },
	{ NULL, NULL, NULL },
};

int main(int argc, char **argv)
{
	struct peer_options options = peer_parse(argc, argv);
	char version[32];
#ifdef __clang__
	struct peer peer = { "libomp", version, algo, loops };
	snprintf(version, sizeof(version), "%d.%d", __clang_major__, __clang_minor__);
#else
	struct peer peer = { "libgomp", version, algo, loops };
	snprintf(version, sizeof(version), "%d.%d", __GNUC__, __GNUC_MINOR__);
#endif
	omp_set_num_threads((int)options.workers);
	return peer_run(&peer, 1, &options);
}
