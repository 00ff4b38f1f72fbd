/* SPDX-License-Identifier: MIT */
/* counters.c — what a worker counts about itself; one writer, any reader */
#include "sched/counters.h"

void skuai_counters_add(const struct skuai_counters *counters, struct skua_stats *stats)
{
	/* order counters.read.1: relaxed, a number of a moment ago */
#define ADD(name, what) stats->name += skua_load(&counters->name, relaxed);
	SKUA_COUNTERS(ADD)
#undef ADD
}

static const struct {
	const char *name, *what;
	size_t offset;
} columns[] = {
#define COLUMN(name, what) { #name, what, offsetof(struct skua_stats, name) },
	SKUA_COUNTERS(COLUMN)
#undef COLUMN
};

static uint64_t column_value(const struct skua_stats *stats, size_t column)
{
	return *(const uint64_t *)(const void *)((const char *)stats + columns[column].offset);
}

void skuai_counters_print(FILE *file, const char *name, const struct skua_stats *all,
			  const struct skua_stats *each, unsigned count)
{
	unsigned shown = count < SKUAI_COUNTERS_SHOWN ? count : SKUAI_COUNTERS_SHOWN;

	fprintf(file, "skua: pool \"%s\", %u worker%s\n%-14s %15s", name, count,
		count == 1 ? "" : "s", "", "all");
	for (unsigned w = 0; w < shown; w++)
		fprintf(file, " %14u", w);
	fputc('\n', file);
	for (size_t c = 0; c < sizeof(columns) / sizeof(columns[0]); c++) {
		uint64_t sum = column_value(all, c);
		if (sum == 0)
			continue;
		fprintf(file, "%-14s %15llu", columns[c].name, (unsigned long long)sum);
		for (unsigned w = 0; w < shown; w++)
			fprintf(file, " %14llu", (unsigned long long)column_value(&each[w], c));
		fprintf(file, "  %s\n", columns[c].what);
	}
}
