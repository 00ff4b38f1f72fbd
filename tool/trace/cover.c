/* SPDX-License-Identifier: MIT */
/* cover.c — pieces of time put together, and how much of another they cover */
#include "trace/cover.h"

#include <stdlib.h>

bool cover_add(struct cover *cover, int64_t start, int64_t end)
{
	struct cover_piece *last = cover->count ? &cover->pieces[cover->count - 1] : NULL;

	if (end <= start)
		return true;
	if (last && start >= last->start && start <= last->end) { /* goes on where it was */
		last->end = end > last->end ? end : last->end;
		return true;
	}
	if (!cover->pieces || cover->count == cover->room) {
		size_t room = cover->room ? 2 * cover->room : 64;
		struct cover_piece *more = realloc(cover->pieces, room * sizeof(*more));
		if (!more)
			return false;
		cover->pieces = more;
		cover->room = room;
	}
	cover->pieces[cover->count++] = (struct cover_piece){ .start = start, .end = end };
	return true;
}

static int by_begin(const void *left, const void *right)
{
	const struct cover_piece *a = left, *b = right;

	return (a->start > b->start) - (a->start < b->start);
}

void cover_join(struct cover *cover)
{
	struct cover_piece *all = cover->pieces;
	size_t kept = 0;

	if (!cover->count)
		return;
	qsort(all, cover->count, sizeof(*all), by_begin);
	for (size_t i = 1; i < cover->count; i++) {
		if (all[i].start <= all[kept].end) {
			if (all[i].end > all[kept].end)
				all[kept].end = all[i].end;
			continue;
		}
		all[i].before = all[kept].before + (all[kept].end - all[kept].start);
		all[++kept] = all[i];
	}
	cover->count = kept + 1;
}

void cover_drop(struct cover *cover)
{
	free(cover->pieces);
	*cover = (struct cover){ 0 };
}

int64_t cover_length(const struct cover *cover)
{
	const struct cover_piece *last = cover->count ? &cover->pieces[cover->count - 1] : NULL;

	return last ? last->before + (last->end - last->start) : 0;
}

/* Time that is covered before a moment. */
static int64_t covered_until(const struct cover *cover, int64_t ns)
{
	size_t low = 0, high = cover->count;

	while (low < high) { /* the first that begins later */
		size_t middle = low + (high - low) / 2;
		if (cover->pieces[middle].start <= ns)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0)
		return 0;
	const struct cover_piece *piece = &cover->pieces[low - 1];
	return piece->before + ((ns < piece->end ? ns : piece->end) - piece->start);
}

int64_t cover_overlap(const struct cover *cover, int64_t start, int64_t end)
{
	return end > start ? covered_until(cover, end) - covered_until(cover, start) : 0;
}
