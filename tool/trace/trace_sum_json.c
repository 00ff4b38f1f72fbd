/* SPDX-License-Identifier: MIT */
/* trace_sum_json.c — a trace's summary as JSON; every field is documented in docs/json.md */
#include "json.h"
#include "trace/trace_command.h"
#include "trace/trace_sum.h"

#include <skua/skua.h>
#include <string.h>

static void write_seconds(struct json *json, const char *key, uint64_t ns)
{
	json_real(json, key, (double)ns / 1e9);
}

static void write_share(struct json *json, const char *key, double value)
{
	if (value < 0)
		json_null(json, key);
	else
		json_real(json, key, value);
}

static void write_facts(struct json *json, const struct trace *trace)
{
	const char *fact = trace->facts, *end = fact + trace->facts_bytes;

	json_array(json, "facts");
	for (; fact < end; fact += strlen(fact) + 1) {
		char key[64] = "";
		size_t length = strcspn(fact, "=");
		memcpy(key, fact, length < sizeof(key) ? length : sizeof(key) - 1);
		json_object(json, NULL);
		json_text(json, "key", key);
		json_text(json, "value", fact + length + 1);
		json_close(json);
	}
	json_close(json);
}

static void write_counts(struct json *json, const struct summary *summary)
{
	static const char *const keys[SLICE_KINDS] = { "tasks", "waits", "parks", "blocks",
						       "spans" };
	uint64_t slices = 0;

	json_object(json, "counts");
	for (unsigned i = 0; i < SLICE_KINDS; i++) {
		json_count(json, keys[i], summary->slices[i]);
		slices += summary->slices[i];
	}
	json_count(json, "slices", slices);
	json_count(json, "steals", summary->counts[SKUAI_TRACE_STEAL]);
	json_count(json, "depths", summary->counts[SKUAI_TRACE_DEPTH]);
	json_count(json, "marks", summary->counts[SKUAI_TRACE_MARK]);
	json_count(json, "wakes", summary->counts[SKUAI_TRACE_WAKE]);
	json_count(json, "forks", summary->forks);
	json_count(json, "misses", summary->misses);
	json_count(json, "injected", summary->injected);
	json_count(json, "shared", summary->shared);
	json_close(json);
}

static void write_worker(struct json *json, const struct summary *summary,
			 const struct sum_worker *worker)
{
	static const char *const keys[STATE_COUNT] = {
		[STATE_RUNNING] = "running_s", [STATE_SEARCHING] = "searching_s",
		[STATE_ASLEEP] = "asleep_s",   [STATE_WAITING] = "waiting_s",
		[STATE_BLOCKED] = "blocked_s", [STATE_UNSEEN] = "unseen_s",
	};

	json_object(json, NULL);
	json_count(json, "worker", worker->ring->worker);
	for (unsigned i = 0; i < STATE_COUNT; i++)
		write_seconds(json, keys[i], worker->ns[i]);
	write_seconds(json, "idle_beside_others_s", summary_idle_beside(summary, worker));
	write_seconds(json, "idle_beside_work_s", worker->idle_beside_ns);
	json_count(json, "tasks", worker->tasks);
	json_count(json, "steals", worker->steals);
	json_count(json, "stolen", worker->stolen);
	json_count(json, "robbed", worker->robbed);
	json_count(json, "misses", worker->misses);
	json_count(json, "written", worker->ring->written);
	json_count(json, "dropped", worker->ring->dropped);
	json_close(json);
}

static void write_steals(struct json *json, const struct summary *summary)
{
	json_array(json, "steals_by_distance");
	for (unsigned i = 0; i < 256; i++) {
		const char *word = walk_distance((uint8_t)i);
		if (!summary->distances[i])
			continue;
		json_object(json, NULL);
		json_text(json, "distance", word ? word : "other");
		json_count(json, "steals", summary->distances[i]);
		json_close(json);
	}
	json_close(json);
	json_array(json, "steals");
	for (size_t i = 0; i < summary->steal_count; i++) {
		json_object(json, NULL);
		json_count(json, "thief", summary->steals[i].thief);
		json_count(json, "victim", summary->steals[i].victim);
		json_count(json, "steals", summary->steals[i].steals);
		json_count(json, "tasks", summary->steals[i].tasks);
		json_close(json);
	}
	json_close(json);
}

static void write_waits(struct json *json, const struct summary *summary)
{
	json_array(json, "waits");
	for (unsigned i = 0; i < SUM_REASONS; i++) {
		if (!summary->waits[i].count)
			continue;
		json_object(json, NULL);
		json_text(json, "reason", summary_reason(i));
		json_count(json, "count", summary->waits[i].count);
		write_seconds(json, "seconds", summary->waits[i].ns);
		write_seconds(json, "idle_s", summary->waits[i].idle_ns);
		write_seconds(json, "longest_s", summary->waits[i].longest);
		json_close(json);
	}
	json_close(json);
}

static void write_tasks(struct json *json, const struct summary *summary)
{
	json_array(json, "tasks");
	for (size_t i = 0; i < summary->task_count; i++) {
		json_object(json, NULL);
		json_text(json, "name", summary->tasks[i].name);
		json_count(json, "count", summary->tasks[i].count);
		write_seconds(json, "seconds", summary->tasks[i].ns);
		write_seconds(json, "longest_s", summary->tasks[i].longest);
		json_close(json);
	}
	json_close(json);
}

static void write_gaps(struct json *json, const struct summary *summary)
{
	json_array(json, "gaps");
	for (unsigned i = 0; i < summary->gap_count; i++) {
		const struct sum_gap *gap = &summary->gaps[i];
		json_object(json, NULL);
		json_count(json, "worker", gap->worker);
		json_real(json, "at_s", (double)gap->start / 1e9);
		json_real(json, "seconds", (double)gap->ns / 1e9);
		json_text(json, "state", trace_state_words[gap->state]);
		json_real(json, "beside_work_s", (double)gap->beside / 1e9);
		json_close(json);
	}
	json_close(json);
}

static void write_warning(void *context, const char *text)
{
	json_text(context, NULL, text);
}

static void write_file(struct json *json, const struct trace_call *call)
{
	const struct trace *trace = call->trace;

	json_text(json, "schema", "skua-trace-1");
	json_text(json, "skua_version", skua_version_text());
	json_name(json, "file", call->path);
	json_count(json, "process", trace->header.process);
	json_signed(json, "start_wall_ns", trace->header.start_wall_ns);
	json_real(json, "seconds", (double)trace_length(trace) / 1e9);
	json_yes(json, "snapshot", trace->header.flags & SKUAI_TRACE_IS_SNAPSHOT);
	json_yes(json, "truncated", trace->is_truncated);
	json_yes(json, "calibrated", trace->is_calibrated);
	json_count(json, "records", trace->records);
	json_count(json, "dropped", trace->dropped);
	json_count(json, "unknown_records", trace->unknown_records);
	json_count(json, "unknown_sections", trace->unknown_sections);
	json_count(json, "trailing_bytes", trace->trailing);
	write_facts(json, trace);
}

void summary_json(const struct summary *summary, const struct trace_call *call)
{
	struct json json = { 0 };

	json_object(&json, NULL);
	write_file(&json, call);
	write_share(&json, "utilisation", summary->utilisation);
	write_share(&json, "imbalance", summary->imbalance);
	write_seconds(&json, "somebody_ran_s", summary->somebody_ns);
	write_counts(&json, summary);
	json_array(&json, "workers");
	for (size_t i = 0; i < call->trace->ring_count; i++)
		if (!summary->workers[i].is_outside)
			write_worker(&json, summary, &summary->workers[i]);
	json_close(&json);
	write_steals(&json, summary);
	write_waits(&json, summary);
	write_tasks(&json, summary);
	write_gaps(&json, summary);
	json_array(&json, "warnings");
	summary_warn(summary, write_warning, &json);
	json_close(&json);
	json_close(&json);
}
