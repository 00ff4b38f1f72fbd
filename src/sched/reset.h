/* SPDX-License-Identifier: MIT */
/* reset.h — what the child of a fork() empties: queues whose threads it does not have */
#ifndef SKUAI_SCHED_RESET_H
#define SKUAI_SCHED_RESET_H

#include <skua/deque.h>

/* deque.c: empty it, whoever owned it and in the middle of whatever; nobody else may be looking. */
void skuai_deque_reset(struct skua_deque *deque);

#endif
