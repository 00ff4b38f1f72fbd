/* SPDX-License-Identifier: MIT */
/* view_page.h — the page of the build, with a trace in it or without */
#ifndef SKUAT_VIEW_PAGE_H
#define SKUAT_VIEW_PAGE_H

#include "view/view_coarse.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Made by the build: the page; its length, 0 where it could not be made; and then what lacked. */
extern const unsigned char skua_page[];
extern const size_t skua_page_bytes;
extern const char skua_page_lacks[];

struct view_page {
	const void *trace; /* bytes of its file; NULL: none */
	size_t trace_bytes;
	const char *name;		  /* of that file; foreign text */
	const struct view_coarse *coarse; /* NULL: none */
	bool is_live;			  /* it is served by us, and may ask us for counters */
};

/*
 * Write it.  Errors stay in `to`, for who closes it.  False: the page is not as we know it, which
 * is a mistake of the build.
 */
bool view_page_write(FILE *to, const struct view_page *page);

#endif
