/* SPDX-License-Identifier: MIT */
/* victims.c — whom a thief visits, and in which order */
#include "sched/victims.h"

#include "base/alloc.h"
#include "os/cpuset.h"
#include "sched/turns.h"
#include "sched/worker.h"

#include <skua/error.h>

/*
 * Random: start anywhere, then the next ones.  Round robin: start where the last theft was.
 * Nearest: those on the same core first, then the same cache, the same node, the rest; at the same
 * distance start anywhere, so that not everybody visits the same one.  Where workers are not pinned
 * nobody is near anybody for long, and nearest is random.
 */

int skuai_victims_cpu(unsigned number)
{
	struct skuai_cpuset allowed;

	if (skuai_cpuset_allowed(0, &allowed) != SKUAI_CPUSET_WHOLE ||
	    !skuai_cpuset_count(&allowed))
		return -1;
	number %= skuai_cpuset_count(&allowed);
	unsigned cpu = skuai_cpuset_next(&allowed, 0);
	for (; number; number--)
		cpu = skuai_cpuset_next(&allowed, cpu + 1);
	return (int)cpu;
}

int skuai_victims_open(struct skua_pool *pool)
{
	struct skuai_near_table *near = &pool->near;
	struct skuai_cpuset allowed;
	unsigned count = pool->count;

	if (pool->options.victim != SKUA_VICTIM_NEAREST || !pool->options.is_pinned || count < 2 ||
	    skuai_cpuset_allowed(0, &allowed) != SKUAI_CPUSET_WHOLE)
		return SKUA_OK;
	near->cpus = skuai_alloc(count, sizeof(*near->cpus));
	near->numbers = skuai_alloc((size_t)count * (count - 1), sizeof(*near->numbers));
	if (!near->cpus || !near->numbers ||
	    skuai_nearness_read(pool->options.machine_root, &allowed, &near->nearness)) {
		skuai_victims_close(pool);
		return SKUA_ENOMEM;
	}
	for (unsigned i = 0; i < count; i++) {
		int cpu = skuai_victims_cpu(i);
		near->cpus[i] = cpu < 0 ? 0 : (unsigned)cpu;
	}
	for (unsigned i = 0; i < count; i++) {
		pool->workers[i].victims.numbers = &near->numbers[(size_t)i * (count - 1)];
		skuai_nearness_order(near->nearness, near->cpus, count, i,
				     &pool->workers[i].victims);
	}
	return SKUA_OK;
}

void skuai_victims_close(struct skua_pool *pool)
{
	skuai_nearness_free(pool->near.nearness);
	skuai_free(pool->near.numbers);
	skuai_free(pool->near.cpus);
	pool->near = (struct skuai_near_table){ 0 };
}

unsigned skuai_victims_start(struct skuai_worker *self)
{
	if (self->pool->options.victim == SKUA_VICTIM_ROUND_ROBIN)
		return self->next_victim;
	return skuai_rng_below(&self->rng, self->pool->count);
}

unsigned skuai_victims_at(const struct skuai_worker *self, unsigned start, unsigned i)
{
	const struct skuai_victims *row = &self->victims;

	if (!row->numbers)
		return skuai_turn(self->number, self->pool->count, start, i);
	return row->numbers[skuai_turn_near(row->ends, SKUAI_NEAR_COUNT, start, i)];
}

int skuai_victims_distance(const struct skuai_worker *self, const struct skuai_worker *victim)
{
	const struct skuai_near_table *near = &self->pool->near;

	if (!near->nearness)
		return -1;
	return (int)skuai_nearness_between(near->nearness, near->cpus[self->number],
					   near->cpus[victim->number]);
}

void skuai_victims_count(struct skuai_worker *self, const struct skuai_worker *victim)
{
	skuai_count(&self->counters.steals, 1);
	switch (skuai_victims_distance(self, victim)) {
	case -1:
		break;
	case SKUAI_NEAR_CORE:
		skuai_count(&self->counters.steals_core, 1);
		break;
	case SKUAI_NEAR_CACHE:
		skuai_count(&self->counters.steals_cache, 1);
		break;
	case SKUAI_NEAR_NODE:
		skuai_count(&self->counters.steals_node, 1);
		break;
	default:
		skuai_count(&self->counters.steals_far, 1);
	}
}
