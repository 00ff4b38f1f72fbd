/* SPDX-License-Identifier: MIT */
/* jobring.c — jobs in a ring that grows: in at the newest end, out at either; no lock of its own */
#include "jobring.h"

#include <stdlib.h>

#define ROOM_FIRST 64 /* a kilobyte; arbitrary */

static struct rival_job *place_of(const struct jobring *ring, size_t i)
{
	return &ring->jobs[(ring->oldest + i) & (ring->room - 1)];
}

bool jobring_reserve(struct jobring *ring, size_t more)
{
	struct jobring wider = { .room = ring->room ? ring->room : ROOM_FIRST };

	if (ring->room - ring->count >= more)
		return true;
	while (wider.room - ring->count < more)
		wider.room *= 2;
	wider.jobs = malloc(wider.room * sizeof(*wider.jobs));
	if (!wider.jobs)
		return false;
	jobring_move(&wider, ring, ring->count);
	free(ring->jobs);
	*ring = wider;
	return true;
}

bool jobring_push(struct jobring *ring, struct rival_job job)
{
	if (!jobring_reserve(ring, 1))
		return false;
	*place_of(ring, ring->count++) = job;
	return true;
}

bool jobring_take_newest(struct jobring *ring, struct rival_job *job)
{
	if (!ring->count)
		return false;
	*job = *place_of(ring, --ring->count);
	return true;
}

bool jobring_take_oldest(struct jobring *ring, struct rival_job *job)
{
	if (!ring->count)
		return false;
	*job = *place_of(ring, 0);
	ring->oldest++;
	ring->count--;
	return true;
}

void jobring_move(struct jobring *to, struct jobring *from, size_t count)
{
	for (size_t i = 0; i < count; i++)
		*place_of(to, to->count + i) = *place_of(from, i);
	to->count += count;
	from->oldest += count;
	from->count -= count;
}

void jobring_free(struct jobring *ring)
{
	free(ring->jobs);
	*ring = (struct jobring){ 0 };
}
