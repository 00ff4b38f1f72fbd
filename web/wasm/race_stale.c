/* SPDX-License-Identifier: MIT */
/* race_stale.c — an owner that sets top back to 0: a thief's old index looks new again */
#include "stepped.h"

/*
 * The deque of Arora, Blumofe and Plaxton (SPAA 1998) goes back to index 0 whenever it is empty,
 * and needs a tag beside top that counts how often.  Here the tag is left out.  Chase and Lev's top
 * only ever grows, so it needs none.
 */
static struct race_deque deque;

static enum skua_take stale_pop(struct race_deque *d, uint64_t *task)
{
	int64_t bottom = d->own_bottom - 1; /* its own: no step */

	skua_store(&d->bottom, bottom, seq_cst);
	int64_t top = skua_load(&d->top, seq_cst);
	*task = d->slots[bottom]; /* its own, too */
	if (bottom > top)
		return SKUA_TAKE_GOT;
	skua_store(&d->bottom, 0, seq_cst); /* empty now, whoever has the last: begin at 0 again */
	if (bottom == top && skua_cas(&d->top, &top, 0, seq_cst, seq_cst))
		return SKUA_TAKE_GOT;
	skua_store(&d->top, 0, seq_cst);
	return SKUA_TAKE_EMPTY;
}

static void stale_push(struct race_deque *d, uint64_t task)
{
	skua_store(&d->slots[0], task, seq_cst); /* it is empty, so bottom is 0 */
	skua_store(&d->bottom, 1, seq_cst);
}

static enum skua_take stale_steal(struct race_deque *d, uint64_t *task)
{
	int64_t top = skua_load(&d->top, seq_cst);

	if (top >= skua_load(&d->bottom, seq_cst))
		return SKUA_TAKE_EMPTY;
	*task = skua_load(&d->slots[top], seq_cst);
	if (!skua_cas(&d->top, &top, top + 1, seq_cst, seq_cst)) /* equal does not mean untouched */
		return SKUA_TAKE_RETRY;
	return SKUA_TAKE_GOT;
}

RACE_EXPORT(stale_open) void stale_open(void)
{
	race_fill(&deque, 1);
}

/* The owner pops task 1 and pushes task 2. */
RACE_EXPORT(stale_a) int stale_a(void)
{
	int result = race_take(stale_pop, &deque);

	stale_push(&deque, 2);
	return result;
}

RACE_EXPORT(stale_b) int stale_b(void)
{
	return race_take(stale_steal, &deque);
}
