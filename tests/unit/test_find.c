/* SPDX-License-Identifier: MIT */
/* test_find.c — first match, any, all, how many, extremes: as a plain loop, and stopped early */
#include "unit/test_pool.h"

#include "base/fault.h"

#include <skua/find.h>

#include <math.h>

static const int worker_counts[] = { 1, 2, 3, 8, 64 };
#define WIDTHS (sizeof(worker_counts) / sizeof(worker_counts[0]))
#define LENGTH 20011

/* --- against a plain loop --- */

struct haystack {
	uint8_t is_match[LENGTH];
	uint64_t from; /* the index of the first */
	uint64_t slow; /* this index takes a while */
};

SKUA_FIND(matches, const struct haystack *, hay, i)
{
	if (i == hay->slow)
		spin_for(50000);
	return hay->is_match[i - hay->from];
}

/* The same without macros, and with no function but the first. */
static uint64_t first_match(struct skua_slot *skua_here, uint64_t lo, uint64_t hi, void *argument)
{
	(void)skua_here;
	for (; lo < hi; lo++)
		if (((const struct haystack *)argument)
			    ->is_match[lo - ((const struct haystack *)argument)->from])
			break;
	return lo;
}

static const struct skua_find plain_matches = { .first = first_match };

static void expect_as_serial(struct skua_pool *pool, const struct haystack *hay, uint64_t n,
			     const struct skua_find *find, const struct skua_loop_options *options)
{
	uint64_t lo = hay->from, hi = lo + n, first = hi, count = 0, index = 1, found = 1;
	bool is_any = false, is_all = false;

	for (uint64_t i = n; i-- > 0;) {
		first = hay->is_match[i] ? lo + i : first;
		count += hay->is_match[i];
	}
	int error = skua_find_first(pool, lo, hi, *find, hay, &index, options);
	int error_any = skua_any(pool, lo, hi, *find, hay, &is_any, options);
	int error_all = skua_all(pool, lo, hi, *find, hay, &is_all, options);
	int error_count = skua_count(pool, lo, hi, *find, hay, &found, options);
	if (error || error_any || error_all || error_count || index != first || found != count ||
	    is_any != (count > 0) || is_all != (count == n))
		fail_msg("%u workers, %llu from %llu: errors %d %d %d %d, first %llu not %llu, "
			 "count %llu not %llu, any %d, all %d",
			 skua_pool_workers(pool), (unsigned long long)n, (unsigned long long)lo,
			 error, error_any, error_all, error_count, (unsigned long long)index,
			 (unsigned long long)first, (unsigned long long)found,
			 (unsigned long long)count, is_any, is_all);
}

/* Which indices match: none, all, one, all but one, a few, half of them. */
static void draw_matches(struct haystack *hay, uint64_t n, unsigned kind)
{
	uint64_t one = n ? test_random() % n : 0;

	for (uint64_t i = 0; i < n; i++) {
		bool is_one = i == one;
		uint64_t draw = test_random();
		bool kinds[] = { false, true, is_one, !is_one, draw % 1000 == 0, draw % 2 == 0 };
		hay->is_match[i] = kinds[kind];
	}
	hay->slow = hay->from + one / 2;
}

static void test_find_as_a_plain_loop(void **state)
{
	static const uint64_t lengths[] = { 0, 1, 2, 3, 17, 64, 255, 1000, LENGTH };
	static struct haystack hay;

	(void)state;
	for (unsigned w = 0; w < WIDTHS; w++) {
		WATCH(60);
		struct skua_pool *pool = pool_of(worker_counts[w]);
		for (unsigned l = 0; l < sizeof(lengths) / sizeof(lengths[0]); l++)
			for (unsigned kind = 0; kind < 6; kind++) {
				struct skua_loop_options options = { .size = sizeof(options),
								     .grain = test_random() % 40 };
				uint64_t n = lengths[l];
				hay.from = kind % 2 ? UINT64_MAX - n : 0;
				draw_matches(&hay, n, kind);
				expect_as_serial(pool, &hay, n, &matches, NULL);
				expect_as_serial(pool, &hay, n, &plain_matches, &options);
			}
		pool_end(pool);
	}
}

static void test_find_in_nothing(void **state)
{
	static struct haystack hay;
	uint64_t index = 1, count = 1;
	bool is_any = true, is_all = false;

	(void)state;
	assert_int_equal(skua_find_first(NULL, 9, 3, matches, &hay, &index, NULL), SKUA_OK);
	assert_int_equal(index, 3);
	assert_int_equal(skua_any(NULL, 9, 3, matches, &hay, &is_any, NULL), SKUA_OK);
	assert_false(is_any);
	assert_int_equal(skua_all(NULL, 9, 3, matches, &hay, &is_all, NULL), SKUA_OK);
	assert_true(is_all);
	assert_int_equal(skua_count(NULL, 9, 3, matches, &hay, &count, NULL), SKUA_OK);
	assert_int_equal(count, 0);
}

/* --- stops early, but not too early --- */

SKUA_FIND(is_it, const uint64_t *, it, i)
{
	return i == *it;
}

SKUA_FIND(is_below, const uint64_t *, it, i)
{
	return i < *it;
}

/* Looked at to the end, these would take minutes. */
static void test_find_stops_behind_a_match(void **state)
{
	uint64_t end = (uint64_t)1 << 40, it = 100000, index = 0;
	bool is_any = false, is_all = true;

	(void)state;
	for (unsigned w = 0; w < WIDTHS; w++) {
		WATCH(20);
		struct skua_pool *pool = pool_of(worker_counts[w]);
		assert_int_equal(skua_find_first(pool, 0, end, is_it, &it, &index, NULL), SKUA_OK);
		assert_int_equal(index, it);
		assert_int_equal(skua_any(pool, 0, end, is_it, &it, &is_any, NULL), SKUA_OK);
		assert_true(is_any);
		assert_int_equal(skua_all(pool, 0, end, is_below, &it, &is_all, NULL), SKUA_OK);
		assert_false(is_all);
		pool_end(pool);
	}
}

/*
 * first half:   . . . slow . . . slow M . .        M is found last
 * second half:  M M M M M M M M M M M M M         by thieves, long before
 */
SKUA_FIND(late_or_slow, const uint64_t *, end, i)
{
	if (i >= *end / 2)
		return true;
	if (i % 64 == 0)
		spin_for(20000);
	return i == *end / 2 - 3;
}

static void test_find_the_lowest_though_found_last(void **state)
{
	uint64_t end = 2000, index = 0;

	(void)state;
	for (unsigned w = 0; w < WIDTHS; w++) {
		WATCH(60);
		struct skua_pool *pool = pool_of(worker_counts[w]);
		for (unsigned round = 0; round < 5; round++) {
			index = 0;
			assert_int_equal(
				skua_find_first(pool, 0, end, late_or_slow, &end, &index, NULL),
				SKUA_OK);
			assert_int_equal(index, end / 2 - 3);
		}
		pool_end(pool);
	}
}

/*
 * index 0:  begins ............ waits for 1 to begin, matches
 * index 1:          begins .... waits for that, matches later: 0 must stay
 */
struct crossing {
	_Atomic uint32_t begun, matched;
};

SKUA_FIND(cross, struct crossing *, crossing, i)
{
	if (i == 0) {
		reaches(&crossing->begun, 1);
		skua_store(&crossing->matched, 1, release);
		return true;
	}
	skua_store(&crossing->begun, 1, release);
	reaches(&crossing->matched, 1);
	sleep_ns(MILLISECOND);
	return true;
}

static void test_find_a_later_match_is_no_better(void **state)
{
	struct skua_loop_options options = { .size = sizeof(options), .grain = 1 };
	uint64_t index;

	(void)state;
	WATCH(60);
	struct skua_pool *pool = pool_of(2);
	for (unsigned round = 0; round < 3; round++) {
		struct crossing crossing = { 0, 0 };
		assert_int_equal(skua_find_first(pool, 0, 2, cross, &crossing, &index, &options),
				 SKUA_OK);
		assert_int_equal(index, 0);
		assert_int_equal(skua_load(&crossing.begun, relaxed), 1);
	}
	pool_end(pool);
}

/* --- deadlines and groups --- */

struct late {
	int64_t deadline;
	uint64_t at;
	bool is_match;
};

SKUA_FIND(passes_deadline, const struct late *, late, i)
{
	if (i < late->at)
		return false;
	while (skua_clock_ns() <= late->deadline)
		continue;
	return late->is_match;
}

static void test_find_deadline(void **state)
{
	struct skua_reach reach;
	struct skua_loop_options options = { .size = sizeof(options), .reach = &reach };
	struct late late = { .at = 5 };
	uint64_t index = 77, count = 77;
	bool is_any = true;

	(void)state;
	WATCH(20);
	struct skua_pool *pool = pool_of(1);
	for (int round = 0; round < 2; round++) {
		int error = SKUA_ETIMEDOUT;
		late.is_match = round;
		reach.first = 0;
		/* Time enough to begin, or on a very busy machine the next time. */
		for (int64_t time = 100 * MILLISECOND; reach.first < 5 && time < 100 * SECOND;
		     time *= 4) {
			late.deadline = options.deadline = skua_clock_ns() + time;
			error = skua_find_first(pool, 0, 1000, passes_deadline, &late, &index,
						&options);
		}
		/* What was found with everything before it looked at is certain, however late. */
		assert_int_equal(error, round ? SKUA_OK : SKUA_ETIMEDOUT);
		assert_int_equal(index, round ? 5 : 77);
		assert_true(reach.first >= 5 && reach.first < 1000);
	}
	options.deadline = 1;
	assert_int_equal(skua_any(pool, 0, 10, passes_deadline, &late, &is_any, &options),
			 SKUA_ETIMEDOUT);
	assert_true(is_any);
	assert_int_equal(skua_count(pool, 0, 10, passes_deadline, &late, &count, &options),
			 SKUA_ETIMEDOUT);
	assert_int_equal(count, 0);
	assert_int_equal(reach.count, 0);
	pool_end(pool);
}

static void test_find_stops_with_its_group(void **state)
{
	struct skua_group group;
	struct skua_loop_options options = { .size = sizeof(options), .group = &group };
	uint64_t it = 3, index = 77;
	bool is_all = true;

	(void)state;
	WATCH(20);
	struct skua_pool *pool = pool_of(2);
	struct skua_group_options of_group = { .size = sizeof(of_group), .pool = pool };
	assert_int_equal(skua_group_open(&group, &of_group), SKUA_OK);
	skua_group_cancel(&group, SKUA_ECANCELED);
	assert_int_equal(skua_find_first(pool, 0, 100, is_it, &it, &index, &options),
			 SKUA_ECANCELED);
	assert_int_equal(index, 77);
	assert_int_equal(skua_all(pool, 0, 100, is_it, &it, &is_all, &options), SKUA_ECANCELED);
	assert_true(is_all);
	skua_group_wait(&group, SKUA_FOREVER);
	pool_end(pool);
}

/* --- extremes --- */

SKUA_MIN_MAX(extremes_of, double, a, b)
{
	return *a < *b;
}

static int compare_doubles(const void *a, const void *b, void *context)
{
	double x = *(const double *)a, y = *(const double *)b;

	if (context != worker_counts)
		abort();
	return (x > y) - (x < y);
}

enum shape {
	RANDOM,
	SORTED,
	REVERSED,
	CONSTANT,
	FEW,
	VALLEY,
	SHAPES
};

static double draw_double(enum shape shape, size_t i, size_t n)
{
	uint64_t draw = test_random();

	switch (shape) {
	case SORTED:
		return (double)i;
	case REVERSED:
		return (double)(n - i);
	case CONSTANT:
		return 7;
	case FEW:
		return (double)(draw % 3);
	case VALLEY:
		return (double)(i < n / 2 ? n - i : i);
	default:
		return (double)(draw >> 12) - 1e12;
	}
}

static void expect_extremes(struct skua_pool *pool, const double *x, size_t n)
{
	size_t least = 0, most = 0, min = 9, max = 9, plain_min = 9, plain_max = 9;

	for (size_t i = 0; i < n; i++) {
		least = x[i] < x[least] ? i : least;
		most = x[i] > x[most] ? i : most;
	}
	assert_int_equal(extremes_of(pool, x, n, &min, &max, NULL), SKUA_OK);
	assert_int_equal(skua_min_max(pool, x, n, sizeof(*x), compare_doubles,
				      (void *)worker_counts, &plain_min, &plain_max, NULL),
			 SKUA_OK);
	if (min != least || max != most || plain_min != least || plain_max != most)
		fail_msg("%u workers, %zu: %zu and %zu, %zu and %zu, not %zu and %zu",
			 skua_pool_workers(pool), n, min, max, plain_min, plain_max, least, most);
	max = 9;
	assert_int_equal(extremes_of(pool, x, n, NULL, &max, NULL), SKUA_OK);
	assert_int_equal(max, most);
}

static void test_find_extremes(void **state)
{
	static const size_t lengths[] = { 0, 1, 2, 3, 100, 1001, LENGTH };
	static double x[LENGTH];

	(void)state;
	for (unsigned w = 0; w < WIDTHS; w++) {
		WATCH(60);
		struct skua_pool *pool = pool_of(worker_counts[w]);
		for (unsigned l = 0; l < sizeof(lengths) / sizeof(lengths[0]); l++)
			for (enum shape shape = RANDOM; shape < SHAPES; shape++) {
				for (size_t i = 0; i < lengths[l]; i++)
					x[i] = draw_double(shape, i, lengths[l]);
				expect_extremes(pool, x, lengths[l]);
			}
		pool_end(pool);
	}
}

/* With NaN, < is no order: the answer is an index, and with is_stable always the same. */
static void test_find_extremes_of_a_broken_order(void **state)
{
	static double x[LENGTH];
	struct skua_loop_options options = { .size = sizeof(options), .is_stable = true };
	size_t min, max, first_min = 0, first_max = 0;

	(void)state;
	for (size_t i = 0; i < LENGTH; i++)
		x[i] = test_random() % 5 ? draw_double(RANDOM, i, LENGTH) : (double)NAN;
	x[0] = (double)NAN;
	for (unsigned w = 0; w < WIDTHS; w++) {
		WATCH(60);
		struct skua_pool *pool = pool_of(worker_counts[w]);
		assert_int_equal(extremes_of(pool, x, LENGTH, &min, &max, NULL), SKUA_OK);
		assert_true(min < LENGTH && max < LENGTH);
		assert_int_equal(extremes_of(pool, x, LENGTH, &min, &max, &options), SKUA_OK);
		first_min = w ? first_min : min;
		first_max = w ? first_max : max;
		assert_int_equal(min, first_min);
		assert_int_equal(max, first_max);
		pool_end(pool);
	}
}

/* --- in loops, without a pool, refused --- */

SKUA_LOOP_TRY(find_inside, _Atomic uint32_t *, wrong, i)
{
	uint64_t index = 0;
	int error = skua_find_first(skua_here, 0, 5000, is_it, &i, &index, NULL);

	if (index != i)
		skua_add(wrong, 1, relaxed);
	return error;
}

static void test_find_inside_a_loop(void **state)
{
	_Atomic uint32_t wrong = 0;

	(void)state;
	WATCH(60);
	struct skua_pool *pool = pool_of(3);
	assert_int_equal(skua_for(pool, 0, 500, find_inside, &wrong, NULL), SKUA_OK);
	assert_int_equal(skua_load(&wrong, relaxed), 0);
	pool_end(pool);
}

static void test_find_without_a_pool(void **state)
{
	(void)state;
#ifdef SKUA_FAULTS
	static struct haystack hay;

	WATCH(20);
	draw_matches(&hay, LENGTH, 4);
	skuai_fault_arm(SKUAI_FAULT_THREAD, 1, true, SKUAI_FAULT_USUAL);
	expect_as_serial(NULL, &hay, LENGTH, &matches, NULL);
	expect_extremes(NULL, (double[]){ 2, 1, 3, 1, 3 }, 5);
	skuai_fault_disarm();
#else
	skip();
#endif
}

static void test_find_refuses(void **state)
{
	static struct haystack hay;
	static const struct skua_find none = { 0 };
	struct skua_loop_options bad = { 0 };
	double x[3] = { 0 };
	size_t min = 7, max = 7;
	uint64_t index = 7;
	bool is_any = true;
	void *context = (void *)worker_counts;

	(void)state;
	assert_int_equal(skua_find_first(NULL, 0, 9, none, &hay, &index, NULL), SKUA_EINVAL);
	assert_int_equal(skua_loop_find_first(NULL, 0, 9, NULL, &hay, &index, NULL), SKUA_EINVAL);
	assert_int_equal(skua_find_first(NULL, 0, 9, matches, &hay, NULL, NULL), SKUA_EINVAL);
	assert_int_equal(skua_find_first(NULL, 0, 9, matches, &hay, &index, &bad), SKUA_EINVAL);
	assert_int_equal(skua_count(NULL, 0, 9, none, &hay, &index, NULL), SKUA_EINVAL);
	assert_int_equal(skua_count(NULL, 0, 9, matches, &hay, NULL, NULL), SKUA_EINVAL);
	assert_int_equal(skua_any(NULL, 0, 9, none, &hay, &is_any, NULL), SKUA_EINVAL);
	assert_int_equal(skua_any(NULL, 0, 9, matches, &hay, &is_any, &bad), SKUA_EINVAL);
	assert_int_equal(skua_all(NULL, 0, 9, matches, &hay, NULL, NULL), SKUA_EINVAL);
	assert_int_equal(skua_all(NULL, 0, 9, none, &hay, &is_any, NULL), SKUA_EINVAL);
	assert_int_equal(index, 7);
	assert_true(is_any);

	assert_int_equal(extremes_of(NULL, x, 3, NULL, NULL, NULL), SKUA_EINVAL);
	assert_int_equal(extremes_of(NULL, NULL, 3, &min, &max, NULL), SKUA_EINVAL);
	assert_int_equal(extremes_of(NULL, x, 3, &min, &max, &bad), SKUA_EINVAL);
	assert_int_equal(skua_array_extremes(NULL, x, 3, NULL, &min, &max, NULL), SKUA_EINVAL);
	assert_int_equal(skua_min_max(NULL, x, 3, 8, NULL, context, &min, &max, NULL), SKUA_EINVAL);
	assert_int_equal(skua_min_max(NULL, x, 3, 0, compare_doubles, context, &min, &max, NULL),
			 SKUA_EINVAL);
	assert_int_equal(
		skua_min_max(NULL, x, SIZE_MAX / 8, 8, compare_doubles, context, &min, &max, NULL),
		SKUA_EINVAL);
	assert_true(min == 7 && max == 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_find_as_a_plain_loop),
		cmocka_unit_test(test_find_in_nothing),
		cmocka_unit_test(test_find_stops_behind_a_match),
		cmocka_unit_test(test_find_the_lowest_though_found_last),
		cmocka_unit_test(test_find_a_later_match_is_no_better),
		cmocka_unit_test(test_find_deadline),
		cmocka_unit_test(test_find_stops_with_its_group),
		cmocka_unit_test(test_find_extremes),
		cmocka_unit_test(test_find_extremes_of_a_broken_order),
		cmocka_unit_test(test_find_inside_a_loop),
		cmocka_unit_test(test_find_refuses),
		cmocka_unit_test(test_find_without_a_pool),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
