/* SPDX-License-Identifier: MIT */
/* knapsack.h — the best filling of a knapsack: branches cut off by what others have found */
#ifndef SKUA_WORK_KNAPSACK_H
#define SKUA_WORK_KNAPSACK_H

#include "work.h"

#define KNAPSACK_ITEMS_MAX 64

struct knapsack_item {
	int value, weight;
};

struct knapsack {
	struct knapsack_item items[KNAPSACK_ITEMS_MAX]; /* the most worth for its weight first */
	int count, capacity;
	int answer;		    /* by dynamic programming */
	struct knapsack_best *best; /* shared by all who search */
};

/* The best value found so far, by anybody; it may be a moment old. */
int knapsack_best(const struct knapsack *sack);

/* This value can be had. */
void knapsack_offer(struct knapsack *sack, int value);

/* From item i on, with so much room left and this value inside: can it still be better? */
static inline bool knapsack_may_win(const struct knapsack *sack, int i, int room, int value)
{
	const struct knapsack_item *item = &sack->items[i];

	return i < sack->count &&
	       value + (int)((int64_t)room * item->value / item->weight) > knapsack_best(sack);
}

#endif
