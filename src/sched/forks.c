/* SPDX-License-Identifier: MIT */
/* forks.c — a worker's stack of waiting forks, and how others get at its oldest end */
#include "sched/forks.h"

#include "base/atomic.h"
#include "base/diag.h"
#include "os/membarrier.h"

#include <skua/error.h>

#include <assert.h>

/*
 * A direct task stack (Faxen, "Wool", 2008) split into a shared and a private part (van Dijk, van
 * de Pol, "Lace", 2014), with a request that costs the owner nothing and a forced steal besides.
 *
 *	base       tail          split              top
 *	 [ stolen  ][  shared     ][  private        ] free ...
 *	  oldest      thieves take    the owner's alone
 *	              one by CAS
 *
 * tail and split stand in one word, `shared`.  Thieves move tail up by CAS.  The owner moves split:
 * up to share, down by CAS to take back.  top is only the owner's (and in no word at all: it is the
 * argument `here` that tasks hand on).
 *
 * Asking.  A thief that finds nothing shared raises `want`, then lowers `limit` and raises
 * `joinlo`: the owner's next fork or join compares with one of them anyway, and goes the slow way.
 * There it shares its oldest task, sets the bounds right again and looks at `want` once more, since
 * the request that it has just wiped out may be newer than the one it answered (forks.serve.4).
 *
 * Giving.  An owner may share its oldest task unasked, by the same slow way: when what it begins is
 * worth it, and who looks for work need not ask first.
 *
 * Forcing.  An owner in a long task does not fork or join, so it does not answer.  Then the thief
 * takes the owner's lock, raises both bounds, and calls membarrier(2), after which every fork or
 * join of the owner either has become visible or will meet the raised bound and wait for the lock.
 * So the oldest private slot can be read at leisure: `ready` holds a task, it waits, and is taken;
 * NULL, the owner is joining it, and is left alone.  The owner's side of that bargain is the order
 * of two words in skua_slot_join.
 *
 * The races to fear, and what goes red (tests/model/model_forks.c):
 *   a thief and the joining owner both run a shared task         steal, reclaim
 *   a forced steal and the joining owner both run a private one  revoke
 *   a request lost: the owner sets its bounds right just after being asked   ask
 *   a thief reads the arguments of the task before                reuse
 */

static_assert(sizeof(struct skua_slot) == SKUA_SLOT_BYTES, "one line");
static_assert(offsetof(struct skuai_forks, shared) == (size_t)1 * SKUAI_LINE, "line 1");
static_assert(offsetof(struct skuai_forks, want) == (size_t)2 * SKUAI_LINE, "line 2");
static_assert(offsetof(struct skuai_forks, base) == (size_t)3 * SKUAI_LINE, "line 3");

/* How many more slots are made ready when they run out: a page's worth. */
#define FORKS_CHUNK 64

/* Above every slot.  NOLINTNEXTLINE(performance-no-int-to-ptr): nobody follows it */
#define FORKS_ABOVE_ALL ((struct skua_slot *)UINTPTR_MAX)

static uint32_t tail_of(uint64_t shared)
{
	return (uint32_t)shared;
}

static uint32_t split_of(uint64_t shared)
{
	return (uint32_t)(shared >> 32);
}

static uint64_t shared_of(uint32_t tail, uint32_t split)
{
	return (uint64_t)split << 32 | tail;
}

static uint32_t index_of(const struct skuai_forks *forks, const struct skua_slot *slot)
{
	return (uint32_t)(slot - forks->base);
}

/* Make sure that slot number `last` is there and usable. */
static void forks_make(struct skuai_forks *forks, uint32_t last)
{
	if (last >= forks->end)
		skua_bug("skua_fork: too many forks wait for their join on one worker; join some "
			 "first");
	while (forks->made <= last || (forks->made % FORKS_CHUNK && forks->made < forks->end))
		forks->base[forks->made++].bounds = &forks->bounds;
}

/* From here on a fork goes the slow way: at the last slot made, or always when they are counted. */
static struct skua_slot *forks_limit(struct skuai_forks *forks)
{
	return forks->is_counting || forks->is_profiled ? NULL : &forks->base[forks->made - 1];
}

/* And below this one a join does: where tasks are shared, or always when it is profiled. */
static struct skua_slot *forks_joinlo(struct skuai_forks *forks, uint32_t split)
{
	return forks->is_profiled ? FORKS_ABOVE_ALL : &forks->base[split];
}

void skuai_forks_open(struct skuai_forks *forks, struct skua_slot *memory, uint32_t count)
{
	forks->base = memory;
	forks->end = count;
	forks_make(forks, 1);
	/* order forks.open.1: relaxed, nobody else knows of it yet */
	skua_store(&forks->bounds.limit, forks_limit(forks), relaxed);
	/* order forks.open.2: relaxed, likewise */
	skua_store(&forks->bounds.joinlo, memory, relaxed);
}

void skuai_forks_reset(struct skuai_forks *forks)
{
	struct skua_slot *memory = forks->base;
	uint32_t made = forks->made, count = forks->end;
	bool is_counting = forks->is_counting;

	for (uint32_t i = 0; i < made; i++)
		skua_store(&memory[i].ready, NULL, relaxed); /* order forks.reset.1: alone */
	*forks = (struct skuai_forks){ .is_counting = is_counting };
	skuai_forks_open(forks, memory, count);
}

void skuai_forks_orphan(struct skuai_forks *forks)
{
	uint32_t tail = tail_of(
		skua_load(&forks->shared, relaxed)); /* order forks.orphan.1: alone */
	uint32_t top = index_of(forks, skuai_forks_top(forks));

	for (uint32_t i = 0; i < top; i++) {
		struct skua_slot *slot = &forks->base[i];
		bool is_kept = i >= tail;
		/* order forks.orphan.2: alone */
		if (is_kept || skua_load(&slot->state, relaxed) != SKUAI_FORK_DONE)
			skua_store(&slot->state, is_kept ? SKUAI_FORK_KEPT : SKUAI_FORK_LOST,
				   relaxed); /* order forks.orphan.3: alone */
	}
	/* As if all were stolen: nobody may take what waits.
	 * order forks.orphan.4: alone */
	skua_store(&forks->shared, shared_of(top, top), relaxed);
	skua_store(&forks->bounds.joinlo, forks_joinlo(forks, top),
		   relaxed); /* order forks.orphan.5: alone */
}

/* --- the owner --- */

/* Share the k oldest private tasks; split is where they begin.  Under the lock. */
static void forks_share(struct skuai_forks *forks, uint32_t split, uint32_t k)
{
	for (uint32_t i = split; i < split + k; i++) {
		struct skua_slot *slot = &forks->base[i];
		/* order forks.share.1: relaxed, our own store */
		skua_slot_task *task = skua_load(&slot->ready, relaxed);
		/* order forks.share.2: relaxed, carried by .3 */
		skua_store(&slot->state, (uintptr_t)task, relaxed);
	}
	/* order forks.share.3: release, pairs forks.steal.2; arguments and state before the task
	 * can be taken */
	skua_add(&forks->shared, (uint64_t)k << 32, release);
}

/* Share a task for each request, and so many unasked, the oldest first, but no more than half.  How
 * many. */
static uint32_t forks_answer(struct skuai_forks *forks, uint32_t split, uint32_t top,
			     uint32_t unasked)
{
	uint32_t half = (top - split) / 2, wanted = unasked;

	/* order forks.answer.3: relaxed, a hint; forks.serve.5 looks again */
	if (skua_load(&forks->want, relaxed)) {
		/* order forks.answer.1: relaxed, a request carries no data */
		wanted += skua_exchange(&forks->want, 0, relaxed);
		skua_add(&forks->answers, 1, relaxed); /* order forks.answer.2: relaxed, a count */
	}
	if (!wanted)
		return 0;
	wanted = wanted <= half ? wanted : half ? half : 1;
	forks_share(forks, split, wanted);
	return wanted;
}

/*
 * Answer who asks, and set the bounds right.  `top` is the number of the first slot that holds no
 * task, or the one being joined; so many are shared unasked.  Under the lock.  How many tasks were
 * shared.
 */
static unsigned forks_serve(struct skuai_forks *forks, uint32_t top, uint32_t unasked)
{
	/* order forks.serve.1: relaxed, under the lock only thieves change it, and not split */
	uint32_t split = split_of(skua_load(&forks->shared, relaxed));
	uint32_t first = split;
	bool is_asked;

	do {
		if (split < top)
			split += forks_answer(forks, split, top, unasked);
		unasked = 0;
		/* order forks.serve.2: relaxed, before .5 by .4 */
		skua_store(&forks->bounds.limit, forks_limit(forks), relaxed);
		/* order forks.serve.3: relaxed, likewise */
		skua_store(&forks->bounds.joinlo, forks_joinlo(forks, split), relaxed);
		/* order forks.serve.4: fence seq_cst, pairs forks.ask.2
		 * shape    owner: store bounds, FENCE, load want || thief: add want, FENCE, store
		 *          bounds
		 * forbids  our store wipes out the thief's and we do not see its request: nobody
		 *          answers
		 */
		skua_fence(&forks->want, seq_cst);
		/* order forks.serve.5: relaxed, ordered by .4 */
		is_asked = skua_load(&forks->want, relaxed);
	} while (is_asked && split < top);
	if (is_asked) {
		/* Nothing left to share: our next fork will be.
		 * order forks.serve.6: relaxed, our own word to it */
		skua_store(&forks->bounds.limit, NULL, relaxed);
	}
	return split - first;
}

void skuai_forks_fill(struct skua_slot *slot, skua_slot_task *task)
{
	/* order forks.fill.1: release, pairs forks.revoke.4; as slot.fork.1 */
	skua_store(&slot->ready, task, release);
}

unsigned skuai_forks_fork(struct skuai_forks *forks, struct skua_slot *slot, bool is_given)
{
	uint32_t top = index_of(forks, slot) + 1;

	skuai_lock_take(&forks->lock);
	forks_make(forks, top);
	/* order forks.give.1: relaxed, a hint: what waits for thieves already may be gone by now */
	uint64_t seen = skua_load(&forks->shared, relaxed);
	unsigned shared = forks_serve(forks, top, is_given && tail_of(seen) == split_of(seen));
	skuai_lock_give(&forks->lock);
	return shared;
}

unsigned skuai_forks_offer(struct skuai_forks *forks, struct skua_slot *here)
{
	skuai_lock_take(&forks->lock);
	unsigned shared = forks_serve(forks, index_of(forks, here), 0);
	skuai_lock_give(&forks->lock);
	return shared;
}

/* Take half of the shared tasks back, this slot's among them.  False: it is stolen. */
static bool forks_reclaim(struct skuai_forks *forks, uint32_t slot)
{
	/* order forks.reclaim.1: relaxed, .2 decides */
	uint64_t seen = skua_load(&forks->shared, relaxed);
	uint32_t tail, split;

	do {
		tail = tail_of(seen);
		split = split_of(seen);
		if (slot >= split)
			return true;
		if (tail > slot)
			return false;
		/* order forks.reclaim.2: relaxed, what was shared is our own; a thief whose CAS
		 * comes later meets another split and fails */
	} while (!skua_cas_weak(&forks->shared, &seen, shared_of(tail, tail + (split - tail) / 2),
				relaxed, relaxed));
	return true;
}

/* It waits since before a fork(), in the child: as it was then, with nothing shared. */
static bool forks_regain(struct skuai_forks *forks, struct skua_slot *slot)
{
	uint32_t number = index_of(forks, slot);

	/* order forks.regain.1: relaxed, our own store */
	if (skua_load(&slot->state, relaxed) != SKUAI_FORK_KEPT)
		return false;
	/* order forks.regain.2: relaxed, as forks.joined.1 */
	skua_store(&forks->shared, shared_of(number, number), relaxed);
	return true;
}

bool skuai_forks_join(struct skuai_forks *forks, struct skua_slot *slot, unsigned *shared)
{
	uint32_t number = index_of(forks, slot);

	skuai_lock_take(&forks->lock);
	bool is_ours = forks_reclaim(forks, number) || forks_regain(forks, slot);
	*shared = forks_serve(forks, number, 0);
	skuai_lock_give(&forks->lock);
	return !is_ours;
}

void skuai_forks_joined(struct skuai_forks *forks, struct skua_slot *slot)
{
	uint32_t number = index_of(forks, slot);

	skuai_lock_take(&forks->lock);
	/*
	 * tail and split are both just behind the slot: everything below was stolen before it.  No
	 * thief's CAS can succeed while they are equal, so a store will do.
	 * order forks.joined.1: relaxed, shares nothing
	 */
	skua_store(&forks->shared, shared_of(number, number), relaxed);
	forks_serve(forks, number, 0);
	skuai_lock_give(&forks->lock);
}

struct skua_slot *skuai_forks_top(struct skuai_forks *forks)
{
	/* order forks.top.1: relaxed, only we and forced steals move split */
	uint32_t low = split_of(skua_load(&forks->shared, relaxed)), last = forks->made - 1;
	uint32_t high = low;

	/* order forks.top.4: relaxed, our own store */
	if (low >= last || !skua_load(&forks->base[low].ready, relaxed))
		return &forks->base[low]; /* mostly */
	/*
	 * From split to top every slot waits, above none does: the first that does not.  Mostly
	 * there are few, so it is looked for in steps that grow, and then between the last two.
	 * order forks.top.3: relaxed, our own store
	 */
	for (uint32_t step = 1; high < last && skua_load(&forks->base[high].ready, relaxed);
	     step *= 2) {
		low = high + 1;
		high = last - high > step ? high + step : last;
	}
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		/* order forks.top.2: relaxed, our own store */
		if (skua_load(&forks->base[middle].ready, relaxed))
			low = middle + 1;
		else
			high = middle;
	}
	return &forks->base[low];
}

void skuai_forks_arm(struct skuai_forks *forks)
{
	skua_add(&forks->want, 1, relaxed); /* order forks.arm.1: relaxed, our own request */
	/* order forks.arm.2: relaxed, our own word to our next fork */
	skua_store(&forks->bounds.limit, NULL, relaxed);
}

void skuai_forks_look(struct skuai_forks *forks)
{
	/* order forks.arm.3: relaxed, our own word to our next fork */
	skua_store(&forks->bounds.limit, NULL, relaxed);
}

void skuai_forks_profile(struct skuai_forks *forks, bool is_profiled)
{
	skuai_lock_take(&forks->lock);
	forks->is_profiled = is_profiled;
	forks_serve(forks, 0, 0);
	skuai_lock_give(&forks->lock);
}

uint32_t skuai_forks_waiting(struct skuai_forks *forks, const struct skua_slot *top)
{
	/* order forks.look.7: relaxed, a number */
	uint32_t tail = tail_of(skua_load(&forks->shared, relaxed)), number = index_of(forks, top);

	return number > tail ? number - tail : 0;
}

int skuai_forks_thief(struct skua_slot *slot)
{
	/* order forks.thief.1: relaxed, a number; workers stay where they are */
	uintptr_t state = skua_load(&slot->state, relaxed);

	return state < SKUAI_FORK_TASK && state != SKUAI_FORK_DONE
		       ? (int)(state >> SKUAI_FORK_THIEF)
		       : -1;
}

bool skuai_forks_is_done(struct skua_slot *slot)
{
	/* order forks.is_done.1: acquire, pairs forks.done.1; the result, and all the task did */
	return skua_load(&slot->state, acquire) == SKUAI_FORK_DONE;
}

bool skuai_forks_is_taken(struct skua_slot *slot)
{
	struct skuai_forks *forks = (struct skuai_forks *)(void *)slot->bounds;

	/* order forks.look.6: relaxed, a hint */
	return tail_of(skua_load(&forks->shared, relaxed)) > index_of(forks, slot);
}

bool skuai_forks_is_gone(struct skua_slot *slot)
{
	struct skuai_forks *forks = (struct skuai_forks *)(void *)slot->bounds;

	/* order forks.is_gone.1: acquire, pairs forks.revoke.6; the state is of this task */
	return tail_of(skua_load(&forks->shared, acquire)) > index_of(forks, slot) &&
	       skuai_forks_is_done(slot);
}

bool skuai_forks_is_lost(struct skua_slot *slot)
{
	/* order forks.is_lost.1: relaxed, it was so before this process began, or never will be */
	return skua_load(&slot->state, relaxed) == SKUAI_FORK_LOST;
}

bool skuai_forks_wait(struct skua_slot *slot)
{
	/* order forks.wait.1: relaxed, .2 decides */
	uintptr_t state = skua_load(&slot->state, relaxed);

	if (state == SKUAI_FORK_DONE || state >= SKUAI_FORK_TASK)
		return false;
	/* order forks.wait.2: relaxed, whoever goes on asks skuai_forks_is_done */
	return state & SKUAI_FORK_WAITED ||
	       skua_cas(&slot->state, &state, state | SKUAI_FORK_WAITED, relaxed, relaxed);
}

/* --- thieves --- */

bool skuai_forks_steal(struct skuai_forks *forks, unsigned self, struct skuai_theft *theft)
{
	/* order forks.steal.1: relaxed, .2 decides */
	uint64_t seen = skua_load(&forks->shared, relaxed);

	if (tail_of(seen) >= split_of(seen))
		return false;
	struct skua_slot *slot = &forks->base[tail_of(seen)];
	skuai_fetch_to_write(slot); /* on its way while we try */
	/*
	 * The same numbers may stand for another task than when we looked: fine, since nothing of
	 * the slot was read before, and equal numbers mean that slot `tail` is to be had.
	 * order forks.steal.2: acquire, pairs forks.share.3
	 */
	if (!skua_cas(&forks->shared, &seen, seen + 1, acquire, relaxed))
		return false;
	theft->slot = slot;
	/* order forks.steal.3: relaxed, ordered by .2 */
	uintptr_t task = skua_load(&slot->state, relaxed);
	theft->task =
		(skua_slot_task *)task; /* NOLINT(performance-no-int-to-ptr): a word of its life */
	/* order forks.steal.4: relaxed, tells the owner whom to help */
	skua_store(&slot->state, SKUAI_FORK_TAKEN | (uintptr_t)self << SKUAI_FORK_THIEF, relaxed);
	return true;
}

/* Send the owner's next fork and join the slow way. */
static void forks_raise_bounds(struct skuai_forks *forks)
{
	/* order forks.raise.1: relaxed, after the request by forks.ask.2; or before the barrier */
	skua_store(&forks->bounds.limit, NULL, relaxed);
	/* order forks.raise.2: relaxed, likewise */
	skua_store(&forks->bounds.joinlo, FORKS_ABOVE_ALL, relaxed);
}

void skuai_forks_ask(struct skuai_forks *forks, unsigned amount)
{
	skua_add(&forks->want, amount,
		 relaxed); /* order forks.ask.1: relaxed, before the bounds by .2 */
	/* order forks.ask.2: fence seq_cst, pairs forks.serve.4 */
	skua_fence(&forks->want, seq_cst);
	forks_raise_bounds(forks);
}

bool skuai_forks_revoke(struct skuai_forks *forks, unsigned self, struct skuai_theft *theft)
{
	bool is_taken = false;

	if (!skuai_lock_try(&forks->lock))
		return false; /* the owner is answering, or another thief is here */
	/* order forks.revoke.1: relaxed, under the lock split stands still */
	uint64_t seen = skua_load(&forks->shared, relaxed);
	uint32_t split = split_of(seen);
	if (tail_of(seen) == split) {
		struct skua_slot *slot = &forks->base[split];
		forks_raise_bounds(forks);
		/* order forks.revoke.3: membarrier, pairs slot.join.2 */
		bool is_ordered = skuai_membarrier() == SKUA_OK;
		/* order forks.revoke.4: acquire, pairs slot.fork.1, forks.fill.1; the arguments */
		skua_slot_task *task = is_ordered ? skua_load(&slot->ready, acquire) : NULL;
		if (task) {
			/* order forks.revoke.5: relaxed, tells the owner whom to help */
			skua_store(&slot->state,
				   SKUAI_FORK_TAKEN | (uintptr_t)self << SKUAI_FORK_THIEF, relaxed);
			/*
			 * Nobody else can move either: tail and split are equal, and we hold the
			 * lock.
			 * order forks.revoke.6: release, pairs forks.is_gone.1; the state
			 */
			skua_store(&forks->shared, shared_of(split + 1, split + 1), release);
			theft->slot = slot;
			theft->task = task;
			is_taken = true;
		}
	}
	skuai_lock_give(&forks->lock);
	return is_taken;
}

bool skuai_forks_done(struct skua_slot *slot)
{
	/* order forks.done.1: release, pairs forks.is_done.1; the slot is its owner's again */
	return skua_exchange(&slot->state, SKUAI_FORK_DONE, release) & SKUAI_FORK_WAITED;
}

bool skuai_forks_has_shared(struct skuai_forks *forks)
{
	/* order forks.look.1: relaxed, a hint; who must not miss one fences before */
	uint64_t seen = skua_load(&forks->shared, relaxed);

	return tail_of(seen) < split_of(seen);
}

bool skuai_forks_has_private(struct skuai_forks *forks)
{
	/* order forks.look.2: relaxed, a hint */
	uint32_t split = split_of(skua_load(&forks->shared, relaxed));

	/* order forks.look.3: relaxed, a hint; the slot is there, whatever split was read */
	return skua_load(&forks->base[split].ready, relaxed) != NULL;
}

bool skuai_forks_is_asked(struct skuai_forks *forks)
{
	return skua_load(&forks->want, relaxed) != 0; /* order forks.look.4: relaxed, a hint */
}

uint32_t skuai_forks_answers(struct skuai_forks *forks)
{
	return skua_load(&forks->answers, relaxed); /* order forks.look.5: relaxed, a hint */
}
