/* SPDX-License-Identifier: MIT */
/* kernels_peer.h — what the peers of kernels in C and C++ share: options, clock, rounds, JSON */
#ifndef SKUA_KERNELS_PEER_H
#define SKUA_KERNELS_PEER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Data, leaves and judges of `skua bench`, in C. */
#ifdef __cplusplus
#define restrict __restrict
extern "C" {
#endif
#include "../work/cilksort.h"
#include "../work/cpu_clock.h"
#include "../work/fib.h"
#include "../work/idling.h"
#include "../work/latency.h"
#include "../work/nqueens.h"
#include "../work/skynet.h"
#include "../work/strassen.h"
#include "../work/tick.h"
#include "../work/treesum.h"
#include "../work/uts.h"
#ifdef __cplusplus
}
#undef restrict
#endif

#define PEER_REPEATS 1000

enum peer_status {
	PEER_RIGHT = 0,
	PEER_WRONG = 1,
	PEER_USAGE = 2,
	PEER_NOT_OFFERED = 3,
};

struct peer_options {
	long workers, repeat;
	const char *problem; /* "fib:32" */
};

/* A kernel as this runtime does it. */
struct peer_kernel {
	const struct work *work;
	const char *how; /* the calls that are timed */
	void (*run)(void *data);
	const char *only; /* the one size that suits it; NULL: all */
};

/* All that a peer has; the list ends with a kernel without work. */
struct peer {
	const char *name, *version;
	const struct peer_kernel *kernels;
	void (*end)(void); /* before the data goes; may be NULL */
};

/* One timed run. */
struct peer_time {
	double seconds, cpu_s;
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
	exit(PEER_USAGE);
}

static inline struct peer_options peer_parse(int argc, char **argv)
{
	struct peer_options options = { 1, 3, NULL };

	for (int i = 1; i < argc; i += 2) {
		char *end = NULL;
		long value = i + 1 < argc ? strtol(argv[i + 1], &end, 10) : 0;

		if (strcmp(argv[i], "--problem") == 0 && i + 1 < argc)
			options.problem = argv[i + 1];
		else if (strcmp(argv[i], "--workers") == 0 && value > 0 && value <= 256 && !*end)
			options.workers = value;
		else if (strcmp(argv[i], "--repeat") == 0 && value > 0 && value <= PEER_REPEATS &&
			 !*end)
			options.repeat = value;
		else
			peer_usage(argv[0]);
	}
	if (!options.problem || !strchr(options.problem, ':'))
		peer_usage(argv[0]);
	return options;
}

static inline bool peer_is_kernel(const struct peer_options *options, const char *name)
{
	size_t length = strlen(name);

	return strncmp(options->problem, name, length) == 0 && options->problem[length] == ':';
}

/* Which kernel and which size of it; exits when the peer has no such thing. */
static inline const struct peer_kernel *peer_find(const struct peer *peer,
						  const struct peer_options *options,
						  const struct work_problem **problem)
{
	const struct peer_kernel *kernel = peer->kernels;

	while (kernel->work && !peer_is_kernel(options, kernel->work->name))
		kernel++;
	if (kernel->work) {
		const char *size = strchr(options->problem, ':') + 1;
		for (*problem = kernel->work->problems; (*problem)->name; ++*problem)
			if (strcmp((*problem)->name, size) == 0 &&
			    (!kernel->only || strcmp(kernel->only, size) == 0))
				return kernel;
	}
	fprintf(stderr, "%s: it does not offer the problem '%s'\n", peer->name, options->problem);
	exit(PEER_NOT_OFFERED);
}

/* A kernel that measures for itself is believed: one burst, one start, the pause alone. */
static inline void peer_take_notes(const struct work_notes *notes, struct peer_time *time)
{
	bool is_cpu_only = notes->count == 1;

	if (is_cpu_only)
		time->seconds = notes->seconds;
	for (unsigned i = 0; i < notes->count; i++) {
		const struct work_reading *reading = &notes->readings[i];
		if (strcmp(reading->name, "burst_p50") == 0 ||
		    strcmp(reading->name, "parked_p50") == 0)
			time->seconds = reading->ns * 1e-9;
		else if (strcmp(reading->name, "cpu") == 0 && is_cpu_only)
			time->cpu_s = reading->ns * 1e-9;
	}
}

/* Is it right? */
static inline bool peer_measure(const struct peer_kernel *kernel, void *data,
				struct peer_time *time)
{
	const struct work *work = kernel->work;

	if (work->reset)
		work->reset(data);
	double cpu = cpu_clock_ns(), start = peer_clock_ns();
	kernel->run(data);
	time->seconds = (peer_clock_ns() - start) * 1e-9;
	time->cpu_s = (cpu_clock_ns() - cpu) * 1e-9;
	if (work->notes)
		peer_take_notes(work->notes(data), time);
	return work->check(data);
}

static inline void peer_print(const struct peer *peer, const struct peer_options *options,
			      const char *how, const struct peer_time *times, bool is_right)
{
	printf("{\"name\":\"%s\",\"version\":\"%s\",\"problem\":\"%s\",\"case\":\"\",\"how\":\"%s\","
	       "\"workers\":%ld,\"repeat\":%ld,\"seconds\":[",
	       peer->name, peer->version, options->problem, how, options->workers, options->repeat);
	for (long i = 0; i < options->repeat; i++)
		printf("%s%.9f", i ? "," : "", times[i].seconds);
	printf("],\"cpu_s\":[");
	for (long i = 0; i < options->repeat; i++)
		printf("%s%.9f", i ? "," : "", times[i].cpu_s);
	printf("],\"check\":%s}\n", is_right ? "true" : "false");
}

/* One run that is not timed, then the others; one JSON line.  Returns the exit status. */
static inline int peer_run(const struct peer *peer, const struct peer_options *options)
{
	static struct peer_time times[PEER_REPEATS];
	const struct work_problem *problem = NULL;
	const struct peer_kernel *kernel = peer_find(peer, options, &problem);
	void *data = kernel->work->prepare(problem);

	if (!data) {
		fprintf(stderr, "%s: not enough memory for %s; try a smaller size\n", peer->name,
			options->problem);
		return PEER_WRONG;
	}
	bool is_right = peer_measure(kernel, data, &times[0]);
	for (long i = 0; i < options->repeat; i++)
		is_right = peer_measure(kernel, data, &times[i]) && is_right;
	if (peer->end)
		peer->end();
	kernel->work->drop(data);
	peer_print(peer, options, kernel->how, times, is_right);
	return is_right ? PEER_RIGHT : PEER_WRONG;
}

#endif
