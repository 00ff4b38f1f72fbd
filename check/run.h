/* SPDX-License-Identifier: MIT */
/* run.h — one execution after another: threads as fibers, choices as a trail */
#ifndef SKUA_CHECK_RUN_H
#define SKUA_CHECK_RUN_H

#include "mc.h"

/* What one case's search found. */
struct run_result {
	uint64_t executions; /* run to their end */
	uint64_t cut;	     /* left early: the rest had been explored from an equal state */
	uint64_t states;     /* distinct states at scheduling points */
	uint64_t graphs;     /* distinct complete execution graphs */
	bool is_complete;    /* every choice was taken (not random, not bounded, not given up) */
	bool is_limit;	     /* the error is the checker's own: it could not judge the case */
	char error[512];     /* empty, or what went wrong in the failing execution */
};

/* Limits of a search, from the command line. */
struct run_limits {
	uint64_t seed;	     /* of random executions */
	uint64_t executions; /* give up after so many, ended or cut; 0: never */
	const char *replay;  /* a text of run_trail to run once instead of searching */
	void (*tick)(const struct run_result *result); /* every now and then; NULL: none */
};

struct run_result run_case(const struct mc_case *mc, const struct run_limits *limits);

/* The choices of the last execution, as text for a replay file. */
const char *run_trail(void);

/* --- for the rest of the checker, during an execution --- */

/* One of n ways, RUN_WAYS_MAX at most; 0 is tried first.  n == 1 costs nothing. */
enum {
	RUN_WAYS_MAX = UINT16_MAX
};
unsigned run_choose(unsigned n);

/* Before each step of the running thread: any thread that can may go first. */
void run_point(void);

/*
 * The running thread sleeps until run_unblock or, with a deadline, until its time is up; it must
 * be in a step of its own.  True when it was woken.
 */
bool run_block(uintptr_t on, bool has_deadline);
unsigned run_blocked_on(uintptr_t on, int threads[MC_THREADS_MAX]);
void run_unblock(int thread);

int run_self(void);
int run_thread_count(void);
bool run_is_concurrent(void); /* any thread started and not yet joined, ended or not */
const struct mc_case *run_current(void);
bool run_take_spurious(void);	  /* may something return for no reason here?  A choice. */
bool run_take_failed_alloc(void); /* may this allocation fail?  A choice. */

/* Something was learnt that earlier executions did not know: begin the search again. */
_Noreturn void run_restart(void);

/*
 * It ends here, with this text (as printf's).  run_error: the execution shows an error.  run_limit:
 * the checker itself gives up, which is no verdict, not even for a planted bug.
 */
#define run_error(...) run_stop(false, __VA_ARGS__)
#define run_limit(...) run_stop(true, __VA_ARGS__)
_Noreturn void run_stop(bool is_limit, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* An error: more than so many steps ("", or of what); names who sleeps and is not woken. */
_Noreturn void run_endless(int most, const char *of);

#endif
