/* SPDX-License-Identifier: MIT */
/* top_json.c — a monitored process as JSON; every field is documented in docs/json.md */
#include "json.h"
#include "output.h"
#include "top/top.h"

static void rate(struct json *json, const char *key, const struct top_rates *rates, double value)
{
	if (rates->is_known)
		json_real(json, key, value);
	else
		json_null(json, key);
}

static void rates_json(struct json *json, const struct top_rates *rates)
{
	rate(json, "running", rates, rates->running);
	rate(json, "tasks_per_s", rates, rates->tasks);
	rate(json, "steals_per_s", rates, rates->steals);
	rate(json, "misses_per_s", rates, rates->misses);
	rate(json, "parks_per_s", rates, rates->parks);
}

static void worker_json(struct json *json, const struct live_pool *before,
			const struct live_pool *pool, unsigned number)
{
	const struct skuai_live_worker *worker = &pool->workers[number];
	struct top_rates rates = top_rates_of(before, pool, (int)number);

	json_object(json, NULL);
	json_count(json, "number", number);
	json_text(json, "state", top_state_word(worker->state));
	rates_json(json, &rates);
	json_count(json, "tasks", worker->tasks);
	json_count(json, "jobs", worker->jobs);
	json_count(json, "steals", worker->steals);
	json_count(json, "stolen_jobs", worker->stolen_jobs);
	json_count(json, "misses", worker->failed);
	json_count(json, "parks", worker->parks);
	json_count(json, "wakes", worker->wakes);
	json_real(json, "idle_s", (double)worker->idle_ns / 1e9);
	json_count(json, "deque", worker->deque);
	json_count(json, "forks", worker->forks);
	json_known(json, "thread", worker->thread);
	json_yes(json, "is_guest", worker->flags & SKUAI_LIVE_IS_GUEST);
	json_yes(json, "is_stuck", worker->flags & SKUAI_LIVE_IS_STUCK);
	json_text(json, "task", worker->task[0] ? worker->task : NULL);
	if (worker->since_ns && worker->since_ns <= pool->head.now_ns)
		json_real(json, "task_s", (double)(pool->head.now_ns - worker->since_ns) / 1e9);
	else
		json_null(json, "task_s");
	json_close(json);
}

static void pool_json(struct json *json, const struct top_view *view, const struct live_pool *pool)
{
	const struct live_pool *before = top_pool_before(view, pool);
	const struct skuai_live_head *head = &pool->head;
	struct top_rates all = top_rates_of(before, pool, -1);

	json_object(json, NULL);
	json_count(json, "number", head->pool);
	json_text(json, "name", head->name);
	json_count(json, "workers_wanted", head->wanted);
	json_count(json, "workers_active", head->active);
	json_real(json, "monitored_s",
		  head->now_ns > head->begun_ns ? (double)(head->now_ns - head->begun_ns) / 1e9
						: 0);
	json_real(json, "silent_s", top_silence_s(view, pool));
	json_real(json, "watchdog_s", head->stuck_ms / 1e3);
	json_count(json, "stuck", head->stuck);
	json_yes(json, "has_urgent", head->queues & 1);
	json_yes(json, "has_normal", head->queues & 2);
	json_yes(json, "has_low", head->queues & 4);
	rates_json(json, &all);
	json_array(json, "workers");
	for (unsigned i = 0; i < head->workers; i++)
		worker_json(json, before, pool, i);
	json_close(json);
	json_close(json);
}

void top_show_json(const struct top_view *view, bool is_line)
{
	struct json json = { .is_line = is_line };

	json_object(&json, NULL);
	json_text(&json, "schema", "skua-top-1");
	json_count(&json, "process", view->now.number);
	json_text(&json, "program", view->now.program);
	json_array(&json, "pools");
	for (unsigned i = 0; i < view->now.pool_count; i++)
		pool_json(&json, view, &view->now.pools[i]);
	json_close(&json);
	json_count(&json, "pools_left_out", view->now.left_out);
	json_text(&json, "fault", view->now.fault[0] ? view->now.fault : NULL);
	json_close(&json);
}

void top_list_json(const struct live_process *processes, unsigned count, unsigned removed)
{
	struct json json = { 0 };

	json_object(&json, NULL);
	json_text(&json, "schema", "skua-top-list-1");
	json_array(&json, "processes");
	for (unsigned i = 0; i < count; i++) {
		unsigned workers = 0;
		for (unsigned p = 0; p < processes[i].pool_count; p++)
			workers += processes[i].pools[p].head.active;
		json_object(&json, NULL);
		json_count(&json, "process", processes[i].number);
		json_text(&json, "program", processes[i].program);
		json_count(&json, "pools", processes[i].pool_count + processes[i].left_out);
		json_count(&json, "workers", workers);
		json_close(&json);
	}
	json_close(&json);
	json_count(&json, "removed_files", removed);
	json_close(&json);
}
