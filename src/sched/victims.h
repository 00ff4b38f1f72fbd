/* SPDX-License-Identifier: MIT */
/* victims.h — whom a thief visits, and in which order */
#ifndef SKUAI_SCHED_VICTIMS_H
#define SKUAI_SCHED_VICTIMS_H

#include "topo/nearness.h"

struct skua_pool;
struct skuai_worker;

/* What a pool of SKUA_VICTIM_NEAREST knows; else nothing. */
struct skuai_near_table {
	struct skuai_nearness *nearness;
	unsigned *cpus;	   /* of each worker */
	uint16_t *numbers; /* of all workers' victims, one row each */
};

/* Look at the machine, if the pool is to know it.  SKUA_ENOMEM: nothing is kept. */
int skuai_victims_open(struct skua_pool *pool);
void skuai_victims_close(struct skua_pool *pool);

/* The CPU that this worker is pinned to: the i-th allowed one, round and round; -1: none. */
int skuai_victims_cpu(unsigned number);

/* One round of visits: `start` once, then the i-th of all workers but itself. */
unsigned skuai_victims_start(struct skuai_worker *self);
unsigned skuai_victims_at(const struct skuai_worker *self, unsigned start, unsigned i);

/* A number of enum skuai_near; -1: the pool does not know. */
int skuai_victims_distance(const struct skuai_worker *self, const struct skuai_worker *victim);

/* Count a theft by its distance. */
void skuai_victims_count(struct skuai_worker *self, const struct skuai_worker *victim);

#endif
