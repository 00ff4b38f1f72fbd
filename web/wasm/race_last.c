/* SPDX-License-Identifier: MIT */
/* race_last.c — a careful owner and a careless thief meet at the last task */
#include "stepped.h"

static struct race_deque deque;

static enum skua_take last_pop(struct race_deque *d, uint64_t *task)
{
	int64_t bottom = d->own_bottom - 1; /* its own: no step */

	skua_store(&d->bottom, bottom, seq_cst);
	int64_t top = skua_load(&d->top, seq_cst);
	if (top > bottom) {
		skua_store(&d->bottom, bottom + 1, seq_cst);
		return SKUA_TAKE_EMPTY;
	}
	*task = d->slots[bottom]; /* its own, too */
	if (top < bottom)
		return SKUA_TAKE_GOT;
	bool is_ours = skua_cas(&d->top, &top, top + 1, seq_cst, seq_cst);
	skua_store(&d->bottom, bottom + 1, seq_cst);
	return is_ours ? SKUA_TAKE_GOT : SKUA_TAKE_EMPTY;
}

static enum skua_take last_steal(struct race_deque *d, uint64_t *task)
{
	int64_t top = skua_load(&d->top, seq_cst);

	if (top >= skua_load(&d->bottom, seq_cst))
		return SKUA_TAKE_EMPTY;
	*task = skua_load(&d->slots[top], seq_cst);
	skua_store(&d->top, top + 1, seq_cst); /* no CAS: it does not ask who was faster */
	return SKUA_TAKE_GOT;
}

RACE_EXPORT(last_open) void last_open(void)
{
	race_fill(&deque, 1);
}

RACE_EXPORT(last_a) int last_a(void)
{
	return race_take(last_pop, &deque);
}

RACE_EXPORT(last_b) int last_b(void)
{
	return race_take(last_steal, &deque);
}
