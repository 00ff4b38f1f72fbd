/* SPDX-License-Identifier: MIT */
/* scan_metrics.c — the report of what a scan itself cost: time, memory, the pool's counters */
#include "output.h"
#include "report.h"
#include "scan/scan_command.h"

#include <sys/resource.h>

struct cost {
	double user_s, system_s;
	uint64_t peak_bytes, switches_voluntary, switches_involuntary;
	uint64_t entries;
	struct skua_stats pool;
};

static double seconds_of(struct timeval time)
{
	return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

static struct cost cost_of(const struct scan *scan)
{
	struct cost cost = { .pool = { .size = sizeof(cost.pool) } };
	const struct scan_tally *total = &scan->total;
	struct rusage usage;

	if (getrusage(RUSAGE_SELF, &usage) == 0) {
		cost.user_s = seconds_of(usage.ru_utime);
		cost.system_s = seconds_of(usage.ru_stime);
		cost.peak_bytes = (uint64_t)usage.ru_maxrss * 1024;
		cost.switches_voluntary = (uint64_t)usage.ru_nvcsw;
		cost.switches_involuntary = (uint64_t)usage.ru_nivcsw;
	}
	if (scan->pool)
		skua_pool_stats(scan->pool, -1, &cost.pool);
	cost.entries = total->directories + total->files + total->symlinks + total->others;
	return cost;
}

static void print_json(struct json *json, const struct scan *scan, const struct cost *cost)
{
	json_object(json, "metrics");
	json_real(json, "cpu_user_s", cost->user_s);
	json_real(json, "cpu_system_s", cost->system_s);
	json_count(json, "tree_bytes", scan->memory);
	json_count(json, "peak_bytes", cost->peak_bytes);
	json_count(json, "switches_voluntary", cost->switches_voluntary);
	json_count(json, "switches_involuntary", cost->switches_involuntary);
	json_count(json, "tasks", cost->pool.tasks);
	json_count(json, "injected", cost->pool.injected);
	json_count(json, "stolen", cost->pool.stolen_jobs);
	json_count(json, "failed_steals", cost->pool.failed);
	json_count(json, "parks", cost->pool.parks);
	json_count(json, "wakes", cost->pool.wakes);
	json_real(json, "idle_s", (double)cost->pool.idle_ns / 1e9);
	json_close(json);
}

static int print_metrics(struct scan *scan, const struct scan_choice *choice)
{
	struct cost cost = cost_of(scan);

	if (choice->json) {
		print_json(choice->json, scan, &cost);
		return STATUS_DONE;
	}
	report_row("CPU time", "%.3f s in the program, %.3f s in the kernel", cost.user_s,
		   cost.system_s);
	report_row("tree", "%s, %.1f bytes an entry", scan_bytes(scan->memory).s,
		   cost.entries ? (double)scan->memory / (double)cost.entries : 0);
	report_row("memory", "%s at most", scan_bytes(cost.peak_bytes).s);
	report_row("switches", "%s voluntary, %s involuntary",
		   scan_number(cost.switches_voluntary).s,
		   scan_number(cost.switches_involuntary).s);
	report_row("pool", "%s tasks, %s stolen, %s parks, %s wakes, %.3f s idle",
		   scan_number(cost.pool.tasks).s, scan_number(cost.pool.stolen_jobs).s,
		   scan_number(cost.pool.parks).s, scan_number(cost.pool.wakes).s,
		   (double)cost.pool.idle_ns / 1e9);
	return STATUS_DONE;
}

const struct scan_report scan_report_metrics = {
	.name = "metrics",
	.title = "What the scan took",
	.level = SCAN_TOTALS,
	.print = print_metrics,
};
