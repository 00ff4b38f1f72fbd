/* SPDX-License-Identifier: MIT */
/* past.h — an earlier run, read from what `skua bench --json` wrote */
#ifndef SKUAT_PAST_H
#define SKUAT_PAST_H

#include "bench/sample.h"
#include "json_read.h"

#define PAST_ROWS_MAX 4096 /* arbitrary: memory for samples is bounded by it */

/* One entry of `kernels`; the texts belong to the tree. */
struct past_row {
	const char *name;
	const char *problem; /* NULL: the kernel has one only */
	unsigned workers;
	bool check;	   /* its results were right */
	double seconds;	   /* the median */
	double serial;	   /* that of the serial program; 0: not known */
	struct sample own; /* round by round; none: an older skua wrote this */
	bool is_used;	   /* for who compares: it has its partner */
};

struct past {
	const char *file;
	const char *version; /* of skua; NULL: it does not say */
	unsigned count;
	struct past_row *rows;
	struct json_tree tree;
};

/* False: standard error says what is wrong, where, and what to try; there is nothing to drop. */
bool past_read(struct past *past, const char *file);
void past_drop(struct past *past);

#endif
