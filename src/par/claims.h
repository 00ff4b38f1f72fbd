/* SPDX-License-Identifier: MIT */
/* claims.h — a range dealt out among those who work on it: chunks from home, else half of a part */
#ifndef SKUAI_PAR_CLAIMS_H
#define SKUAI_PAR_CLAIMS_H

#include "base/atomic.h"
#include "sched/forks.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Whoever works on a range has a home: a word with a part of the range, on a line of its own.
 *
 *	home 0    first ->      end          home 1
 *	 [ claimed ][ left             ]      [ empty ]
 *	   front: chunks    back half ------------^
 *
 * Chunks are claimed at the front of the own home, where others seldom look: a CAS in the own
 * cache.  Whose home is empty takes the back half of the fullest one, keeps a chunk of that, and
 * the rest is its part.  Two have a part each from the start, as a static schedule would give them
 * (habit.h), and yet end together; and a line goes from one processor to another as often as a part
 * is halved, not as often as a chunk is claimed.
 *
 * A word holds a part (first < end), nothing (first == end), or MOVING: somebody brings a part.
 * Homes are few, so several workers may share one:
 *
 *	part -> part, nothing    whoever lives there, a chunk; whoever has nothing, the back half
 *	nothing -> MOVING        one of those who live there; the others claim a chunk elsewhere
 *	MOVING -> part, nothing  the one who made it so
 *
 * A part on its way is in no word: who finds all of them empty leaves, though there is more to
 * come; those who carry it stay.  As much stayed where it was, so that happens with the last unit,
 * or when the carrier loses its processor; who left then does not come back.  Every claim is one
 * CAS and uses nothing but the word it found.
 *
 * Red when it is not: model_claims.
 */
#define SKUAI_CLAIMS_HOMES  8
#define SKUAI_CLAIMS_MOVING UINT64_MAX /* no part: they are of less than 2^32 - 1 units */

struct skuai_home {
	_Alignas(SKUAI_LINE) _Atomic uint64_t left; /* end << 32 | first */
};

struct skuai_claims {
	struct skuai_home *homes; /* not in here: what does not change should be in few lines */
	uint32_t count;
	uint32_t spare; /* such a part of what is left at home is not claimed with a chunk */
};

static inline uint32_t skuai_claims_first(uint64_t left)
{
	return (uint32_t)left;
}

static inline uint32_t skuai_claims_end(uint64_t left)
{
	return (uint32_t)(left >> 32);
}

static inline uint32_t skuai_claims_count(uint64_t left)
{
	return skuai_claims_end(left) - skuai_claims_first(left);
}

/*
 * The range is all at one home; or only so many units of it, if there are two: then it is known who
 * comes, if anybody does, and that one finds its part at home.
 */
static inline void skuai_claims_open(struct skuai_claims *claims, unsigned home, uint32_t units,
				     uint32_t own)
{
	uint32_t here = claims->count == 2 ? own : units;

	for (unsigned i = 0; i < claims->count; i++) {
		uint64_t part = i == home	     ? (uint64_t)here << 32
				: claims->count == 2 ? (uint64_t)units << 32 | here
						     : 0;
		/* order claims.open.1: relaxed, nobody else knows of it yet */
		skua_store(&claims->homes[i].left, part, relaxed);
	}
}

/* What nobody had claimed at a home a moment ago. */
static inline uint64_t skuai_claims_left(struct skuai_claims *claims, unsigned home)
{
	/* order claims.left.1: relaxed, a hint */
	return skua_load(&claims->homes[home].left, relaxed);
}

/* How much to claim at a time. */
struct skuai_claims_size {
	uint32_t chunk; /* not more than this */
	uint32_t spare; /* such a part of what is left stays: it may be dear, and others help */
	uint32_t least; /* but not less than this, or a sixteenth of a chunk */
	bool is_alone;	/* nobody else works on it: a part elsewhere is taken whole */
};

static inline uint32_t skuai_claims_share(uint32_t left, const struct skuai_claims_size *size)
{
	uint32_t few = size->chunk / 16, least = few < size->least ? few : size->least;
	uint32_t count = left - left / size->spare;

	if (count < least)
		count = least;
	if (count > size->chunk)
		count = size->chunk;
	if (count < 1)
		count = 1;
	return count < left ? count : left;
}

/* A chunk at the front.  How many; 0: nothing is left here. */
static inline uint32_t skuai_claims_front(struct skuai_home *home,
					  const struct skuai_claims_size *size, uint32_t *first)
{
	/* order claims.front.1: relaxed, .2 decides */
	uint64_t seen = skua_load(&home->left, relaxed);
	uint32_t count;

	do {
		if (!skuai_claims_count(seen))
			return 0;
		count = skuai_claims_share(skuai_claims_count(seen), size);
		/* order claims.front.2: relaxed, indices only; what the bodies see and leave behind
		 * comes with the fork and its join */
	} while (!skua_cas_weak(&home->left, &seen, seen + count, relaxed, relaxed));
	*first = skuai_claims_first(seen);
	return count;
}

/* The home with the most left, and what that was in *seen; NULL: all are empty. */
static inline struct skuai_home *skuai_claims_fullest(struct skuai_claims *claims, uint64_t *seen)
{
	struct skuai_home *fullest = NULL;
	uint32_t most = 0;

	for (unsigned i = 0; i < claims->count; i++) {
		uint64_t left = skuai_claims_left(claims, i);
		if (skuai_claims_count(left) > most) {
			most = skuai_claims_count(left);
			fullest = &claims->homes[i];
			*seen = left;
		}
	}
	return fullest;
}

/* The back half of the fullest, or all of it, but not more than so many.  As a word; 0: all are
 * empty. */
static inline uint64_t skuai_claims_back(struct skuai_claims *claims, bool is_whole, uint32_t most)
{
	struct skuai_home *home;
	uint64_t seen;

	while ((home = skuai_claims_fullest(claims, &seen))) {
		uint32_t end = skuai_claims_end(seen), count = skuai_claims_count(seen);
		if (!is_whole)
			count -= count / 2;
		if (count > most)
			count = most;
		/* order claims.back.1: relaxed, as claims.front.2 */
		if (skua_cas(&home->left, &seen, seen - ((uint64_t)count << 32), relaxed, relaxed))
			return (uint64_t)end << 32 | (end - count);
	}
	return 0;
}

/* Nothing is left at home: bring a part, and claim of that; or only a chunk, if another brings one.
 * How many; 0: nothing is left anywhere. */
static inline uint32_t skuai_claims_bring(struct skuai_claims *claims, unsigned home,
					  const struct skuai_claims_size *size, uint32_t *first)
{
	struct skuai_home *own = &claims->homes[home];
	uint64_t seen;

	if (!skuai_claims_fullest(claims, &seen))
		return 0; /* mostly the end, and nobody is disturbed at it */
	/* order claims.move.1: relaxed, .2 decides */
	seen = skua_load(&own->left, relaxed);
	/* order claims.move.2: relaxed, as claims.front.2 */
	bool is_mover = seen != SKUAI_CLAIMS_MOVING && !skuai_claims_count(seen) &&
			skua_cas(&own->left, &seen, SKUAI_CLAIMS_MOVING, relaxed, relaxed);
	uint32_t most = is_mover ? UINT32_MAX : size->chunk ? size->chunk : 1;
	uint64_t part = skuai_claims_back(claims, size->is_alone, most);
	uint32_t count = skuai_claims_count(part);
	if (is_mover) {
		count = count ? skuai_claims_share(count, size) : 0;
		/* order claims.move.3: relaxed, as claims.front.2 */
		skua_store(&own->left, part + count, relaxed);
	}
	*first = skuai_claims_first(part);
	return count;
}

#endif
