/* SPDX-License-Identifier: MIT */
/* race_early.c — thieves that empty the slot before the CAS has said whose it is */
#include "stepped.h"

static struct race_deque deque;

static enum skua_take early_steal(struct race_deque *d, uint64_t *task)
{
	int64_t top = skua_load(&d->top, seq_cst);

	if (top >= skua_load(&d->bottom, seq_cst))
		return SKUA_TAKE_EMPTY;
	*task = skua_exchange(&d->slots[top], 0, seq_cst); /* taken before it is owned */
	if (!skua_cas(&d->top, &top, top + 1, seq_cst, seq_cst))
		return SKUA_TAKE_RETRY; /* and what was taken is dropped here */
	return SKUA_TAKE_GOT;
}

RACE_EXPORT(early_open) void early_open(void)
{
	race_fill(&deque, 2);
}

RACE_EXPORT(early_a) int early_a(void)
{
	return race_take(early_steal, &deque);
}

RACE_EXPORT(early_b) int early_b(void)
{
	return race_take(early_steal, &deque);
}
