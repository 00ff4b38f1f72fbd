/* SPDX-License-Identifier: MIT */
/* jobring.h — jobs in a ring that grows: in at the newest end, out at either; no lock of its own */
#ifndef SKUA_RIVALS_JOBRING_H
#define SKUA_RIVALS_JOBRING_H

#include "rival.h"

#include <stddef.h>

/* All zero is an empty one. */
struct jobring {
	struct rival_job *jobs;
	size_t room;   /* a power of two, or 0 */
	size_t oldest; /* counts up for ever; its place is the remainder by room */
	size_t count;
};

/* Make sure that `more` jobs fit.  False: no memory, and nothing has changed. */
bool jobring_reserve(struct jobring *ring, size_t more);

/* False: no memory, and nothing has changed. */
bool jobring_push(struct jobring *ring, struct rival_job job);

/* False: there is none. */
bool jobring_take_newest(struct jobring *ring, struct rival_job *job);
bool jobring_take_oldest(struct jobring *ring, struct rival_job *job);

/* Move the `count` oldest, in their order; there are so many, and room for them is reserved. */
void jobring_move(struct jobring *to, struct jobring *from, size_t count);

void jobring_free(struct jobring *ring);

#endif
