/* SPDX-License-Identifier: MIT */
/* facts.h — who writes what, learnt while a case is explored: which steps need no choice */
#ifndef SKUA_CHECK_FACTS_H
#define SKUA_CHECK_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	FACTS_SHARED = -1 /* as a writer: several */
};

/* Learn something; if it is new the search starts over, and this does not return. */
void facts_writer(uintptr_t address, int writer);
void facts_light(int thread); /* this thread relies on membarrier */

/*
 * Does it matter when, among other threads' steps, this access happens?  See "Reduction" in
 * facts.c.
 */
bool facts_is_private(int thread, uintptr_t address, bool is_store);
bool facts_is_light(int thread);

void facts_reset(void);
size_t facts_print(char *text, size_t size); /* the first part of a replay file */
size_t facts_read(const char *text);

#endif
