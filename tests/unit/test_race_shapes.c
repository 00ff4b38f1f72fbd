/* SPDX-License-Identifier: MIT */
/* test_race_shapes.c — every shape of the race on every rival: each job once, the right sum */
#include "check.h"

#include "../../tool/race/shapes.h"

#include <unistd.h>

#define PATIENCE 1200 /* seconds: a pool that hangs is red, not a build that hangs */

static const struct rival *const rivals[] = {
#define RIVAL_ADDRESS(name) &rival_##name,
	RIVALS(RIVAL_ADDRESS)
};

#define RIVAL_COUNT (sizeof(rivals) / sizeof(rivals[0]))

/* A job, a full burst, one more, one long job of the long tail, two of them. */
static const uint32_t counts[] = { 1, 2, 50, 51, 500, 501 };

#define COUNTS (sizeof(counts) / sizeof(counts[0]))

static void make(struct field *field, const struct shape *shape, uint32_t count, uint64_t seed)
{
	assert_true(field_make(field, shape, count));
	field_deal(field, seed);
}

/* Short jobs, where the time does not matter: a sanitizer is slow enough. */
static void shorten(struct field *field)
{
	for (uint32_t i = 0; i < field->count; i++)
		field->jobs[i].units = field->jobs[i].units / 64 + 1;
}

static uint64_t sum_foretold(const struct field *field)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < field->count; i++)
		sum += shape_foretell(field->jobs[i].seed, field->jobs[i].units);
	return sum;
}

static void expect_right(const struct field *field, unsigned workers, const char *who)
{
	struct verdict verdict = field_judge(field, workers);
	uint64_t sum = 0, runs = 0;

	for (uint32_t i = 0; i < field->count; i++) {
		sum += field->jobs[i].value;
		runs += field->jobs[i].runs;
	}
	if (!verdict_is_right(&verdict) || runs != field->count || sum != sum_foretold(field))
		fail_msg("%s, %u jobs on %s, %u workers: %u lost, %u twice, %u wrong, %llu runs",
			 field->shape->name, field->count, who, workers, verdict.lost,
			 verdict.twice, verdict.wrong, (unsigned long long)runs);
	/* at most all on one worker; below 1 where some had to run outside */
	assert_true(verdict.imbalance > 0 && verdict.imbalance < workers + 1e-9);
}

/* --- the jobs themselves --- */

static void test_shapes_compute_is_foretold(void **state)
{
	(void)state;
	for (uint32_t units = 0; units < 300; units++)
		assert_int_equal(shape_compute(units + 7, units), shape_foretell(units + 7, units));
	assert_int_equal(shape_compute(5, 123457), shape_foretell(5, 123457));
	assert_int_equal(shape_compute(shape_compute(5, 100), 23), shape_foretell(5, 123));
	assert_int_not_equal(shape_foretell(5, 100), shape_foretell(5, 101));
	assert_int_not_equal(shape_foretell(5, 100), shape_foretell(6, 100));
}

static uint64_t units_of(const struct field *field)
{
	uint64_t units = 0;

	for (uint32_t i = 0; i < field->count; i++) {
		assert_true(field->jobs[i].units > 0);
		units += field->jobs[i].units;
	}
	return units;
}

static void test_shapes_deal_the_same_work_for_every_seed(void **state)
{
	struct field one, again, other;

	(void)state;
	for (unsigned s = 0; shapes[s]; s++) {
		make(&one, shapes[s], 1000, 1);
		make(&again, shapes[s], 1000, 1);
		make(&other, shapes[s], 1000, 2);
		assert_int_equal(units_of(&one), units_of(&other));
		bool is_moved = false;
		for (uint32_t i = 0; i < 1000; i++) {
			assert_int_equal(one.jobs[i].units, again.jobs[i].units);
			assert_int_equal(one.jobs[i].seed, again.jobs[i].seed);
			assert_int_not_equal(one.jobs[i].seed, other.jobs[i].seed);
			is_moved |= one.jobs[i].units != other.jobs[i].units;
		}
		assert_int_equal(is_moved, shapes[s]->deal != NULL);
		field_free(&one);
		field_free(&again);
		field_free(&other);
	}
}

static void test_shapes_have_the_sizes_they_say(void **state)
{
	struct field field;
	uint32_t longs = 0, most = 0;

	(void)state;
	make(&field, shape_find("long-tail"), 2000, 3);
	for (uint32_t i = 0; i < 2000; i++)
		longs += field.jobs[i].units == 500 * field.shape->units;
	assert_int_equal(longs, 4);
	field_free(&field);
	make(&field, shape_find("skewed"), 400, 3);
	for (uint32_t i = 0; i < 400; i++)
		most = field.jobs[i].units > most ? field.jobs[i].units : most;
	assert_in_range(100 * (uint64_t)most / units_of(&field), 15, 16); /* 1/H(400) */
	field_free(&field);
	assert_null(shape_find("round"));
}

/* --- run --- */

static void test_shapes_run_serially(void **state)
{
	struct field field;

	(void)state;
	for (unsigned s = 0; shapes[s]; s++) {
		for (unsigned c = 0; c < COUNTS; c++) {
			if (shapes[s]->pause_ns && counts[c] > 51)
				continue; /* it sleeps */
			make(&field, shapes[s], counts[c], test_seed());
			shorten(&field);
			assert_true(field_run_serial(&field) > 0);
			expect_right(&field, 1, "the serial loop");
			assert_true(field_judge(&field, 1).imbalance > 0.999);
			field_free(&field);
		}
	}
}

static void race_on(const struct rival *rival, unsigned workers, const struct shape *shape)
{
	struct rival_options options = { .workers = workers, .is_timed = shape->is_clocked };
	struct rival_pool *pool = rival->open(rival, &options);
	struct field field;

	assert_non_null(pool);
	for (unsigned c = 0; c < COUNTS; c++) {
		if (shape->pause_ns && counts[c] > 51)
			continue;
		make(&field, shape, counts[c], test_seed() + c);
		shorten(&field);
		assert_true(field_run(&field, rival, pool) > 0);
		expect_right(&field, workers, rival->name);
		assert_true(field_run(&field, rival, pool) > 0); /* once more, as it is */
		expect_right(&field, workers, rival->name);
		field_free(&field);
	}
	rival->close(pool);
}

static void test_shapes_run_on_every_rival(void **state)
{
	(void)state;
	for (unsigned s = 0; shapes[s]; s++)
		for (unsigned r = 0; r < RIVAL_COUNT; r++)
			for (unsigned workers = 1; workers <= 3; workers++)
				race_on(rivals[r], workers, shapes[s]);
}

/* --- judged --- */

static void test_shapes_judge_notices_what_is_wrong(void **state)
{
	struct field field;
	struct verdict verdict;

	(void)state;
	make(&field, shape_find("uniform"), 100, 1);
	field_run_serial(&field);
	field.jobs[3].runs = 0;
	field.jobs[4].runs = 2;
	field.jobs[5].runs = 3;
	field.jobs[6].value++;
	field.jobs[7].value = 0;
	field.jobs[99].value ^= 1;
	verdict = field_judge(&field, 1);
	assert_false(verdict_is_right(&verdict));
	assert_int_equal(verdict.lost, 1);
	assert_int_equal(verdict.twice, 2);
	assert_int_equal(verdict.wrong, 3);
	field_run_serial(&field); /* begins anew */
	expect_right(&field, 1, "the serial loop");
	field_free(&field);
}

static void test_shapes_judge_weighs_workers(void **state)
{
	struct field field;

	(void)state;
	make(&field, shape_find("uniform"), 100, 1);
	field_run_serial(&field);
	for (uint32_t i = 0; i < 100; i++)
		field.jobs[i].worker = i < 60 ? 0 : 1;
	double imbalance = field_judge(&field, 2).imbalance;
	assert_true(imbalance > 1.199 && imbalance < 1.201);
	for (uint32_t i = 0; i < 100; i++)
		field.jobs[i].worker = (int32_t)i % 4;
	imbalance = field_judge(&field, 4).imbalance;
	assert_true(imbalance > 0.999 && imbalance < 1.001);
	field.jobs[0].units *= 26; /* work counts, not jobs: 50 of 125 on worker 0 */
	imbalance = field_judge(&field, 4).imbalance;
	assert_true(imbalance > 1.599 && imbalance < 1.601);
	field_free(&field);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shapes_compute_is_foretold),
		cmocka_unit_test(test_shapes_deal_the_same_work_for_every_seed),
		cmocka_unit_test(test_shapes_have_the_sizes_they_say),
		cmocka_unit_test(test_shapes_run_serially),
		cmocka_unit_test(test_shapes_run_on_every_rival),
		cmocka_unit_test(test_shapes_judge_notices_what_is_wrong),
		cmocka_unit_test(test_shapes_judge_weighs_workers),
	};

	alarm(PATIENCE);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
