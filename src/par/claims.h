/* SPDX-License-Identifier: MIT */
/* claims.h — a range from whose two ends chunks are claimed, by whoever works on it */
#ifndef SKUAI_PAR_CLAIMS_H
#define SKUAI_PAR_CLAIMS_H

#include "base/atomic.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * What nobody has claimed yet, first and end in one word.  First only grows and end only sinks, so
 * a CAS that succeeds found what it thinks it found.  Its owner claims at the front, helpers at the
 * back: two of them get a half each, as a static schedule would give them, and yet end together.
 *
 * Red when a claim is no CAS: model_claims.
 */
struct skuai_claims {
	_Atomic uint64_t left; /* end << 32 | first */
};

enum skuai_claims_end {
	SKUAI_CLAIMS_FRONT,
	SKUAI_CLAIMS_BACK,
};

static inline uint32_t skuai_claims_first(uint64_t left)
{
	return (uint32_t)left;
}

static inline uint32_t skuai_claims_count(uint64_t left)
{
	return (uint32_t)(left >> 32) - (uint32_t)left;
}

static inline void skuai_claims_open(struct skuai_claims *claims, uint32_t count)
{
	/* order claims.open.1: relaxed, nobody else knows of it yet */
	skua_store(&claims->left, (uint64_t)count << 32, relaxed);
}

/* What nobody had claimed a moment ago. */
static inline uint64_t skuai_claims_left(struct skuai_claims *claims)
{
	return skua_load(&claims->left, relaxed); /* order claims.left.1: relaxed, a hint */
}

/* How much to claim at a time. */
struct skuai_claims_size {
	uint32_t chunk; /* not more than this */
	uint32_t parts; /* nor than such a part of what is left: it may be dear, and others help */
	uint32_t least; /* but not less than this, or a quarter of a chunk */
};

static inline uint32_t skuai_claims_share(uint32_t left, const struct skuai_claims_size *size)
{
	uint32_t least = size->chunk / 4 < size->least ? size->chunk / 4 : size->least;
	uint32_t count = left / size->parts;

	if (count < least)
		count = least;
	if (count > size->chunk)
		count = size->chunk;
	if (count < 1)
		count = 1;
	return count < left ? count : left;
}

/* Claim about a chunk at one end.  How many, and in *first where they begin; 0: nothing is left. */
static inline uint32_t skuai_claims_take(struct skuai_claims *claims, enum skuai_claims_end end,
					 const struct skuai_claims_size *size, uint32_t *first)
{
	/* order claims.take.1: relaxed, .2 decides */
	uint64_t seen = skua_load(&claims->left, relaxed), after;
	uint32_t count;

	do {
		if (!skuai_claims_count(seen))
			return 0;
		count = skuai_claims_share(skuai_claims_count(seen), size);
		after = end == SKUAI_CLAIMS_FRONT ? seen + count : seen - ((uint64_t)count << 32);
		/* order claims.take.2: relaxed, indices only; what the bodies see and leave behind
		 * comes with the fork and its join */
	} while (!skua_cas_weak(&claims->left, &seen, after, relaxed, relaxed));
	*first = end == SKUAI_CLAIMS_FRONT ? skuai_claims_first(seen) : (uint32_t)(after >> 32);
	return count;
}

#endif
