/* SPDX-License-Identifier: MIT */
/* verdict.h — two runs side by side: what became slower, what faster, what nobody can tell */
#ifndef SKUAT_VERDICT_H
#define SKUAT_VERDICT_H

#include "bench/interval.h"
#include "bench/past.h"

struct json;

/*
 * The one list.  A ratio within the threshold is `same`.  One beyond it is `slower` or `faster`
 * when the interval does not hold 1, and cannot be told from chance when it does.
 */
#define VERDICTS(X)                                     \
	X(VERDICT_SLOWER, "slower", "slower")           \
	X(VERDICT_FASTER, "faster", "faster")           \
	X(VERDICT_SAME, "same", "same")                 \
	X(VERDICT_UNTOLD, "cannot_tell", "cannot tell") \
	X(VERDICT_ONLY_OLD, "only_old", "only old")     \
	X(VERDICT_ONLY_NEW, "only_new", "only new")

#define VERDICT_ENTRY(name, word, shown) name,
enum verdict {
	VERDICTS(VERDICT_ENTRY) VERDICT_KINDS
};
#undef VERDICT_ENTRY

/* Why it cannot be told; as JSON says it, and for people. */
#define REASONS(X)                                                                            \
	X(REASON_NONE, "", "")                                                                \
	X(REASON_WRONG, "wrong_result", "its result was wrong in one of the two runs")        \
	X(REASON_NO_SAMPLES, "no_samples", "a file holds no samples: an older skua wrote it") \
	X(REASON_FEW, "few_samples",                                                          \
	  "fewer than 6 rounds in one of the two; use --repeat=9 or more")                    \
	X(REASON_NO_TIME, "no_time", "a round took no time at all, says its file")            \
	X(REASON_SCATTER, "scatter",                                                          \
	  "the difference is within what the rounds scatter; use more of them")

#define REASON_ENTRY(name, word, shown) name,
enum reason {
	REASONS(REASON_ENTRY) REASON_KINDS
};
#undef REASON_ENTRY

struct comparison {
	const struct past_row *before, *after; /* NULL: it is only in the other */
	enum verdict verdict;
	enum reason reason;	  /* REASON_NONE but for VERDICT_UNTOLD */
	bool has_interval;	  /* interval is filled in */
	struct interval interval; /* of after / before */
	double serial;		  /* the serial program's, after / before; 0: not known */
};

struct comparisons {
	double threshold; /* 0.03: three per cent are nothing */
	const struct past *old, *new;
	unsigned count;
	unsigned verdicts[VERDICT_KINDS]; /* how many of each */
	unsigned reasons[REASON_KINDS];
	double serial; /* the median of all; 0: none is known */
	struct comparison *each;
};

struct comparison compare_rows(const struct past_row *before, const struct past_row *after,
			       double threshold);

/*
 * Kernel, size and number of workers make a pair; of several that are alike the first goes with
 * the first.  In the order of the new run, then what is only in the old one.  False: no memory.
 */
bool compare_runs(struct past *old, struct past *new, double threshold,
		  struct comparisons *comparisons);

void compare_text(const struct comparisons *comparisons);
void compare_json(const struct comparisons *comparisons);

/* `skua bench --compare`: all of it; gives the exit status. */
int compare_files(const char *old, const char *new, double threshold, bool is_json);

#endif
