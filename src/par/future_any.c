/* SPDX-License-Identifier: MIT */
/* future_any.c — the first of several futures to be fulfilled */
#include "base/alloc.h"
#include "base/atomic.h"
#include "os/thread.h"
#include "par/future_parts.h"
#include "sched/held.h"
#include "sched/outcome.h"
#include "sched/post.h"
#include "trace/tracefile.h"

#include <skua/error.h>

/*
 * A listener at each of them, in our memory; the first that is told ends the wait.  Then all are
 * called off, and who is being told just now is waited for: it still uses its listener.
 */
struct race {
	struct skua_job event;
	_Atomic uint32_t winner; /* its index + 1 */
};

struct racer {
	struct skuai_listener listener;
	struct race *race;
	_Atomic uint32_t is_told;
	uint32_t index;
};

static void finish_race(struct skuai_listener *listener, int error)
{
	struct racer *racer = (struct racer *)(void *)listener;
	uint32_t nobody = 0;

	(void)error;
	/* order future_any.race.1: relaxed, an index; the future itself carries its result */
	if (skua_cas(&racer->race->winner, &nobody, racer->index + 1, relaxed, relaxed))
		skuai_outcome_end(&racer->race->event, SKUAI_JOB_DONE);
	/* order future_any.race.2: release, pairs .3; we are done with the racer's memory */
	skua_store(&racer->is_told, 1, release);
}

/* Nobody uses the racers any more. */
static void call_off(struct skua_future *const futures[], struct racer *racers, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (skuai_future_unlisten(futures[i], &racers[i].listener))
			continue;
		/* order future_any.race.3: acquire, pairs .2 */
		while (!skua_load(&racers[i].is_told, acquire))
			skuai_thread_yield();
	}
}

/* Wait for the first of them. */
static void race(struct skua_future *const futures[], size_t count, struct racer *racers,
		 int64_t deadline, size_t *index)
{
	struct race race = { .winner = 0 };
	size_t listening = 0;

	skuai_event_open(&race.event, NULL);
	for (; listening < count; listening++) {
		racers[listening] = (struct racer){ .listener = { NULL, finish_race, 0 },
						    .race = &race,
						    .index = (uint32_t)listening };
		if (!skuai_future_listen(futures[listening], &racers[listening].listener))
			break; /* this one is done */
	}
	if (listening == count)
		skuai_job_wait_for(&race.event, deadline, SKUAI_TRACE_FOR_FUTURE);
	call_off(futures, racers, listening);
	/* order future_any.race.4: relaxed, nobody writes it any more */
	uint32_t winner = skua_load(&race.winner, relaxed);
	*index = winner ? winner - 1 : listening;
}

int skua_await_any(struct skua_future *const futures[], size_t count, int64_t deadline,
		   size_t *index)
{
	struct racer few[16], *racers = few;

	if (!futures || !index || !count || count > UINT32_MAX - 1)
		return SKUA_EINVAL;
	for (size_t i = 0; i < count; i++)
		if (!futures[i])
			return SKUA_EINVAL;
	skuai_held_check("skua_await_any");
	for (size_t i = 0; i < count; i++)
		if (skua_future_is_done(futures[i])) {
			*index = i;
			return futures[i]->error;
		}
	size_t around = 0;
	for (size_t i = 0; i < count; i++)
		around += skuai_future_is_around_us(futures[i]);
	if (around == count)
		return SKUA_ECYCLE;
	for (size_t i = 0; i < count; i++)
		if (skuai_future_is_forked(futures[i], skuai_future_stage(futures[i])))
			return SKUA_EFORKED;
	if (count > sizeof(few) / sizeof(few[0]))
		racers = skuai_alloc(count, sizeof(*racers));
	if (!racers)
		return SKUA_ENOMEM;
	skuai_future_run_unstarted(futures[0]); /* at least one of them should get on */
	race(futures, count, racers, deadline, index);
	if (racers != few)
		skuai_free(racers);
	return *index == count ? SKUA_ETIMEDOUT : futures[*index]->error;
}
