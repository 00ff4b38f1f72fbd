/* SPDX-License-Identifier: MIT */
/* deque.c — the Chase-Lev work-stealing deque, with a fence on either side */
#include "base/alloc.h"
#include "base/atomic.h"
#include "base/diag.h"
#include "os/membarrier.h"
#include "os/thread.h"
#include "sched/reset.h"

#include <skua/deque.h>
#include <skua/error.h>

#include <assert.h>

/*
 * Chase, Lev, "Dynamic circular work-stealing deque" (SPAA 2005), in C11 after Le, Pop, Cohen,
 * Zappa Nardelli (PPoPP 2013), with that paper's two slips mended: the new buffer is loaded by
 * thieves with acquire, and indices are signed.
 *
 *	slot[i mod capacity] holds element i for top <= i < bottom
 *
 *	        top                      bottom
 *	         v                         v
 *	  steal: [ i0  i1  i2  ...  iN-1 ]   push writes slot[bottom], then bottom + 1
 *	  CAS top + 1                        pop claims bottom - 1
 *
 * Who moves what: bottom is the owner's alone.  top only ever grows, always by CAS: by a thief that
 * takes the oldest element, or by the owner when it takes the last.  64-bit indices do not wrap in
 * a century of pushes, so a CAS that succeeds means nothing moved meanwhile: no ABA.
 *
 * The race to fear: two elements, owner and thieves.  The owner takes element b without a CAS when
 * it sees top < b.  A thief takes b when it sees bottom > b and top == b.  If the owner's lowered
 * bottom and the risen top both go unseen, element b is handed out twice.  So between "lower
 * bottom" and "read top", and between "read top" and "read bottom", stands a full fence
 * (deque.pop.2, deque.steal.2).  The owner meets it at every pop, a thief once per theft, so there
 * is a second form: the owner has none, the thief makes the owner pass one with membarrier(2)
 * (os/membarrier.h).  Red without it: model_deque, stress_deque.
 *
 * A slot is read before its CAS and thrown away if the CAS fails: the owner may have wrapped and
 * written it meanwhile, which is why slots are atomic.
 *
 * Growth: the owner copies into a buffer twice as large and publishes it.  A slow thief may still
 * read the old one, so old buffers are kept until close: all of them together are smaller than the
 * newest.
 */

#define DEQUE_LINE	   ((size_t)64)
#define DEQUE_CAPACITY	   256 /* when none is asked for; arbitrary */
#define DEQUE_CAPACITY_MAX ((size_t)1 << (sizeof(size_t) * 5))

/* Tests start at 2^62, far beyond 32 bits, to see that nothing narrows an index. */
#ifndef SKUAI_DEQUE_FIRST
#define SKUAI_DEQUE_FIRST 0
#endif

typedef _Atomic uint64_t deque_slot;

/* One buffer.  Written by the owner before it is published, then only its slots. */
struct deque_buffer {
	int64_t mask;		    /* capacity - 1 */
	struct deque_buffer *older; /* the one it replaced; owner */
	deque_slot *slots;	    /* behind this header, or the caller's storage */
};

/* The writer decides the line. */
struct deque {
	/* line 0: thieves compare and swap, the owner reads */
	_Alignas(DEQUE_LINE) _Atomic int64_t top;
	/* line 1: the owner writes, thieves read */
	_Alignas(DEQUE_LINE) _Atomic int64_t bottom;
	_Atomic(struct deque_buffer *) buffer; /* replaced only when growing */
	bool is_asymmetric;		       /* set at open, then only read */
	/* line 2: the owner alone */
	_Alignas(DEQUE_LINE) int64_t top_seen; /* <= top; spares most pushes the thieves' line */
	bool is_bounded;
	struct deque_buffer in_place; /* the header for caller's storage */
	/* line 3: set by open and adopt, looked at by checked builds */
	_Alignas(DEQUE_LINE) _Atomic uintptr_t owner;
};
static_assert(offsetof(struct deque, bottom) == 1 * DEQUE_LINE, "line 1");
static_assert(offsetof(struct deque, top_seen) == 2 * DEQUE_LINE, "line 2");
static_assert(offsetof(struct deque, owner) == 3 * DEQUE_LINE, "line 3");
static_assert(sizeof(struct deque) == sizeof(struct skua_deque), "four lines, as promised");

static struct deque *deque_of(const struct skua_deque *deque)
{
	return (struct deque *)(void *)deque->insides;
}

static void deque_check_owner(struct deque *d)
{
#ifndef NDEBUG
	/* order deque.owner.1: relaxed, our own store or one we were ordered after */
	if (skua_load(&d->owner, relaxed) != skuai_thread_id())
		skua_bug("skua_deque_push or _pop: not called by the owner (see skua_deque_adopt)");
#else
	(void)d;
#endif
}

static struct deque_buffer *deque_buffer_new(size_t capacity, struct deque_buffer *older)
{
	size_t bytes = sizeof(struct deque_buffer) + capacity * sizeof(deque_slot);
	struct deque_buffer *buffer = skuai_alloc_aligned(1, bytes, DEQUE_LINE);

	if (buffer) {
		buffer->mask = (int64_t)capacity - 1;
		buffer->older = older;
		buffer->slots = (deque_slot *)(buffer + 1);
	}
	return buffer;
}

/* --- open and close --- */

static int deque_choose_fence(enum skua_deque_fence asked, bool *is_asymmetric)
{
	*is_asymmetric = asked == SKUA_FENCE_ASYMMETRIC;
	return *is_asymmetric ? skuai_membarrier_ready() : SKUA_OK;
}

static bool deque_options_are_valid(const struct skua_deque_options *options)
{
	size_t capacity = options->capacity;

	if (options->size < sizeof(*options) || capacity > DEQUE_CAPACITY_MAX ||
	    (unsigned)options->fence > SKUA_FENCE_ASYMMETRIC)
		return false;
	if (!options->storage)
		return true;
	return capacity != 0 && (capacity & (capacity - 1)) == 0 &&
	       (uintptr_t)options->storage % sizeof(deque_slot) == 0;
}

int skua_deque_open(struct skua_deque *deque, const struct skua_deque_options *options)
{
	static const struct skua_deque_options defaults = { .size = sizeof(defaults) };
	size_t capacity = 1;
	bool is_asymmetric;

	if (!options)
		options = &defaults;
	if (!deque || (uintptr_t)deque % DEQUE_LINE != 0 || !deque_options_are_valid(options))
		return SKUA_EINVAL;
	while (capacity < (options->capacity ? options->capacity : DEQUE_CAPACITY))
		capacity *= 2;
	int error = deque_choose_fence(options->fence, &is_asymmetric);
	if (error)
		return error;
	struct deque_buffer *buffer = NULL;
	if (!options->storage) {
		buffer = deque_buffer_new(capacity, NULL);
		if (!buffer)
			return SKUA_ENOMEM;
	}
	struct deque *d = deque_of(deque);
	*d = (struct deque){
		.top = SKUAI_DEQUE_FIRST,
		.bottom = SKUAI_DEQUE_FIRST,
		.top_seen = SKUAI_DEQUE_FIRST,
		.is_asymmetric = is_asymmetric,
		.is_bounded = options->is_bounded || options->storage,
		.in_place = { .mask = (int64_t)capacity - 1, .slots = options->storage },
		.owner = skuai_thread_id(),
	};
	/* order deque.open.1: relaxed, no other thread has the deque yet */
	skua_store(&d->buffer, buffer ? buffer : &d->in_place, relaxed);
	return SKUA_OK;
}

void skua_deque_close(struct skua_deque *deque)
{
	if (!deque)
		return;
	struct deque *d = deque_of(deque);
	/* order deque.close.1: relaxed, every other thread is done */
	struct deque_buffer *buffer = skua_load(&d->buffer, relaxed);
	while (buffer && buffer != &d->in_place) {
		struct deque_buffer *older = buffer->older;
		skuai_free(buffer);
		buffer = older;
	}
	/* order deque.close.2: as .1; a second close finds nothing */
	skua_store(&d->buffer, NULL, relaxed);
}

void skua_deque_adopt(struct skua_deque *deque)
{
	/* order deque.adopt.1: relaxed, the caller ordered the hand-over */
	skua_store(&deque_of(deque)->owner, skuai_thread_id(), relaxed);
}

/* --- the owner --- */

/* A buffer twice as large with the same elements, published.  NULL: no memory, nothing changed. */
static struct deque_buffer *deque_grow(struct deque *d, struct deque_buffer *old, int64_t top,
				       int64_t bottom)
{
	struct deque_buffer *grown = deque_buffer_new(2 * ((size_t)old->mask + 1), old);

	if (!grown)
		return NULL;
	for (int64_t i = top; i < bottom; i++) {
		/* order deque.grow.1: relaxed, the owner wrote these slots itself */
		uint64_t element = skua_load(&old->slots[i & old->mask], relaxed);
		/* order deque.grow.2: relaxed, carried by .3 */
		skua_store(&grown->slots[i & grown->mask], element, relaxed);
	}
	/* order deque.grow.3: release, pairs deque.steal.4
	 * shape    owner: write header and slots, store buffer || thief: load buffer, read slot
	 * forbids  a thief that meets the new buffer and reads a slot before it was copied
	 * weaker   relaxed: a thief whose bottom is older than the growth takes an empty slot
	 * red      model_deque grow_one_thief
	 */
	skua_store(&d->buffer, grown, release);
	return grown;
}

/*
 * Make room or say why not, then push again.  Apart and cold: inlined, its calls would make every
 * push save six registers (1.4 to 1.9 instead of 1.2 times an array's).
 */
__attribute__((noinline, cold)) static int deque_push_full(struct skua_deque *deque,
							   uint64_t element,
							   struct deque_buffer *buffer,
							   int64_t bottom)
{
	struct deque *d = deque_of(deque);

	/* order deque.push.3: acquire, pairs deque.steal.6 (the shape is told there)
	 * weaker   survives because the model has no load buffering; some hardware has
	 */
	d->top_seen = skua_load(&d->top, acquire);
	if (bottom - d->top_seen > buffer->mask) {
		if (d->is_bounded)
			return SKUA_EFULL;
		if (!deque_grow(d, buffer, d->top_seen, bottom))
			return SKUA_ENOMEM;
	}
	return skua_deque_push(deque, element);
}

int skua_deque_push(struct skua_deque *deque, uint64_t element)
{
	struct deque *d = deque_of(deque);

	deque_check_owner(d);
	int64_t bottom = skua_load(&d->bottom, relaxed); /* order deque.push.1: our own store */
	/* order deque.push.2: relaxed, our own store */
	struct deque_buffer *buffer = skua_load(&d->buffer, relaxed);

	if (bottom - d->top_seen > buffer->mask)
		return deque_push_full(deque, element, buffer, bottom);
	/* order deque.push.4: relaxed, carried by .5 */
	skua_store(&buffer->slots[bottom & buffer->mask], element, relaxed);
	/* order deque.push.5: release, pairs deque.steal.3
	 * shape    owner: fill task, write slot, store bottom || thief: load bottom, read slot, run
	 * forbids  a thief that sees the new bottom but not the slot, or not the task behind it
	 * weaker   relaxed: the thief takes what the slot held before
	 * red      model_deque one_thief_twice
	 */
	skua_store(&d->bottom, bottom + 1, release);
	return SKUA_OK;
}

enum skua_take skua_deque_pop(struct skua_deque *deque, uint64_t *element)
{
	struct deque *d = deque_of(deque);

	deque_check_owner(d);
	int64_t bottom = skua_load(&d->bottom, relaxed) - 1; /* order deque.pop.0: our own store */
	/* order deque.pop.1: release, pairs deque.steal.3
	 * shape    owner: write slot, store bottom, LOWER bottom || thief: load that, read slot
	 * forbids  a thief that meets this bottom, not the push's, and reads the slot as before it
	 * weaker   relaxed: since C++20 a release store does not cover its thread's later stores
	 * red      model_deque one_thief_twice (it was so written first, and found there)
	 */
	skua_store(&d->bottom, bottom, release);
	/* order deque.pop.2: fence seq_cst, pairs deque.steal.2
	 * shape    owner: store bottom, FENCE, load top || thief: load top, FENCE, load bottom
	 * forbids  we miss the thief's newest top while it misses this bottom: both take slot b
	 * weaker   acquire/release never orders a store before a later load of another word
	 * red      model_deque one_thief_twice; of the light one only that it is there is checked,
	 *          not its place (check/README.md, rule 9)
	 */
	if (d->is_asymmetric)
		skua_light_fence(&d->top);
	else
		skua_fence(&d->top, seq_cst);
	int64_t top = skua_load(&d->top, relaxed); /* order deque.pop.3: ordered by .2 */

	if (top > bottom) {
		/* order deque.pop.4: relaxed, back to what it was; there is nothing to publish */
		skua_store(&d->bottom, bottom + 1, relaxed);
		return SKUA_TAKE_EMPTY;
	}
	/* order deque.pop.5: relaxed, our own store */
	struct deque_buffer *buffer = skua_load(&d->buffer, relaxed);
	/* order deque.pop.6: relaxed, our own store */
	uint64_t newest = skua_load(&buffer->slots[bottom & buffer->mask], relaxed);
	if (top < bottom) {
		*element = newest;
		return SKUA_TAKE_GOT;
	}
	/* The last one: whoever moves top has it. */
	/* order deque.pop.7: relaxed, a claim needs only be atomic; the element is our own */
	bool is_ours = skua_cas(&d->top, &top, top + 1, relaxed, relaxed);
	/* order deque.pop.8: relaxed, as .4 */
	skua_store(&d->bottom, bottom + 1, relaxed);
	if (!is_ours)
		return SKUA_TAKE_EMPTY;
	*element = newest;
	return SKUA_TAKE_GOT;
}

/* --- anybody --- */

enum skua_take skua_deque_steal(struct skua_deque *deque, uint64_t *element)
{
	struct deque *d = deque_of(deque);
	/* order deque.steal.1: relaxed, the fence .2 acquires it */
	int64_t top = skua_load(&d->top, relaxed);

	/* order deque.steal.0: relaxed, only a look: finding nothing costs no fence; .3 decides */
	if (top >= skua_load(&d->bottom, relaxed))
		return SKUA_TAKE_EMPTY;
	/* order deque.steal.2: fence seq_cst, pairs deque.pop.2 */
	if (!d->is_asymmetric)
		skua_fence(&d->top, seq_cst);
	else if (skuai_membarrier() != SKUA_OK)
		return SKUA_TAKE_RETRY; /* no fence, no claim */
	/* order deque.steal.3: acquire, pairs deque.push.5, deque.pop.1
	 * shape    owner: push x, pop x, push y at the same index || thief: load bottom, read slot
	 * forbids  the bottom of the later push with the slot of the earlier: x twice, y never
	 * weaker   relaxed: the fence made the look .0 acquire, but that may be the earlier bottom
	 * red      model_deque repush
	 */
	if (top >= skua_load(&d->bottom, acquire))
		return SKUA_TAKE_EMPTY;
	/* order deque.steal.4: acquire, pairs deque.grow.3 */
	struct deque_buffer *buffer = skua_load(&d->buffer, acquire);
	/* order deque.steal.5: relaxed, ordered by .3 and .4; thrown away if .6 fails */
	uint64_t oldest = skua_load(&buffer->slots[top & buffer->mask], relaxed);
	/* order deque.steal.6: release, pairs deque.push.3; the claim
	 * shape    thief: read slot i, CAS top to i+1 || owner: load top > i, write slot i again
	 * forbids  the thief's read seeing the element that came after its own
	 * weaker   survives because the model has no load buffering; some hardware has
	 */
	if (!skua_cas(&d->top, &top, top + 1, release, relaxed))
		return SKUA_TAKE_RETRY;
	*element = oldest;
	return SKUA_TAKE_GOT;
}

enum skua_take skua_deque_steal_half(struct skua_deque *deque, uint64_t *elements, size_t most,
				     size_t *count)
{
	size_t half = (skua_deque_count(deque) + 1) / 2;
	enum skua_take take = SKUA_TAKE_EMPTY;

	/*
	 * One claim each.  One CAS for all would be wrong: the owner pops without a CAS as long as
	 * it sees more than one element, so it could take one in the middle of the claimed range.
	 */
	*count = 0;
	if (most == 0)
		return SKUA_TAKE_EMPTY;
	do
		take = skua_deque_steal(deque, &elements[*count]);
	while (take == SKUA_TAKE_GOT && ++*count < half && *count < most);
	return *count ? SKUA_TAKE_GOT : take;
}

void skuai_deque_reset(struct skua_deque *deque)
{
	struct deque *d = deque_of(deque);

	d->top_seen = SKUAI_DEQUE_FIRST;
	skua_store(&d->top, SKUAI_DEQUE_FIRST, relaxed);    /* order deque.reset.1: alone */
	skua_store(&d->bottom, SKUAI_DEQUE_FIRST, relaxed); /* order deque.reset.2: alone */
}

size_t skua_deque_count(const struct skua_deque *deque)
{
	struct deque *d = deque_of(deque);
	int64_t top = skua_load(&d->top, relaxed);	 /* order deque.count.1: a hint */
	int64_t bottom = skua_load(&d->bottom, relaxed); /* order deque.count.2: a hint */

	return bottom > top ? (size_t)(bottom - top) : 0;
}

size_t skua_deque_memory(const struct skua_deque *deque)
{
	struct deque *d = deque_of(deque);
	size_t bytes = 0;

	/* order deque.memory.1: relaxed, our own store */
	for (struct deque_buffer *buffer = skua_load(&d->buffer, relaxed);
	     buffer && buffer != &d->in_place; buffer = buffer->older)
		bytes += sizeof(*buffer) + ((size_t)buffer->mask + 1) * sizeof(deque_slot);
	return bytes;
}

bool skua_deque_is_asymmetric(const struct skua_deque *deque)
{
	return deque_of(deque)->is_asymmetric;
}
