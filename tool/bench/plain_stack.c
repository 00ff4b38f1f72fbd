/* SPDX-License-Identifier: MIT */
/* plain_stack.c — the stack everybody writes: an array and a count, for one thread */
#include "bench/plain_stack.h"

__attribute__((noinline)) bool plain_push(struct plain_stack *stack, uint64_t element)
{
	if (stack->count == stack->capacity)
		return false;
	stack->slots[stack->count++] = element;
	return true;
}

__attribute__((noinline)) bool plain_pop(struct plain_stack *stack, uint64_t *element)
{
	if (stack->count == 0)
		return false;
	*element = stack->slots[--stack->count];
	return true;
}
