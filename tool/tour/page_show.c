/* SPDX-License-Identifier: MIT */
/* page_show.c — the page with a trace of the tour's own jobs, left where a browser finds it */
#include "tour/page_show.h"

#include "report.h"
#include "text.h"
#include "trace/trace_read.h"
#include "view/view_page.h"
#include "whole_file.h"

#include <errno.h>
#include <skua/error.h>
#include <skua/trace.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* $XDG_CACHE_HOME, or $HOME/.cache; NULL: neither is set to a whole path, or no memory. */
static char *find_cache(void)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	char *path = NULL;
	int length = -1;

	if (cache && cache[0] == '/')
		length = asprintf(&path, "%s", cache);
	else if (home && home[0] == '/')
		length = asprintf(&path, "%s/.cache", home);
	return length < 0 ? NULL : path;
}

static bool is_folder(const char *path)
{
	return mkdir(path, 0700) == 0 || errno == EEXIST;
}

/* The folder of ours in the cache; NULL: none is to be had. */
static char *find_folder(struct page_place *place)
{
	char *cache = find_cache(), *folder = NULL;

	if (!cache) {
		snprintf(place->why, sizeof(place->why),
			 "neither XDG_CACHE_HOME nor HOME says where to put it");
	} else if (asprintf(&folder, "%s/skua", cache) < 0) {
		folder = NULL;
	} else if (!is_folder(cache) || !is_folder(folder)) {
		snprintf(place->why, sizeof(place->why), "cannot make %.120s: %.60s",
			 text_clean(folder, 60).s, strerror(errno));
		free(folder);
		folder = NULL;
	}
	free(cache);
	return folder;
}

void page_place_open(struct page_place *place)
{
	*place = (struct page_place){ .why = "not enough memory" };
	if (!skua_page_bytes) {
		snprintf(place->why, sizeof(place->why),
			 "this skua was built without it; no %.120s", skua_page_lacks);
		return;
	}
	char *folder = find_folder(place);
	/* A name of its own: another tour may be under way. */
	if (folder && asprintf(&place->trace, "%s/tour-%ld.trace", folder, (long)getpid()) < 0)
		place->trace = NULL;
	if (folder && asprintf(&place->kept, "%s/tour.trace", folder) < 0)
		place->kept = NULL;
	if (folder && asprintf(&place->page, "%s/tour.html", folder) < 0)
		place->page = NULL;
	if (!place->trace || !place->kept || !place->page)
		page_place_close(place);
	free(folder);
}

void page_place_close(struct page_place *place)
{
	free(place->trace);
	free(place->kept);
	free(place->page);
	place->trace = place->kept = place->page = NULL;
}

static int write_page(const struct page_place *place, const struct trace *trace)
{
	struct view_coarse coarse;
	struct view_page page = { .trace = trace->owned,
				  .trace_bytes = trace->owned_bytes,
				  .name = "tour.trace",
				  .coarse = view_coarse_make(&coarse, trace) ? &coarse : NULL };
	struct whole_file file;
	int error = whole_file_open(&file, place->page);

	if (error)
		return error;
	bool is_known = view_page_write(file.to, &page);
	return whole_file_close(&file, is_known ? 0 : EPROTO);
}

void page_show(struct page_place *place)
{
	struct trace trace = { 0 };

	if (place->page && access(place->trace, R_OK) != 0) {
		const char *wish = getenv("SKUA_TRACE");
		if (wish && *wish)
			snprintf(place->why, sizeof(place->why),
				 "SKUA_TRACE traces this run; 'skua view' makes a page of that");
		else if (skua_trace_error(place->why, sizeof(place->why)) == SKUA_OK)
			snprintf(place->why, sizeof(place->why), "the jobs were not traced");
	} else if (place->page) {
		int error = trace_load(&trace, place->trace, "tour") ? write_page(place, &trace)
								     : EIO;
		place->why[0] = 0;
		if (error || rename(place->trace, place->kept) != 0)
			unlink(place->trace);
		if (error)
			snprintf(place->why, sizeof(place->why), "cannot write %.120s: %.60s",
				 text_clean(place->page, 60).s, strerror(error));
	}
	trace_drop(&trace);
	if (place->page && !place->why[0])
		report_text(0, "All of this in a browser: %s", text_clean(place->page, 0).s);
	else
		report_text(0, "No page: %s.", place->why);
}
