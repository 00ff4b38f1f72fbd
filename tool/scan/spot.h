/* SPDX-License-Identifier: MIT */
/* spot.h — where a walk is right now: the directory that some worker reads, told when asked */
#ifndef SKUAT_SCAN_SPOT_H
#define SKUAT_SCAN_SPOT_H

#include "scan/tree.h"

#define SPOT_BYTES 512 /* of a path; what is longer ends in "..." */

/*
 * Directories may be freed as soon as they are folded, so nobody but their reader may look at them:
 * who wants to know asks, and the next worker that reads names leaves a copy of its path.
 *
 *	state        the text belongs to       left by
 *	SPOT_QUIET   nobody                    who asks
 *	SPOT_ASKED   the first to take it      a worker
 *	SPOT_TAKEN   that worker               the same
 *	SPOT_TOLD    who asked                 who asked
 */
enum spot_state {
	SPOT_QUIET,
	SPOT_ASKED,
	SPOT_TAKEN,
	SPOT_TOLD
};

struct spot {
	_Atomic unsigned state; /* enum spot_state */
	char text[SPOT_BYTES];
};

/* By one thread: what was told since the last time, if anything, into `text`; and ask again. */
void spot_look(struct spot *spot, char text[SPOT_BYTES]);

/* By workers, after is_asked. */
void spot_tell(struct spot *spot, const struct scan_dir *dir);

static inline bool spot_is_asked(const struct spot *spot)
{
	/* order: relaxed; spot_tell makes sure */
	return atomic_load_explicit(&spot->state, memory_order_relaxed) == SPOT_ASKED;
}

#endif
