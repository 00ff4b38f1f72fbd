/* SPDX-License-Identifier: MIT */
/* json.h — JSON written to standard output, valid whatever bytes it is given */
#ifndef SKUAT_JSON_H
#define SKUAT_JSON_H

#include <stdbool.h>
#include <stdint.h>

#define JSON_DEPTH_MAX 8

/* Start with { 0 }.  `key` is NULL inside an array and for the outermost value. */
struct json {
	unsigned depth;
	bool has_items[JSON_DEPTH_MAX + 1]; /* at each depth: the next one needs a comma */
	char closers[JSON_DEPTH_MAX + 1];
	bool is_line; /* all of it on one */
};

void json_object(struct json *json, const char *key);
void json_array(struct json *json, const char *key);
void json_close(struct json *json); /* the innermost open object or array */

/* NULL becomes null; a byte that is not UTF-8 becomes U+FFFD. */
void json_text(struct json *json, const char *key, const char *value);
/* A name or path: a byte that is not UTF-8 becomes \udcNN, as Python's surrogateescape has it. */
void json_name(struct json *json, const char *key, const char *value);
void json_count(struct json *json, const char *key, uint64_t value);
void json_signed(struct json *json, const char *key, int64_t value);
void json_known(struct json *json, const char *key, uint64_t value); /* 0 becomes null */
void json_real(struct json *json, const char *key, double value);    /* finite */
void json_yes(struct json *json, const char *key, bool value);
void json_null(struct json *json, const char *key);

#endif
