/* SPDX-License-Identifier: MIT */
/* algo_pstl.cpp — C++17's parallel algorithms, as libstdc++ has them: over oneTBB */
#include "../algo_peer.h"

#include <algorithm>
#include <execution>
#include <numeric>

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>

/* par where the function says nothing of vectors, par_unseq where that is a gain. */
#define PAR	  std::execution::par
#define PAR_UNSEQ std::execution::par_unseq

static void run_for(struct algo_data *data)
{
	double *x = (double *)data->output;

	std::for_each(PAR_UNSEQ, x, x + data->n,
		      [](double &e) { e = ALGO_FACTOR * e + ALGO_PLUS; });
}

static void run_reduce(struct algo_data *data)
{
	const float *x = (const float *)data->input;

	data->value = (uint64_t)(int64_t)std::reduce(PAR_UNSEQ, x, x + data->n, 0.0f);
}

static void run_reduces(struct algo_data *data)
{
	const float *x = (const float *)data->input;
	int64_t all = 0;

	for (uint64_t k = 0; k < data->n / ALGO_SHORT; k++)
		all += (int64_t)std::reduce(PAR_UNSEQ, x, x + ALGO_SHORT, 0.0f);
	data->value = (uint64_t)all;
}

static void run_uneven(struct algo_data *data)
{
	const uint32_t *items = (const uint32_t *)data->input;

	data->value = std::transform_reduce(PAR, items, items + data->n, (uint64_t)0,
					    std::plus<uint64_t>(), algo_steps);
}

static void run_scan(struct algo_data *data)
{
	const int64_t *x = (const int64_t *)data->input;

	std::inclusive_scan(PAR, x, x + data->n, (int64_t *)data->output);
}

static void run_filter(struct algo_data *data)
{
	const uint32_t *x = (const uint32_t *)data->input;
	uint32_t *to = (uint32_t *)data->output;

	data->value = (uint64_t)(std::copy_if(PAR, x, x + data->n, to, algo_is_kept) - to);
}

static void run_find(struct algo_data *data)
{
	const uint32_t *x = (const uint32_t *)data->input;

	data->value = (uint64_t)(std::find_if(PAR, x, x + data->n, algo_is_wanted) - x);
}

template <typename T> static void run_sort(struct algo_data *data)
{
	T *x = (T *)data->output;

	std::sort(PAR, x, x + data->n);
}

static void run_strings(struct algo_data *data)
{
	const char **x = (const char **)data->output;

	std::sort(PAR, x, x + data->n,
		  [](const char *a, const char *b) { return peer_string_is_less(a, b); });
}

static const struct peer_algo algo[] = {
	{ ALGO_for, "for_each(par_unseq)", run_for },
	{ ALGO_reduce, "reduce(par_unseq)", run_reduce },
	{ ALGO_reduces, "reduce(par_unseq)", run_reduces },
	{ ALGO_uneven, "transform_reduce(par)", run_uneven },
	{ ALGO_scan, "inclusive_scan(par)", run_scan },
	{ ALGO_filter, "copy_if(par)", run_filter },
	{ ALGO_find, "find_if(par)", run_find },
	{ ALGO_sort32, "sort(par)", run_sort<uint32_t> },
	{ ALGO_sort64, "sort(par)", run_sort<uint64_t> },
	{ ALGO_sortdbl, "sort(par)", run_sort<double> },
	{ ALGO_strings, "sort(par)", run_strings },
	{ ALGO_sorted, "sort(par)", run_sort<uint32_t> },
	{ ALGO_COUNT, NULL, NULL },
};

static const struct peer_loops loops[] = {
	{ NULL, NULL, NULL },
};

int main(int argc, char **argv)
{
	struct peer_options options = peer_parse(argc, argv);
	tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
				  (size_t)options.workers);
	tbb::task_arena arena((int)options.workers, 1); /* main() is one of its threads */
	char version[32];
	struct peer peer = { "C++17", version, algo, loops };

	snprintf(version, sizeof(version), "gcc %d.%d", __GNUC__, __GNUC_MINOR__);
	return arena.execute([&] { return peer_run(&peer, 1, &options); });
}
