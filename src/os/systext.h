/* SPDX-License-Identifier: MIT */
/* systext.h — pieces of text from the kernel's files: cut, compare, read as numbers */
#ifndef SKUAI_OS_SYSTEXT_H
#define SKUAI_OS_SYSTEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A piece of text inside somebody else's buffer.  It is not ended by a NUL and may hold any byte,
 * NULs included: the files below /proc and /sys may be fakes, and a fake may hold anything.
 */
struct skuai_text {
	const char *at;
	size_t count;
};

/* Cut off what comes before the first `stop`, and stop with it; without a stop, cut off all. */
struct skuai_text skuai_text_cut(struct skuai_text *rest, char stop);

/* The same without spaces, tabs and newlines at both ends. */
struct skuai_text skuai_text_trim(struct skuai_text text);

/* Is it this word, byte for byte? */
bool skuai_text_is(struct skuai_text text, const char *word);

/* Does it start with this word? */
bool skuai_text_starts(struct skuai_text text, const char *word);

/* Decimal digits, at least one and nothing else; too large a number becomes UINT64_MAX. */
bool skuai_text_number(struct skuai_text text, uint64_t *number);

/*
 * Copy for people: ended by a NUL, every byte outside printable ASCII shown as '?' so that a
 * hostile name cannot steer a terminal.  What does not fit loses its front, "...ce/job/cpu.max",
 * because the end of a path tells most.
 */
void skuai_text_show(struct skuai_text text, char *shown, size_t room);

#endif
