/* SPDX-License-Identifier: MIT */
/* race_csv.c — every round of a race as a line of CSV, for programs that draw */
#include "output.h"
#include "race/race.h"

void race_csv_title(void)
{
	out("shape,jobs,rival,workers,round");
	for (int i = 0; i < RACE_READINGS_COUNT; i++)
		out(",%s", race_reading_keys[i]);
	out(",check\n");
}

static void write_round(const struct race_row *row, unsigned round)
{
	for (int i = 0; i < RACE_READINGS_COUNT; i++) {
		const struct sample *sample = &row->readings[i];
		if (round < sample->count)
			out(",%.9g", sample->values[round]);
		else
			out(",");
	}
	out(",%s\n", row->check ? "true" : "false");
}

void race_csv(const struct race_result *result)
{
	for (unsigned round = 0; round < result->rounds; round++) {
		for (unsigned i = 0; i < result->row_count; i++) {
			const struct race_row *row = &result->rows[i];
			if (row->failed)
				continue;
			out("%s,%u,%s,%u,%u", result->shape->name, result->jobs, race_row_name(row),
			    row->workers, round + 1);
			write_round(row, round);
		}
	}
}
