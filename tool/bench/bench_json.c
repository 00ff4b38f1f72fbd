/* SPDX-License-Identifier: MIT */
/* bench_json.c — results of kernels as JSON; every field is documented in docs/json.md */
#include "bench/bench.h"
#include "json.h"

#include <stddef.h>

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
		json_close(json);
	}
	json_close(json);
}

void bench_json(struct json *json, const struct kernel *kernel, const struct bench_result *result)
{
	double ratio = sample_ratio(&result->own, &result->serial);

	json_object(json, NULL);
	json_text(json, "name", kernel->name);
	json_count(json, "size", result->size);
	json_count(json, "workers", result->workers);
	json_real(json, "serial_s", sample_stats(&result->serial).median);
	json_real(json, "seconds", sample_stats(&result->own).median);
	if (ratio > 0)
		json_real(json, "ratio_to_serial", ratio);
	else
		json_null(json, "ratio_to_serial");
	json_count(json, "tasks", result->tasks);
	json_count(json, "steals", result->steals);
	json_yes(json, "check", result->check);
	json_text(json, "skipped", result->skipped);
	write_figures(json, result);
	json_close(json);
}
