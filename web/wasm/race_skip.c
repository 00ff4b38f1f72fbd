/* SPDX-License-Identifier: MIT */
/* race_skip.c — thieves that write top += 1 read top again: a task is jumped over */
#include "stepped.h"

static struct race_deque deque;

/* Two tasks and two thieves, so nobody need ask whether it is empty. */
static enum skua_take skip_steal(struct race_deque *d, uint64_t *task)
{
	int64_t top = skua_load(&d->top, seq_cst);

	*task = skua_load(&d->slots[top], seq_cst);
	skua_store(&d->top, skua_load(&d->top, seq_cst) + 1, seq_cst); /* top += 1 */
	skua_store(&d->slots[top], 0, seq_cst);
	return SKUA_TAKE_GOT;
}

RACE_EXPORT(skip_open) void skip_open(void)
{
	race_fill(&deque, 2);
}

RACE_EXPORT(skip_a) int skip_a(void)
{
	return race_take(skip_steal, &deque);
}

RACE_EXPORT(skip_b) int skip_b(void)
{
	return race_take(skip_steal, &deque);
}
