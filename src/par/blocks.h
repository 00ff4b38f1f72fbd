/* SPDX-License-Identifier: MIT */
/* blocks.h — blocks of an array, each of which needs what those before it came to */
#ifndef SKUAI_PAR_BLOCKS_H
#define SKUAI_PAR_BLOCKS_H

#include <skua/loop.h>

/* Elements from lo on, before hi. */
struct skuai_span {
	size_t lo, hi;
	size_t number; /* of the block; SKUAI_NO_BLOCK: it is none, and nobody else is at work */
};
#define SKUAI_NO_BLOCK SIZE_MAX

/*
 * How an array is worked off.  Something is carried from block to block, in order: the sum of all
 * that came before, or their number.  Only one thread at a time has it in its hands: whole and pass
 * may use and change it, ahead and finish may not.
 */
struct skuai_blocks_way {
	/* There will be so many blocks: get what is needed for that.  False: no memory. */
	bool (*prepare)(void *job, size_t blocks);
	/* What came before is known: do all of it. */
	void (*whole)(void *job, const struct skuai_span *span);
	/* It is not known yet: do what can be done; in the room, if there is any. */
	void (*ahead)(void *job, const struct skuai_span *span, void *room);
	/* Now it is known, so note it, and carry on what comes after.  True: the block is done. */
	bool (*pass)(void *job, const struct skuai_span *span);
	/* Do the rest of a block that was passed. */
	void (*finish)(void *job, const struct skuai_span *span);
};

struct skuai_blocks {
	const struct skuai_blocks_way *way;
	void *job;
	size_t count; /* elements */
	size_t bytes; /* of one */
	size_t fixed; /* elements of a block, always; 0: it depends */
	bool has_rooms;
	enum skua_priority priority;
	uintptr_t who; /* what it is done with: two arrays done with the same cost about the same */
};

/* Work off an array, with as many workers as are idle; blocks.c tells how.  Always succeeds. */
void skuai_blocks_run(struct skua_pool *pool, const struct skuai_blocks *blocks);

/*
 * Call a body for all blocks, as skua_for does; where there is no pool to be had, or it closes,
 * here and now.  Bodies do not fail.
 */
void skuai_blocks_each(struct skua_pool *pool, size_t blocks, skua_loop_body *body, void *argument,
		       enum skua_priority priority);

/* --- arrays --- */

/* Do two arrays of so many elements have a byte in common, or is one too large to be? */
bool skuai_arrays_overlap(const void *a, const void *b, size_t count, size_t bytes);
bool skuai_array_is_possible(const void *array, size_t count, size_t bytes);

#endif
