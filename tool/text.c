/* SPDX-License-Identifier: MIT */
/* text.c — foreign text made fit to print: decoding, cleaning, width; and the nearest word */
#include "text.h"

#include "report.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>

size_t text_decode(const char *s, size_t n, uint32_t *character)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	unsigned char lead = (unsigned char)s[0];
	size_t length = lead < 0x80 ? 1 : lead >> 5 == 6 ? 2 : lead >> 4 == 14 ? 3 : 4;
	uint32_t c = lead;

	*character = TEXT_INVALID;
	if (length > 1) {
		if (lead < 0xc2 || lead > 0xf4 || length > n)
			return 1;
		c = lead & (0x7fU >> length);
		for (size_t i = 1; i < length; i++) {
			unsigned char next = (unsigned char)s[i];
			if (next >> 6 != 2)
				return 1;
			c = c << 6 | (next & 0x3f);
		}
		if (c < least[length] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
			return 1;
	}
	*character = c;
	return length;
}

/* Characters that draw nothing of their own but change how their neighbours look. */
static bool is_treacherous(uint32_t c)
{
	return (c >= 0x200b && c <= 0x200f) || (c >= 0x2028 && c <= 0x202e) ||
	       (c >= 0x2060 && c <= 0x206f) || c == 0xad || c == 0x61c || c == 0xfeff ||
	       (c >= 0xfff9 && c <= 0xfffb) || (c >= 0xe0000 && c <= 0xe0fff);
}

/* Columns of one character, or -1 when it must not be shown as it is. */
static int character_width(uint32_t c)
{
	if (c < 0x80)
		return c >= 0x20 && c != 0x7f ? 1 : -1;
	if (c == TEXT_INVALID || !report_utf8() || is_treacherous(c))
		return -1;
	return wcwidth((wchar_t)c);
}

struct text text_clean(const char *s, unsigned columns)
{
	struct text out;
	size_t left = strlen(s), at = 0, cut = 0;
	unsigned used = 0, most = columns ? columns : (unsigned)sizeof(out.s);

	while (left) {
		uint32_t c;
		size_t bytes = text_decode(s, left, &c);
		int width = character_width(c);
		char piece[20];

		if (width >= 0) {
			memcpy(piece, s, bytes);
			piece[bytes] = '\0';
		} else {
			for (size_t i = 0; i < bytes; i++)
				snprintf(piece + 4 * i, 5, "\\x%02x", (unsigned char)s[i]);
			width = (int)(4 * bytes);
		}
		if (used + 3 <= most)
			cut = at; /* the dots would still fit here */
		if (used + (unsigned)width > most || at + strlen(piece) + 4 > sizeof(out.s)) {
			memcpy(out.s + cut, "...", 4);
			return out;
		}
		memcpy(out.s + at, piece, strlen(piece));
		at += strlen(piece);
		used += (unsigned)width;
		s += bytes;
		left -= bytes;
	}
	out.s[at] = '\0';
	return out;
}

unsigned text_width(const char *s, size_t n)
{
	unsigned columns = 0;

	while (n) {
		uint32_t c;
		size_t bytes = text_decode(s, n, &c);
		int width = character_width(c);
		columns += width > 0 ? (unsigned)width : 0;
		s += bytes;
		n -= bytes;
	}
	return columns;
}

#define WORD_MAX 32 /* longer words are nobody's slip of the finger; arbitrary */

static bool is_same_letter(char a, char b)
{
	return tolower((unsigned char)a) == tolower((unsigned char)b);
}

static unsigned least_of(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/*
 * Letters to add, drop, replace or swap with their neighbour to turn one word into the other
 * (optimal string alignment), upper case equal to lower case.
 */
static unsigned distance(const char *a, const char *b)
{
	size_t a_length = strlen(a), b_length = strlen(b);
	unsigned cost[WORD_MAX + 1][WORD_MAX + 1];

	if (a_length > WORD_MAX || b_length > WORD_MAX)
		return WORD_MAX;
	for (size_t i = 0; i <= a_length; i++)
		cost[i][0] = (unsigned)i;
	for (size_t j = 0; j <= b_length; j++)
		cost[0][j] = (unsigned)j;
	for (size_t i = 1; i <= a_length; i++) {
		for (size_t j = 1; j <= b_length; j++) {
			unsigned differ = !is_same_letter(a[i - 1], b[j - 1]);
			unsigned best = least_of(cost[i - 1][j], cost[i][j - 1]) + 1;
			best = least_of(best, cost[i - 1][j - 1] + differ);
			if (i > 1 && j > 1 && is_same_letter(a[i - 1], b[j - 2]) &&
			    is_same_letter(a[i - 2], b[j - 1]))
				best = least_of(best, cost[i - 2][j - 2] + 1);
			cost[i][j] = best;
		}
	}
	return cost[a_length][b_length];
}

void nearest_offer(struct nearest *nearest, const char *candidate)
{
	size_t length = strlen(nearest->word);
	unsigned far = distance(nearest->word, candidate);
	unsigned allowed = length < 4 ? 1 : length < 8 ? 2 : 3; /* arbitrary, felt right */

	if (length >= 2 && strncmp(nearest->word, candidate, length) == 0)
		far = least_of(far, 1); /* the start of a word is as good as a slip */
	if (far <= allowed && far < length && (!nearest->best || far < nearest->distance)) {
		nearest->best = candidate;
		nearest->distance = far;
	}
}
