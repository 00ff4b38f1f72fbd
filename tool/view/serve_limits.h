/* SPDX-License-Identifier: MIT */
/* serve_limits.h — how long a client of the server may take, and who gives way to a new one */
#ifndef SKUAT_VIEW_SERVE_LIMITS_H
#define SKUAT_VIEW_SERVE_LIMITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SERVE_STALL_NS 60000000000 /* of an answer, without a byte taken */
#define SERVE_RATE     16384	   /* bytes of it a second, on average, after the first STALL_NS */
#define SERVE_KEEP_NS  1000000000  /* a client that moved since is kept, if another did not */

/* When an answer is given up that was begun, had its last byte taken, and has `sent` bytes gone. */
int64_t serve_answer_until(int64_t begin_ns, int64_t moved_ns, size_t sent);

/* What decides who gives way. */
struct serve_place {
	bool is_writing;  /* an answer; else a request is awaited, or the end */
	int64_t moved_ns; /* since when it is so, or when the last part of the answer was taken */
};

/* Does `one` go rather than `other`? */
bool serve_goes_first(const struct serve_place *one, const struct serve_place *other, int64_t now);

#endif
