/* SPDX-License-Identifier: MIT */
/* race_json.c — a race as JSON; every field is documented in docs/json.md */
#include "json.h"
#include "race/race.h"

#include <stddef.h>

static void write_worst(struct json *json, const struct race_row *row)
{
	const struct sample *sample = &row->readings[RACE_IMBALANCE];
	double worst = 0;

	for (unsigned i = 0; i < sample->count; i++)
		worst = sample->values[i] > worst ? sample->values[i] : worst;
	if (sample->count)
		json_real(json, "imbalance_worst", worst);
	else
		json_null(json, "imbalance_worst");
}

static void write_row(struct json *json, const struct race_row *row)
{
	struct stats seconds = sample_stats(&row->readings[RACE_SECONDS]);

	json_object(json, NULL);
	json_text(json, "rival", race_row_name(row));
	json_text(json, "role", row->rival ? row->rival->role : "a plain loop over all jobs");
	json_count(json, "workers", row->workers);
	json_yes(json, "check", row->check);
	json_text(json, "failed", row->failed);
	json_count(json, "samples", seconds.count);
	for (int i = 0; i < RACE_READINGS_COUNT; i++) {
		if (row->readings[i].count)
			json_real(json, race_reading_keys[i],
				  race_median(row, (enum race_reading)i));
		else
			json_null(json, race_reading_keys[i]);
	}
	if (seconds.count) {
		json_real(json, "quartile_low_s", seconds.low);
		json_real(json, "quartile_high_s", seconds.high);
	} else {
		json_null(json, "quartile_low_s");
		json_null(json, "quartile_high_s");
	}
	write_worst(json, row);
	json_close(json);
}

void race_json(struct json *json, const struct race_result *result)
{
	json_object(json, NULL);
	json_text(json, "name", result->shape->name);
	json_text(json, "role", result->shape->role);
	json_count(json, "jobs", result->jobs);
	json_array(json, "rows");
	for (unsigned i = 0; i < result->row_count; i++)
		write_row(json, &result->rows[i]);
	json_close(json);
	json_close(json);
}
