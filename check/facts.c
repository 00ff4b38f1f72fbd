/* SPDX-License-Identifier: MIT */
/* facts.c — who writes what, learnt while a case is explored: which steps need no choice */
#include "facts.h"

#include "mem.h"
#include "run.h"

#include <stdio.h>
#include <string.h>

/*
 * Reduction.  A step that commutes with every step of the others need not be a scheduling point:
 * running it at once, in the thread that is running, loses no execution.
 *   - a load by the only writer of a location: it can only read its own last write
 *   - a store by the only writer: others may read the new message earlier, but never must.  Not so
 *     in a thread with light fences: a membarrier before the store is not one after it
 *   - acquire and release fences, plain accesses: they touch only the thread's own views; and a
 *     race is found by clocks, in whichever order its two accesses run
 * Who writes what is learnt.  A location is taken as never written while several threads live, then
 * as its first writer's, then as shared; each time, in whichever execution, the search starts over
 * with that fact.
 */

enum {
	FACTS_MAX = 256
};

/* What outlives an execution: who writes a location while several threads live; who is light. */
static struct {
	struct fact {
		uintptr_t address;
		int writer; /* or FACTS_SHARED */
	} written[FACTS_MAX];
	unsigned count;
	unsigned light; /* threads that use light fences, as bits */
} facts;

void facts_reset(void)
{
	memset(&facts, 0, sizeof(facts));
}

/* For a replay file: "F<offset>:<writer> ... L<light threads>"; offsets outlive the process. */
size_t facts_print(char *text, size_t size)
{
	size_t used = 0;

	for (unsigned i = 0; i < facts.count; i++)
		used += (size_t)snprintf(text + used, size - used, "F%td:%d ",
					 (ptrdiff_t)(facts.written[i].address - mem_origin()),
					 facts.written[i].writer);
	return used + (size_t)snprintf(text + used, size - used, "L%u ", facts.light);
}

/* Reads them back; how much of the text they were, 0 if it has none. */
size_t facts_read(const char *text)
{
	const char *at = text;
	ptrdiff_t offset;
	int writer, used = 0;

	facts_reset();
	for (; facts.count < FACTS_MAX && sscanf(at, "F%td:%d %n", &offset, &writer, &used) == 2;
	     at += used)
		facts.written[facts.count++] = (struct fact){ mem_origin() + (uintptr_t)offset,
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

void facts_writer(uintptr_t address, int writer)
{
	struct fact *fact = find_fact(address);

	if (fact && (fact->writer == writer || fact->writer == FACTS_SHARED))
		return;
	if (!fact && facts.count == FACTS_MAX)
		run_limit("the case is too large: more than %d shared objects", FACTS_MAX);
	if (fact)
		fact->writer = FACTS_SHARED;
	else
		facts.written[facts.count++] = (struct fact){ address, writer };
	run_restart();
}

bool facts_is_private(int thread, uintptr_t address, bool is_store)
{
	const struct fact *fact = find_fact(address);

	return (!fact || fact->writer == thread) && !(is_store && facts_is_light(thread));
}

void facts_light(int thread)
{
	if (facts.light >> thread & 1)
		return;
	facts.light |= 1u << thread;
	run_restart();
}

bool facts_is_light(int thread)
{
	return facts.light >> thread & 1;
}
