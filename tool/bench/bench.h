/* SPDX-License-Identifier: MIT */
/* bench.h — the two forms in which results are shown */
#ifndef SKUAT_BENCH_H
#define SKUAT_BENCH_H

#include "bench/kernel.h"

struct json;

void bench_text(const struct kernel *kernel, const struct bench_result *result);
void bench_json(struct json *json, const struct kernel *kernel, const struct bench_result *result);

#endif
