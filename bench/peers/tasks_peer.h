/* SPDX-License-Identifier: MIT */
/* tasks_peer.h — what the peers in C and C++ share: options, clock, tally of tasks, JSON */
#ifndef SKUA_TASKS_PEER_H
#define SKUA_TASKS_PEER_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PEER_THREADS 512
#define PEER_REPEATS 1000
#define PEER_CASES   8
#define PEER_WARM    10 /* the run before the timed ones has a tenth of the tasks; arbitrary */

struct peer_options {
	long workers, tasks, repeat;
};

/* One measurement: nanoseconds for all of n tasks, or a negative number when a result was wrong. */
struct peer_case {
	const char *name;
	const char *how; /* the calls that are measured */
	double (*measure)(long n);
	long divisor; /* so many times fewer than --tasks */
};

/* Who ran how many tasks.  Each thread writes its own line; read when all tasks were waited for. */
struct peer_tally {
	long ran;
	char rest[64 - sizeof(long)];
};

static struct peer_tally peer_tallies[PEER_THREADS];
static unsigned peer_threads;
static pthread_mutex_t peer_lock = PTHREAD_MUTEX_INITIALIZER;
static __thread struct peer_tally *peer_mine;

static inline void peer_enlist(void)
{
	pthread_mutex_lock(&peer_lock);
	if (peer_threads == PEER_THREADS)
		abort();
	peer_mine = &peer_tallies[peer_threads++];
	pthread_mutex_unlock(&peer_lock);
}

/* The body of an empty task. */
static inline void peer_ran(void)
{
	if (!peer_mine)
		peer_enlist();
	peer_mine->ran++;
}

/* How many ran since this was last asked. */
static inline long peer_ran_count(void)
{
	long sum = 0;

	pthread_mutex_lock(&peer_lock);
	for (unsigned i = 0; i < peer_threads; i++) {
		sum += peer_tallies[i].ran;
		peer_tallies[i].ran = 0;
	}
	pthread_mutex_unlock(&peer_lock);
	return sum;
}

static inline double peer_clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static inline void peer_usage(const char *program)
{
	fprintf(stderr, "usage: %s --workers N --tasks T --repeat R\n", program);
	exit(2);
}

static inline struct peer_options peer_parse(int argc, char **argv)
{
	struct peer_options options = { 1, 1000000, 5 };

	for (int i = 1; i < argc; i += 2) {
		char *end = NULL;
		long value = i + 1 < argc ? strtol(argv[i + 1], &end, 10) : 0;
		long *option = NULL;

		if (strcmp(argv[i], "--workers") == 0 && value <= PEER_THREADS / 2)
			option = &options.workers;
		else if (strcmp(argv[i], "--tasks") == 0)
			option = &options.tasks;
		else if (strcmp(argv[i], "--repeat") == 0 && value <= PEER_REPEATS)
			option = &options.repeat;
		if (!option || value < 1 || *end)
			peer_usage(argv[0]);
		*option = value;
	}
	return options;
}

static inline int peer_compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Every round measures every case once; one JSON line for each case.  Returns the exit status. */
static inline int peer_run(const char *name, const char *version,
			   const struct peer_options *options, const struct peer_case *cases,
			   long count)
{
	static double ns[PEER_CASES][PEER_REPEATS];
	bool is_right[PEER_CASES];
	bool all_right = true;

	for (long round = -1; round < options->repeat; round++) {
		for (long c = 0; c < count; c++) {
			long n = options->tasks / cases[c].divisor / (round < 0 ? PEER_WARM : 1);
			double all = cases[c].measure(n > 0 ? n : 1);

			is_right[c] = (round < 0 || is_right[c]) && all >= 0;
			if (round >= 0)
				ns[c][round] = all / (double)(n > 0 ? n : 1);
		}
	}
	for (long c = 0; c < count; c++) {
		long n = options->tasks / cases[c].divisor, last = options->repeat - 1;

		qsort(ns[c], (size_t)options->repeat, sizeof(ns[c][0]), peer_compare);
		printf("{\"name\":\"%s\",\"version\":\"%s\",\"case\":\"%s\",\"how\":\"%s\","
		       "\"workers\":%ld,\"tasks\":%ld,\"repeat\":%ld,\"ns_per_task\":%.2f,"
		       "\"quartile_low_ns\":%.2f,\"quartile_high_ns\":%.2f,\"check\":%s}\n",
		       name, version, cases[c].name, cases[c].how, options->workers, n > 0 ? n : 1,
		       options->repeat, ns[c][(last + 1) / 2], ns[c][(last + 2) / 4],
		       ns[c][(3 * last + 2) / 4], is_right[c] ? "true" : "false");
		all_right = all_right && is_right[c];
	}
	return all_right ? 0 : 1;
}

#endif
