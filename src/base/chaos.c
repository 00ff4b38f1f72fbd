/* SPDX-License-Identifier: MIT */
/* chaos.c — the chaos back end of atomic.h: seeded random yields and delays */
#include "base/chaos.h"

#ifdef SKUA_ATOMICS_CHAOS

#include "base/atomic.h"
#include "base/rng.h"

#include <errno.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

static _Atomic uint64_t chaos_seed = 1;	 /* tests write before threads start, all read */
static _Atomic uint64_t chaos_threads;	 /* each thread takes a number once */
static _Atomic uint64_t chaos_disturbed; /* all add; tests read */
static _Thread_local struct skuai_rng chaos_rng;
static _Thread_local bool chaos_is_seeded;

static void chaos_start_sequence(void)
{
	/* order chaos.start.1: relaxed, a distinct number is all that is asked */
	uint64_t number = skua_add(&chaos_threads, 1, relaxed);
	/* order chaos.start.2: relaxed, set before the threads that read it are started */
	struct skuai_rng seed = { skua_load(&chaos_seed, relaxed) + number };

	chaos_rng.state = skuai_rng_next(&seed);
}

void skuai_chaos_point(void)
{
	static _Thread_local bool is_inside; /* this file's own atomics come here too */

	if (is_inside)
		return;
	is_inside = true;
	if (!chaos_is_seeded) {
		chaos_is_seeded = true;
		chaos_start_sequence();
	}
	uint32_t draw = skuai_rng_below(&chaos_rng, 1024);
	if (draw < 24) { /* arbitrary shares: a few in a hundred yield, a few in a thousand sleep */
		int saved = errno;
		if (draw < 3) {
			struct timespec rest = { .tv_nsec = (long)skuai_rng_below(&chaos_rng,
										  100000) };
			nanosleep(&rest, NULL);
		} else {
			sched_yield();
		}
		errno = saved;
		skua_add(&chaos_disturbed, 1, relaxed); /* order chaos.point.1: a statistic */
	} else if (draw < 96) {
		for (volatile uint32_t spin = draw; spin != 0; spin = spin - 1)
			continue;
	}
	is_inside = false;
}

void skuai_chaos_seed(uint64_t seed)
{
	skua_store(&chaos_seed, seed, relaxed); /* order chaos.seed.1: as chaos.start.2 */
	chaos_is_seeded = false;		/* the store itself drew: this thread starts anew */
}

uint64_t skuai_chaos_count(void)
{
	return skua_load(&chaos_disturbed, relaxed); /* order chaos.count.1: a statistic */
}

__attribute__((constructor)) static void chaos_read_environment(void)
{
	const char *text = getenv("SKUA_CHAOS_SEED");

	if (text)
		skuai_chaos_seed(strtoull(text, NULL, 0));
}

#else
typedef int skuai_chaos_is_off; /* ISO C asks for a declaration in every file */
#endif
