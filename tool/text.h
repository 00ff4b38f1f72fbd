/* SPDX-License-Identifier: MIT */
/* text.h — foreign text made fit to print: decoding, cleaning, width; and the nearest word */
#ifndef SKUAT_TEXT_H
#define SKUAT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TEXT_INVALID UINT32_MAX /* what text_decode gives for a byte that is not UTF-8 */

/* A short text by value, so that text_clean(x).s can stand in a printf call. */
struct text {
	char s[1024];
};

/* Take one character off s (n > 0 bytes); returns the bytes it has, 1 for an invalid one. */
size_t text_decode(const char *s, size_t n, uint32_t *character);

/*
 * The text as it may be shown on a terminal: what is a control, invisible, turns the direction of
 * writing or cannot be written in this locale becomes \xNN, byte by byte.  Ends in "..." where it
 * was cut to `columns`, or to what fits when that is 0.
 */
struct text text_clean(const char *s, unsigned columns);

/* Columns that the first n bytes of a cleaned text take. */
unsigned text_width(const char *s, size_t n);

/* Look for the candidate that the user most likely meant by `word`. */
struct nearest {
	const char *word;
	const char *best; /* NULL: nothing is near enough */
	unsigned distance;
};
void nearest_offer(struct nearest *nearest, const char *candidate);

#endif
