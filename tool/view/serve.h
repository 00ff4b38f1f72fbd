/* SPDX-License-Identifier: MIT */
/* serve.h — a small web server on this machine's loopback: a page, and counters of pools */
#ifndef SKUAT_VIEW_SERVE_H
#define SKUAT_VIEW_SERVE_H

#include <stddef.h>
#include <stdint.h>

struct serve {
	const char *page; /* what / gives */
	size_t page_bytes;
	uint16_t port; /* 0: any that is free */
};

/* Serve until SIGINT or SIGTERM.  The exit status, after a message where it could not be done. */
int serve_run(const struct serve *serve);

#endif
