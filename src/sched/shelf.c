/* SPDX-License-Identifier: MIT */
/* shelf.c — things lent to one borrower at a time: an owner lends, anybody gives back */
#include "sched/shelf.h"

#include "base/atomic.h"

#include <assert.h>
#include <stddef.h>

/*
 *	newest -> item -> item        the owner's: a stack, plain loads and stores
 *	back -> item -> item          everybody else's: pushed with a CAS, taken whole by the owner
 *
 * An item is in one of the two, or borrowed.  Who is not the owner gives it back to its home, not
 * to a shelf of his own: where one thread borrows and another gives back for ever, the same few
 * items go round.  Nobody pops from `back`, so a node that comes again (ABA) does no harm.
 *
 * Whether all is back must be known before the memory is freed, and from any thread.  The owner's
 * count and the others' are two words, so that the owner needs no atomic read-modify-write; each is
 * written last, after the item was put down: who sees the counts agree may free it.
 */
static_assert(offsetof(struct skuai_shelf, back) == SKUAI_LINE, "line 1");
static_assert(sizeof(struct skuai_shelf) == (size_t)2 * SKUAI_LINE, "two lines");

static void begin_loan(struct skuai_shelf *shelf, struct skuai_item *item)
{
	skua_store(&item->is_out, true, relaxed); /* order shelf.begin.1: it is ours alone */
	/* order shelf.begin.2: relaxed, the owner wrote it itself */
	int64_t lent = skua_load(&shelf->lent, relaxed);
	/* order shelf.begin.3: relaxed, who asks is ordered after it, says shelf.h */
	skua_store(&shelf->lent, lent + 1, relaxed);
}

struct skuai_item *skuai_shelf_take(struct skuai_shelf *shelf)
{
	struct skuai_item *item = shelf->newest;

	/* order shelf.take.1: relaxed, a hint; .2 decides */
	if (!item && skua_load(&shelf->back, relaxed))
		/* order shelf.take.2: acquire, pairs shelf.back.2; the items, their links, and what
		 * the last borrower left in them */
		item = skua_exchange(&shelf->back, NULL, acquire);
	if (!item)
		return NULL;
	shelf->newest = item->next;
	begin_loan(shelf, item);
	return item;
}

void skuai_shelf_add(struct skuai_shelf *shelf, struct skuai_item *item)
{
	item->home = shelf;
	begin_loan(shelf, item);
}

/* The borrower says that it is none any more.  False: it was none. */
static bool end_loan(struct skuai_item *item)
{
	/* order shelf.end.1: relaxed, only to notice a mistake; borrowers follow one another */
	if (!skua_load(&item->is_out, relaxed))
		return false;
	skua_store(&item->is_out, false, relaxed); /* order shelf.end.2: before the next loan */
	return true;
}

bool skuai_shelf_put(struct skuai_shelf *shelf, struct skuai_item *item)
{
	if (!end_loan(item))
		return false;
	item->next = shelf->newest;
	shelf->newest = item;
	/* order shelf.put.1: relaxed, the owner wrote it itself */
	int64_t lent = skua_load(&shelf->lent, relaxed);
	/* order shelf.put.2: release, pairs shelf.out.2; we are done with the item */
	skua_store(&shelf->lent, lent - 1, release);
	return true;
}

bool skuai_shelf_put_back(struct skuai_item *item)
{
	struct skuai_shelf *shelf = item->home;

	if (!end_loan(item))
		return false;
	/* order shelf.back.1: relaxed, .2 decides */
	struct skuai_item *back = skua_load(&shelf->back, relaxed);
	do
		item->next = back;
	/* order shelf.back.2: release, pairs shelf.take.2 */
	while (!skua_cas_weak(&shelf->back, &back, item, release, relaxed));
	/* order shelf.back.3: release, pairs shelf.out.1; last, for who sees it may free both */
	skua_add(&shelf->back_count, 1, release);
	return true;
}

bool skuai_shelf_is_out(struct skuai_shelf *shelf)
{
	/* order shelf.out.1: acquire, pairs shelf.back.3 */
	int64_t back_count = skua_load(&shelf->back_count, acquire);
	/* order shelf.out.2: acquire, pairs shelf.put.2 */
	int64_t lent = skua_load(&shelf->lent, acquire);

	return lent != back_count;
}
