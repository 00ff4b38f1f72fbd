/* SPDX-License-Identifier: MIT */
/* invoke.c — skua_invoke: several functions called at once, and waited for together */
#include "base/atomic.h"
#include "os/clock.h"
#include "par/split.h"
#include "sched/visit.h"
#include "sched/worker.h"

#include <skua/error.h>
#include <skua/fork.h>
#include <skua/invoke.h>

/*
 * A tree of forks, a call at each leaf.  Not a loop: that may begin several indices before it
 * offers any, since they were short the last time; here each is a function of its own.
 */
struct invocation {
	const struct skua_call *calls;
	int64_t deadline;
	struct skua_group *group;
	_Atomic int32_t error; /* the first; then no call begins */
};

/* Some of the calls. */
struct invoke_part {
	struct invocation *whole;
	size_t lo, hi; /* lo moves: all before it are done */
	size_t count;  /* done, in all */
};

static void invoke_fail(struct invocation *whole, int error)
{
	int32_t none = 0;

	/* order invoke.fail.1: relaxed, a code; the joins carry what else there is to see */
	skua_cas(&whole->error, &none, error, relaxed, relaxed);
}

static bool invoke_must_stop(struct invocation *whole)
{
	if (skuai_deadline_is_past(whole->deadline))
		invoke_fail(whole, SKUA_ETIMEDOUT);
	else if (skua_group_is_cancelled(whole->group))
		invoke_fail(whole, SKUA_ECANCELED);
	/* order invoke.stop.1: relaxed, a code: one that begins meanwhile does no harm */
	return skua_load(&whole->error, relaxed) != 0;
}

static void invoke_one(struct skua_slot *here, struct invoke_part *part)
{
	const struct skua_call *call = &part->whole->calls[part->lo];

	if (invoke_must_stop(part->whole))
		return;
	int error = call->run(here, call->argument);
	if (error) {
		invoke_fail(part->whole, error);
		return;
	}
	part->lo++;
	part->count++;
}

/* At a place in the pool; or at none (NULL), where there is no pool. */
static void invoke_run(struct skua_slot *here, void *argument)
{
	struct invoke_part *part = argument;

	if (part->hi - part->lo == 1) {
		invoke_one(here, part);
		return;
	}
	size_t mid = part->lo + (part->hi - part->lo) / 2;
	struct invoke_part front = { .whole = part->whole, .lo = part->lo, .hi = mid };
	struct invoke_part back = { .whole = part->whole, .lo = mid, .hi = part->hi };
	if (here && skuai_forks_has_room(here, 1)) {
		skua_join_pair(here, invoke_run, &front, invoke_run, &back);
	} else {
		invoke_run(here, &front);
		invoke_run(here, &back);
	}
	part->lo = front.lo == mid ? back.lo : front.lo;
	part->count = front.count + back.count;
}

static bool calls_are_valid(const struct skua_call *calls, size_t count)
{
	if (!calls)
		return count == 0;
	for (size_t i = 0; i < count; i++)
		if (!calls[i].run)
			return false;
	return true;
}

int skua_invoke_calls(struct skua_pool *pool, const struct skua_call *calls, size_t count,
		      const struct skua_loop_options *options)
{
	static const struct skua_loop_options usual = { .size = sizeof(usual) };

	if (!calls_are_valid(calls, count) || !skuai_loop_options_are_valid(options))
		return SKUA_EINVAL;
	if (!options)
		options = &usual;
	struct invocation whole = {
		.calls = calls,
		.deadline = options->deadline ? options->deadline : SKUAI_NO_DEADLINE,
		.group = options->group,
	};
	struct invoke_part part = { .whole = &whole, .hi = count };
	int error = count ? skuai_visit_anyhow(pool, options->priority, invoke_run, &part)
			  : SKUA_OK;
	if (options->reach)
		*options->reach = (struct skua_reach){ .first = part.lo, .count = part.count };
	/* order invoke.end.1: relaxed, everybody else is done with it */
	return error ? error : skua_load(&whole.error, relaxed);
}
