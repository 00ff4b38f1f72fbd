/* SPDX-License-Identifier: MIT */
/* screen.h — a terminal taken over for a while, and given back as it was */
#ifndef SKUAT_TOP_SCREEN_H
#define SKUAT_TOP_SCREEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Can standard output be taken over? */
bool screen_is_there(void);

/* Take it over: another page, no cursor, keys without Enter.  Signals that would end or stop us
 * come between two calls of screen_wait only, so that it is always given back. */
void screen_enter(void);
void screen_leave(void);

/* Columns and lines it has at the moment. */
void screen_size(unsigned *columns, unsigned *lines);

/* Show these lines, as many as fit. */
void screen_show(const char *text, size_t bytes);

enum screen_event {
	SCREEN_TIME,   /* it is that late */
	SCREEN_REDRAW, /* its size changed, or we were stopped and go on */
	SCREEN_QUIT,   /* a key, or a signal: *number is it, or 0 */
};

/* Wait until then (CLOCK_MONOTONIC). */
enum screen_event screen_wait(int64_t deadline_ns, int *number);

#endif
