/* SPDX-License-Identifier: MIT */
/* bench.h — the two forms in which results are shown */
#ifndef SKUAT_BENCH_H
#define SKUAT_BENCH_H

#include "bench/kernel.h"

#include <stddef.h>

struct json;

/* A kernel of its own kind, in words; its figures as a table. */
void bench_text(const struct bench_result *result);

/* A program of bench/work: one row of the table that bench_rows_title starts. */
void bench_rows_title(void);
void bench_row(const struct bench_result *result, bool is_first);
void bench_rows_end(bool is_right);

/* Three digits and a unit: "251 ms", "35.1 ms". */
void bench_seconds(char *text, size_t size, double seconds);

/* A word about it when the machine did other things; both forms take it from others.h. */
void bench_busy(double other_cpus);

/* The figures that only this kernel has. */
void bench_figures(const struct bench_result *result);

void bench_json(struct json *json, const struct bench_result *result);

#endif
