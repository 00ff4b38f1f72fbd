/* SPDX-License-Identifier: MIT */
/* sort_inplace.c — the sort that needs no memory but the stack */
#include "par/sort_parts.h"

#include <skua/fork.h>

#include <string.h>

/*
 * Halves are sorted, then merged where they are: cut both as a merge into other memory would be
 * cut, exchange the back of the first with the front of the second, and what is left are two
 * merges of half the size.
 *
 *	[ a before | a after ][ b before | b after ]
 *	[ a before | b before ][ a after | b after ]
 *
 * As soon as the first fits into some room on the stack, it goes there, and is merged from there.
 */

#define PLACE_FEW   8	 /* elements sorted by inserting */
#define PLACE_GRAIN 2048 /* elements that are not worth a fork */
#define PLACE_ROOM  1024 /* bytes on the stack */

static void place_swap(char *a, char *b, size_t bytes)
{
	char room[64];

	while (bytes) {
		size_t part = bytes < sizeof(room) ? bytes : sizeof(room);
		memcpy(room, a, part);
		memcpy(a, b, part);
		memcpy(b, room, part);
		a += part;
		b += part;
		bytes -= part;
	}
}

static void place_reverse(char *base, size_t count, size_t bytes)
{
	for (char *last = base + count * bytes; base + bytes < last; base += bytes) {
		last -= bytes;
		place_swap(base, last, bytes);
	}
}

/* The first a_count elements behind the b_count that follow. */
static void place_exchange(char *base, size_t a_count, size_t b_count, size_t bytes)
{
	if (!a_count || !b_count)
		return;
	if (a_count == b_count) {
		place_swap(base, base + a_count * bytes, a_count * bytes);
		return;
	}
	place_reverse(base, a_count, bytes);
	place_reverse(base + a_count * bytes, b_count, bytes);
	place_reverse(base, a_count + b_count, bytes);
}

static void place_insert(const struct skuai_order *order, char *base, size_t count)
{
	size_t bytes = order->leaves->bytes;

	for (size_t i = 1; i < count; i++)
		for (char *at = base + i * bytes;
		     at > base && skuai_order_is_before(order, at, at - bytes); at -= bytes)
			place_swap(at - bytes, at, bytes);
}

/* The first array fits into the room. */
static void place_merge_few(const struct skuai_order *order, char *base, size_t a_count,
			    size_t b_count)
{
	_Alignas(64) char room[PLACE_ROOM];
	size_t bytes = order->leaves->bytes;
	const char *a = room, *a_end = room + a_count * bytes;
	const char *b = base + a_count * bytes, *b_end = b + b_count * bytes;

	memcpy(room, base, a_count * bytes);
	for (; a < a_end && b < b_end; base += bytes)
		if (skuai_order_is_before(order, b, a)) {
			memcpy(base, b, bytes);
			b += bytes;
		} else {
			memcpy(base, a, bytes);
			a += bytes;
		}
	memcpy(base, a, (size_t)(a_end - a)); /* the rest of b is where it belongs */
}

SKUA_TASK_VOID(place_merge, const struct skuai_order *, order, char *, base, size_t, a_count,
	       size_t, b_count)
{
	size_t bytes = order->leaves->bytes, a_cut, b_cut;
	char *b = base + a_count * bytes;

	if (!a_count || !b_count || !skuai_order_is_before(order, b, b - bytes))
		return;
	if (a_count * bytes <= PLACE_ROOM) {
		place_merge_few(order, base, a_count, b_count);
		return;
	}
	if (a_count == 1 && b_count == 1) {
		place_swap(base, b, bytes);
		return;
	}
	if (a_count > b_count) {
		a_cut = a_count / 2;
		b_cut = skuai_sort_rank(order, b, b_count, base + a_cut * bytes, false);
	} else {
		b_cut = b_count / 2;
		a_cut = skuai_sort_rank(order, base, a_count, b + b_cut * bytes, true);
	}
	place_exchange(base + a_cut * bytes, a_count - a_cut, b_cut, bytes);
	char *middle = base + (a_cut + b_cut) * bytes;
	if (skua_here && a_count + b_count > PLACE_GRAIN) {
		skua_fork(place_merge, back, order, middle, a_count - a_cut, b_count - b_cut);
		skua_call(place_merge, order, base, a_cut, b_cut);
		skua_join(place_merge, back);
	} else {
		place_merge(skua_here, order, base, a_cut, b_cut);
		place_merge(skua_here, order, middle, a_count - a_cut, b_count - b_cut);
	}
}

SKUA_TASK_VOID(place_sort, const struct skuai_order *, order, char *, base, size_t, count)
{
	size_t half = count / 2;
	char *middle = base + half * order->leaves->bytes;

	if (count <= PLACE_FEW) {
		place_insert(order, base, count);
		return;
	}
	if (skua_here && count > PLACE_GRAIN) {
		skua_fork(place_sort, back, order, middle, count - half);
		skua_call(place_sort, order, base, half);
		skua_join(place_sort, back);
	} else {
		place_sort(skua_here, order, base, half);
		place_sort(skua_here, order, middle, count - half);
	}
	place_merge(skua_here, order, base, half, count - half);
}

void skuai_sort_in_place(struct skua_slot *here, const struct skuai_order *order, char *base,
			 size_t count)
{
	place_sort(here, order, base, count);
}
