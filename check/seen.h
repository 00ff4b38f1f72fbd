/* SPDX-License-Identifier: MIT */
/* seen.h — a set of 128-bit hashes that only grows */
#ifndef SKUA_CHECK_SEEN_H
#define SKUA_CHECK_SEEN_H

#include "mem.h"

struct seen {
	struct mem_hash *slots; /* open addressing; {0, 0}: free */
	uint64_t room, count;
};

/* Add it; false when it was there already. */
bool seen_add(struct seen *seen, struct mem_hash hash);
void seen_clear(struct seen *seen);

#endif
