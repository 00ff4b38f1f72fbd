/* SPDX-License-Identifier: MIT */
/* race_double.c — two thieves read top and write top + 1: both may hold the same task */
#include "stepped.h"

static struct race_deque deque;

static enum skua_take double_steal(struct race_deque *d, uint64_t *task)
{
	int64_t top = skua_load(&d->top, seq_cst);

	if (top >= skua_load(&d->bottom, seq_cst))
		return SKUA_TAKE_EMPTY;
	*task = skua_load(&d->slots[top], seq_cst);
	skua_store(&d->top, top + 1, seq_cst); /* whoever else read this top has the same task */
	return SKUA_TAKE_GOT;
}

RACE_EXPORT(double_open) void double_open(void)
{
	race_fill(&deque, 2);
}

RACE_EXPORT(double_a) int double_a(void)
{
	return race_take(double_steal, &deque);
}

RACE_EXPORT(double_b) int double_b(void)
{
	return race_take(double_steal, &deque);
}
