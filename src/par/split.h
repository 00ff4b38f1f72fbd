/* SPDX-License-Identifier: MIT */
/* split.h — a range of indices worked off by whoever is idle: what all algorithms stand on */
#ifndef SKUAI_PAR_SPLIT_H
#define SKUAI_PAR_SPLIT_H

#include <skua/loop.h>

/* What is done with the indices: a body is called with them, or they are folded into a result. */
struct skuai_work {
	skua_loop_body *body;
	const struct skua_fold *fold; /* instead */
	void *argument;
	void *result;  /* of the fold */
	uintptr_t key; /* what loops of its kind have in common; 0: the body */
};

/* A function by which loops are told apart, and named. */
static inline uintptr_t skuai_work_key(const struct skuai_work *work)
{
	return work->key    ? work->key
	       : work->body ? (uintptr_t)work->body
			    : (uintptr_t)work->fold->body;
}

/*
 * Work off the indices of a loop, with as many workers as are idle; split.c tells how.  SKUA_OK, or
 * the first error; options->reach, if any, is filled in either way.  Options were checked.
 */
int skuai_split(struct skua_pool *pool, uint64_t lo, uint64_t hi, const struct skuai_work *work,
		const struct skua_loop_options *options);

/* Are these options to be had?  NULL is. */
bool skuai_loop_options_are_valid(const struct skua_loop_options *options);

/* --- for algorithms of several passes --- */

/*
 * Keep the pool from being closed between two passes.  What is to be given back at the end with
 * skuai_split_release; NULL: nothing is, the caller is a worker of it or it cannot be had.
 */
struct skua_pool *skuai_split_hold(struct skua_pool *pool);
void skuai_split_release(struct skua_pool *held);

/* How many workers may help the caller at most; 1 without a pool. */
unsigned skuai_split_width(struct skua_pool *pool);

#endif
