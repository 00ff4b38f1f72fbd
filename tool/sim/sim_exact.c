/* SPDX-License-Identifier: MIT */
/* sim_exact.c — closed forms that a simulation can be held against */
#include "sim/sim_draw.h"
#include "sim/sim_port.h"

uint64_t sim_greedy_steps(uint32_t depth, uint64_t workers)
{
	uint64_t steps = 0;

	for (uint32_t level = 0; level <= depth && level < 63; level++)
		steps += (((uint64_t)1 << level) + workers - 1) / workers;
	return steps;
}

uint64_t sim_largest_load(const struct sim_memory *memory, uint32_t bins, uint64_t balls,
			  uint32_t choices, uint64_t seed)
{
	struct sim_heap heap = { .memory = *memory };
	uint32_t *load = bins ? sim_get(&heap, bins, sizeof(*load)) : NULL;
	uint64_t drawn = 0;
	uint32_t largest = 0;

	if (!load)
		return 0;
	for (uint64_t ball = 0; ball < balls; ball++) {
		uint32_t best = sim_below(sim_draw(seed, 0, drawn++), bins);
		for (uint32_t choice = 1; choice < choices; choice++) {
			uint32_t other = sim_below(sim_draw(seed, 0, drawn++), bins);
			best = load[other] < load[best] ? other : best;
		}
		if (++load[best] > largest)
			largest = load[best];
	}
	sim_put(&heap, load, bins, sizeof(*load));
	return largest;
}
