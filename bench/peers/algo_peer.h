/* SPDX-License-Identifier: MIT */
/* algo_peer.h — what the programs of bench/peers/algo in C and C++ share: options, runs, JSON */
#ifndef SKUA_ALGO_PEER_H
#define SKUA_ALGO_PEER_H

#include "../work/algo_data.h"
#include "../work/loops_data.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PEER_REPEATS 100
#define PEER_WAYS    64

struct peer_options {
	long workers, repeat; /* repeat 0: it is asked for one run after the other */
	const char *problem;  /* "algo:1M", "loops:100" */
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

/* A case and one way to run it: one of the two pairs is there. */
struct peer_way {
	const struct peer *peer;
	const char *name, *variant, *how;
	struct algo_data *algo;
	void (*run_algo)(struct algo_data *data);
	struct loops_data *loops;
	void (*run_loops)(struct loops_data *data);
	bool is_right;
	double ns[PEER_REPEATS]; /* of an element or an index, round by round */
};

struct peer_contest {
	const struct peer_options *options;
	struct algo_set *set;			/* or NULL */
	struct loops_data *shapes[LOOPS_COUNT]; /* each or NULL */
	unsigned count;
	struct peer_way ways[PEER_WAYS];
};

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
		else if (strcmp(argv[i], "--repeat") == 0 && end && end != argv[i + 1] && !*end &&
			 value >= 0 && value <= PEER_REPEATS)
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

static inline uint64_t peer_size(const struct peer_way *way)
{
	return way->algo ? way->algo->n : way->loops->n;
}

static inline void peer_print(const struct peer_options *options, const struct peer_way *way)
{
	printf("{\"name\":\"%s\",\"version\":\"%s\",\"problem\":\"%s\",\"case\":\"%s\","
	       "\"variant\":\"%s\",\"how\":\"%s\",\"workers\":%ld,\"n\":%llu,\"repeat\":%ld",
	       way->peer->name, way->peer->version, options->problem, way->name, way->variant,
	       way->how, options->workers, (unsigned long long)peer_size(way), options->repeat);
}

static inline void peer_print_times(const struct peer_options *options, struct peer_way *way)
{
	long last = options->repeat - 1;

	qsort(way->ns, (size_t)options->repeat, sizeof(way->ns[0]), peer_compare);
	peer_print(options, way);
	printf(",\"ns\":%.4f,\"quartile_low_ns\":%.4f,\"quartile_high_ns\":%.4f,\"check\":%s}\n",
	       way->ns[(last + 1) / 2], way->ns[(last + 2) / 4], way->ns[(3 * last + 2) / 4],
	       way->is_right ? "true" : "false");
}

/* Nanoseconds of an element or an index. */
static inline double peer_time(struct peer_way *way)
{
	double start, ns;

	if (way->algo) {
		algo_reset(way->algo);
		start = peer_clock_ns();
		way->run_algo(way->algo);
		ns = peer_clock_ns() - start;
		way->is_right = algo_is_right(way->algo) && way->is_right;
		return ns / (double)way->algo->n;
	}
	loops_reset(way->loops);
	start = peer_clock_ns();
	way->run_loops(way->loops);
	ns = peer_clock_ns() - start;
	way->is_right = loops_is_right(way->loops) && way->is_right;
	return ns / (double)(way->loops->n * way->loops->times);
}

/* --- what there is to run --- */

static inline struct peer_way *peer_add(struct peer_contest *contest, const struct peer *peer,
					const char *name, const char *variant, const char *how)
{
	struct peer_way *way = &contest->ways[contest->count++];

	if (contest->count > PEER_WAYS)
		abort();
	way->peer = peer;
	way->name = name;
	way->variant = variant;
	way->how = how;
	way->is_right = true;
	return way;
}

static inline void peer_add_algo(struct peer_contest *contest, const struct peer *peer,
				 struct algo_data *data)
{
	for (const struct peer_algo *own = peer->algo; own->run; own++)
		if (own->which == data->which) {
			struct peer_way *way = peer_add(contest, peer, algo_name(data->which), "",
							own->how);
			way->algo = data;
			way->run_algo = own->run;
		}
}

static inline void peer_add_loops(struct peer_contest *contest, const struct peer *peer,
				  struct loops_data *data)
{
	for (const struct peer_loops *own = peer->loops; own->run; own++) {
		struct peer_way *way = peer_add(contest, peer, loops_name(data->shape),
						own->variant, own->how);
		way->loops = data;
		way->run_loops = own->run;
	}
}

/* False: there is no such problem, or no memory. */
static inline bool peer_open(struct peer_contest *contest, const struct peer *peers, unsigned count)
{
	const char *problem = contest->options->problem, *size = strchr(problem, ':');

	if (size && strncmp(problem, "algo:", 5) == 0 && (contest->set = algo_set_new(size + 1))) {
		for (unsigned i = 0; i < algo_set_count(contest->set); i++)
			for (unsigned k = 0; k < count; k++)
				peer_add_algo(contest, &peers[k], algo_set_at(contest->set, i));
		return true;
	}
	uint64_t n = size && strncmp(problem, "loops:", 6) == 0 ? loops_size(size + 1) : 0;
	for (unsigned i = 0; i < LOOPS_COUNT; i++) {
		if (!n || !loops_has(i, n))
			continue;
		if (!(contest->shapes[i] = loops_open(i, n)))
			return false;
		for (unsigned k = 0; k < count; k++)
			peer_add_loops(contest, &peers[k], contest->shapes[i]);
	}
	return n;
}

static inline void peer_close(struct peer_contest *contest)
{
	if (contest->set)
		algo_set_free(contest->set);
	for (unsigned i = 0; i < LOOPS_COUNT; i++)
		if (contest->shapes[i])
			loops_close(contest->shapes[i]);
}

/* --- runs --- */

/* Every round runs everything once, as `skua bench` does: none finds its arrays in the cache. */
static inline void peer_all_rounds(struct peer_contest *contest)
{
	for (long round = -1; round < contest->options->repeat; round++)
		for (unsigned i = 0; i < contest->count; i++) {
			struct peer_way *way = &contest->ways[i];
			way->ns[round < 0 ? 0 : round] = peer_time(way);
		}
	for (unsigned i = 0; i < contest->count; i++)
		peer_print_times(contest->options, &contest->ways[i]);
}

/*
 * Tell what there is, a line each, and an empty one.  Then every line of standard input is the
 * number of one of these, and the answer is the time of one run.
 */
static inline void peer_when_asked(struct peer_contest *contest)
{
	char line[32];

	for (unsigned i = 0; i < contest->count; i++) {
		peer_print(contest->options, &contest->ways[i]);
		puts("}");
	}
	puts("");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin)) {
		unsigned long number = strtoul(line, NULL, 10);
		if (number >= contest->count)
			exit(2);
		struct peer_way *way = &contest->ways[number];
		double ns = peer_time(way);
		printf("{\"ns\":%.4f,\"check\":%s}\n", ns, way->is_right ? "true" : "false");
		fflush(stdout);
	}
}

/* One JSON line for each case.  Returns the exit status. */
static inline int peer_run(const struct peer *peers, unsigned count,
			   const struct peer_options *options)
{
	static struct peer_contest contest;
	bool is_right = true;

	contest.options = options;
	if (!peer_open(&contest, peers, count))
		peer_usage(peers->name);
	if (options->repeat)
		peer_all_rounds(&contest);
	else
		peer_when_asked(&contest);
	for (unsigned i = 0; i < contest.count; i++)
		is_right = is_right && contest.ways[i].is_right;
	peer_close(&contest);
	return is_right ? 0 : 1;
}

/* --- bodies that most of them run --- */

static inline bool peer_string_is_less(const char *a, const char *b)
{
	return strcmp(a, b) < 0;
}

#endif
