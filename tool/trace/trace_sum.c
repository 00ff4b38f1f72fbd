/* SPDX-License-Identifier: MIT */
/* trace_sum.c — what a trace comes to: times by state, steals, waits, tasks, gaps */
#include "trace/trace_sum.h"

#include <stdlib.h>
#include <string.h>

/* One ring on its way through. */
struct tally {
	struct summary *summary;
	struct sum_worker *worker;
	const struct backlog *backlog;
	struct cover *running; /* by anybody */
	struct walk walk;
	int64_t ns;		   /* all before is accounted for */
	int64_t gap_start;	   /* not running since; -1: it runs, or was not seen yet */
	uint64_t gap[STATE_COUNT]; /* and what it did instead */
};

static void keep_gap(struct summary *summary, const struct sum_gap *gap)
{
	unsigned place = summary->gap_count;

	while (place && summary->gaps[place - 1].ns < gap->ns)
		place--;
	if (place == SUM_GAPS)
		return;
	if (summary->gap_count < SUM_GAPS)
		summary->gap_count++;
	for (unsigned i = summary->gap_count - 1; i > place; i--)
		summary->gaps[i] = summary->gaps[i - 1];
	summary->gaps[place] = *gap;
}

static void end_gap(struct tally *tally, int64_t ns)
{
	struct sum_gap gap = { .worker = tally->worker->ring->worker,
			       .start = tally->gap_start,
			       .ns = ns - tally->gap_start };

	if (tally->gap_start < 0)
		return;
	for (int i = 0; i < STATE_COUNT; i++)
		if (tally->gap[i] > tally->gap[gap.state])
			gap.state = (enum trace_state)i;
	gap.beside = cover_overlap(&tally->backlog->any, tally->gap_start, ns);
	tally->worker->idle_beside_ns += (uint64_t)gap.beside;
	tally->gap_start = -1;
	memset(tally->gap, 0, sizeof(tally->gap));
	if (gap.ns > 0)
		keep_gap(tally->summary, &gap);
}

/* The name of a task that began in this trace; the first place is for those without. */
static struct sum_task *task_of(struct summary *summary, const struct open_slice *slice)
{
	const struct trace *trace = summary->trace;
	const struct trace_name *name = slice->is_before
						? NULL
						: trace_find_name(trace, slice->record.argument);

	return &summary->tasks[name ? 1 + (name - trace->names) : 0];
}

static struct sum_wait *wait_of(struct summary *summary, const struct open_slice *slice)
{
	unsigned reason = slice->is_before ? SUM_REASONS : slice->record.detail;

	return &summary->waits[reason < SUM_REASONS - 1 ? reason : SUM_REASONS - 1];
}

/* The time up to a step belongs to what was open before it. */
static bool account(struct tally *tally, int64_t ns, enum trace_state state)
{
	const struct walk *walk = &tally->walk;
	uint64_t passed = (uint64_t)(ns - tally->ns);

	if (tally->worker->is_outside) {
		tally->ns = ns;
		return true;
	}
	bool is_good = state != STATE_RUNNING || cover_add(tally->running, tally->ns, ns);
	tally->worker->ns[state] += passed;
	if (walk->depth && state != STATE_UNSEEN) {
		const struct open_slice *top = &walk->stack[walk->depth - 1];
		if (state == STATE_RUNNING && top->task != WALK_NONE) {
			struct sum_task *task = task_of(tally->summary, &walk->stack[top->task]);
			task->ns = trace_add(task->ns, passed);
		} else if (state != STATE_BLOCKED && top->wait != WALK_NONE) {
			struct sum_wait *wait = wait_of(tally->summary, &walk->stack[top->wait]);
			wait->idle_ns = trace_add(wait->idle_ns, passed);
		}
	}
	if (state == STATE_RUNNING || state == STATE_UNSEEN) {
		if (passed)
			end_gap(tally, tally->ns);
	} else {
		if (tally->gap_start < 0)
			tally->gap_start = tally->ns;
		tally->gap[state] += passed;
	}
	tally->ns = ns;
	return is_good;
}

static bool keep_steal(struct tally *tally, const struct skuai_trace_record *record)
{
	struct summary *summary = tally->summary;
	uint32_t thief = tally->worker->ring->worker;
	struct sum_steal *last = summary->steal_count ? &summary->steals[summary->steal_count - 1]
						      : NULL;

	if (!last || last->thief != thief || last->victim != record->peer) {
		if (!summary->steals || summary->steal_count == summary->steal_room) {
			size_t room = summary->steal_room ? 2 * summary->steal_room : 64;
			struct sum_steal *more = realloc(summary->steals,
							 room * sizeof(*summary->steals));
			if (!more)
				return false;
			summary->steals = more;
			summary->steal_room = room;
		}
		last = &summary->steals[summary->steal_count++];
		*last = (struct sum_steal){ .thief = thief, .victim = record->peer };
	}
	last->steals++;
	last->tasks += record->argument;
	return true;
}

static bool tally_point(struct tally *tally, const struct skuai_trace_record *record)
{
	struct summary *summary = tally->summary;

	switch (record->kind) {
	case SKUAI_TRACE_FORK:
		summary->forks = trace_add(summary->forks, trace_forks(record));
		break;
	case SKUAI_TRACE_STEAL:
		tally->worker->steals++;
		tally->worker->stolen += record->argument;
		summary->distances[record->detail]++;
		return !trace_is_worker(summary->trace, record->peer) || keep_steal(tally, record);
	case SKUAI_TRACE_MISS:
		tally->worker->misses += record->argument;
		summary->misses = trace_add(summary->misses, record->argument);
		break;
	case SKUAI_TRACE_INJECT:
		summary->injected = trace_add(summary->injected, record->argument);
		break;
	case SKUAI_TRACE_SHARE:
		summary->shared = trace_add(summary->shared, record->argument);
		break;
	default:
		break;
	}
	return true;
}

static void tally_slice(struct tally *tally, const struct walk_step *step)
{
	struct summary *summary = tally->summary;
	uint64_t length = (uint64_t)(step->ns - step->slice.ns);
	struct sum_task *task;
	struct sum_wait *wait;

	if (step->what == WALK_OPEN) {
		summary->slices[step->slice.kind]++;
		tally->worker->tasks += step->slice.kind == SLICE_TASK;
	} else if (step->slice.kind == SLICE_TASK) {
		task = task_of(summary, &step->slice);
		task->count++;
		task->longest = length > task->longest ? length : task->longest;
	} else if (step->slice.kind == SLICE_WAIT) {
		wait = wait_of(summary, &step->slice);
		wait->count++;
		wait->ns = trace_add(wait->ns, length);
		wait->longest = length > wait->longest ? length : wait->longest;
	}
}

/* Before its first and behind its last record a worker is unseen, unless a slice tells. */
static enum trace_state state_now(const struct walk *walk)
{
	if (walk->next == 0 && (!walk->before || walk->ring->dropped))
		return STATE_UNSEEN;
	if (walk->next == walk->ring->count && !walk->depth)
		return STATE_UNSEEN;
	return walk_state(walk);
}

static bool tally_ring(struct tally *tally)
{
	struct walk_step step;
	bool is_good = true;

	if (!walk_start(&tally->walk, tally->summary->trace, tally->worker->ring))
		return false;
	while (is_good) {
		is_good = account(tally, walk_until(&tally->walk), state_now(&tally->walk));
		enum walk_what what = walk_next(&tally->walk, &step);
		if (what == WALK_END)
			break;
		if (what == WALK_OPEN || what == WALK_SHUT)
			tally_slice(tally, &step);
		if (what == WALK_POINT)
			is_good &= tally_point(tally, &step.record);
		is_good &= what != WALK_NO_MEMORY;
	}
	end_gap(tally, tally->ns);
	walk_stop(&tally->walk);
	return is_good;
}

static int by_pair(const void *left, const void *right)
{
	const struct sum_steal *a = left, *b = right;

	if (a->thief != b->thief)
		return a->thief > b->thief ? 1 : -1;
	return (a->victim > b->victim) - (a->victim < b->victim);
}

static void join_steals(struct summary *summary)
{
	struct sum_steal *all = summary->steals;
	size_t kept = 0;

	if (summary->steal_count)
		qsort(all, summary->steal_count, sizeof(*all), by_pair);
	for (size_t i = 0; i < summary->steal_count; i++) {
		if (kept && by_pair(&all[kept - 1], &all[i]) == 0) {
			all[kept - 1].steals += all[i].steals;
			all[kept - 1].tasks += all[i].tasks;
		} else {
			all[kept++] = all[i];
		}
	}
	summary->steal_count = kept;
}

/* The victim's own count; one without a ring has none. */
static void count_robbed(struct summary *summary)
{
	const struct trace *trace = summary->trace;

	for (size_t i = 0; i < summary->steal_count; i++) {
		const struct trace_ring *ring = trace_find_ring(trace, summary->steals[i].victim);
		if (ring)
			summary->workers[ring - trace->rings].robbed += summary->steals[i].steals;
	}
}

static int by_time(const void *left, const void *right)
{
	const struct sum_task *a = left, *b = right;

	if (a->ns != b->ns)
		return a->ns < b->ns ? 1 : -1;
	if (a->count != b->count)
		return a->count < b->count ? 1 : -1;
	return strcmp(a->name ? a->name : "", b->name ? b->name : "");
}

static void sort_tasks(struct summary *summary)
{
	size_t kept = 0;

	for (size_t i = 0; i <= summary->trace->name_count; i++) {
		struct sum_task task = summary->tasks[i];
		task.name = i ? summary->trace->names[i - 1].text : NULL;
		if (task.count)
			summary->tasks[kept++] = task;
	}
	summary->task_count = kept;
	qsort(summary->tasks, kept, sizeof(*summary->tasks), by_time);
}

static void judge_balance(struct summary *summary)
{
	size_t count = 0;
	double busiest = 0, sum = 0, length = (double)trace_length(summary->trace);

	for (size_t i = 0; i < summary->trace->ring_count; i++) {
		if (summary->workers[i].is_outside)
			continue;
		count++;
		double running = (double)summary->workers[i].ns[STATE_RUNNING];
		busiest = running > busiest ? running : busiest;
		sum += running;
		summary->running_ns = trace_add(summary->running_ns,
						summary->workers[i].ns[STATE_RUNNING]);
	}
	summary->worker_count = count;
	uint64_t spares = trace_fact_number(summary->trace, "spares");
	double wanted = (double)(spares < count ? count - spares : count);
	summary->utilisation = count && length > 0 ? sum / length / wanted : -1;
	summary->imbalance = sum > 0 ? busiest * wanted / sum : -1;
}

static void count_kinds(struct summary *summary)
{
	const struct trace *trace = summary->trace;

	for (size_t i = 0; i < trace->ring_count; i++)
		for (uint64_t j = 0; j < trace->rings[i].count; j++)
			summary->counts[trace->rings[i].records[16 * j + 14]]++;
}

bool summary_make(struct summary *summary, const struct trace *trace)
{
	struct backlog backlog = { 0 };
	struct cover running = { 0 };

	*summary = (struct summary){ .trace = trace };
	summary->workers = calloc(trace->ring_count + 1, sizeof(*summary->workers));
	summary->tasks = calloc(trace->name_count + 1, sizeof(*summary->tasks));
	bool is_good = summary->workers && summary->tasks && backlog_find(&backlog, trace, 1);
	for (size_t i = 0; i < trace->ring_count && is_good; i++) {
		struct tally tally = { .summary = summary,
				       .worker = &summary->workers[i],
				       .backlog = &backlog,
				       .running = &running,
				       .ns = trace->begin_ns,
				       .gap_start = -1 };
		tally.worker->ring = &trace->rings[i];
		tally.worker->is_outside = trace_is_outside(trace, &trace->rings[i]);
		is_good = tally_ring(&tally);
	}
	cover_join(&running);
	summary->somebody_ns = (uint64_t)cover_length(&running);
	cover_drop(&running);
	backlog_drop(&backlog);
	if (!is_good) {
		summary_drop(summary);
		return false;
	}
	count_kinds(summary);
	join_steals(summary);
	count_robbed(summary);
	sort_tasks(summary);
	judge_balance(summary);
	return true;
}

void summary_drop(struct summary *summary)
{
	free(summary->workers);
	free(summary->tasks);
	free(summary->steals);
	*summary = (struct summary){ 0 };
}

const char *summary_reason(unsigned i)
{
	return i < SUM_REASONS - 1 ? walk_reason((uint8_t)i) : "other";
}

uint64_t summary_idle_beside(const struct summary *summary, const struct sum_worker *worker)
{
	uint64_t excused = worker->ns[STATE_RUNNING] + worker->ns[STATE_BLOCKED] +
			   worker->ns[STATE_UNSEEN];

	return excused < summary->somebody_ns ? summary->somebody_ns - excused : 0;
}

double summary_share(const struct summary *summary, uint64_t ns)
{
	uint64_t length = trace_length(summary->trace);

	return length ? (double)ns / (double)length : 0;
}
