/* SPDX-License-Identifier: MIT */
/* seen.c — a set of 128-bit hashes that only grows */
#include "seen.h"

#include <stdio.h>
#include <stdlib.h>

static struct mem_hash *find(const struct seen *seen, struct mem_hash hash)
{
	uint64_t at = hash.low & (seen->room - 1);

	while ((seen->slots[at].low | seen->slots[at].high) &&
	       (seen->slots[at].low != hash.low || seen->slots[at].high != hash.high))
		at = (at + 1) & (seen->room - 1);
	return &seen->slots[at];
}

static void grow(struct seen *seen)
{
	struct seen larger = { .room = seen->room ? 2 * seen->room : 4096, .count = seen->count };

	larger.slots = calloc(larger.room, sizeof(*larger.slots));
	if (!larger.slots) {
		fprintf(stderr, "check: no memory for %llu states\n",
			(unsigned long long)seen->count);
		exit(3);
	}
	for (uint64_t i = 0; i < seen->room; i++)
		if (seen->slots[i].low | seen->slots[i].high)
			*find(&larger, seen->slots[i]) = seen->slots[i];
	free(seen->slots);
	*seen = larger;
}

bool seen_add(struct seen *seen, struct mem_hash hash)
{
	if (2 * seen->count >= seen->room)
		grow(seen);
	if (!(hash.low | hash.high))
		hash.low = 1;
	struct mem_hash *slot = find(seen, hash);
	if (slot->low | slot->high)
		return false;
	*slot = hash;
	seen->count++;
	return true;
}

void seen_clear(struct seen *seen)
{
	free(seen->slots);
	*seen = (struct seen){ 0 };
}
