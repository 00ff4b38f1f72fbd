/* SPDX-License-Identifier: MIT */
/* systext.c — pieces of text from the kernel's files: cut, compare, read as numbers */
#include "os/systext.h"

#include "base/diag.h"

#include <string.h>

struct skuai_text skuai_text_cut(struct skuai_text *rest, char stop)
{
	struct skuai_text part = *rest;
	const char *end = rest->count ? memchr(rest->at, stop, rest->count) : NULL;

	if (!end) {
		rest->count = 0;
		return part;
	}
	part.count = (size_t)(end - rest->at);
	rest->at = end + 1;
	rest->count -= part.count + 1;
	return part;
}

static bool text_is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n';
}

struct skuai_text skuai_text_trim(struct skuai_text text)
{
	while (text.count && text_is_blank(text.at[text.count - 1]))
		text.count--;
	while (text.count && text_is_blank(text.at[0])) {
		text.at++;
		text.count--;
	}
	return text;
}

bool skuai_text_is(struct skuai_text text, const char *word)
{
	return text.count == strlen(word) && skuai_text_starts(text, word);
}

bool skuai_text_starts(struct skuai_text text, const char *word)
{
	size_t length = strlen(word);

	return text.count >= length && (length == 0 || memcmp(text.at, word, length) == 0);
}

bool skuai_text_number(struct skuai_text text, uint64_t *number)
{
	uint64_t value = 0;

	if (text.count == 0)
		return false;
	for (size_t i = 0; i < text.count; i++) {
		if (text.at[i] < '0' || text.at[i] > '9')
			return false;
		if (__builtin_mul_overflow(value, UINT64_C(10), &value) ||
		    __builtin_add_overflow(value, (uint64_t)(text.at[i] - '0'), &value))
			value = UINT64_MAX; /* and it stays there: times ten overflows again */
	}
	*number = value;
	return true;
}

void skuai_text_show(struct skuai_text text, char *shown, size_t room)
{
	size_t filled = 0;

	skua_assert(room > sizeof("..."));
	if (text.count >= room) {
		size_t kept = room - sizeof("...");
		text.at += text.count - kept;
		text.count = kept;
		for (; filled < strlen("..."); filled++)
			shown[filled] = '.';
	}
	for (size_t i = 0; i < text.count; i++) {
		char c = text.at[i];
		shown[filled++] = c >= ' ' && c <= '~' ? c : '?';
	}
	shown[filled] = '\0';
}
