/* SPDX-License-Identifier: MIT */
/* model_shim_treiber.c — a stranger's stack with the ABA bug, checked as the README says */
#include "mc.h"

#include <stdatomic.h>

/*
 * Treiber's stack ("Coping with parallelism", 1986), written with <stdatomic.h> as anybody would.
 * Nodes are 1 and 2, top is the number of a node (0: none) and, when tagged, a count above it.  The
 * bug: pop reads top = A and A's next = B, sleeps; another pops A and B and pushes A again; top is
 * A once more, the CAS succeeds and puts B back, which the other still holds.
 */
enum {
	NODES = 2
};

struct stack {
	_Atomic uint64_t top;
	_Atomic uint64_t next[NODES + 1];
};

static bool is_tagged;

static uint64_t node_of(uint64_t top)
{
	return top & 0xff;
}

static uint64_t top_with(uint64_t node, uint64_t old)
{
	return is_tagged ? node | ((old >> 8) + 1) << 8 : node;
}

static void push(struct stack *s, uint64_t node)
{
	uint64_t top = atomic_load_explicit(&s->top, memory_order_relaxed);

	do
		atomic_store_explicit(&s->next[node], node_of(top), memory_order_relaxed);
	while (!atomic_compare_exchange_weak_explicit(&s->top, &top, top_with(node, top),
						      memory_order_release, memory_order_relaxed));
}

static uint64_t pop(struct stack *s)
{
	uint64_t top = atomic_load_explicit(&s->top, memory_order_acquire), next;

	do {
		if (node_of(top) == 0)
			return 0;
		next = atomic_load_explicit(&s->next[node_of(top)], memory_order_relaxed);
	} while (!atomic_compare_exchange_weak_explicit(
		&s->top, &top, top_with(next, top), memory_order_acquire, memory_order_acquire));
	return node_of(top);
}

/* --- the check --- */

static struct stack *stack;
static unsigned *held; /* how many hold this node: at most one may */

static void hold(uint64_t node)
{
	mc_assert(node == 0 || ++held[node] == 1);
}

static void pop_one(void *unused)
{
	(void)unused;
	hold(pop(stack));
}

static void pop_two_push_one(void *unused)
{
	(void)unused;
	uint64_t first = pop(stack), second = pop(stack);
	hold(first);
	hold(second);
	if (first) {
		held[first]--;
		push(stack, first);
	}
}

static void play(void)
{
	stack = mc_alloc(sizeof(*stack));
	held = mc_alloc((NODES + 1) * sizeof(*held));
	for (uint64_t node = NODES; node > 0; node--)
		push(stack, node);
	mc_start(pop_one, NULL);
	mc_start(pop_two_push_one, NULL);
	mc_join();
	for (uint64_t node; (node = pop(stack));)
		hold(node);
	for (unsigned node = 1; node <= NODES; node++)
		mc_assert(held[node] == 1);
}

static void untagged(void)
{
	is_tagged = false;
	play();
}

static void tagged(void)
{
	is_tagged = true;
	play();
}

int main(int argc, char **argv)
{
	static const struct mc_case cases[] = {
		{ .name = "treiber_aba", .body = untagged, .must_fail = true },
		{ .name = "treiber_tagged", .body = tagged },
		{ .name = "treiber_tagged_spurious", .body = tagged, .spurious = 1 },
		{ .name = NULL },
	};
	return mc_main(argc, argv, cases);
}
