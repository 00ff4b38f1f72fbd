/* SPDX-License-Identifier: MIT */
/* sim_time.c — how long work takes a worker that is slow, stands still, or has a quota */
#include "sim/sim_tasks.h"

#define HOPS_MAX 1000000 /* over standstills during one task; arbitrary, more is "for ever" */

/* If w stands still at t: until when; else t, and *room is the time to its next standstill. */
static uint64_t stall_end(const struct sim_stall *stall, uint64_t t, uint64_t *room)
{
	uint64_t begin = stall->begin;

	if (stall->period && t > begin)
		begin += (t - begin) / stall->period * stall->period;
	if (t >= begin && t - begin < stall->length)
		return begin + stall->length;
	if (t >= begin && !stall->period)
		return t;
	uint64_t next = t >= begin ? begin + stall->period - t : begin - t;
	if (next < *room)
		*room = next;
	return t;
}

/* The same for all that may hold up w. */
static uint64_t hold_end(const struct sim_config *config, uint32_t w, uint64_t t, uint64_t *room)
{
	if (config->quota_period) {
		uint64_t phase = t % config->quota_period;
		if (phase >= config->quota)
			return t - phase + config->quota_period;
		if (config->quota - phase < *room)
			*room = config->quota - phase;
	}
	for (uint32_t i = 0; i < config->stall_count; i++) {
		const struct sim_stall *stall = &config->stalls[i];
		if (w < stall->first || w - stall->first >= stall->count)
			continue;
		uint64_t end = stall_end(stall, t, room);
		if (end > t)
			return end;
	}
	return t;
}

uint64_t sim_finish(struct sim *sim, uint32_t w, uint64_t start, uint64_t work)
{
	const struct sim_config *config = &sim->config;

	if (config->speeds) {
		uint32_t speed = config->speeds[w % config->speed_count];
		if (speed != 1024)
			work = sim_mul_div(work, 1024, speed) +
			       (sim_mul_shift(work, 1024, 0) % speed != 0);
	}
	if (!config->quota_period && !config->stall_count)
		return start + work;
	if (config->quota_period && !config->stall_count && work > config->quota) {
		uint64_t whole = work / config->quota - 1; /* periods in which it has all */
		work -= whole * config->quota;
		start += whole * config->quota_period;
	}
	for (unsigned hops = 0; hops < HOPS_MAX; hops++) {
		uint64_t room = UINT64_MAX, end = hold_end(config, w, start, &room);
		if (end > start) {
			start = end;
		} else if (work <= room) {
			return start + work;
		} else {
			start += room;
			work -= room;
		}
	}
	sim->is_stuck = true;
	return start;
}
