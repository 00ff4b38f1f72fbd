/* SPDX-License-Identifier: MIT */
/* sim_victim.c — whom a simulated thief tries next */
#include "sim/sim_victim.h"

#include "sched/turns.h"
#include "sim/sim_draw.h"

/* Workers [begin, end) are within one level of somebody. */
struct circle {
	uint32_t begin, end;
};

unsigned sim_level(const struct sim_topology *topology, uint32_t a, uint32_t b)
{
	unsigned level = 0;

	while (level + 1 < topology->levels &&
	       a / topology->group[level] != b / topology->group[level])
		level++;
	return level;
}

static struct circle circle_at(const struct sim_config *config, uint32_t worker, unsigned level)
{
	const struct sim_topology *topology = &config->topology;

	if (level + 1 >= topology->levels || topology->group[level] >= config->workers)
		return (struct circle){ 0, config->workers };
	uint32_t size = topology->group[level], begin = worker / size * size;
	uint32_t end = config->workers - begin < size ? config->workers : begin + size;
	return (struct circle){ begin, end };
}

/* The i-th of those in `outer` and not in `inner`, from the end of inner on and round. */
static uint32_t ring_at(struct circle outer, struct circle inner, uint32_t i)
{
	uint32_t above = outer.end - inner.end;

	return i < above ? inner.end + i : outer.begin + (i - above);
}

static uint32_t ring_size(struct circle outer, struct circle inner)
{
	return (outer.end - outer.begin) - (inner.end - inner.begin);
}

int sim_victims_open(struct sim_victims *victims, const struct sim_config *config,
		     struct sim_heap *heap, struct sim_error *error)
{
	*victims = (struct sim_victims){ .config = config };
	victims->thief = sim_get(heap, config->workers, sizeof(*victims->thief));
	if (!victims->thief)
		return sim_fail_memory(error, heap);
	for (uint32_t i = 0; i < config->workers; i++)
		victims->thief[i].hint = config->victim == SIM_VICTIM_TURNS ? 0 : SIM_NONE;
	for (unsigned level = 0; level < config->topology.levels; level++)
		victims->odds[level] = ((uint64_t)1 << 48) /
				       (1 + 2 * config->topology.latency[level] +
					config->costs.fail[level]);
	return 0;
}

void sim_victims_close(struct sim_victims *victims, struct sim_heap *heap)
{
	sim_put(heap, victims->thief, victims->config->workers, sizeof(*victims->thief));
}

uint64_t sim_victims_draw(struct sim_victims *victims, uint32_t worker)
{
	return sim_draw(victims->config->seed, worker, victims->thief[worker].draws++);
}

/* Nearest first, as skuai_nearness_order() sorts them, but without a table for each worker. */
static uint32_t victim_near(const struct sim_config *config, uint32_t thief, uint32_t start,
			    uint32_t i)
{
	struct circle inner = { thief, thief + 1 }, outer;
	unsigned ends[SIM_LEVELS] = { 0 }, levels = config->topology.levels, level = 0;

	for (unsigned k = 0; k < levels; k++) {
		outer = circle_at(config, thief, k);
		ends[k] = outer.end - outer.begin - 1;
	}
	uint32_t place = skuai_turn_near(ends, levels, start, i);
	while (place >= ends[level])
		level++;
	if (level)
		inner = circle_at(config, thief, level - 1);
	outer = circle_at(config, thief, level);
	return ring_at(outer, inner, place - (level ? ends[level - 1] : 0));
}

/* A level by its odds, then anybody there. */
static uint32_t victim_by_latency(struct sim_victims *victims, uint32_t thief)
{
	const struct sim_config *config = victims->config;
	struct circle inner = { thief, thief + 1 }, outer = inner;
	uint64_t sum = 0;
	unsigned level = 0;

	for (unsigned pass = 0; pass < 2; pass++) {
		uint64_t at = pass ? sim_mul_shift(sim_victims_draw(victims, thief), sum, 64) : 0;
		inner = outer = (struct circle){ thief, thief + 1 };
		for (level = 0; level < config->topology.levels; level++) {
			inner = outer;
			outer = circle_at(config, thief, level);
			if (!ring_size(outer, inner))
				continue;
			if (!pass)
				sum += victims->odds[level];
			else if (at < victims->odds[level])
				break;
			else
				at -= victims->odds[level];
		}
	}
	uint64_t draw = sim_victims_draw(victims, thief);
	return ring_at(outer, inner, sim_below(draw, ring_size(outer, inner)));
}

/*
 * The published simulator of two clusters draws a remote victim as if the thief were among them:
 * from one less, leaving out its own number.  So one worker there is never robbed from afar.
 */
static uint32_t victim_published(struct circle all, struct circle near, uint32_t thief,
				 uint64_t draw)
{
	struct circle far = near.begin ? (struct circle){ 0, near.begin }
				       : (struct circle){ near.end, all.end };
	uint32_t size = far.end - far.begin;

	if (size == 1)
		return far.begin;
	uint32_t victim = far.begin + sim_below(draw, size - 1);
	return victim + (victim >= thief);
}

static uint32_t victim_remote(struct sim_victims *victims, uint32_t thief)
{
	const struct sim_config *config = victims->config;
	struct circle all = { 0, config->workers }, near = circle_at(config, thief, 0);
	uint32_t far = ring_size(all, near), local = near.end - near.begin - 1;
	bool is_far = sim_below(sim_victims_draw(victims, thief), 1000000) < config->remote;
	uint64_t draw = sim_victims_draw(victims, thief);

	if (!local || (is_far && far))
		return config->is_published ? victim_published(all, near, thief, draw)
					    : ring_at(all, near, sim_below(draw, far));
	return near.begin + sim_other(draw, local + 1, thief - near.begin);
}

uint32_t sim_victim_next(struct sim_victims *victims, uint32_t thief)
{
	const struct sim_config *config = victims->config;
	uint32_t others = config->workers - 1, turn = victims->thief[thief].tries++;
	uint32_t *hint = &victims->thief[thief].hint;

	switch (config->victim) {
	case SIM_VICTIM_ROUND:
	case SIM_VICTIM_NEAREST:
		if (turn % others == 0)
			*hint = sim_below(sim_victims_draw(victims, thief), config->workers);
		return config->victim == SIM_VICTIM_ROUND
			       ? skuai_turn(thief, config->workers, *hint, turn % others)
			       : victim_near(config, thief, *hint, turn % others);
	case SIM_VICTIM_TURNS:
		return skuai_turn(thief, config->workers, *hint, turn % others);
	case SIM_VICTIM_LAST:
		if (!turn && *hint != SIM_NONE)
			return *hint;
		break;
	case SIM_VICTIM_LATENCY:
		return victim_by_latency(victims, thief);
	case SIM_VICTIM_REMOTE:
		return victim_remote(victims, thief);
	default:
		break;
	}
	return sim_other(sim_victims_draw(victims, thief), config->workers, thief);
}

void sim_victim_found(struct sim_victims *victims, uint32_t thief, uint32_t victim)
{
	enum sim_victim law = victims->config->victim;

	victims->thief[thief].tries = 0;
	if (law == SIM_VICTIM_TURNS || law == SIM_VICTIM_LAST)
		victims->thief[thief].hint = victim;
}
