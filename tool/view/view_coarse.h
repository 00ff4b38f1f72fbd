/* SPDX-License-Identifier: MIT */
/* view_coarse.h — a trace in a few columns, for a page to show while it still reads the rest */
#ifndef SKUAT_VIEW_COARSE_H
#define SKUAT_VIEW_COARSE_H

#include "trace/trace_read.h"

#define COARSE_LANES   16 /* as many as the page shows at once */
#define COARSE_COLUMNS 400
#define COARSE_STATES  4 /* in this order: running, blocked, waiting, searching */

struct view_coarse {
	int64_t begin_ns, end_ns;
	unsigned lanes;
	uint32_t workers[COARSE_LANES];
	unsigned char shares[COARSE_LANES][COARSE_COLUMNS][COARSE_STATES]; /* of 255 */
};

/* The first lanes of a trace.  False: there is no memory, or nothing to show. */
bool view_coarse_make(struct view_coarse *coarse, const struct trace *trace);

#endif
