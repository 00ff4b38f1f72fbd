/* SPDX-License-Identifier: MIT */
/* world.c — what the code under check sees: atomics, plain cells, sleep, membarrier, the heap */
#include "facts.h"
#include "mem.h"
#include "run.h"
#include "steps.h"

#include "base/alloc.h"
#include "os/clock.h"
#include "os/membarrier.h"
#include "os/thread.h"
#include "os/wait.h"

#include <skua/error.h>

#include <inttypes.h>

/*
 * The hooks of base/atomic_model.h, and the same functions that src/os and src/base define for the
 * real world.  Each first lets other threads go (run_point), then does its step.
 */

static uintptr_t address_of(const volatile void *object)
{
	return (uintptr_t)object;
}

static struct skuai_site site_of(const char *text)
{
	return (struct skuai_site){ .file = "", .text = text, .line = 0 };
}

/* --- atomics --- */

uint64_t skuai_model_load(const volatile void *object, size_t size, memory_order order,
			  const struct skuai_site *site)
{
	if (!facts_is_private(run_self(), address_of(object), false))
		run_point();
	uint64_t value = mem_load(run_self(), address_of(object), size, order);
	steps_add(site, " = %" PRIu64 "%s", value, steps_source());
	return value;
}

void skuai_model_store(volatile void *object, size_t size, uint64_t value, memory_order order,
		       const struct skuai_site *site)
{
	if (!facts_is_private(run_self(), address_of(object), true))
		run_point();
	mem_store(run_self(), address_of(object), size, value, order);
	steps_add(site, "  := %" PRIu64, value);
}

uint64_t skuai_model_rmw(enum skuai_rmw op, volatile void *object, size_t size, uint64_t value,
			 memory_order order, const struct skuai_site *site)
{
	run_point();
	uint64_t old = mem_rmw(run_self(), op, address_of(object), size, value, order);
	steps_add(site, " was %" PRIu64 "%s", old, steps_source());
	return old;
}

bool skuai_model_cas(volatile void *object, size_t size, struct skuai_cas *cas,
		     const struct skuai_site *site)
{
	run_point();
	bool is_done = mem_cas(run_self(), address_of(object), size, cas);
	if (is_done)
		steps_add(site, " done%s", steps_source());
	else
		steps_add(site, " FAILED, was %" PRIu64 "%s", cas->expected, steps_source());
	return is_done;
}

void skuai_model_fence(memory_order order, const struct skuai_site *site)
{
	if (order == memory_order_seq_cst)
		run_point();
	mem_fence(run_self(), order);
	steps_add(site, "%s", "");
}

void skuai_model_light_fence(void)
{
	facts_light(run_self());
}

/* --- plain data, choices, claims --- */

uint64_t mc_read_at(const struct mc_cell *cell, const char *file, int line)
{
	const char *wrong = mem_plain(run_self(), address_of(cell), false);
	steps_add(&(struct skuai_site){ file, "plain read", line }, " = %" PRIu64, cell->value);
	if (wrong)
		run_error("%s:%d: %s", file, line, wrong);
	return cell->value;
}

void mc_write_at(struct mc_cell *cell, uint64_t value, const char *file, int line)
{
	const char *wrong = mem_plain(run_self(), address_of(cell), true);
	steps_add(&(struct skuai_site){ file, "plain write", line }, "  := %" PRIu64, value);
	if (wrong)
		run_error("%s:%d: %s", file, line, wrong);
	cell->value = value;
}

int mc_self(void)
{
	return run_self();
}

unsigned mc_choose(unsigned n)
{
	if (n > RUN_WAYS_MAX)
		run_limit("the case is too large: mc_choose(%u), at most %d", n, RUN_WAYS_MAX);
	unsigned chosen = run_choose(n);
	mem_note(run_self(), chosen);
	return chosen;
}

void mc_fail(const char *file, int line, const char *claim)
{
	run_error("%s:%d: not true: %s", file, line, claim);
}

void *mc_alloc(size_t bytes)
{
	return mem_block(bytes, 64, false);
}

unsigned mc_blocks_left(void)
{
	return mem_blocks_left();
}

/* --- sleeping on a word (os/wait.h) --- */

/*
 * The kernel compares the word and queues the thread in one step, under a lock that every wake of
 * the word takes: it sees what earlier wakers knew of it, but what it sees may be stale beyond that
 * (mem_look).  A return for no reason is a choice, limited by the case.  With a deadline the thread
 * may go on at any moment, not woken.
 */
enum skuai_wait_result skuai_wait(_Atomic uint32_t *word, uint32_t expected, int64_t deadline)
{
	struct skuai_site site = site_of("skuai_wait");

	run_point();
	uint64_t value = mem_look(run_self(), address_of(word), sizeof(*word));
	if (value != expected) {
		steps_add(&site, ": the word is %" PRIu64 "%s, not %u: returns", value,
			  steps_source(), expected);
		return SKUAI_WAIT_RETURNED;
	}
	if (run_take_spurious()) {
		mem_note(run_self(), 1);
		steps_add(&site, ": returns for no reason");
		return SKUAI_WAIT_RETURNED;
	}
	steps_add(&site, ": the word is %" PRIu64 "%s: sleeps", value, steps_source());
	bool is_woken = run_block(address_of(word), deadline != SKUAI_NO_DEADLINE);
	/* a step: between two points a history must grow */
	mem_note(run_self(), is_woken ? 6 : 7);
	steps_add(&site, is_woken ? ": woken" : ": its time is up");
	return is_woken ? SKUAI_WAIT_RETURNED : SKUAI_WAIT_TIMED_OUT;
}

void skuai_wake(_Atomic uint32_t *word, uint32_t most)
{
	struct skuai_site site = site_of("skuai_wake");
	int asleep[MC_THREADS_MAX];

	run_point();
	mem_note(run_self(), 2);
	mem_wake(run_self(), address_of(word), sizeof(*word));
	unsigned count = run_blocked_on(address_of(word), asleep);
	steps_add(&site, ": %u asleep, wakes %u", count, count < most ? count : most);
	for (; count && most; most--) {
		unsigned chosen = run_choose(count);
		mem_note(asleep[chosen], 3);
		run_unblock(asleep[chosen]);
		asleep[chosen] = asleep[--count];
	}
}

bool skuai_wait_offered(void)
{
	return true;
}

/* --- a fence from afar (os/membarrier.h) --- */

uintptr_t skuai_thread_id(void)
{
	return (uintptr_t)run_self() + 1;
}

int skuai_membarrier_ready(void)
{
	return SKUA_OK;
}

bool skuai_membarrier_offered(void)
{
	return true;
}

/*
 * Every other thread passes a full fence at some moment between the call and its return: not all at
 * the same moment, so each is a step of its own, in any order.  Only threads that have a light
 * fence are reached; that the others are not only allows more.  The caller's own fences, at the
 * beginning and the end, stand beside the first and the last: in between it knows and does nothing
 * new.
 */
int skuai_membarrier(void)
{
	struct skuai_site site = site_of("skuai_membarrier");
	int self = run_self(), others[MC_THREADS_MAX];
	unsigned count = 0;

	for (int i = 0; i < run_thread_count(); i++)
		if (i != self && facts_is_light(i)) /* one that ended passed one, too */
			others[count++] = i;
	do {
		run_point();
		mem_fence(self, memory_order_seq_cst);
		if (count == 0)
			break;
		unsigned chosen = run_choose(count);
		mem_note(self, (uint64_t)others[chosen]);
		mem_fence(others[chosen], memory_order_seq_cst);
		mem_fence(self, memory_order_seq_cst);
		steps_add(&site, ": thread %d passed a fence", others[chosen]);
		others[chosen] = others[--count];
	} while (count);
	return SKUA_OK;
}

/* --- the heap (base/alloc.h) --- */

void *skuai_alloc_aligned(size_t count, size_t size, size_t align)
{
	size_t bytes;
	bool is_refused = run_take_failed_alloc();

	mem_note(run_self(), is_refused ? 4 : 5);
	if (is_refused || __builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX / 2)
		return NULL;
	return mem_block(bytes, align, true);
}

void *skuai_alloc(size_t count, size_t size)
{
	return skuai_alloc_aligned(count, size, 64);
}

void skuai_free(void *memory)
{
	if (!memory)
		return;
	run_point();
	mem_block_free(run_self(), memory);
}
