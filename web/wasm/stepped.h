/* SPDX-License-Identifier: MIT */
/* stepped.h — how the C code of the races meets the page: one shared access, one step */
#ifndef SKUA_WASM_STEPPED_H
#define SKUA_WASM_STEPPED_H

/*
 * Everything here is compiled with the model back end of base/atomic.h: each skua_load, skua_store,
 * skua_cas ... is a call out to the page (web/page/race_engine.js), which decides who goes next and
 * keeps the shared memory.  A race offers three functions, exported under these names:
 *
 *	NAME_open   sets the deque up and names its words with race_cell
 *	NAME_a      what thread A does; says with race_got what it came away with
 *	NAME_b      what thread B does
 *
 * They are run from the start again for every step, with what was read before given back to them,
 * so they must not change anything but through base/atomic.h.  What only the owner writes it may
 * read without a step: nobody else can have changed it.
 */
#include "base/atomic.h"

#include <skua/deque.h>

#define RACE_EXPORT(name) __attribute__((export_name(#name)))

/* The page's: a word of shared memory and what it is called; a task that a thread holds at the end
 * (0: it was told that it has one, and has nothing). */
void race_cell(const char *name, const volatile void *at, size_t size);
void race_got(uint64_t task);

/* The deque of the races: indices, and tasks 1, 2 ... from slot 0 on.  0 is an empty slot. */
struct race_deque {
	_Atomic int64_t top;	/* the thieves' end: the oldest task */
	_Atomic int64_t bottom; /* the owner's end: one behind the newest */
	uint64_t slots[2];
	int64_t own_bottom; /* the owner's copy of bottom, before its first step */
};

/* So many tasks, all words named. */
static inline void race_fill(struct race_deque *d, int64_t tasks)
{
	*d = (struct race_deque){ .bottom = tasks, .own_bottom = tasks };
	for (int64_t i = 0; i < tasks; i++)
		d->slots[i] = (uint64_t)i + 1;
	race_cell("top", &d->top, sizeof(d->top));
	race_cell("bottom", &d->bottom, sizeof(d->bottom));
	race_cell("slot 0", &d->slots[0], sizeof(d->slots[0]));
	race_cell("slot 1", &d->slots[1], sizeof(d->slots[1]));
}

/* One take, and what came of it. */
static inline int race_take(enum skua_take (*take)(struct race_deque *, uint64_t *),
			    struct race_deque *d)
{
	uint64_t task = 0;
	enum skua_take result = take(d, &task);

	if (result == SKUA_TAKE_GOT)
		race_got(task);
	return (int)result;
}

#endif
