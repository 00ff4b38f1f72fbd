/* SPDX-License-Identifier: MIT */
/* ncdu_json.c — JSON taken piece by piece from a file of any length, in bounded memory */
#include "scan/ncdu_json.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BUFFER_BYTES ((size_t)64 * 1024)

bool pull_fail(struct pull *pull, const char *fault)
{
	if (!pull->fault)
		pull->fault = fault;
	return false;
}

bool pull_open_bytes(struct pull *pull, const char *bytes, size_t count)
{
	*pull = (struct pull){
		.fd = -1, .at = bytes, .end = bytes + count, .line = 1, .column = 1
	};
	pull->text = malloc(PULL_TEXT_MOST + 1);
	return pull->text || pull_fail(pull, "there is no memory");
}

bool pull_open(struct pull *pull, int fd)
{
	if (!pull_open_bytes(pull, "", 0))
		return false;
	pull->fd = fd;
	pull->buffer = malloc(BUFFER_BYTES);
	return pull->buffer || pull_fail(pull, "there is no memory");
}

void pull_close(struct pull *pull)
{
	free(pull->buffer);
	free(pull->text);
	*pull = (struct pull){ .fd = -1 };
}

/* The next byte, which stays; -1: there is none. */
static int look(struct pull *pull)
{
	if (pull->fault)
		return -1;
	if (pull->at == pull->end && pull->fd >= 0) {
		ssize_t count;
		do {
			count = read(pull->fd, pull->buffer, BUFFER_BYTES);
		} while (count < 0 && errno == EINTR);
		if (count < 0) {
			pull->error = errno;
			pull_fail(pull, "it cannot be read on");
			return -1;
		}
		pull->at = pull->buffer;
		pull->end = pull->buffer + count;
	}
	return pull->at == pull->end ? -1 : (unsigned char)*pull->at;
}

static void step(struct pull *pull)
{
	unsigned char byte = (unsigned char)*pull->at++;

	if (byte == '\n') {
		pull->line++;
		pull->column = 1;
	} else if ((byte & 0xc0) != 0x80) {
		pull->column++; /* the bytes after the first of a character do not count */
	}
}

int pull_peek(struct pull *pull)
{
	int byte = look(pull);

	while (byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r') {
		step(pull);
		byte = look(pull);
	}
	return byte;
}

bool pull_take(struct pull *pull, char wanted, const char *fault)
{
	if (pull_peek(pull) != wanted)
		return pull_fail(pull, fault);
	step(pull);
	return true;
}

size_t pull_bytes(struct pull *pull, void *bytes, size_t wanted)
{
	size_t done = 0;

	while (done < wanted && look(pull) >= 0) {
		size_t here = (size_t)(pull->end - pull->at);
		if (here > wanted - done)
			here = wanted - done;
		memcpy((char *)bytes + done, pull->at, here);
		pull->at += here;
		done += here;
	}
	return done;
}

/* --- strings --- */

static bool add_byte(struct pull *pull, unsigned byte)
{
	if (pull->length == PULL_TEXT_MOST)
		return pull_fail(pull, "a string is longer than 65535 bytes");
	pull->text[pull->length++] = (char)byte;
	return true;
}

static bool add_character(struct pull *pull, uint32_t c)
{
	if (c < 0x80)
		return add_byte(pull, c);
	if (c < 0x800)
		return add_byte(pull, 0xc0 | c >> 6) && add_byte(pull, 0x80 | (c & 0x3f));
	if (c < 0x10000)
		return add_byte(pull, 0xe0 | c >> 12) && add_byte(pull, 0x80 | (c >> 6 & 0x3f)) &&
		       add_byte(pull, 0x80 | (c & 0x3f));
	return add_byte(pull, 0xf0 | c >> 18) && add_byte(pull, 0x80 | (c >> 12 & 0x3f)) &&
	       add_byte(pull, 0x80 | (c >> 6 & 0x3f)) && add_byte(pull, 0x80 | (c & 0x3f));
}

static bool four_digits(struct pull *pull, uint32_t *value)
{
	*value = 0;
	for (int i = 0; i < 4; i++) {
		int c = look(pull);
		int digit = c >= '0' && c <= '9'   ? c - '0'
			    : c >= 'a' && c <= 'f' ? c - 'a' + 10
			    : c >= 'A' && c <= 'F' ? c - 'A' + 10
						   : -1;
		if (digit < 0)
			return pull_fail(pull, "four hexadecimal digits are expected after \\u");
		*value = *value << 4 | (uint32_t)digit;
		step(pull);
	}
	return true;
}

/* Half a pair that stands alone: a byte that was no text, as Python writes it, or nothing known. */
static bool add_half(struct pull *pull, uint32_t half)
{
	return half >= 0xdc80 && half <= 0xdcff ? add_byte(pull, half & 0xff)
						: add_character(pull, 0xfffd);
}

static bool escaped_point(struct pull *pull)
{
	uint32_t c, low;

	if (!four_digits(pull, &c))
		return false;
	while (c >= 0xd800 && c <= 0xdbff) {
		if (look(pull) != '\\')
			return add_half(pull, c);
		step(pull);
		if (look(pull) != 'u')
			return pull_fail(pull, "half a character: \\u is expected again");
		step(pull);
		if (!four_digits(pull, &low))
			return false;
		if (low >= 0xdc00 && low <= 0xdfff)
			return add_character(pull, 0x10000 + ((c - 0xd800) << 10 | (low - 0xdc00)));
		if (!add_half(pull, c))
			return false;
		c = low;
	}
	return c >= 0xdc00 && c <= 0xdfff ? add_half(pull, c) : add_character(pull, c);
}

static bool escape(struct pull *pull)
{
	static const char names[] = "\"\\/bfnrt", bytes[] = "\"\\/\b\f\n\r\t";
	int c = look(pull);
	const char *name = c > 0 ? strchr(names, c) : NULL;

	if (c == 'u') {
		step(pull);
		return escaped_point(pull);
	}
	if (!name)
		return pull_fail(pull, "this letter means nothing after a backslash");
	step(pull);
	return add_byte(pull, (unsigned char)bytes[name - names]);
}

bool pull_text(struct pull *pull)
{
	pull->length = 0;
	if (!pull_take(pull, '"', "a string in double quotes is expected"))
		return false;
	for (;;) {
		int c = look(pull);
		if (c < 0)
			return pull_fail(pull, "it ends inside a string");
		if (c < 0x20)
			return pull_fail(pull, "a control character stands bare in a string");
		step(pull);
		if (c == '"')
			break;
		if (c == '\\' ? !escape(pull) : !add_byte(pull, (unsigned)c))
			return false;
	}
	pull->text[pull->length] = 0;
	return true;
}

/* --- other values --- */

static bool digits(struct pull *pull, uint64_t *number)
{
	int c = look(pull);

	if (c < '0' || c > '9')
		return pull_fail(pull, "a number is expected");
	for (*number = 0; c >= '0' && c <= '9'; c = look(pull)) {
		unsigned digit = (unsigned)(c - '0');
		if (*number > (UINT64_MAX - digit) / 10)
			return pull_fail(pull, "this number is too large");
		*number = 10 * *number + digit;
		step(pull);
	}
	return !pull->fault;
}

bool pull_number(struct pull *pull, bool *is_negative, uint64_t *number)
{
	*is_negative = pull_peek(pull) == '-';
	if (*is_negative)
		step(pull);
	if (!digits(pull, number))
		return false;
	if (look(pull) == '.') {
		step(pull);
		int c = look(pull);
		if (c < '0' || c > '9')
			return pull_fail(pull, "a digit is expected after the point");
		for (; c >= '0' && c <= '9'; c = look(pull))
			step(pull);
	}
	if (look(pull) == 'e' || look(pull) == 'E')
		return pull_fail(pull, "a number without an exponent is expected");
	return !pull->fault;
}

static bool word(struct pull *pull, const char *word)
{
	for (; *word; word++) {
		if (look(pull) != *word)
			return pull_fail(pull, "this is no value of JSON");
		step(pull);
	}
	return true;
}

bool pull_yes(struct pull *pull, bool *yes)
{
	int c = pull_peek(pull);

	if (c != 't' && c != 'f')
		return pull_fail(pull, "true or false is expected");
	*yes = c == 't';
	return word(pull, *yes ? "true" : "false");
}

static bool skip_number(struct pull *pull)
{
	int c = look(pull);

	if (c != '-' && (c < '0' || c > '9'))
		return pull_fail(pull, "a value is expected");
	for (; c > 0 && strchr("+-.eE0123456789", c); c = look(pull))
		step(pull);
	return !pull->fault;
}

static bool skip_plain(struct pull *pull, int c)
{
	return c == '"'	  ? pull_text(pull)
	       : c == 't' ? word(pull, "true")
	       : c == 'f' ? word(pull, "false")
	       : c == 'n' ? word(pull, "null")
			  : skip_number(pull);
}

static bool skip_key(struct pull *pull)
{
	return pull_text(pull) && pull_take(pull, ':', "a colon is expected after a key");
}

/* After a value: brackets that close, then a comma unless all are closed. */
static bool skip_closers(struct pull *pull, const char *closers, unsigned *depth)
{
	while (*depth && pull_peek(pull) == closers[*depth - 1]) {
		step(pull);
		--*depth;
	}
	return *depth == 0 || (pull_take(pull, ',', "a comma or a closing bracket is expected") &&
			       (closers[*depth - 1] == ']' || skip_key(pull)));
}

bool pull_skip(struct pull *pull)
{
	char closers[PULL_NESTING_MOST];
	unsigned depth = 0;

	do {
		int c = pull_peek(pull);
		if (c == '[' || c == '{') {
			if (depth == PULL_NESTING_MOST)
				return pull_fail(pull, "brackets are nested too deep here");
			closers[depth++] = c == '[' ? ']' : '}';
			step(pull);
			if (pull_peek(pull) != closers[depth - 1]) {
				if (c == '{' && !skip_key(pull))
					return false;
				continue;
			}
		} else if (!skip_plain(pull, c)) {
			return false;
		}
		if (!skip_closers(pull, closers, &depth))
			return false;
	} while (depth);
	return !pull->fault;
}
