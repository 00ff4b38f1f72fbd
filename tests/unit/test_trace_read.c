/* SPDX-License-Identifier: MIT */
/* test_trace_read.c — traces with known answers: reader, walk, summary, invariants */
#include "made_trace.h"
#include "trace/trace_check.h"
#include "trace/trace_sum.h"

#include <stdlib.h>

static void parse(struct trace *trace, const struct made *made)
{
	struct trace_fault fault;

	if (!trace_parse(trace, made->bytes, made->size, &fault))
		fail_msg("byte %llu: %s", (unsigned long long)fault.at, fault.what);
}

static void refuse(const struct made *made, uint64_t at, const char *what)
{
	struct trace trace;
	struct trace_fault fault;

	if (trace_parse(&trace, made->bytes, made->size, &fault))
		fail_msg("it was read; expected byte %llu: %s", (unsigned long long)at, what);
	if (fault.at != at || !strstr(fault.what, what))
		fail_msg("byte %llu: %s; expected byte %llu: %s", (unsigned long long)fault.at,
			 fault.what, (unsigned long long)at, what);
}

static void put(struct made *made, size_t at, uint64_t value, size_t bytes)
{
	memcpy(made->bytes + at, &value, bytes);
}

static void test_trace_good_is_read(void **state)
{
	struct made made = { 0 };
	struct trace trace;
	(void)state;

	made_good(&made);
	parse(&trace, &made);
	assert_int_equal(trace.ring_count, 2);
	assert_int_equal(trace.records, 29);
	assert_int_equal(trace.name_count, 4);
	assert_false(trace.is_truncated);
	assert_true(trace.is_calibrated);
	assert_int_equal(trace.end_ns, 10000);
	assert_string_equal(trace_find_name(&trace, NAME_LEAF)->text, "leaf");
	assert_null(trace_find_name(&trace, 0));
	assert_null(trace_find_name(&trace, 5));
	assert_string_equal(trace_fact(&trace, "program"), "sample");
	assert_int_equal(trace_fact_number(&trace, "workers"), 2);
	assert_null(trace_fact(&trace, "prog"));
	assert_int_equal(trace_ns(&trace, MADE_TICKS + 3), 1); /* two ticks a nanosecond */
	assert_int_equal(trace_ns(&trace, MADE_TICKS - 8), -4);
	assert_int_equal(trace_mark_value(&(struct skuai_trace_record){ .peer = 70000 & 0xffff,
									.detail = 1 }),
			 70000);
	trace_drop(&trace);
}

static void check_times(const struct sum_worker *worker, const uint64_t wanted[STATE_COUNT])
{
	for (unsigned i = 0; i < STATE_COUNT; i++)
		if (worker->ns[i] != wanted[i])
			fail_msg("worker %u, %s: %llu ns, not %llu", worker->ring->worker,
				 trace_state_words[i], (unsigned long long)worker->ns[i],
				 (unsigned long long)wanted[i]);
}

static void test_trace_summary_has_the_known_times(void **state)
{
	static const uint64_t wanted[2][STATE_COUNT] = {
		{ [STATE_RUNNING] = 6000,
		  [STATE_ASLEEP] = 1500,
		  [STATE_WAITING] = 2000,
		  [STATE_BLOCKED] = 500 },
		{ [STATE_RUNNING] = 5000,
		  [STATE_SEARCHING] = 1300,
		  [STATE_ASLEEP] = 1700,
		  [STATE_UNSEEN] = 2000 },
	};
	struct made made = { 0 };
	struct trace trace;
	struct summary summary;
	(void)state;

	made_good(&made);
	parse(&trace, &made);
	assert_true(summary_make(&summary, &trace));
	check_times(&summary.workers[0], wanted[0]);
	check_times(&summary.workers[1], wanted[1]);
	assert_true(summary.utilisation > 0.5499 && summary.utilisation < 0.5501);
	assert_true(summary.imbalance > 1.0909 && summary.imbalance < 1.0910);
	assert_int_equal(summary.somebody_ns, 8000); /* all but 0 to 1, 8.5 to 9 and 9.5 to 10 us */
	assert_int_equal(summary_idle_beside(&summary, &summary.workers[1]), 1000);
	assert_int_equal(summary.task_count, 2);
	assert_string_equal(summary.tasks[0].name, "leaf");
	assert_int_equal(summary.tasks[0].count, 3);
	assert_int_equal(summary.tasks[0].ns, 6000);
	assert_int_equal(summary.tasks[0].longest, 4000);
	assert_string_equal(summary.tasks[1].name, "root");
	assert_int_equal(summary.tasks[1].ns, 5000); /* not the wait, nor the leaf in it */
	assert_int_equal(summary.tasks[1].longest, 8500);
	assert_int_equal(summary.waits[SKUAI_TRACE_FOR_JOIN].ns, 3000);
	assert_int_equal(summary.waits[SKUAI_TRACE_FOR_JOIN].idle_ns, 2000);
	assert_int_equal(summary.forks, 64);
	assert_int_equal(summary.misses, 50);
	assert_int_equal(summary.injected, 3);
	summary_drop(&summary);
	trace_drop(&trace);
}

static void test_trace_summary_has_steals_and_gaps(void **state)
{
	struct made made = { 0 };
	struct trace trace;
	struct summary summary;
	(void)state;

	made_good(&made);
	parse(&trace, &made);
	assert_true(summary_make(&summary, &trace));
	assert_int_equal(summary.steal_count, 1);
	assert_int_equal(summary.steals[0].thief, 1);
	assert_int_equal(summary.steals[0].victim, 0);
	assert_int_equal(summary.steals[0].steals, 1);
	assert_int_equal(summary.steals[0].tasks, 2);
	assert_int_equal(summary.workers[0].robbed, 1);
	assert_int_equal(summary.distances[SKUAI_TRACE_SAME_CORE], 1);
	assert_int_equal(summary.gap_count, 5);
	assert_int_equal(summary.gaps[0].worker, 1);
	assert_int_equal(summary.gaps[0].start, 8000);
	assert_int_equal(summary.gaps[0].ns, 2000);
	assert_int_equal(summary.gaps[0].state, STATE_ASLEEP);
	assert_int_equal(summary.gaps[1].start, 0); /* asleep before the first record */
	assert_int_equal(summary.gaps[1].state, STATE_ASLEEP);
	assert_int_equal(summary.gaps[4].ns, 500);
	static const uint64_t slices[SLICE_KINDS] = { 4, 1, 4, 1, 1 };
	assert_memory_equal(summary.slices, slices, sizeof(slices));
	summary_drop(&summary);
	trace_drop(&trace);
}

/* What was said of a trace: the rules, in order. */
struct heard {
	char rules[200];
	struct violation last;
};

static void hear(void *context, const struct violation *violation)
{
	struct heard *heard = context;
	size_t used = strlen(heard->rules);

	snprintf(heard->rules + used, sizeof(heard->rules) - used, "%s ", violation->rule);
	heard->last = *violation;
}

static struct heard check_made(const struct made *made, int64_t bound, bool is_whole)
{
	struct heard heard = { 0 };
	struct trace trace;
	struct check check = { .trace = &trace,
			       .bound_ns = bound,
			       .most = 100,
			       .is_whole = is_whole,
			       .hear = hear,
			       .context = &heard };

	parse(&trace, made);
	assert_true(check_trace(&check));
	trace_drop(&trace);
	return heard;
}

static void expect_rules(const struct made *made, const char *rules, uint64_t number)
{
	struct heard heard = check_made(made, 10000000, false);

	assert_string_equal(heard.rules, rules);
	if (*rules && heard.last.number != number)
		fail_msg("%s at record %llu, not %llu: %s", rules,
			 (unsigned long long)heard.last.number, (unsigned long long)number,
			 heard.last.text);
}

static void test_trace_check_is_content_with_the_good_one(void **state)
{
	struct made made = { 0 };
	(void)state;

	made_good(&made);
	expect_rules(&made, "", 0);
	/* as a whole run it is not: worker 0 slept before */
	struct heard heard = check_made(&made, 10000000, true);
	assert_string_equal(heard.rules, "begin ");
}

/* One ring, a few records, one rule. */
static struct made one_ring(void)
{
	struct made made = { 0 };

	made_header(&made, 2, 10000);
	made_names(&made);
	made_ring(&made, 0);
	return made;
}

static void test_trace_check_names_each_violation(void **state)
{
	struct made made = one_ring();
	(void)state;

	made_record(&made, 2, SKUAI_TRACE_MISS, 1, -1, 0);
	made_record(&made, 1, SKUAI_TRACE_MISS, 1, -1, 0);
	made_record(&made, 1, SKUAI_TRACE_MISS, 1, -1, 0);
	made_end(&made);
	expect_rules(&made, "time ", 1);

	made = one_ring();
	made_record(&made, 1, SKUAI_TRACE_WAKE, 0, 1, 0);
	made_record(&made, 1, SKUAI_TRACE_WAKE, 0, 2, 0);
	made_end(&made);
	expect_rules(&made, "peer ", 1);

	made = one_ring();
	made_record(&made, 1, SKUAI_TRACE_TASK_BEGIN, NAME_ROOT, -1, 0);
	made_record(&made, 2, SKUAI_TRACE_WAIT_BEGIN, 0, -1, 0);
	made_record(&made, 3, SKUAI_TRACE_TASK_END, 0, -1, 0);
	made_end(&made);
	expect_rules(&made, "nesting ", 1);

	made = one_ring();
	made_record(&made, 1, SKUAI_TRACE_TASK_BEGIN, NAME_ROOT, -1, 0);
	made_record(&made, 2, SKUAI_TRACE_UNPARK, 0, -1, 0);
	made_record(&made, 3, SKUAI_TRACE_TASK_END, 0, -1, 0);
	made_end(&made);
	expect_rules(&made, "nesting ", 1);

	made = one_ring();
	made_record(&made, 1, SKUAI_TRACE_PARK, 0, -1, 0);
	made_record(&made, 2, SKUAI_TRACE_TASK_BEGIN, NAME_ROOT, -1, 0);
	made_record(&made, 3, SKUAI_TRACE_TASK_END, 0, -1, 0);
	made_end(&made);
	expect_rules(&made, "nesting ", 1);

	made = one_ring();
	made_record(&made, 1, SKUAI_TRACE_MARK, 99, 0, 0);
	made_end(&made);
	expect_rules(&made, "name ", 0);
}

static void test_trace_check_counts_thefts(void **state)
{
	struct made made = one_ring();
	(void)state;

	made_record(&made, 1, SKUAI_TRACE_STEAL, 1, 1, 0);
	made_record(&made, 1, SKUAI_TRACE_TASK_BEGIN, NAME_LEAF, 1, SKUAI_TRACE_OF_FORK);
	made_record(&made, 2, SKUAI_TRACE_TASK_END, 0, -1, 0);
	made_record(&made, 3, SKUAI_TRACE_TASK_BEGIN, NAME_LEAF, 1, SKUAI_TRACE_OF_DEQUE);
	made_record(&made, 4, SKUAI_TRACE_TASK_END, 0, -1, 0);
	made_end(&made);
	expect_rules(&made, "theft ", 3);

	made = one_ring(); /* the theft may have been before the trace, unless that is whole */
	made_record(&made, 3, SKUAI_TRACE_TASK_BEGIN, NAME_LEAF, 1, SKUAI_TRACE_OF_DEQUE);
	made_record(&made, 4, SKUAI_TRACE_TASK_END, 0, -1, 0);
	made_end(&made);
	expect_rules(&made, "", 0);
	assert_string_equal(check_made(&made, 10000000, true).rules, "theft ");
}

static struct made sleeper(double from, double to)
{
	struct made made = one_ring();

	made_record(&made, 1, SKUAI_TRACE_TASK_BEGIN, NAME_ROOT, -1, SKUAI_TRACE_OF_VISIT);
	made_record(&made, 2, SKUAI_TRACE_DEPTH, 5, -1, 0);
	made_record(&made, 4, SKUAI_TRACE_DEPTH, 7, -1, 0);
	made_record(&made, 5, SKUAI_TRACE_DEPTH, 2, -1, 0);
	made_record(&made, 6, SKUAI_TRACE_DEPTH, 1, -1, 0);
	made_record(&made, 9, SKUAI_TRACE_TASK_END, 0, -1, 0);
	made_ring(&made, 1);
	made_record(&made, from, SKUAI_TRACE_PARK, 0, -1, 0);
	made_record(&made, to, SKUAI_TRACE_UNPARK, 0, -1, 0);
	made_end(&made);
	return made;
}

static void test_trace_check_finds_who_sleeps_beside_work(void **state)
{
	struct made made = sleeper(1, 9);
	struct trace trace;
	struct summary summary;
	(void)state;

	assert_string_equal(check_made(&made, 3000, false).rules, "sleep ");
	assert_int_equal(check_made(&made, 3000, false).last.worker, 1);
	assert_string_equal(check_made(&made, 3001, false).rules, "");
	parse(&trace, &made);
	assert_true(summary_make(&summary, &trace));
	assert_int_equal(summary.workers[1].idle_beside_ns, 3000);
	assert_int_equal(summary.workers[0].idle_beside_ns, 0);
	summary_drop(&summary);
	trace_drop(&trace);
	made = sleeper(3, 4.5);
	assert_string_equal(check_made(&made, 1500, false).rules, "sleep ");
	assert_string_equal(check_made(&made, 1501, false).rules, "");
	made = sleeper(3.5, 9); /* the work is gone first */
	assert_string_equal(check_made(&made, 1500, false).rules, "sleep ");
	assert_string_equal(check_made(&made, 1501, false).rules, "");
	made = sleeper(1, 3.5); /* the sleeper is up first */
	assert_string_equal(check_made(&made, 1500, false).rules, "sleep ");
	assert_string_equal(check_made(&made, 1501, false).rules, "");
	made = sleeper(6, 9);
	assert_string_equal(check_made(&made, 1, false).rules, "");
}

static void test_trace_dropped_records_are_told(void **state)
{
	struct made made = one_ring();
	struct trace trace;
	struct summary summary;
	(void)state;

	made_record(&made, 4, SKUAI_TRACE_TASK_END, 0, -1, 0);
	made_record(&made, 5, SKUAI_TRACE_PARK, 0, -1, 0);
	put(&made, made.ring + 16, 12, 8); /* written */
	put(&made, made.ring + 24, 10, 8); /* dropped */
	made_end(&made);
	expect_rules(&made, "dropped ", WALK_NONE);
	parse(&trace, &made);
	assert_int_equal(trace.dropped, 10);
	assert_true(summary_make(&summary, &trace));
	assert_int_equal(summary.workers[0].ns[STATE_UNSEEN], 4000); /* not: in that task */
	assert_int_equal(summary.workers[0].ns[STATE_RUNNING], 0);
	summary_drop(&summary);
	trace_drop(&trace);
}

static void test_trace_snapshot_begins_with_its_first_record(void **state)
{
	struct made made = one_ring();
	struct trace trace;
	struct summary summary;
	(void)state;

	put(&made, 20, SKUAI_TRACE_IS_SNAPSHOT, 4);
	made_record(&made, 6, SKUAI_TRACE_MISS, 1, -1, 0);
	made_record(&made, 7, SKUAI_TRACE_WAIT_END, 0, -1, 0);
	made_record(&made, 8, SKUAI_TRACE_TASK_END, 0, -1, 0);
	made_end(&made);
	parse(&trace, &made);
	assert_int_equal(trace_length(&trace), 4000);
	assert_true(summary_make(&summary, &trace));
	assert_int_equal(summary.workers[0].ns[STATE_WAITING], 1000);
	assert_int_equal(summary.workers[0].ns[STATE_RUNNING], 1000);
	assert_int_equal(summary.workers[0].ns[STATE_UNSEEN], 2000);
	summary_drop(&summary);
	trace_drop(&trace);
}

static void test_trace_other_threads_are_no_worker(void **state)
{
	struct made made = one_ring();
	struct trace trace;
	struct summary summary;
	(void)state;

	put(&made, 20, SKUAI_TRACE_HAS_OUTSIDE, 4);
	made_record(&made, 1, SKUAI_TRACE_TASK_BEGIN, NAME_ROOT, -1, 0);
	made_record(&made, 6, SKUAI_TRACE_TASK_END, 0, -1, 0);
	made_ring(&made, 1);
	made_record(&made, 2, SKUAI_TRACE_SPAN_BEGIN, NAME_PHASE, -1, 0);
	made_record(&made, 3, SKUAI_TRACE_SPAN_BEGIN, NAME_HERE, -1, 0); /* they cross */
	made_record(&made, 4, SKUAI_TRACE_SPAN_END, NAME_PHASE, -1, 0);
	made_record(&made, 5, SKUAI_TRACE_SPAN_END, NAME_HERE, -1, 0);
	made_record(&made, 5, SKUAI_TRACE_MARK, NAME_HERE, 1, 0);
	made_end(&made);
	expect_rules(&made, "", 0);
	parse(&trace, &made);
	assert_int_equal(trace_workers(&trace), 1);
	assert_true(summary_make(&summary, &trace));
	assert_int_equal(summary.worker_count, 1);
	assert_true(summary.utilisation > 0.499 && summary.utilisation < 0.501);
	assert_int_equal(summary.counts[SKUAI_TRACE_MARK], 1);
	summary_drop(&summary);
	trace_drop(&trace);
}

static void test_trace_without_a_clock_counts_ticks(void **state)
{
	struct made made = one_ring();
	struct trace trace;
	(void)state;

	put(&made, 56, 0, 8); /* end_ticks */
	made_record(&made, 4, SKUAI_TRACE_MISS, 1, -1, 0);
	made_end(&made);
	parse(&trace, &made);
	assert_false(trace.is_calibrated);
	assert_int_equal(trace.end_ns, 8000);
	trace_drop(&trace);
}

static void test_trace_skips_what_is_newer(void **state)
{
	struct made made = { 0 };
	struct trace trace;
	(void)state;

	made_header(&made, 1, 10000);
	made_section(&made, 1234, 5, 16);
	made_bytes(&made, "sixteen bytes...", 16);
	made_ring(&made, 0);
	made_record(&made, 1, (enum skuai_trace_kind)200, 7, 7, 7);
	made_record(&made, 2, (enum skuai_trace_kind)0, 7, 7, 7);
	made_record(&made, 3, SKUAI_TRACE_MISS, 1, -1, 0);
	made_end(&made);
	made_bytes(&made, "more", 4);
	parse(&trace, &made);
	assert_int_equal(trace.unknown_sections, 1);
	assert_int_equal(trace.unknown_records, 2);
	assert_int_equal(trace.trailing, 4);
	assert_int_equal(trace.records, 3);
	trace_drop(&trace);
}

static void test_trace_faults_are_named_with_their_byte(void **state)
{
	struct made made = { 0 };
	(void)state;

	refuse(&made, 0, "empty");
	made_bytes(&made, "SKUATRC\r", 8);
	refuse(&made, 0, "no trace of skua");
	made = (struct made){ 0 };
	made_good(&made);
	put(&made, 8, 2, 4);
	refuse(&made, 8, "version 2");
	made = (struct made){ 0 };
	made_good(&made);
	put(&made, 12, 64, 4);
	refuse(&made, 12, "64 bytes");
	put(&made, 12, 1 << 20, 4);
	refuse(&made, made.size, "cut short");
	put(&made, 12, 72, 4);
	put(&made, 16, 65536, 4); /* a record's peer has 16 bits, and one of them is nobody */
	refuse(&made, 16, "65536 workers: it is damaged");
	put(&made, 16, UINT32_MAX, 4);
	refuse(&made, 16, "4294967295 workers: it is damaged");
	put(&made, 16, 1, 4);
	refuse(&made, 72 + 16 + 40 + 16 + 16 + 17 * 16 + 4, "ring of worker 1");
	put(&made, 16, 2, 4);
	put(&made, made.ring + 16, 1000, 8);
	refuse(&made, made.ring + 16, "as many records");
	put(&made, made.ring + 16, 0, 8);
	put(&made, made.ring + 24, 1, 8);
	refuse(&made, made.ring + 16, "as many records");
	put(&made, made.ring + 16, 11, 8); /* goes round to the right number */
	put(&made, made.ring + 24, UINT64_MAX, 8);
	refuse(&made, made.ring + 16, "as many records");
	put(&made, made.ring + 16, 12, 8);
	put(&made, made.ring + 24, 0, 8);
	put(&made, made.ring + 4, 0, 4);
	refuse(&made, made.ring, "two rings");
	put(&made, made.ring + 4, 1, 4);
	put(&made, 72 + 8, 41, 8);
	refuse(&made, 72 + 8, "multiple of 8");
	put(&made, 72 + 8, 40, 8);
	put(&made, made.size - 8, 8, 8);
	refuse(&made, made.size - 8, "end is not empty");
	put(&made, made.size - 8, 0, 8);
	size_t names = made.ring + 16 + 16 + 12 * 16;
	put(&made, names + 16 + 4, UINT32_MAX, 4);
	refuse(&made, names + 16, "longer than its section");
}

/* Names of any bytes and lengths; one that is too long is cut between characters. */
static void test_trace_names_of_any_bytes(void **state)
{
	struct made made = { 0 };
	struct trace trace;
	struct skuai_trace_name name = { 7, 3 };
	char text[1104];
	(void)state;

	made_header(&made, 1, 10000);
	made_section(&made, SKUAI_TRACE_NAMES, 0, 16 + 8 + sizeof(text));
	made_bytes(&made, &name, sizeof(name));
	made_bytes(&made, "a\0b\0\0\0\0\0", 8);
	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = i < 999 ? 'x' : "\xe2\x82\xac"[i % 3];
	name = (struct skuai_trace_name){ 3, sizeof(text) };
	made_bytes(&made, &name, sizeof(name));
	made_bytes(&made, text, sizeof(text));
	made_end(&made);
	parse(&trace, &made);
	assert_string_equal(trace_find_name(&trace, 7)->text, "a\xff"
							      "b");
	assert_int_equal(strlen(trace_find_name(&trace, 3)->text), 999);
	trace_drop(&trace);
}

/* Pieces in any order, of which some overlap and some touch. */
static void test_trace_cover_adds_up(void **state)
{
	struct cover cover = { 0 };
	(void)state;

	assert_int_equal(cover_length(&cover), 0);
	assert_true(cover_add(&cover, 50, 60) && cover_add(&cover, 10, 20));
	assert_true(cover_add(&cover, 15, 25) && cover_add(&cover, 30, 30));
	assert_true(cover_add(&cover, 80, 90) && cover_add(&cover, 60, 65));
	cover_join(&cover); /* 10 to 25, 50 to 65, 80 to 90 */
	assert_int_equal(cover.count, 3);
	assert_int_equal(cover_length(&cover), 40);
	assert_int_equal(cover_overlap(&cover, 0, 100), 40);
	assert_int_equal(cover_overlap(&cover, 20, 85), 25);
	assert_int_equal(cover_overlap(&cover, 25, 50), 0);
	assert_int_equal(cover_overlap(&cover, 85, 20), 0);
	cover_drop(&cover);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_trace_good_is_read),
		cmocka_unit_test(test_trace_summary_has_the_known_times),
		cmocka_unit_test(test_trace_summary_has_steals_and_gaps),
		cmocka_unit_test(test_trace_check_is_content_with_the_good_one),
		cmocka_unit_test(test_trace_check_names_each_violation),
		cmocka_unit_test(test_trace_check_counts_thefts),
		cmocka_unit_test(test_trace_check_finds_who_sleeps_beside_work),
		cmocka_unit_test(test_trace_dropped_records_are_told),
		cmocka_unit_test(test_trace_snapshot_begins_with_its_first_record),
		cmocka_unit_test(test_trace_other_threads_are_no_worker),
		cmocka_unit_test(test_trace_without_a_clock_counts_ticks),
		cmocka_unit_test(test_trace_skips_what_is_newer),
		cmocka_unit_test(test_trace_faults_are_named_with_their_byte),
		cmocka_unit_test(test_trace_names_of_any_bytes),
		cmocka_unit_test(test_trace_cover_adds_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
