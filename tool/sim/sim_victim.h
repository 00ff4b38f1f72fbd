/* SPDX-License-Identifier: MIT */
/* sim_victim.h — whom a simulated thief tries next */
#ifndef SKUA_SIM_VICTIM_H
#define SKUA_SIM_VICTIM_H

#include "sim/sim_port.h"

/* What a try reads and writes, side by side: it is one cache line. */
struct sim_thief {
	uint32_t draws; /* random numbers that it has used up */
	uint32_t tries; /* in its present spell of searching */
	uint32_t hint;	/* where its round started, or whom it robbed last; SIM_NONE: nobody */
};

struct sim_victims {
	const struct sim_config *config;
	struct sim_thief *thief; /* each worker's */
	uint64_t odds[SIM_LEVELS];
};

/* 0, or -1 and the reason. */
int sim_victims_open(struct sim_victims *victims, const struct sim_config *config,
		     struct sim_heap *heap, struct sim_error *error);
void sim_victims_close(struct sim_victims *victims, struct sim_heap *heap);

/* One more try; there must be somebody else. */
uint32_t sim_victim_next(struct sim_victims *victims, uint32_t thief);
/* It was a success. */
void sim_victim_found(struct sim_victims *victims, uint32_t thief, uint32_t victim);

uint64_t sim_victims_draw(struct sim_victims *victims, uint32_t worker);

/* How far it is between two workers. */
unsigned sim_level(const struct sim_topology *topology, uint32_t a, uint32_t b);

#endif
