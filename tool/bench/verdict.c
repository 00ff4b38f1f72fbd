/* SPDX-License-Identifier: MIT */
/* verdict.c — two runs side by side: what became slower, what faster, what nobody can tell */
#include "bench/verdict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static enum reason why_untold(const struct past_row *before, const struct past_row *after)
{
	if (!before->check || !after->check)
		return REASON_WRONG;
	if (!before->own.count || !after->own.count)
		return REASON_NO_SAMPLES;
	if (before->own.count < INTERVAL_LEAST || after->own.count < INTERVAL_LEAST)
		return REASON_FEW;
	return REASON_NO_TIME;
}

struct comparison compare_rows(const struct past_row *before, const struct past_row *after,
			       double threshold)
{
	struct comparison found = { .before = before, .after = after };
	const struct interval *interval = &found.interval;

	if (!before || !after) {
		found.verdict = before ? VERDICT_ONLY_OLD : VERDICT_ONLY_NEW;
		return found;
	}
	if (before->serial > 0 && isfinite(after->serial / before->serial))
		found.serial = after->serial / before->serial;
	found.verdict = VERDICT_UNTOLD;
	found.has_interval = before->check && after->check &&
			     interval_of(&before->own, &after->own, &found.interval);
	if (!found.has_interval) {
		found.reason = why_untold(before, after);
		return found;
	}
	/* Both ways alike: exchange the files, and slower becomes faster. */
	bool is_slower = interval->ratio > 1 + threshold;
	bool is_faster = interval->ratio < 1 / (1 + threshold);
	if (!is_slower && !is_faster)
		found.verdict = VERDICT_SAME;
	else if (is_slower && interval->low > 1)
		found.verdict = VERDICT_SLOWER;
	else if (is_faster && interval->high < 1)
		found.verdict = VERDICT_FASTER;
	else
		found.reason = REASON_SCATTER;
	return found;
}

static bool is_same_text(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

/* The first in the old run that has no partner yet; NULL: there is none. */
static struct past_row *find_partner(struct past *old, const struct past_row *row)
{
	for (unsigned i = 0; i < old->count; i++) {
		struct past_row *other = &old->rows[i];
		if (!other->is_used && other->workers == row->workers &&
		    strcmp(other->name, row->name) == 0 &&
		    is_same_text(other->problem, row->problem))
			return other;
	}
	return NULL;
}

static void add(struct comparisons *all, const struct past_row *before,
		const struct past_row *after)
{
	struct comparison found = compare_rows(before, after, all->threshold);

	all->each[all->count++] = found;
	all->verdicts[found.verdict]++;
	all->reasons[found.reason]++;
}

/* Several numbers of workers share one serial program, so some count more than once; never mind. */
static double serial_median(const struct comparisons *all)
{
	struct sample ratios = { 0 };

	for (unsigned i = 0; i < all->count; i++) {
		if (all->each[i].serial > 0)
			sample_add(&ratios, all->each[i].serial);
	}
	return sample_stats(&ratios).median;
}

bool compare_runs(struct past *old, struct past *new, double threshold, struct comparisons *all)
{
	*all = (struct comparisons){ .threshold = threshold, .old = old, .new = new };
	all->each = calloc((size_t)old->count + new->count + 1, sizeof(*all->each));
	if (!all->each)
		return false;
	for (unsigned i = 0; i < new->count; i++) {
		struct past_row *partner = find_partner(old, &new->rows[i]);
		if (partner)
			partner->is_used = true;
		add(all, partner, &new->rows[i]);
	}
	for (unsigned i = 0; i < old->count; i++) {
		if (!old->rows[i].is_used)
			add(all, &old->rows[i], NULL);
	}
	all->serial = serial_median(all);
	return true;
}
