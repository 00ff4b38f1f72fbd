/* SPDX-License-Identifier: MIT */
/* shelf.h — things lent to one borrower at a time: an owner lends, anybody gives back */
#ifndef SKUAI_SCHED_SHELF_H
#define SKUAI_SCHED_SHELF_H

#include "sched/forks.h" /* SKUAI_LINE */

#include <stdbool.h>
#include <stdint.h>

struct skuai_shelf;

/* What stands in front of the thing itself. */
struct skuai_item {
	struct skuai_item *next;  /* on its shelf; whoever puts it there writes */
	struct skuai_shelf *home; /* set when it is made */
	_Atomic bool is_out;	  /* whoever borrows it or gives it back writes */
};

/*
 * shelf.c tells how it works.  Zeroed is empty.  "Owner" is one thread at a time, each ordered
 * after the last: whoever works at a worker's place, or whoever holds the lock that belongs to it.
 */
struct skuai_shelf {
	/* line 0: the owner's */
	_Alignas(SKUAI_LINE) struct skuai_item *newest; /* what can be lent */
	_Atomic int64_t lent; /* owner writes, all may read: lent, less given back to the owner */
	/* line 1: everybody else's */
	_Alignas(SKUAI_LINE) _Atomic(struct skuai_item *) back; /* given back by others */
	_Atomic int64_t back_count;				/* that many, ever */
};

/* Owner only: borrow what was given back last.  NULL: nothing is here. */
struct skuai_item *skuai_shelf_take(struct skuai_shelf *shelf);

/* Owner only: a new item, of this shelf from now on, and borrowed. */
void skuai_shelf_add(struct skuai_shelf *shelf, struct skuai_item *item);

/* Owner only: give an item of this shelf back.  False: it is here already. */
bool skuai_shelf_put(struct skuai_shelf *shelf, struct skuai_item *item);

/* The same for anybody; nothing of the item or its shelf is touched after the count. */
bool skuai_shelf_put_back(struct skuai_item *item);

/*
 * Is anything of it borrowed?  For who is ordered after every borrowing by other means; else it is
 * news of a moment ago.  False: all that borrowers did is visible, and they are done with it.
 */
bool skuai_shelf_is_out(struct skuai_shelf *shelf);

#endif
