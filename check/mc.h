/* SPDX-License-Identifier: MIT */
/* mc.h — what a model-checked program uses: threads, plain cells, claims, outcomes, a main() */
#ifndef SKUA_CHECK_MC_H
#define SKUA_CHECK_MC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A case is a small program.  Its body runs as thread 0, starts others, joins them, and states what
 * must hold.  It is run again and again, until every execution that the C11 memory model allows has
 * been seen (or a bound is reached): check/README.md shows how, check/mem.c says which model.
 *
 * The body must be deterministic but for what it reads: no clock, no random numbers, no static data
 * left over from the execution before.  All shared state lives in memory from mc_alloc, or is set
 * anew at the start of the body.
 */

#define MC_THREADS_MAX 6 /* thread 0 included */

struct mc_case {
	const char *name;
	void (*body)(void);
	/* Every outcome (mc_outcome) that may appear, blank-separated, exactly; NULL: no matter. */
	const char *outcomes;
	unsigned graphs; /* exact number of distinct execution graphs; 0: not compared */
	bool must_fail;	 /* a planted bug: passes when it is found; outcomes are not compared */
	/* Its error must have this text.  Without must_fail: the checker must refuse to judge. */
	const char *says;

	/* What the world may do besides scheduling; 0: nothing, where not said otherwise. */
	unsigned spurious;	/* this many waits may return, and weak CAS fail, for no reason */
	unsigned timeouts;	/* this many deadlines may pass too soon: README, rule 10; 0: 2 */
	unsigned failed_allocs; /* this many allocations may fail */
	int preemptions; /* 0: unlimited.  n: at most n switches from a thread that could go on */
	unsigned random; /* 0: exhaustive.  n: this many random executions instead */
};

/* Run the cases named on the command line, or all; see `--help`.  The exit status for main(). */
int mc_main(int argc, char **argv, const struct mc_case *cases);

/* Zeroed memory of this execution, line aligned; given back by itself. */
void *mc_alloc(size_t bytes);

/* Blocks of the heap (skuai_alloc) that this execution has not given back. */
unsigned mc_blocks_left(void);

/* Start a thread; join all that thread 0 started.  Only thread 0 calls these. */
void mc_start(void (*body)(void *), void *argument);
void mc_join(void);

/* Which thread this is: 0, or 1 for the first one started. */
int mc_self(void);

/* One of n ways to go on, each explored: an input, a failure, a decision. */
unsigned mc_choose(unsigned n);

/* End this execution as uninteresting, as if it had never begun. */
void mc_prune(void);

/* A claim about this execution; when it does not hold the interleaving is printed. */
#define mc_assert(claim) ((claim) ? (void)0 : mc_fail(__FILE__, __LINE__, #claim))
void mc_fail(const char *file, int line, const char *claim) __attribute__((noreturn));

/* What this execution did, as a word: "0,1".  Collected over all executions; see .outcomes. */
void mc_outcome(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * Plain (not atomic) data, 8 bytes each, so that the checker can see a data race: two accesses, one
 * of them a write, not ordered by happens-before.  A race is an error.
 */
struct mc_cell {
	uint64_t value;
};
#define mc_read(cell)	      mc_read_at((cell), __FILE__, __LINE__)
#define mc_write(cell, value) mc_write_at((cell), (value), __FILE__, __LINE__)
uint64_t mc_read_at(const struct mc_cell *cell, const char *file, int line);
void mc_write_at(struct mc_cell *cell, uint64_t value, const char *file, int line);

#endif
