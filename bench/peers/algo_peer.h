/* SPDX-License-Identifier: MIT */
/* algo_peer.h — what the peers of algo in C++ share: options, clock, rounds, JSON */
#ifndef SKUA_ALGO_PEER_H
#define SKUA_ALGO_PEER_H

#include "../work/algo_data.h"
#include "../work/loops_data.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PEER_REPEATS 100

struct peer_options {
	long workers, repeat;
	const char *problem; /* "algo:1M", "loops:100" */
};

/* A case of algo, and the call that is measured. */
struct peer_algo {
	enum algo_case which;
	const char *how;
	void (*run)(struct algo_data *data);
};

/* A way to run a loop, all repetitions of it. */
struct peer_loops {
	const char *variant; /* "static"; "" when there is but one */
	const char *how;
	void (*run)(struct loops_data *data);
};

/* All that a peer has; the lists end with one that has no run. */
struct peer {
	const char *name, *version;
	const struct peer_algo *algo;
	const struct peer_loops *loops;
};

/* What is printed of a case beside its times. */
struct peer_row {
	const char *name, *variant, *how;
	uint64_t n;
	bool is_right;
	double ns[PEER_REPEATS]; /* of an element or an index, round by round */
};

static inline struct peer_row peer_row_of(const char *name, const char *variant, const char *how,
					  uint64_t n)
{
	struct peer_row row = { name, variant, how, n, true, { 0 } };

	return row;
}

static inline double peer_clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static inline void peer_usage(const char *program)
{
	fprintf(stderr, "usage: %s --problem KERNEL:SIZE --workers N --repeat R\n", program);
	exit(2);
}

static inline struct peer_options peer_parse(int argc, char **argv)
{
	struct peer_options options = { 1, 3, "algo:1M" };

	for (int i = 1; i < argc; i += 2) {
		char *end = NULL;
		long value = i + 1 < argc ? strtol(argv[i + 1], &end, 10) : 0;

		if (strcmp(argv[i], "--problem") == 0 && i + 1 < argc)
			options.problem = argv[i + 1];
		else if (strcmp(argv[i], "--workers") == 0 && value > 0 && !*end)
			options.workers = value;
		else if (strcmp(argv[i], "--repeat") == 0 && value > 0 && value <= PEER_REPEATS &&
			 !*end)
			options.repeat = value;
		else
			peer_usage(argv[0]);
	}
	return options;
}

static inline int peer_compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static inline void peer_print(const struct peer *peer, const struct peer_options *options,
			      struct peer_row *row)
{
	long last = options->repeat - 1;

	qsort(row->ns, (size_t)options->repeat, sizeof(row->ns[0]), peer_compare);
	printf("{\"name\":\"%s\",\"version\":\"%s\",\"problem\":\"%s\",\"case\":\"%s\","
	       "\"variant\":\"%s\",\"how\":\"%s\",\"workers\":%ld,\"n\":%llu,\"repeat\":%ld,"
	       "\"ns\":%.4f,\"quartile_low_ns\":%.4f,\"quartile_high_ns\":%.4f,\"check\":%s}\n",
	       peer->name, peer->version, options->problem, row->name, row->variant, row->how,
	       options->workers, (unsigned long long)row->n, options->repeat,
	       row->ns[(last + 1) / 2], row->ns[(last + 2) / 4], row->ns[(3 * last + 2) / 4],
	       row->is_right ? "true" : "false");
}

/* NULL: it has no such thing. */
static inline const struct peer_algo *peer_find_algo(const struct peer *peer, uint32_t which)
{
	const struct peer_algo *own = peer->algo;

	while (own->run && own->which != which)
		own++;
	return own->run ? own : NULL;
}

static inline double peer_time_algo(const struct peer_algo *own, struct algo_data *data,
				    bool *is_right)
{
	algo_reset(data);
	double start = peer_clock_ns();
	own->run(data);
	double ns = peer_clock_ns() - start;
	*is_right = algo_is_right(data) && *is_right;
	return ns / (double)data->n;
}

/* Every round runs every case once, as `skua bench` does: none finds its arrays in the cache. */
static inline bool peer_all_algo(const struct peer *peer, const struct peer_options *options,
				 const char *size)
{
	static struct peer_row rows[ALGO_COUNT];
	struct algo_set *set = algo_set_new(size);
	bool is_right = true;

	if (!set)
		peer_usage(peer->name);
	for (long round = -1; round < options->repeat; round++)
		for (unsigned i = 0; i < algo_set_count(set); i++) {
			struct algo_data *data = algo_set_at(set, i);
			const struct peer_algo *own = peer_find_algo(peer, data->which);
			struct peer_row *row = &rows[i];
			if (!own)
				continue;
			if (round < 0)
				*row = peer_row_of(algo_name(data->which), "", own->how, data->n);
			row->ns[round < 0 ? 0 : round] = peer_time_algo(own, data, &row->is_right);
		}
	for (unsigned i = 0; i < algo_set_count(set); i++) {
		if (rows[i].name)
			peer_print(peer, options, &rows[i]);
		is_right = is_right && (!rows[i].name || rows[i].is_right);
	}
	algo_set_free(set);
	return is_right;
}

static inline double peer_time_loops(const struct peer_loops *own, struct loops_data *data,
				     bool *is_right)
{
	loops_reset(data);
	double start = peer_clock_ns();
	own->run(data);
	double ns = peer_clock_ns() - start;
	*is_right = loops_is_right(data) && *is_right;
	return ns / (double)(data->n * data->times);
}

/* The same for one way to run loops. */
static inline bool peer_one_way(const struct peer *peer, const struct peer_options *options,
				const struct peer_loops *own, struct loops_data *const *shapes)
{
	static struct peer_row rows[LOOPS_COUNT];
	bool is_right = true;

	for (long round = -1; round < options->repeat; round++)
		for (unsigned i = 0; i < LOOPS_COUNT; i++) {
			struct peer_row *row = &rows[i];
			if (!shapes[i])
				continue;
			if (round < 0)
				*row = peer_row_of(loops_name(i), own->variant, own->how,
						   shapes[i]->n);
			row->ns[round < 0 ? 0 : round] = peer_time_loops(own, shapes[i],
									 &row->is_right);
		}
	for (unsigned i = 0; i < LOOPS_COUNT; i++) {
		if (shapes[i])
			peer_print(peer, options, &rows[i]);
		is_right = is_right && (!shapes[i] || rows[i].is_right);
	}
	return is_right;
}

static inline bool peer_all_loops(const struct peer *peer, const struct peer_options *options,
				  const char *size)
{
	struct loops_data *shapes[LOOPS_COUNT] = { NULL };
	uint64_t n = loops_size(size);
	bool is_right = true;

	if (!n)
		peer_usage(peer->name);
	for (unsigned i = 0; i < LOOPS_COUNT; i++)
		shapes[i] = loops_has(i, n) ? loops_open(i, n) : NULL;
	for (const struct peer_loops *own = peer->loops; own->run; own++)
		is_right = peer_one_way(peer, options, own, shapes) && is_right;
	for (unsigned i = 0; i < LOOPS_COUNT; i++)
		if (shapes[i])
			loops_close(shapes[i]);
	return is_right;
}

/* One JSON line for each case.  Returns the exit status. */
static inline int peer_run(const struct peer *peer, const struct peer_options *options)
{
	const char *size = strchr(options->problem, ':');
	bool is_right = true;

	if (size && strncmp(options->problem, "algo:", 5) == 0)
		is_right = peer_all_algo(peer, options, size + 1);
	else if (size && strncmp(options->problem, "loops:", 6) == 0)
		is_right = peer_all_loops(peer, options, size + 1);
	else
		peer_usage(peer->name);
	return is_right ? 0 : 1;
}

/* --- bodies that most of them run --- */

static inline bool peer_string_is_less(const char *a, const char *b)
{
	return strcmp(a, b) < 0;
}

#endif
