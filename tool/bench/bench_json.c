/* SPDX-License-Identifier: MIT */
/* bench_json.c — results of kernels as JSON; every field is documented in docs/json.md */
#include "bench/bench.h"
#include "json.h"

#include <stddef.h>

/* Each value, in the order they were measured. */
static void write_samples(struct json *json, const char *key, const struct sample *sample)
{
	json_array(json, key);
	for (unsigned i = 0; i < sample->count; i++)
		json_real(json, NULL, sample->values[i]);
	json_close(json);
}

static void write_figures(struct json *json, const struct bench_result *result)
{
	json_array(json, "figures");
	for (unsigned i = 0; i < result->figure_count; i++) {
		const struct figure *figure = &result->figures[i];
		struct stats stats = sample_stats(&figure->ns);

		json_object(json, NULL);
		json_text(json, "name", figure->name);
		json_text(json, "variant", figure->variant);
		json_count(json, "samples", stats.count);
		if (stats.count) {
			json_real(json, "median_ns", stats.median);
			json_real(json, "quartile_low_ns", stats.low);
			json_real(json, "quartile_high_ns", stats.high);
		} else {
			json_null(json, "median_ns");
			json_null(json, "quartile_low_ns");
			json_null(json, "quartile_high_ns");
		}
		write_samples(json, "samples_ns", &figure->ns);
		json_close(json);
	}
	json_close(json);
}

/* 0 becomes null. */
static void write_real(struct json *json, const char *key, double value)
{
	if (value > 0)
		json_real(json, key, value);
	else
		json_null(json, key);
}

/* The first nine keys are a contract; docs/json.md tells. */
void bench_json(struct json *json, const struct bench_result *result)
{
	struct stats own = sample_stats(&result->own);
	double ratio = result->has_ratio ? sample_ratio(&result->own, &result->serial) : 0;

	json_object(json, NULL);
	json_text(json, "name", result->name);
	json_count(json, "size", result->size);
	json_count(json, "workers", result->workers);
	json_real(json, "serial_s", sample_stats(&result->serial).median);
	json_real(json, "seconds", own.median);
	write_real(json, "ratio_to_serial", ratio);
	json_count(json, "tasks", result->tasks);
	json_count(json, "steals", result->steals);
	json_yes(json, "check", result->check);
	json_text(json, "problem", result->problem);
	json_count(json, "rounds", result->rounds);
	json_real(json, "quartile_low_s", own.low);
	json_real(json, "quartile_high_s", own.high);
	write_real(json, "ratio_to_second", sample_ratio(&result->own, &result->second));
	write_real(json, "speedup", result->speedup);
	json_known(json, "speedup_from", result->speedup_from);
	write_real(json, "cpu_s", sample_stats(&result->cpu).median);
	json_text(json, "skipped", result->skipped);
	write_samples(json, "samples_s", &result->own);
	write_figures(json, result);
	json_close(json);
}
