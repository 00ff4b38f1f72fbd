/* SPDX-License-Identifier: MIT */
/* mem.c — the memory of one explored execution: RC11 without promises, as a machine of views */
#include "mem.h"

#include "facts.h"
#include "mem_inside.h"
#include "run.h"

#include <string.h>

/*
 * The model.  RC11 (Lahav, Vafeiadis, Kang, Hur, Dreyer, PLDI 2017) restricted to executions in
 * which program order, reads-from and the order of seq_cst fences together have no cycle: no load
 * buffering, and none through a fence (tests/model/cross_check.py).  Run as a machine:
 *
 *   A location holds messages in modification order, the oldest first.  A write inserts one.
 *   A view says, for each location, the newest message one knows of.  Every thread has three:
 *     cur   what it knows: it may not read older messages, nor write before them
 *     acq   what an acquire fence would add: the views of all messages it read relaxed
 *     rel   what it knew at its last release fence: what a relaxed write passes on
 *   A message carries a view: what a thread that acquires it learns.
 *
 *   load     any message not older than cur; acquire: cur += its view, else acq += its view
 *   store    inserted anywhere after cur's message, but never between an RMW and what it read;
 *            its view is cur (release) or rel (relaxed), and itself
 *   RMW      reads like a load, but only a message no other RMW has read; inserted right after it;
 *            its view also has that message's view (the release sequence)
 *   fences   acquire: cur += acq.  release: rel = cur.  seq_cst: both, and between them cur += S,
 *            S = cur, with one view S for the whole program
 *   sleep    the kernel looks at the word under a lock that every wake takes: a relaxed load that
 *            also sees what a waker of that word knew of it.  Not more: it may be stale
 *   time     a thread whose deadline passed because nobody else could go on: cur = the newest
 *            messages.  Stores become visible "in a reasonable amount of time" (C11 7.17.3)
 *
 * seq_cst accesses are treated as acq_rel: weaker, so no bug is missed; what only they forbid is a
 * false alarm.  Write seq_cst fences.  Release sequences are those of C++20: RMWs only.
 *
 * Vector clocks ride in the same views and order plain accesses: happens-before, to find data
 * races.
 *
 * Each thread also carries a hash of its own history: each step with the message it read or wrote,
 * named by writer and step number.  Histories, modification orders, S and what wakers knew
 * determine everything that follows.
 */

enum {
	SERIAL_MAX = 20000 /* steps of one thread; clocks have 16 bits */
};

struct mem_now mem_now;

/* --- hashes --- */

/* The same name in every interleaving: writer and its step, or the location's initial message. */
static uint64_t message_name(unsigned index)
{
	const struct message *message = &mem_now.messages[index];

	return index == 0 || message->thread < 0
		       ? 0
		       : ((uint64_t)(unsigned)message->thread + 1) << 32 | message->serial;
}

void mem_note(int thread, uint64_t what)
{
	remember(thread, 7, 0, what);
}

static void mix_view(struct mem_hash *hash, const struct view *view)
{
	for (unsigned i = 0; i < mem_now.location_count; i++)
		mix(hash, mem_now.locations[i].address ^ message_name(view->seen[i]) << 8);
}

/* What this thread learnt all at once: only its view tells what had been written by then. */
static void remember_view(struct thread *self)
{
	struct mem_hash learnt = { 8, 9 };

	mix_view(&learnt, &self->cur);
	mix(&self->history, learnt.low);
	mix(&self->history, learnt.high);
}

struct mem_hash mem_graph(void)
{
	struct mem_hash sum = { 1, 2 };

	for (int i = 0; i < MC_THREADS_MAX; i++)
		mix(&sum, mem_now.threads[i].graph.low ^ mem_now.threads[i].graph.high * 3);
	for (unsigned i = 0; i < mem_now.location_count; i++) {
		struct mem_hash order = { mem_now.locations[i].address, 3 };
		for (unsigned j = 1; j < mem_now.locations[i].count; j++)
			mix(&order, message_name(mem_now.locations[i].order[j]));
		sum.low += order.low; /* locations are numbered by first use: sum, not sequence */
		sum.high += order.high;
	}
	return sum;
}

struct mem_hash mem_state(void)
{
	struct mem_hash sum = mem_graph();

	for (int i = 0; i < MC_THREADS_MAX; i++) {
		mix(&sum, mem_now.threads[i].history.low);
		mix(&sum, mem_now.threads[i].history.high);
	}
	struct mem_hash s = { 4, 5 };
	for (unsigned i = 0; i < mem_now.location_count; i++) {
		struct mem_hash entry = { 6, 7 };
		mix(&entry, mem_now.locations[i].address);
		mix(&entry, message_name(mem_now.s.seen[i]));
		if (mem_now.locations[i].waker_seen)
			mix(&entry, message_name(mem_now.locations[i].waker_seen));
		s.low += entry.low;
		s.high += entry.high;
	}
	mix(&sum, s.low);
	mix(&sum, s.high);
	return sum;
}

/* --- views --- */

static void join_seen(struct view *into, const struct view *from)
{
	for (unsigned i = 0; i < mem_now.location_count; i++)
		if (mem_now.messages[from->seen[i]].position >
		    mem_now.messages[into->seen[i]].position)
			into->seen[i] = from->seen[i];
}

static void join(struct view *into, const struct view *from)
{
	join_seen(into, from);
	for (int i = 0; i < MC_THREADS_MAX; i++)
		if (from->clock[i] > into->clock[i])
			into->clock[i] = from->clock[i];
}

static bool is_acquire(memory_order order)
{
	return order == memory_order_acquire || order == memory_order_acq_rel ||
	       order == memory_order_seq_cst || order == memory_order_consume;
}

static bool is_release(memory_order order)
{
	return order == memory_order_release || order == memory_order_acq_rel ||
	       order == memory_order_seq_cst;
}

/* --- locations and messages --- */

static uint64_t peek(uintptr_t address, size_t size)
{
	uint64_t value = 0;

	memcpy(&value, (const void *)address, size);
	return value;
}

static uint64_t cut_to(uint64_t value, size_t size)
{
	return size >= 8 ? value : value & (((uint64_t)1 << (8 * size)) - 1);
}

static unsigned new_message(int thread, uint64_t value)
{
	if (mem_now.message_count == MESSAGES_MAX)
		run_limit("the case is too large: more than %d writes", MESSAGES_MAX);
	unsigned index = mem_now.message_count++;
	struct message *message = &mem_now.messages[index];
	memset(message, 0, sizeof(*message));
	message->value = value;
	message->thread = (int8_t)thread;
	message->serial = thread < 0 ? 0 : mem_now.threads[thread].serial;
	return index;
}

unsigned mem_locate(uintptr_t address, size_t size)
{
	for (unsigned i = 0; i < mem_now.location_count; i++)
		if (mem_now.locations[i].address == address) {
			if (mem_now.locations[i].size != size)
				run_error("accesses of different sizes to one object");
			return i;
		}
	if (mem_now.location_count == LOCATIONS_MAX)
		run_limit("the case is too large: more than %d objects", LOCATIONS_MAX);
	struct location *location = &mem_now.locations[mem_now.location_count];
	memset(location, 0, sizeof(*location));
	location->address = address;
	location->size = (uint8_t)size;
	location->plain_writer = -1;
	location->order[0] = (uint16_t)new_message(-1, peek(address, size));
	location->count = 1;
	return mem_now.location_count++;
}

/* Put a new message at `position` of the location's order; the later ones move up. */
static void insert(struct location *location, unsigned index, unsigned position)
{
	if (location->count == WRITES_MAX)
		run_limit("the case is too large: more than %d writes to one object", WRITES_MAX);
	for (unsigned i = location->count; i > position; i--) {
		location->order[i] = location->order[i - 1];
		mem_now.messages[location->order[i]].position = (uint16_t)i;
	}
	if (run_is_concurrent())
		facts_writer(location->address, mem_now.messages[index].thread);
	location->order[position] = (uint16_t)index;
	mem_now.messages[index].position = (uint16_t)position;
	location->count++;
	/* Memory itself always shows the newest value, for whoever looks without a hook. */
	uint64_t newest = mem_now.messages[location->order[location->count - 1]].value;
	memcpy((void *)location->address, &newest, location->size);
}

struct thread *mem_step(int thread)
{
	struct thread *self = &mem_now.threads[thread];

	if (self->serial == SERIAL_MAX)
		run_endless(SERIAL_MAX, " of one thread");
	self->serial++;
	self->cur.clock[thread]++;
	return self;
}

static void learn(struct thread *self, unsigned at, unsigned index, memory_order order)
{
	const struct message *message = &mem_now.messages[index];

	if (message->position > mem_now.messages[self->cur.seen[at]].position)
		self->cur.seen[at] = (uint16_t)index;
	join(is_acquire(order) ? &self->cur : &self->acq, &message->view);
	mem_now.source = (struct mem_source){
		.thread = message->thread,
		.serial = message->serial,
		.newer = mem_now.locations[at].count - 1u - message->position,
	};
}

/* The new message's view, and the writer's knowledge of it. */
static void publish(struct thread *self, unsigned at, unsigned index, memory_order order)
{
	struct message *message = &mem_now.messages[index];

	join(&message->view, is_release(order) ? &self->cur : &self->rel);
	message->view.seen[at] = (uint16_t)index;
	self->cur.seen[at] = (uint16_t)index;
}

static bool has_rmw_after(const struct location *location, unsigned position)
{
	return position + 1 < location->count &&
	       mem_now.messages[location->order[position + 1]].is_rmw;
}

/* --- the accesses --- */

/* Read any message that is not older than what the thread knows, nor than `least`. */
static uint64_t load(int thread, unsigned at, unsigned least, memory_order order)
{
	struct thread *self = mem_step(thread);
	const struct location *location = &mem_now.locations[at];
	unsigned oldest = mem_now.messages[self->cur.seen[at]].position;

	if (mem_now.messages[least].position > oldest)
		oldest = mem_now.messages[least].position;
	unsigned index =
		location->order[location->count - 1 - run_choose(location->count - oldest)];
	learn(self, at, index, order);
	remember(thread, 1, location->address, message_name(index));
	return mem_now.messages[index].value;
}

uint64_t mem_load(int thread, uintptr_t address, size_t size, memory_order order)
{
	mem_use_block(thread, address);
	return load(thread, mem_locate(address, size), 0, order);
}

uint64_t mem_look(int thread, uintptr_t address, size_t size)
{
	mem_use_block(thread, address);
	unsigned at = mem_locate(address, size);
	return load(thread, at, mem_now.locations[at].waker_seen, memory_order_relaxed);
}

void mem_wake(int thread, uintptr_t address, size_t size)
{
	unsigned at = mem_locate(address, size);
	struct location *location = &mem_now.locations[at];
	uint16_t known = mem_now.threads[thread].cur.seen[at];

	if (mem_now.messages[known].position > mem_now.messages[location->waker_seen].position)
		location->waker_seen = known;
}

void mem_settle(int thread)
{
	struct thread *self = &mem_now.threads[thread];

	for (unsigned i = 0; i < mem_now.location_count; i++)
		self->cur.seen[i] = mem_now.locations[i].order[mem_now.locations[i].count - 1];
	remember(thread, 15, 0, 0);
	remember_view(self);
}

void mem_store(int thread, uintptr_t address, size_t size, uint64_t value, memory_order order)
{
	mem_use_block(thread, address);
	unsigned at = mem_locate(address, size);
	struct thread *self = mem_step(thread);
	struct location *location = &mem_now.locations[at];
	unsigned oldest = mem_now.messages[self->cur.seen[at]].position;
	unsigned places[WRITES_MAX], count = 0;

	for (unsigned position = location->count; position > oldest; position--)
		if (!has_rmw_after(location, position - 1))
			places[count++] = position;
	unsigned place = places[run_choose(count)];
	unsigned index = new_message(thread, cut_to(value, size));
	insert(location, index, place);
	publish(self, at, index, order);
	remember(thread, 2, address, cut_to(value, size));
}

/* The messages this RMW or CAS may read, newest first; only with this value when asked. */
static unsigned readable(const struct thread *self, unsigned at, bool free_only, uint16_t *found)
{
	const struct location *location = &mem_now.locations[at];
	unsigned oldest = mem_now.messages[self->cur.seen[at]].position, count = 0;

	for (unsigned position = location->count; position-- > oldest;)
		if (!free_only || !has_rmw_after(location, position))
			found[count++] = location->order[position];
	return count;
}

static void replace(int thread, unsigned at, unsigned read, uint64_t value, memory_order order)
{
	struct thread *self = &mem_now.threads[thread];
	struct location *location = &mem_now.locations[at];

	learn(self, at, read, order);
	unsigned index = new_message(thread, cut_to(value, location->size));
	mem_now.messages[index].is_rmw = true;
	insert(location, index, mem_now.messages[read].position + 1u);
	join(&mem_now.messages[index].view, &mem_now.messages[read].view);
	publish(self, at, index, order);
	remember(thread, 3, location->address, message_name(read));
	remember(thread, 3, location->address, mem_now.messages[index].value);
}

uint64_t mem_rmw(int thread, enum skuai_rmw op, uintptr_t address, size_t size, uint64_t value,
		 memory_order order)
{
	mem_use_block(thread, address);
	unsigned at = mem_locate(address, size);
	struct thread *self = mem_step(thread);
	uint16_t found[WRITES_MAX];
	unsigned read = found[run_choose(readable(self, at, true, found))];
	uint64_t old = mem_now.messages[read].value;

	switch (op) {
	case SKUAI_RMW_EXCHANGE:
		break;
	case SKUAI_RMW_ADD:
		value = old + value;
		break;
	case SKUAI_RMW_SUB:
		value = old - value;
		break;
	case SKUAI_RMW_OR:
		value = old | value;
		break;
	case SKUAI_RMW_AND:
		value = old & value;
		break;
	}
	replace(thread, at, read, value, order);
	return old;
}

bool mem_cas(int thread, uintptr_t address, size_t size, struct skuai_cas *cas)
{
	mem_use_block(thread, address);
	unsigned at = mem_locate(address, size);
	struct thread *self = mem_step(thread);
	uint16_t all[WRITES_MAX], found[WRITES_MAX] = { 0 };
	unsigned all_count = readable(self, at, false, all), count = 0;
	uint64_t expected = cut_to(cas->expected, size);
	bool may_fail = cas->is_weak && run_take_spurious();

	/* Equal: it must succeed, so only what no other RMW has read.  Different: it fails. */
	for (unsigned i = 0; i < all_count; i++) {
		const struct message *message = &mem_now.messages[all[i]];
		if (may_fail || message->value != expected ||
		    !has_rmw_after(&mem_now.locations[at], message->position))
			found[count++] = all[i];
	}
	unsigned read = found[run_choose(count)];
	if (!may_fail && mem_now.messages[read].value == expected) {
		replace(thread, at, read, cas->desired, cas->order);
		return true;
	}
	learn(self, at, read, cas->order_failed);
	remember(thread, 4, address, message_name(read));
	cas->expected = mem_now.messages[read].value;
	return false;
}

void mem_fence(int thread, memory_order order)
{
	struct thread *self = mem_step(thread);

	remember(thread, 5, 0, (uint64_t)order);
	if (is_acquire(order))
		join(&self->cur, &self->acq);
	if (order == memory_order_seq_cst) {
		/* messages, not clocks: fences order accesses, but happens-before needs a read */
		join_seen(&self->cur, &mem_now.s);
		mem_now.s = self->cur;
		remember_view(self); /* which fence came first shows nowhere else */
	}
	if (is_release(order))
		self->rel = self->cur;
}

/* --- threads, the whole --- */

void mem_reset(void)
{
	memset(&mem_now.threads, 0, sizeof(mem_now.threads));
	memset(&mem_now.s, 0, sizeof(mem_now.s));
	mem_blocks_reset();
	mem_now.location_count = 0;
	mem_now.message_count = 1;
	for (int i = 0; i < MC_THREADS_MAX; i++)
		mem_now.threads[i].history = mem_now.threads[i].graph =
			(struct mem_hash){ (uint64_t)i + 11, 12 };
}

void mem_thread_start(int parent, int child)
{
	struct thread *from = mem_step(parent), *to = &mem_now.threads[child];

	remember(parent, 12, 0, (uint64_t)child);
	to->cur = from->cur;
}

void mem_thread_join(int waiter, int ended)
{
	struct thread *self = mem_step(waiter);

	remember(waiter, 13, 0, (uint64_t)ended);
	join(&self->cur, &mem_now.threads[ended].cur);
}

struct mem_source mem_last_source(void)
{
	return mem_now.source;
}

unsigned mem_serial(int thread)
{
	return mem_now.threads[thread].serial;
}
