/* SPDX-License-Identifier: MIT */
/* compare_files.c — `skua bench --compare`: two files read, compared and shown; the exit status */
#include "bench/verdict.h"
#include "command.h"

#include <stdio.h>
#include <stdlib.h>

static int status_of(const struct comparisons *all)
{
	const unsigned *verdicts = all->verdicts;
	unsigned told = verdicts[VERDICT_SLOWER] + verdicts[VERDICT_FASTER] +
			verdicts[VERDICT_SAME];

	if (told)
		return verdicts[VERDICT_SLOWER] ? STATUS_PARTLY : STATUS_DONE;
	/* Silence would pass for good news. */
	fprintf(stderr, "skua bench: %s\n",
		verdicts[VERDICT_UNTOLD]
			? "of not one measurement can be told whether it became slower"
			: "the two files have no measurement in common; name the same kernels, "
			  "sizes and --workers");
	return STATUS_FAULT;
}

int compare_files(const char *old_file, const char *new_file, double threshold, bool is_json)
{
	struct past old, new;
	struct comparisons all;
	int status = STATUS_FAULT;

	if (!past_read(&old, old_file))
		return STATUS_FAULT;
	if (past_read(&new, new_file)) {
		if (compare_runs(&old, &new, threshold, &all)) {
			if (is_json)
				compare_json(&all);
			else
				compare_text(&all);
			status = status_of(&all);
			free(all.each);
		} else {
			fprintf(stderr, "skua bench: not enough memory to compare\n");
		}
		past_drop(&new);
	}
	past_drop(&old);
	return status;
}
