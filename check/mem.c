/* SPDX-License-Identifier: MIT */
/* mem.c — the memory of one explored execution: RC11 without promises, as a machine of views */
#include "mem.h"

#include "run.h"

#include <stdio.h>
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
 *
 * seq_cst accesses are treated as acq_rel: weaker, so no bug is missed; what only they forbid is a
 * false alarm.  Write seq_cst fences.  Release sequences are those of C++20: RMWs only.
 *
 * Vector clocks ride in the same views and order plain accesses: happens-before, to find data
 * races.
 *
 * Each thread also carries a hash of its own history: each step with the message it read or wrote,
 * named by writer and step number.  Histories, modification orders and S determine everything that
 * follows.
 */

/*
 * Reduction.  A step that commutes with every step of the others need not be a scheduling point:
 * running it at once, in the thread that is running, loses no execution.
 *   - a load by the only writer of a location: it can only read its own last write
 *   - a store by the only writer: others may read the new message earlier, but never must.  Not so
 *     in a thread with light fences: a membarrier before the store is not one after it
 *   - acquire and release fences, plain accesses: they touch only the thread's own views; and a
 * race is found by clocks, in whichever order its two accesses run Who writes what is learnt.  A
 * location is taken as never written while several threads live, then as its first writer's, then
 * as shared (by a second writer, or the kernel reading its newest value); each time, in whichever
 * execution, the search starts over with that fact.
 */

enum {
	FACTS_MAX = 256,
	LOCATIONS_MAX = 64,
	MESSAGES_MAX = 1024,
	WRITES_MAX = 96, /* to one location */
	BLOCKS_MAX = 64,
	SERIAL_MAX = 20000, /* steps of one thread; clocks have 16 bits */
	ARENA_BYTES = 1 << 18,
};

struct view {
	uint16_t seen[LOCATIONS_MAX];	/* message index; 0: only the initial one */
	uint16_t clock[MC_THREADS_MAX]; /* steps of each thread that happen before */
};

struct message {
	struct view view;
	uint64_t value;
	unsigned serial;   /* step of its writer */
	uint16_t position; /* in its location's order */
	int8_t thread;	   /* its writer; -1: initial */
	bool is_rmw;	   /* glued to the message before it */
};

struct location {
	uintptr_t address;
	uint8_t size;
	uint16_t count;
	uint16_t order[WRITES_MAX]; /* message indices, oldest first */
	/* plain accesses: last write, and last read of each thread, as clock values */
	int8_t plain_writer;
	uint16_t plain_write, plain_reads[MC_THREADS_MAX];
};

struct thread {
	struct view cur, acq, rel;
	struct mem_hash history, graph;
	unsigned serial;
};

struct block {
	uintptr_t from, to;
	bool is_counted, is_freed;
	uint16_t used[MC_THREADS_MAX]; /* last access of each thread, as clock values */
};

static struct {
	struct thread threads[MC_THREADS_MAX];
	struct location locations[LOCATIONS_MAX];
	struct message messages[MESSAGES_MAX]; /* [0] unused: "no message" */
	struct view s;
	struct block blocks[BLOCKS_MAX];
	unsigned location_count, message_count, block_count;
	size_t arena_used;
	struct mem_source source;
} mem;

enum {
	WRITER_SHARED = -1
};

/* What outlives an execution: who writes a location while several threads live; who is light. */
static struct {
	struct fact {
		uintptr_t address;
		int writer; /* or WRITER_SHARED */
	} written[FACTS_MAX];
	unsigned count;
	unsigned light; /* threads that use light fences, as bits */
} facts;

static _Alignas(4096) unsigned char arena[ARENA_BYTES];

/* --- facts --- */

void mem_facts_reset(void)
{
	memset(&facts, 0, sizeof(facts));
}

/* For a replay file: "F<offset>:<writer> ... L<light threads>"; offsets outlive the process. */
size_t mem_facts_print(char *text, size_t size)
{
	size_t used = 0;

	for (unsigned i = 0; i < facts.count; i++)
		used += (size_t)snprintf(text + used, size - used, "F%td:%d ",
					 (ptrdiff_t)(facts.written[i].address - (uintptr_t)arena),
					 facts.written[i].writer);
	return used + (size_t)snprintf(text + used, size - used, "L%u ", facts.light);
}

/* Reads them back; how much of the text they were, 0 if it has none. */
size_t mem_facts_read(const char *text)
{
	const char *at = text;
	ptrdiff_t offset;
	int writer, used = 0;

	mem_facts_reset();
	for (; facts.count < FACTS_MAX && sscanf(at, "F%td:%d %n", &offset, &writer, &used) == 2;
	     at += used)
		facts.written[facts.count++] = (struct fact){ (uintptr_t)arena + (uintptr_t)offset,
							      writer };
	return sscanf(at, "L%u %n", &facts.light, &used) == 1 ? (size_t)(at + used - text) : 0;
}

static struct fact *find_fact(uintptr_t address)
{
	for (unsigned i = 0; i < facts.count; i++)
		if (facts.written[i].address == address)
			return &facts.written[i];
	return NULL;
}

static void fact_writer(uintptr_t address, int writer)
{
	struct fact *fact = find_fact(address);

	if (fact && (fact->writer == writer || fact->writer == WRITER_SHARED))
		return;
	if (!fact && facts.count == FACTS_MAX)
		run_limit("the case is too large: more than %d shared objects", FACTS_MAX);
	if (fact)
		fact->writer = WRITER_SHARED;
	else
		facts.written[facts.count++] = (struct fact){ address, writer };
	run_restart();
}

bool mem_is_private(int thread, uintptr_t address, bool is_store)
{
	const struct fact *fact = find_fact(address);

	return (!fact || fact->writer == thread) && !(is_store && mem_is_light(thread));
}

void mem_fact_light(int thread)
{
	if (facts.light >> thread & 1)
		return;
	facts.light |= 1u << thread;
	run_restart();
}

bool mem_is_light(int thread)
{
	return facts.light >> thread & 1;
}

/* --- hashes --- */

static void mix(struct mem_hash *hash, uint64_t word)
{
	hash->low = (hash->low ^ word) * 0x9e3779b97f4a7c15u;
	hash->low ^= hash->low >> 29;
	hash->high = (hash->high + word) * 0xc2b2ae3d27d4eb4fu;
	hash->high ^= hash->high >> 31;
}

/* The same name in every interleaving: writer and its step, or the location's initial message. */
static uint64_t message_name(unsigned index)
{
	const struct message *message = &mem.messages[index];

	return index == 0 || message->thread < 0
		       ? 0
		       : ((uint64_t)(unsigned)message->thread + 1) << 32 | message->serial;
}

static void remember(int thread, uint64_t kind, uintptr_t address, uint64_t name)
{
	struct thread *self = &mem.threads[thread];

	mix(&self->history, kind << 48 ^ address);
	mix(&self->history, name);
	mix(&self->graph, kind << 48 ^ address);
	mix(&self->graph, name);
}

void mem_note(int thread, uint64_t what)
{
	remember(thread, 7, 0, what);
}

static void mix_view(struct mem_hash *hash, const struct view *view)
{
	for (unsigned i = 0; i < mem.location_count; i++)
		mix(hash, mem.locations[i].address ^ message_name(view->seen[i]) << 8);
}

struct mem_hash mem_graph(void)
{
	struct mem_hash sum = { 1, 2 };

	for (int i = 0; i < MC_THREADS_MAX; i++)
		mix(&sum, mem.threads[i].graph.low ^ mem.threads[i].graph.high * 3);
	for (unsigned i = 0; i < mem.location_count; i++) {
		struct mem_hash order = { mem.locations[i].address, 3 };
		for (unsigned j = 1; j < mem.locations[i].count; j++)
			mix(&order, message_name(mem.locations[i].order[j]));
		sum.low += order.low; /* locations are numbered by first use: sum, not sequence */
		sum.high += order.high;
	}
	return sum;
}

struct mem_hash mem_state(void)
{
	struct mem_hash sum = mem_graph();

	for (int i = 0; i < MC_THREADS_MAX; i++) {
		mix(&sum, mem.threads[i].history.low);
		mix(&sum, mem.threads[i].history.high);
	}
	struct mem_hash s = { 4, 5 };
	for (unsigned i = 0; i < mem.location_count; i++) {
		struct mem_hash entry = { 6, 7 };
		mix(&entry, mem.locations[i].address);
		mix(&entry, message_name(mem.s.seen[i]));
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
	for (unsigned i = 0; i < mem.location_count; i++)
		if (mem.messages[from->seen[i]].position > mem.messages[into->seen[i]].position)
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

/* An access is about to happen: not to freed memory; and remembered for whoever frees it. */
static void use_block(int thread, uintptr_t address)
{
	for (unsigned i = 0; i < mem.block_count; i++) {
		struct block *block = &mem.blocks[i];
		if (address < block->from || address >= block->to)
			continue;
		if (block->is_freed)
			run_error("use after free: this memory was given back");
		block->used[thread] = (uint16_t)(mem.threads[thread].cur.clock[thread] + 1u);
	}
}

static unsigned new_message(int thread, uint64_t value)
{
	if (mem.message_count == MESSAGES_MAX)
		run_limit("the case is too large: more than %d writes", MESSAGES_MAX);
	unsigned index = mem.message_count++;
	struct message *message = &mem.messages[index];
	memset(message, 0, sizeof(*message));
	message->value = value;
	message->thread = (int8_t)thread;
	message->serial = thread < 0 ? 0 : mem.threads[thread].serial;
	return index;
}

/* The location at this address; met for the first time, it holds what memory holds. */
static unsigned locate(uintptr_t address, size_t size)
{
	for (unsigned i = 0; i < mem.location_count; i++)
		if (mem.locations[i].address == address) {
			if (mem.locations[i].size != size)
				run_error("accesses of different sizes to one object");
			return i;
		}
	if (mem.location_count == LOCATIONS_MAX)
		run_limit("the case is too large: more than %d objects", LOCATIONS_MAX);
	struct location *location = &mem.locations[mem.location_count];
	memset(location, 0, sizeof(*location));
	location->address = address;
	location->size = (uint8_t)size;
	location->plain_writer = -1;
	location->order[0] = (uint16_t)new_message(-1, peek(address, size));
	location->count = 1;
	return mem.location_count++;
}

/* Put a new message at `position` of the location's order; the later ones move up. */
static void insert(struct location *location, unsigned index, unsigned position)
{
	if (location->count == WRITES_MAX)
		run_limit("the case is too large: more than %d writes to one object", WRITES_MAX);
	for (unsigned i = location->count; i > position; i--) {
		location->order[i] = location->order[i - 1];
		mem.messages[location->order[i]].position = (uint16_t)i;
	}
	if (run_is_concurrent())
		fact_writer(location->address, mem.messages[index].thread);
	location->order[position] = (uint16_t)index;
	mem.messages[index].position = (uint16_t)position;
	location->count++;
	/* Memory itself always shows the newest value, for whoever looks without a hook. */
	uint64_t newest = mem.messages[location->order[location->count - 1]].value;
	memcpy((void *)location->address, &newest, location->size);
}

/* A step begins: its number, and one tick of the thread's own clock. */
static struct thread *step(int thread)
{
	struct thread *self = &mem.threads[thread];

	if (self->serial == SERIAL_MAX)
		run_error("more than %d steps of one thread: a loop that does not end?",
			  SERIAL_MAX);
	self->serial++;
	self->cur.clock[thread]++;
	return self;
}

static void learn(struct thread *self, unsigned at, unsigned index, memory_order order)
{
	const struct message *message = &mem.messages[index];

	if (message->position > mem.messages[self->cur.seen[at]].position)
		self->cur.seen[at] = (uint16_t)index;
	join(is_acquire(order) ? &self->cur : &self->acq, &message->view);
	mem.source = (struct mem_source){
		.thread = message->thread,
		.serial = message->serial,
		.newer = mem.locations[at].count - 1u - message->position,
	};
}

/* The new message's view, and the writer's knowledge of it. */
static void publish(struct thread *self, unsigned at, unsigned index, memory_order order)
{
	struct message *message = &mem.messages[index];

	join(&message->view, is_release(order) ? &self->cur : &self->rel);
	message->view.seen[at] = (uint16_t)index;
	self->cur.seen[at] = (uint16_t)index;
}

static bool has_rmw_after(const struct location *location, unsigned position)
{
	return position + 1 < location->count && mem.messages[location->order[position + 1]].is_rmw;
}

/* --- the accesses --- */

uint64_t mem_load(int thread, uintptr_t address, size_t size, memory_order order)
{
	use_block(thread, address);
	unsigned at = locate(address, size);
	struct thread *self = step(thread);
	const struct location *location = &mem.locations[at];
	unsigned oldest = mem.messages[self->cur.seen[at]].position;
	unsigned index =
		location->order[location->count - 1 - run_choose(location->count - oldest)];

	learn(self, at, index, order);
	remember(thread, 1, address, message_name(index));
	return mem.messages[index].value;
}

uint64_t mem_newest(int thread, uintptr_t address, size_t size)
{
	use_block(thread, address);
	fact_writer(address, WRITER_SHARED);
	unsigned at = locate(address, size);
	struct thread *self = step(thread);
	unsigned index = mem.locations[at].order[mem.locations[at].count - 1];

	learn(self, at, index, memory_order_relaxed);
	remember(thread, 1, address, message_name(index));
	return mem.messages[index].value;
}

void mem_store(int thread, uintptr_t address, size_t size, uint64_t value, memory_order order)
{
	use_block(thread, address);
	unsigned at = locate(address, size);
	struct thread *self = step(thread);
	struct location *location = &mem.locations[at];
	unsigned oldest = mem.messages[self->cur.seen[at]].position;
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
	const struct location *location = &mem.locations[at];
	unsigned oldest = mem.messages[self->cur.seen[at]].position, count = 0;

	for (unsigned position = location->count; position-- > oldest;)
		if (!free_only || !has_rmw_after(location, position))
			found[count++] = location->order[position];
	return count;
}

static void replace(int thread, unsigned at, unsigned read, uint64_t value, memory_order order)
{
	struct thread *self = &mem.threads[thread];
	struct location *location = &mem.locations[at];

	learn(self, at, read, order);
	unsigned index = new_message(thread, cut_to(value, location->size));
	mem.messages[index].is_rmw = true;
	insert(location, index, mem.messages[read].position + 1u);
	join(&mem.messages[index].view, &mem.messages[read].view);
	publish(self, at, index, order);
	remember(thread, 3, location->address, message_name(read));
	remember(thread, 3, location->address, mem.messages[index].value);
}

uint64_t mem_rmw(int thread, enum skuai_rmw op, uintptr_t address, size_t size, uint64_t value,
		 memory_order order)
{
	use_block(thread, address);
	unsigned at = locate(address, size);
	struct thread *self = step(thread);
	uint16_t found[WRITES_MAX];
	unsigned read = found[run_choose(readable(self, at, true, found))];
	uint64_t old = mem.messages[read].value;

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
	use_block(thread, address);
	unsigned at = locate(address, size);
	struct thread *self = step(thread);
	uint16_t all[WRITES_MAX], found[WRITES_MAX] = { 0 };
	unsigned all_count = readable(self, at, false, all), count = 0;
	uint64_t expected = cut_to(cas->expected, size);
	bool may_fail = cas->is_weak && run_take_spurious();

	/* Equal: it must succeed, so only what no other RMW has read.  Different: it fails. */
	for (unsigned i = 0; i < all_count; i++) {
		const struct message *message = &mem.messages[all[i]];
		if (may_fail || message->value != expected ||
		    !has_rmw_after(&mem.locations[at], message->position))
			found[count++] = all[i];
	}
	unsigned read = found[run_choose(count)];
	if (!may_fail && mem.messages[read].value == expected) {
		replace(thread, at, read, cas->desired, cas->order);
		return true;
	}
	learn(self, at, read, cas->order_failed);
	remember(thread, 4, address, message_name(read));
	cas->expected = mem.messages[read].value;
	return false;
}

void mem_fence(int thread, memory_order order)
{
	struct thread *self = step(thread);

	remember(thread, 5, 0, (uint64_t)order);
	if (is_acquire(order))
		join(&self->cur, &self->acq);
	if (order == memory_order_seq_cst) {
		/* messages, not clocks: fences order accesses, but happens-before needs a read */
		join_seen(&self->cur, &mem.s);
		mem.s = self->cur;
		/* which fence came first shows only in what this one learnt */
		struct mem_hash learnt = { 8, 9 };
		mix_view(&learnt, &self->cur);
		mix(&self->history, learnt.low);
		mix(&self->history, learnt.high);
	}
	if (is_release(order))
		self->rel = self->cur;
}

const char *mem_plain(int thread, uintptr_t address, bool is_write)
{
	use_block(thread, address);
	struct location *location = &mem.locations[locate(address, 8)];
	struct thread *self = step(thread);
	const struct view *known = &self->cur;
	bool writer_known = location->plain_writer < 0 ||
			    known->clock[location->plain_writer] >= location->plain_write;

	remember(thread, is_write ? 10 : 11, address, 0);
	if (!writer_known)
		return is_write ? "data race: a write here is not ordered after another write"
				: "data race: a read here is not ordered after a write";
	for (int i = 0; is_write && i < MC_THREADS_MAX; i++)
		if (known->clock[i] < location->plain_reads[i])
			return "data race: a write here is not ordered after a read";
	if (is_write) {
		location->plain_writer = (int8_t)thread;
		location->plain_write = known->clock[thread];
	} else {
		location->plain_reads[thread] = known->clock[thread];
	}
	return NULL;
}

/* --- threads, blocks, the whole --- */

void mem_reset(void)
{
	memset(&mem.threads, 0, sizeof(mem.threads));
	memset(&mem.s, 0, sizeof(mem.s));
	memset(arena, 0, mem.arena_used);
	mem.location_count = mem.block_count = 0;
	mem.message_count = 1;
	mem.arena_used = 0;
	for (int i = 0; i < MC_THREADS_MAX; i++)
		mem.threads[i].history = mem.threads[i].graph = (struct mem_hash){ (uint64_t)i + 11,
										   12 };
}

void mem_thread_start(int parent, int child)
{
	struct thread *from = step(parent), *to = &mem.threads[child];

	remember(parent, 12, 0, (uint64_t)child);
	to->cur = from->cur;
}

void mem_thread_join(int waiter, int ended)
{
	struct thread *self = step(waiter);

	remember(waiter, 13, 0, (uint64_t)ended);
	join(&self->cur, &mem.threads[ended].cur);
}

void *mem_block(size_t bytes, size_t align, bool is_counted)
{
	size_t from = (mem.arena_used + align - 1) / align * align;

	if (mem.block_count == BLOCKS_MAX || bytes > ARENA_BYTES - from)
		run_limit("the case is too large: more than %d bytes or %d blocks", ARENA_BYTES,
			  BLOCKS_MAX);
	mem.arena_used = from + bytes;
	uintptr_t at = (uintptr_t)arena + from;
	mem.blocks[mem.block_count++] =
		(struct block){ .from = at, .to = at + bytes, .is_counted = is_counted };
	return arena + from;
}

static struct block *find_block(void *memory)
{
	for (unsigned i = 0; i < mem.block_count; i++)
		if (mem.blocks[i].from == (uintptr_t)memory)
			return &mem.blocks[i];
	run_error("free of something that was not allocated");
}

void mem_block_free(int thread, void *memory)
{
	struct block *block = find_block(memory);

	if (block->is_freed)
		run_error("freed twice");
	/* Like a write to all of it: whoever used it must have done so before, not just earlier. */
	for (int i = 0; i < MC_THREADS_MAX; i++)
		if (mem.threads[thread].cur.clock[i] < block->used[i])
			run_error("freed, but nothing orders thread %d's use of it before", i);
	block->is_freed = true;
	remember(thread, 14, (uintptr_t)memory, 0);
}

unsigned mem_blocks_left(void)
{
	unsigned left = 0;

	for (unsigned i = 0; i < mem.block_count; i++)
		left += mem.blocks[i].is_counted && !mem.blocks[i].is_freed;
	return left;
}

struct mem_source mem_last_source(void)
{
	return mem.source;
}

unsigned mem_serial(int thread)
{
	return mem.threads[thread].serial;
}
