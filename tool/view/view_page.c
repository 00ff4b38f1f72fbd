/* SPDX-License-Identifier: MIT */
/* view_page.c — the page of the build, with a trace in it or without */
#include "view/view_page.h"

#include "text.h"

#include <inttypes.h>
#include <string.h>

/*
 * A trace stands behind the page's script, in elements that a browser keeps and does not run; see
 * web/page/trace_source.js.  A block is small enough to be decoded between two frames.
 */
#define BLOCK_BYTES ((size_t)3 << 20) /* a multiple of 3: base64 of each ends without padding */

static const char head_mark[] = "<!-- trace: head -->";
static const char blocks_mark[] = "<!-- trace: blocks -->";
static const char policy_mark[] = "default-src 'none';";

/* Text for an attribute between double quotes; what is no character becomes U+FFFD. */
static void put_attribute(FILE *to, const char *text)
{
	size_t left = strlen(text);
	uint32_t character;

	while (left) {
		size_t bytes = text_decode(text, left, &character);
		if (character == TEXT_INVALID || character < 0x20 || character == 0x7f)
			fputs("\xef\xbf\xbd", to);
		else if (character == '"' || character == '&' || character == '<' ||
			 character == '>')
			fprintf(to, "&#%u;", (unsigned)character);
		else
			fwrite(text, 1, bytes, to);
		text += bytes;
		left -= bytes;
	}
}

static void put_base64(FILE *to, const unsigned char *from, size_t bytes)
{
	static const char letters[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	char text[4 * 1024];
	size_t filled = 0;

	for (size_t i = 0; i < bytes; i += 3) {
		size_t left = bytes - i;
		uint32_t word = (uint32_t)from[i] << 16;
		word |= left > 1 ? (uint32_t)from[i + 1] << 8 : 0;
		word |= left > 2 ? (uint32_t)from[i + 2] : 0;
		text[filled++] = letters[word >> 18];
		text[filled++] = letters[word >> 12 & 63];
		text[filled++] = (char)(left > 1 ? letters[word >> 6 & 63] : '=');
		text[filled++] = (char)(left > 2 ? letters[word & 63] : '=');
		if (filled == sizeof(text)) {
			fwrite(text, 1, filled, to);
			filled = 0;
		}
	}
	fwrite(text, 1, filled, to);
}

static void put_blocks(FILE *to, const struct view_page *page)
{
	size_t at = 0;

	do {
		size_t left = page->trace_bytes - at;
		size_t bytes = left < BLOCK_BYTES ? left : BLOCK_BYTES;
		fputs("<script type=\"application/octet-stream\" class=\"trace\"", to);
		if (!at) {
			fprintf(to, " data-bytes=\"%zu\" data-name=\"", page->trace_bytes);
			put_attribute(to, page->name);
			fputs("\"", to);
		}
		fputs(">", to);
		put_base64(to, (const unsigned char *)page->trace + at, bytes);
		fputs("</script>\n", to);
		at += bytes;
	} while (at < page->trace_bytes && !ferror(to));
}

/* Where a trace comes; what of it can be shown at once is there before all else. */
static void put_place(FILE *to, const struct view_coarse *coarse)
{
	fputs("<i id=\"trace-place\" hidden", to);
	if (coarse) {
		fprintf(to, " data-from=\"%" PRId64 "\" data-to=\"%" PRId64 "\" data-workers=\"",
			coarse->begin_ns, coarse->end_ns);
		for (unsigned i = 0; i < coarse->lanes; i++)
			fprintf(to, "%s%" PRIu32, i ? "," : "", coarse->workers[i]);
		fputs("\" data-shares=\"", to);
		put_base64(to, coarse->shares[0][0], coarse->lanes * sizeof(coarse->shares[0]));
		fputs("\"", to);
	}
	fputs("></i>", to);
}

/* Write the page from *at to the end of a mark, which `instead` replaces if it is not NULL. */
static bool put_until(FILE *to, size_t *at, const char *mark, const char *instead)
{
	const unsigned char *from = skua_page + *at;
	const unsigned char *found = memmem(from, skua_page_bytes - *at, mark, strlen(mark));

	if (!found)
		return false;
	fwrite(from, 1, (size_t)(found - from), to);
	fputs(instead ? instead : mark, to);
	*at = (size_t)(found - skua_page) + strlen(mark);
	return true;
}

bool view_page_write(FILE *to, const struct view_page *page)
{
	size_t at = 0;

	if (!put_until(to, &at, policy_mark, NULL))
		return false;
	if (page->is_live)
		fputs(" connect-src 'self';", to);
	if (!put_until(to, &at, head_mark, ""))
		return false;
	if (page->trace)
		put_place(to, page->coarse);
	if (page->is_live)
		fputs("<i id=\"live-place\" hidden></i>", to);
	if (!put_until(to, &at, blocks_mark, ""))
		return false;
	if (page->trace)
		put_blocks(to, page);
	fwrite(skua_page + at, 1, skua_page_bytes - at, to);
	return true;
}
