/* SPDX-License-Identifier: MIT */
/* width.h — how many workers are up, how many should be, and who is dormant */
#ifndef SKUAI_SCHED_WIDTH_H
#define SKUAI_SCHED_WIDTH_H

#include <stdbool.h>
#include <stdint.h>

#define SKUAI_WIDTH_WORDS 16 /* 64 workers each: SKUA_WORKERS_MAX */

/* width.c tells how it works. */
struct skuai_width {
	_Alignas(128) _Atomic uint64_t counts;	     /* blocked << 32 | wanted << 16 | active */
	_Atomic uint64_t dormant[SKUAI_WIDTH_WORDS]; /* a bit per worker */
	unsigned capacity;			     /* workers there are; set at open */
};

/* The first `wanted` of `capacity` workers are active, the others dormant. */
void skuai_width_open(struct skuai_width *width, unsigned wanted, unsigned capacity);

/* This one is active, whether it should be or not.  False: it is already. */
bool skuai_width_keep(struct skuai_width *width, unsigned number);

/* So many should be active from now on, besides one for each that is blocked. */
void skuai_width_want(struct skuai_width *width, unsigned wanted);
unsigned skuai_width_wanted(struct skuai_width *width);

/* One more is blocked, or one less. */
void skuai_width_block(struct skuai_width *width);
void skuai_width_unblock(struct skuai_width *width);

/* How many are not dormant. */
unsigned skuai_width_active(struct skuai_width *width);
bool skuai_width_is_dormant(struct skuai_width *width, unsigned number);

/* How many more are active than should be; a look. */
unsigned skuai_width_surplus(struct skuai_width *width);

/* An active worker becomes dormant, if there are too many.  False: there are not. */
bool skuai_width_retire(struct skuai_width *width, unsigned number);

/* Undertake to bring a dormant worker back, if there are too few; -1: no need, or nobody. */
int skuai_width_activate(struct skuai_width *width);

#endif
