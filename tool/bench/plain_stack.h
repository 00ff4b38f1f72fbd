/* SPDX-License-Identifier: MIT */
/* plain_stack.h — the stack everybody writes: an array and a count, for one thread */
#ifndef SKUAT_PLAIN_STACK_H
#define SKUAT_PLAIN_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What the deque is measured against.  It promises as much of what the deque does as one thread
 * can ask for: a full stack refuses, an empty one says so.  Its functions are called, not inlined,
 * and keep the count in memory, as the deque's do; they are compiled with the same flags.
 */
struct plain_stack {
	size_t count, capacity;
	uint64_t *slots;
};

bool plain_push(struct plain_stack *stack, uint64_t element);
bool plain_pop(struct plain_stack *stack, uint64_t *element);

#endif
