/* SPDX-License-Identifier: MIT */
/* trace_show_check.c — `skua trace check`: violations as text or JSON, and the status */
#include "json.h"
#include "output.h"
#include "report.h"
#include "text.h"
#include "trace/trace_check.h"
#include "trace/trace_command.h"

#include <inttypes.h>
#include <skua/skua.h>

static void hear_text(void *context, const struct violation *violation)
{
	(void)context;
	out("%sworker %" PRIu32 "%s, ", report_paint(stdout, PAINT_WARN), violation->worker,
	    report_paint(stdout, PAINT_PLAIN));
	if (violation->number != WALK_NONE)
		out("%.9f s, record %" PRIu64 ": ", (double)violation->ns / 1e9, violation->number);
	else
		out("all records: ");
	out("%s\n", text_clean(violation->text, 0).s);
}

static void hear_json(void *context, const struct violation *violation)
{
	struct json *json = context;

	json_object(json, NULL);
	json_text(json, "rule", violation->rule);
	json_count(json, "worker", violation->worker);
	if (violation->number != WALK_NONE) {
		json_count(json, "record", violation->number);
		json_real(json, "at_s", (double)violation->ns / 1e9);
	} else {
		json_null(json, "record");
		json_null(json, "at_s");
	}
	json_text(json, "text", violation->text);
	json_close(json);
}

static void start_json(struct json *json, const struct trace_call *call)
{
	json_object(json, NULL);
	json_text(json, "schema", "skua-trace-check-1");
	json_text(json, "skua_version", skua_version_text());
	json_name(json, "file", call->path);
	json_yes(json, "truncated", call->trace->is_truncated);
	json_count(json, "records", call->trace->records);
	json_array(json, "violations");
}

static void end_json(struct json *json, const struct check *check)
{
	json_close(json);
	json_count(json, "violation_count", check->violations);
	json_count(json, "open_before", check->open_before);
	json_count(json, "open_after", check->open_after);
	json_close(json);
}

static void end_text(const struct check *check)
{
	if (check->violations > check->most)
		out("and %" PRIu64 " more; --most=%" PRIu64 " shows them\n",
		    check->violations - check->most, check->violations);
	if (check->trace->is_truncated)
		out("the file is cut short: what is there was checked\n");
	if (check->open_before || check->open_after)
		out("open at the start: %" PRIu64 ", at the end: %" PRIu64 "\n", check->open_before,
		    check->open_after);
	out("%" PRIu64 " violation%s in %" PRIu64 " records of %zu ring%s\n", check->violations,
	    check->violations == 1 ? "" : "s", check->trace->records, check->trace->ring_count,
	    check->trace->ring_count == 1 ? "" : "s");
}

int trace_check(const struct trace_call *call)
{
	const struct trace_options *options = call->options;
	struct json json = { 0 };
	struct check check = {
		.trace = call->trace,
		.bound_ns = (int64_t)(options->bound_ns ? options->bound_ns : TRACE_BOUND_NS),
		.most = options->most ? options->most : TRACE_CHECK_MOST,
		.is_whole = options->is_whole,
		.hear = options->is_json ? hear_json : hear_text,
		.context = &json,
	};

	if (options->is_json)
		start_json(&json, call);
	if (!check_trace(&check))
		return trace_no_memory(call->path);
	if (options->is_json)
		end_json(&json, &check);
	else
		end_text(&check);
	return check.violations ? STATUS_PARTLY : STATUS_DONE;
}
