/* SPDX-License-Identifier: MIT */
/* test_trace_hostile.c — traces cut at every byte, with every bit turned, and mutated */
#include "made_trace.h"
#include "trace/trace_check.h"
#include "trace/trace_sink.h"
#include "trace/trace_sum.h"

#include <stdlib.h>

#ifndef __has_feature
#define __has_feature(name) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || \
	__has_feature(address_sanitizer) || __has_feature(memory_sanitizer)
#define MUTANTS 100000 /* ten times as slow; fuzz_trace makes up for it */
#else
#define MUTANTS 1000000
#endif
#define EVERYTHING 64 /* one in so many is also summed up, checked and converted */

static struct made good;

/* Opens and shuts match, and time does not run backwards, whatever the ring holds. */
static void walk_ring(const struct trace *trace, const struct trace_ring *ring)
{
	struct walk walk;
	struct walk_step step;
	int64_t last = trace->begin_ns;
	size_t depth = 0;
	enum walk_what what;

	assert_true(walk_start(&walk, trace, ring));
	while ((what = walk_next(&walk, &step)) != WALK_END) {
		if (what == WALK_OPEN)
			depth++;
		if (what == WALK_SHUT && depth-- == 0)
			fail_msg("a slice ends twice");
		if (step.ns < last || step.ns > trace->end_ns)
			fail_msg("time runs backwards, or beyond the end");
		last = step.ns;
	}
	assert_int_equal(depth, 0);
	walk_stop(&walk);
}

static void hear_nothing(void *context, const struct violation *violation)
{
	(void)context;
	assert_true(strlen(violation->text) > 0);
}

static void say_nothing(void *context, const char *text)
{
	(void)context;
	assert_true(strlen(text) > 0);
}

static void sum_up(const struct trace *trace)
{
	struct summary summary;

	assert_true(summary_make(&summary, trace));
	for (size_t i = 0; i < trace->ring_count; i++) {
		uint64_t sum = 0;
		for (unsigned state = 0; state < STATE_COUNT; state++)
			sum += summary.workers[i].ns[state];
		if (!summary.workers[i].is_outside)
			assert_int_equal(sum, trace_length(trace));
	}
	summary_warn(&summary, say_nothing, NULL);
	summary_drop(&summary);
}

static void convert(const struct trace *trace)
{
	struct trace_sink sink = { .file = { .to = fopen("/dev/null", "wb") } };

	assert_non_null(sink.file.to);
	assert_int_equal(trace_write_perfetto(trace, &sink), 0);
	assert_int_equal(trace_write_chrome(trace, &sink), 0);
	assert_int_equal(trace_sink_close(&sink), 0);
}

/* From a heap copy of exactly this length: a byte too far is seen by a sanitizer. */
static bool use(const unsigned char *bytes, size_t size, bool is_everything, bool *is_truncated)
{
	unsigned char *copy = malloc(size ? size : 1);
	struct trace trace;
	struct trace_fault fault = { 0 };

	assert_non_null(copy);
	memcpy(copy, bytes, size);
	bool is_read = trace_parse(&trace, copy, size, &fault);
	if (!is_read && (!fault.what[0] || fault.at > size))
		fail_msg("a fault without words, or beyond the end");
	if (is_read) {
		struct check check = {
			.trace = &trace, .bound_ns = 1000, .most = 3, .hear = hear_nothing
		};
		for (size_t i = 0; i < trace.ring_count; i++)
			walk_ring(&trace, &trace.rings[i]);
		if (is_everything) {
			sum_up(&trace);
			assert_true(check_trace(&check));
			convert(&trace);
		}
		*is_truncated = trace.is_truncated;
		trace_drop(&trace);
	}
	free(copy);
	return is_read;
}

static void test_trace_cut_at_every_byte(void **state)
{
	bool is_truncated;
	(void)state;

	for (size_t cut = 0; cut <= good.size; cut++) {
		bool is_read = use(good.bytes, cut, true, &is_truncated);
		if (is_read != (cut >= sizeof(struct skuai_trace_header)))
			fail_msg("the first %zu bytes: read %d", cut, is_read);
		if (is_read && is_truncated != (cut < good.size))
			fail_msg("the first %zu bytes: truncated %d", cut, is_truncated);
	}
}

static void test_trace_every_bit_turned(void **state)
{
	struct made made = good;
	bool is_truncated;
	unsigned refused = 0;
	(void)state;

	for (size_t bit = 0; bit < 8 * made.size; bit++) {
		made.bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
		refused += !use(made.bytes, made.size, true, &is_truncated);
		made.bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
	}
	assert_true(refused > 100); /* magic, version, sizes; the rest may be anything */
}

static uint64_t random_state;

/* Fast, and the same for the same seed: a linear congruence, of which the high bits are used. */
static uint32_t draw(uint32_t below)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((random_state >> 33) * below >> 31);
}

static void mutate(struct made *made)
{
	static const uint64_t extremes[] = { 0,
					     1,
					     8,
					     16,
					     255,
					     65535,
					     UINT32_MAX,
					     INT64_MAX,
					     UINT64_MAX,
					     UINT64_MAX - 15,
					     (uint64_t)1 << 32 };
	uint32_t size = (uint32_t)made->size;
	uint32_t at = draw(size), width = draw(2) ? 4 : 8;

	switch (draw(5)) {
	case 0:
		made->bytes[at] ^= (unsigned char)(1u << draw(8));
		break;
	case 1:
		made->bytes[at] = (unsigned char)draw(256);
		break;
	case 2:
		at &= ~(width - 1);
		memcpy(made->bytes + at, &extremes[draw(sizeof(extremes) / 8)], width);
		break;
	case 3: /* 16 bytes of elsewhere: a record, a section */
		memmove(made->bytes + (at / 8 * 8 > size - 16 ? size - 16 : at / 8 * 8),
			made->bytes + draw(size / 8 - 2) * 8, 16);
		break;
	case 4:
		made->size = at + 1 > 80 ? at + 1 : 80;
		break;
	}
}

static void test_trace_million_mutants(void **state)
{
	uint64_t rounds = test_rounds(MUTANTS);
	uint64_t read = 0;
	bool is_truncated;
	struct made made;
	(void)state;

	random_state = test_seed();
	for (uint64_t i = 0; i < rounds; i++) {
		memcpy(made.bytes, good.bytes, good.size);
		made.size = good.size;
		for (uint32_t changes = 1 + draw(4); changes; changes--)
			mutate(&made);
		read += use(made.bytes, made.size, i % EVERYTHING == 0, &is_truncated);
	}
	assert_true(read > rounds / 4 && read < rounds); /* the mutants are neither all nor never */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_trace_cut_at_every_byte),
		cmocka_unit_test(test_trace_every_bit_turned),
		cmocka_unit_test(test_trace_million_mutants),
	};

	made_good(&good);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
