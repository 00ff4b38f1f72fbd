/* SPDX-License-Identifier: MIT */
/* inbox.h — a pool of workers that each have a queue of their own, which nobody else takes from */
#ifndef SKUA_RIVALS_INBOX_H
#define SKUA_RIVALS_INBOX_H

#include "crew.h"
#include "jobring.h"

/*
 * What static_split.c and work_sharing.c are made of: they differ only in whom a job is given to.
 * The lock of an inbox is between those who give and the owner, and so is the sleep:
 *
 *	give:  lock; push; is the owner parked?  no more; unlock; then give it a token
 *	owner: lock; empty; is parked; unlock; sleep until there is a token; look again
 */
struct inbox {
	_Alignas(CREW_LINE) pthread_mutex_t lock;
	struct jobring jobs;   /* under the lock */
	bool is_parked;	       /* under the lock: the owner, who has to be given a token */
	bool is_running;       /* under the lock: what the owner took last, it still counts */
	_Atomic uint64_t load; /* jobs in it, and the one that runs; written under the lock */
};

struct inbox_pool {
	struct rival_pool pool;
	struct inbox *inboxes; /* of each worker one */
};

/* struct rival's open and close */
struct rival_pool *inbox_open(const struct rival *rival, const struct rival_options *options);
void inbox_close(struct rival_pool *pool);

/* Hand a job to this worker; with no memory it is run in place. */
void inbox_give(struct inbox_pool *inboxes, unsigned worker, struct crew_place *from,
		struct rival_job job);

/* How many jobs this worker has, a moment ago. */
uint64_t inbox_load(const struct inbox_pool *inboxes, unsigned worker);

#endif
