/* SPDX-License-Identifier: MIT */
/* json.c — JSON written to standard output, valid whatever bytes it is given */
#include "json.h"

#include "output.h"
#include "text.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is not UTF-8 is replaced or, in a name, kept so that the name can be had
 * back. */
static void write_string(const char *s, bool is_name)
{
	size_t left = strlen(s);

	out_bytes("\"", 1);
	while (left) {
		uint32_t c;
		size_t bytes = text_decode(s, left, &c);

		if (c == TEXT_INVALID && is_name)
			out("\\udc%02x", (unsigned char)*s);
		else if (c == TEXT_INVALID)
			out("\\ufffd");
		else if (c == '"' || c == '\\')
			out("\\%c", (char)c);
		else if (c < 0x20 || (c >= 0x7f && c <= 0x9f) || c == 0x2028 || c == 0x2029)
			out("\\u%04x", c);
		else
			out_bytes(s, bytes);
		s += bytes;
		left -= bytes;
	}
	out_bytes("\"", 1);
}

/* The comma, the line break and the key that go before every value. */
static void start_value(struct json *json, const char *key)
{
	if (json->depth && json->is_line)
		out("%s", json->has_items[json->depth] ? ", " : "");
	else if (json->depth)
		out("%s\n%*s", json->has_items[json->depth] ? "," : "", (int)(2 * json->depth), "");
	json->has_items[json->depth] = true;
	if (key) {
		write_string(key, false);
		out_bytes(": ", 2);
	}
}

static void open_bracket(struct json *json, const char *key, char opener, char closer)
{
	start_value(json, key);
	out_bytes(&opener, 1);
	assert(json->depth < JSON_DEPTH_MAX);
	json->depth++;
	json->has_items[json->depth] = false;
	json->closers[json->depth] = closer;
}

void json_object(struct json *json, const char *key)
{
	open_bracket(json, key, '{', '}');
}

void json_array(struct json *json, const char *key)
{
	open_bracket(json, key, '[', ']');
}

void json_close(struct json *json)
{
	assert(json->depth > 0);
	bool has_items = json->has_items[json->depth];
	char closer = json->closers[json->depth];

	json->depth--;
	if (has_items && !json->is_line)
		out("\n%*s", (int)(2 * json->depth), "");
	out_bytes(&closer, 1);
	if (!json->depth)
		out_bytes("\n", 1);
}

void json_text(struct json *json, const char *key, const char *value)
{
	if (!value) {
		json_null(json, key);
		return;
	}
	start_value(json, key);
	write_string(value, false);
}

void json_name(struct json *json, const char *key, const char *value)
{
	if (!value) {
		json_null(json, key);
		return;
	}
	start_value(json, key);
	write_string(value, true);
}

void json_signed(struct json *json, const char *key, int64_t value)
{
	start_value(json, key);
	out("%" PRId64, value);
}

void json_count(struct json *json, const char *key, uint64_t value)
{
	start_value(json, key);
	out("%" PRIu64, value);
}

void json_known(struct json *json, const char *key, uint64_t value)
{
	if (value)
		json_count(json, key, value);
	else
		json_null(json, key);
}

void json_real(struct json *json, const char *key, double value)
{
	char digits[32];

	/* The shorter form where it is exact: 1.5, not 1.4999999999999999. */
	snprintf(digits, sizeof(digits), "%.15g", value);
	if (strtod(digits, NULL) < value || strtod(digits, NULL) > value)
		snprintf(digits, sizeof(digits), "%.17g", value);
	start_value(json, key);
	out("%s", digits);
}

void json_yes(struct json *json, const char *key, bool value)
{
	start_value(json, key);
	out("%s", value ? "true" : "false");
}

void json_null(struct json *json, const char *key)
{
	start_value(json, key);
	out("null");
}
