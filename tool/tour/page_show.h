/* SPDX-License-Identifier: MIT */
/* page_show.h — the page with a trace of the tour's own jobs, left where a browser finds it */
#ifndef SKUAT_PAGE_SHOW_H
#define SKUAT_PAGE_SHOW_H

/* Where the tour leaves its files: in the user's cache, so that each tour replaces the last. */
struct page_place {
	char *trace, *page; /* paths; NULL: there is no page to be had */
	char *kept;	    /* what the trace is called once it is in the page */
	char why[200];	    /* if so */
};

/* Find the folder, or make it. */
void page_place_open(struct page_place *place);
void page_place_close(struct page_place *place);

/* Make a page of the trace that is there now, and say in a line where it is, or why not. */
void page_show(struct page_place *place);

#endif
