/* SPDX-License-Identifier: MIT */
/* top_rates.c — what workers did between two looks at them */
#include "top/top.h"

#define SILENT_NS ((int64_t)2000000000)

const struct live_pool *top_pool_before(const struct top_view *view, const struct live_pool *pool)
{
	for (unsigned i = 0; view->has_before && i < view->before.pool_count; i++) {
		const struct live_pool *before = &view->before.pools[i];
		if (before->head.pool == pool->head.pool &&
		    before->head.start_ticks == pool->head.start_ticks &&
		    before->head.workers == pool->head.workers)
			return before;
	}
	return NULL;
}

/* Counters only grow; whatever a file says, no rate is below 0. */
static double grown(uint64_t before, uint64_t now)
{
	return now > before ? (double)(now - before) : 0;
}

struct top_rates top_rates_of(const struct live_pool *before, const struct live_pool *now,
			      int worker)
{
	struct top_rates rates = { 0 };
	unsigned first = worker < 0 ? 0 : (unsigned)worker, counted = 0;
	unsigned last = worker < 0 ? now->head.workers : first + 1;

	if (!before || now->head.now_ns <= before->head.now_ns)
		return rates;
	double seconds = (double)(now->head.now_ns - before->head.now_ns) / 1e9;
	double glances = grown(before->head.glances, now->head.glances);
	for (unsigned i = first; i < last; i++) {
		const struct skuai_live_worker *a = &before->workers[i], *b = &now->workers[i];
		rates.tasks += grown(a->tasks, b->tasks) / seconds;
		rates.steals += (grown(a->steals, b->steals) +
				 grown(a->stolen_jobs, b->stolen_jobs)) /
				seconds;
		rates.misses += grown(a->failed, b->failed) / seconds;
		rates.parks += grown(a->parks, b->parks) / seconds;
		if (b->state != SKUAI_LIVE_DORMANT || worker >= 0) {
			double share = glances > 0 ? grown(a->running, b->running) / glances : 0;
			rates.running += share < 1 ? share : 1;
			counted++;
		}
	}
	if (counted)
		rates.running /= counted;
	rates.is_known = true;
	return rates;
}

double top_silence_s(const struct top_view *view, const struct live_pool *pool)
{
	int64_t silent = view->now_ns - pool->head.now_ns;
	int64_t usual = 5 * (int64_t)pool->head.interval_ms * 1000000;

	return silent > SILENT_NS && silent > usual ? (double)silent / 1e9 : 0;
}

const char *top_state_word(uint32_t state)
{
	static const char *const words[SKUAI_LIVE_STATES] = {
		[SKUAI_LIVE_RUNNING] = "running", [SKUAI_LIVE_BLOCKED] = "blocked",
		[SKUAI_LIVE_WAITING] = "waiting", [SKUAI_LIVE_SEARCHING] = "searching",
		[SKUAI_LIVE_ASLEEP] = "asleep",	  [SKUAI_LIVE_DORMANT] = "dormant",
	};

	return state < SKUAI_LIVE_STATES ? words[state] : "?";
}
