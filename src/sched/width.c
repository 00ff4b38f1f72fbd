/* SPDX-License-Identifier: MIT */
/* width.c — how many workers are up, how many should be, and who is dormant */
#include "sched/width.h"

#include "base/atomic.h"

/*
 * A pool has threads for all its places from the start.  As many as it was opened or resized for
 * are active: running, searching or asleep, as idle.c has it.  The rest are dormant: they sleep,
 * and nobody wakes them for work.  While a task blocks (skua_blocking_begin) one more than that
 * should be active, so that its core does not idle.
 *
 *	active -> dormant   itself, with nothing begun, when too many are active (retire)
 *	dormant -> active   whoever makes it that too few are (activate), and lists it as asleep
 *
 * The race to fear: one retires just when another finds too few and nobody dormant to call.  So
 * both say first and look then: the one counts itself out, shows its bit, a fence, and looks at the
 * counts; the other raises a count, a fence, and looks for bits.  Red without: model_width.
 */

#define WIDTH_WANTED  ((uint64_t)1 << 16)
#define WIDTH_BLOCKED ((uint64_t)1 << 32)

static unsigned active_of(uint64_t counts)
{
	return (unsigned)(uint16_t)counts;
}

static unsigned target_of(const struct skuai_width *width, uint64_t counts)
{
	unsigned target = (unsigned)(uint16_t)(counts >> 16) + (unsigned)(counts >> 32);

	return target < width->capacity ? target : width->capacity;
}

static uint64_t width_bit(unsigned number)
{
	return (uint64_t)1 << (number % 64);
}

static unsigned words_of(const struct skuai_width *width)
{
	return (width->capacity + 63) / 64;
}

void skuai_width_open(struct skuai_width *width, unsigned wanted, unsigned capacity)
{
	width->capacity = capacity;
	/* order width.open.1: relaxed, nobody else knows of it yet */
	skua_store(&width->counts, wanted | wanted * WIDTH_WANTED, relaxed);
	for (unsigned i = 0; i < words_of(width); i++)
		skua_store(&width->dormant[i], 0, relaxed); /* order width.open.2: likewise */
	for (unsigned i = wanted; i < capacity; i++)
		/* order width.open.3: relaxed, likewise */
		skua_or(&width->dormant[i / 64], width_bit(i), relaxed);
}

void skuai_width_want(struct skuai_width *width, unsigned wanted)
{
	uint64_t seen = skua_load(&width->counts, relaxed),
		 next; /* order width.want.1: .2 decides */

	do
		next = (seen & ~(0xffff * WIDTH_WANTED)) | wanted * WIDTH_WANTED;
	/* order width.want.2: relaxed, before the look for bits by width.activate.1 */
	while (!skua_cas_weak(&width->counts, &seen, next, relaxed, relaxed));
}

unsigned skuai_width_wanted(struct skuai_width *width)
{
	/* order width.look.1: relaxed, a number */
	return (unsigned)(uint16_t)(skua_load(&width->counts, relaxed) >> 16);
}

void skuai_width_block(struct skuai_width *width)
{
	/* order width.block.1: relaxed, before the look for bits by width.activate.1 */
	skua_add(&width->counts, WIDTH_BLOCKED, relaxed);
}

void skuai_width_unblock(struct skuai_width *width)
{
	skua_sub(&width->counts, WIDTH_BLOCKED,
		 relaxed); /* order width.block.2: relaxed, a count */
}

unsigned skuai_width_active(struct skuai_width *width)
{
	/* order width.look.2: acquire, pairs width.retire.2; close sees what a dormant one left */
	return active_of(skua_load(&width->counts, acquire));
}

bool skuai_width_is_dormant(struct skuai_width *width, unsigned number)
{
	/* order width.look.3: relaxed, a hint */
	return skua_load(&width->dormant[number / 64], relaxed) & width_bit(number);
}

unsigned skuai_width_surplus(struct skuai_width *width)
{
	uint64_t counts = skua_load(&width->counts, relaxed); /* order width.look.4: a hint */
	unsigned active = active_of(counts), target = target_of(width, counts);

	return active > target ? active - target : 0;
}

static bool is_short(struct skuai_width *width)
{
	/* order width.look.5: relaxed, after a fence: width.retire.4, width.activate.1 */
	uint64_t counts = skua_load(&width->counts, relaxed);

	return active_of(counts) < target_of(width, counts);
}

/* Clear the bit.  True: it was set, this worker is ours to bring back. */
static bool take_bit(struct skuai_width *width, unsigned number)
{
	/* order width.take.1: acquire, pairs width.retire.3; its place is as it left it */
	return skua_and(&width->dormant[number / 64], ~width_bit(number), acquire) &
	       width_bit(number);
}

bool skuai_width_keep(struct skuai_width *width, unsigned number)
{
	if (!take_bit(width, number))
		return false;
	skua_add(&width->counts, 1, relaxed); /* order width.keep.1: relaxed, a count */
	return true;
}

bool skuai_width_retire(struct skuai_width *width, unsigned number)
{
	uint64_t seen = skua_load(&width->counts, relaxed); /* order width.retire.1: .2 decides */

	do {
		if (active_of(seen) <= target_of(width, seen))
			return false;
		/* order width.retire.2: release, pairs width.look.2 */
	} while (!skua_cas_weak(&width->counts, &seen, seen - 1, release, relaxed));
	/* order width.retire.3: release, pairs width.take.1 */
	skua_or(&width->dormant[number / 64], width_bit(number), release);
	/* order width.retire.4: fence seq_cst, pairs width.activate.1
	 * shape    retiring: count out, bit, FENCE, look at counts || other: raise, FENCE, look for
	 *          bits
	 * forbids  too few are active, one is dormant, and nobody brings it back
	 */
	skua_fence(&width->counts, seq_cst);
	if (!is_short(width) || !take_bit(width, number))
		return true;		      /* or somebody brings us back already */
	skua_add(&width->counts, 1, relaxed); /* order width.retire.5: relaxed, a count */
	return false;
}

/* Two who call this at once may bring back one too many; it will retire. */
int skuai_width_activate(struct skuai_width *width)
{
	/* order width.activate.1: fence seq_cst, pairs width.retire.4 */
	skua_fence(&width->counts, seq_cst);
	for (unsigned word = 0; word < words_of(width) && is_short(width); word++) {
		/* order width.activate.2: relaxed, width.take.1 decides */
		uint64_t bits = skua_load(&width->dormant[word], relaxed);
		for (; bits; bits &= bits - 1) {
			unsigned number = word * 64 + (unsigned)__builtin_ctzll(bits);
			if (!take_bit(width, number))
				continue;
			/* order width.activate.3: relaxed, a count */
			skua_add(&width->counts, 1, relaxed);
			return (int)number;
		}
	}
	return -1;
}
