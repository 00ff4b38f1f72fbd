/* SPDX-License-Identifier: MIT */
/* test_claims.c — loops whose chunks are claimed: sizes, homes, errors, ranges beyond 2^31 */
#include "unit/test_pool.h"

#include "base/rng.h"
#include "par/claims.h"

#include <skua/loop.h>

#include <pthread.h>
#include <stdlib.h>

/* As claims.c claims: a chunk at home, else from elsewhere.  How many; 0: nothing is left. */
static uint32_t take(struct skuai_claims *claims, unsigned home,
		     const struct skuai_claims_size *size, uint32_t *first)
{
	uint32_t count = skuai_claims_front(&claims->homes[home], size, first);

	return count ? count : skuai_claims_bring(claims, home, size, first);
}

/* --- sizes --- */

static void test_claims_share_is_a_part_of_what_is_left(void **state)
{
	struct skuai_claims_size size = { .chunk = 1000, .spare = 2, .least = 8 };

	(void)state;
	assert_int_equal(skuai_claims_share(100000, &size), 1000);
	assert_int_equal(skuai_claims_share(401, &size), 201);
	assert_int_equal(skuai_claims_share(10, &size), 8);
	assert_int_equal(skuai_claims_share(5, &size), 5);
	size.spare = 8;
	assert_int_equal(skuai_claims_share(400, &size), 350);
	assert_int_equal(skuai_claims_share(7, &size), 7);
	size.spare = 2;
	size.chunk = 40; /* dear ones: least is for those who know nothing */
	assert_int_equal(skuai_claims_share(3, &size), 2);
	size.chunk = 4;
	assert_int_equal(skuai_claims_share(16, &size), 4);
	size.chunk = 0;
	assert_int_equal(skuai_claims_share(16, &size), 1);
	assert_int_equal(skuai_claims_share(1, &size), 1);
	size = (struct skuai_claims_size){ .chunk = UINT32_MAX, .spare = UINT32_MAX, .least = 3 };
	assert_true(skuai_claims_share(UINT32_MAX - 1, &size) == UINT32_MAX - 1);
}

/* One thread at any home, with chunks of any size. */
static void test_claims_gives_each_unit_once(void **state)
{
	struct skuai_rng rng = { .state = test_seed() };

	(void)state;
	for (unsigned round = 0; round < 2000; round++) {
		uint32_t units = (uint32_t)skuai_rng_below(&rng, 100) + 1, done = 0, first, count;
		unsigned homes = (unsigned)skuai_rng_below(&rng, SKUAI_CLAIMS_HOMES) + 1;
		uint8_t times[100] = { 0 };
		struct skuai_home rooms[SKUAI_CLAIMS_HOMES];
		struct skuai_claims claims = { .homes = rooms, .count = homes };
		skuai_claims_open(&claims, skuai_rng_below(&rng, homes), units,
				  (uint32_t)skuai_rng_below(&rng, units) + 1);
		for (;;) {
			struct skuai_claims_size size = {
				.chunk = (uint32_t)skuai_rng_below(&rng, 20),
				.spare = (uint32_t)skuai_rng_below(&rng, 5) + 2,
				.least = (uint32_t)skuai_rng_below(&rng, 5),
				.is_alone = skuai_rng_below(&rng, 2),
			};
			count = take(&claims, skuai_rng_below(&rng, homes), &size, &first);
			if (!count)
				break;
			assert_in_range(count, 1, size.chunk > 1 ? size.chunk : 1);
			for (uint32_t i = first; i < first + count; i++)
				assert_int_equal(++times[i], 1);
			done += count;
		}
		assert_int_equal(done, units);
	}
}

/* Whose home is empty takes the back half of the fullest, and lives on that. */
static void test_claims_halve_the_fullest(void **state)
{
	struct skuai_claims_size size = { .chunk = 10, .spare = UINT32_MAX, .least = 1 };
	struct skuai_home homes[3];
	struct skuai_claims claims = { .homes = homes, .count = 3 };
	uint32_t first;

	(void)state;
	skuai_claims_open(&claims, 0, 100, 50);
	assert_int_equal(take(&claims, 0, &size, &first), 10);
	assert_int_equal(first, 0);
	assert_int_equal(take(&claims, 1, &size, &first), 10);
	assert_int_equal(first, 55); /* 45 of the 90 that were left, 35 of them stay there */
	assert_int_equal(skuai_claims_count(skuai_claims_left(&claims, 0)), 45);
	assert_int_equal(skuai_claims_count(skuai_claims_left(&claims, 1)), 35);
	assert_int_equal(take(&claims, 2, &size, &first), 10);
	assert_int_equal(first, 32); /* 23 of the 45 */
	assert_int_equal(take(&claims, 1, &size, &first), 10);
	assert_int_equal(first, 65);
	/* Somebody brings a part home: who shares it claims a chunk elsewhere, and no more. */
	skua_store(&claims.homes[2].left, SKUAI_CLAIMS_MOVING, relaxed);
	size.chunk = 3;
	assert_int_equal(take(&claims, 2, &size, &first), 3);
	assert_int_equal(first, 97);
	assert_true(skuai_claims_left(&claims, 2) == SKUAI_CLAIMS_MOVING);
}

/* With two homes it is known who may come: that one finds its part at home. */
static void test_claims_deal_out_to_two(void **state)
{
	struct skuai_claims_size size = { .chunk = 10, .spare = UINT32_MAX, .least = 1 };
	struct skuai_home homes[2];
	struct skuai_claims claims = { .homes = homes, .count = 2 };
	uint32_t first;

	(void)state;
	skuai_claims_open(&claims, 1, 25, 13);
	assert_int_equal(take(&claims, 0, &size, &first), 10);
	assert_int_equal(first, 13);
	assert_int_equal(take(&claims, 1, &size, &first), 10);
	assert_int_equal(first, 0);
	assert_int_equal(take(&claims, 1, &size, &first), 3);
	/* Nobody came: what is there is brought whole, 1 of 2 is not left behind. */
	size.is_alone = true;
	assert_int_equal(take(&claims, 1, &size, &first), 2);
	assert_int_equal(first, 23);
	assert_int_equal(take(&claims, 1, &size, &first), 0);
	skuai_claims_open(&claims, 0, 1, 1);
	assert_int_equal(take(&claims, 1, &size, &first), 1);
	assert_int_equal(take(&claims, 0, &size, &first), 0);
}

/* --- how far it got --- */

struct path {
	_Atomic uint8_t done[10000];
	uint64_t holes[3]; /* calls that would reach one of these fail */
};

static int walk(struct skua_slot *skua_here, uint64_t lo, uint64_t hi, void *argument)
{
	struct path *path = argument;

	(void)skua_here;
	for (unsigned i = 0; i < 3; i++)
		if (lo <= path->holes[i] && path->holes[i] < hi)
			return -77;
	spin_for(hi - lo > 50 ? 5000 : 200);
	for (uint64_t i = lo; i < hi; i++)
		skua_add(&path->done[i], 1, relaxed);
	return 0;
}

/* Whatever failed where: all before `first` is done, and `count` is what is done in all. */
static void test_claims_tell_how_far_they_got(void **state)
{
	struct skuai_rng rng = { .state = test_seed() };

	(void)state;
	for (int workers = 1; workers <= 4; workers++) {
		WATCH(60);
		struct skua_pool *pool = pool_of(workers);
		for (unsigned round = 0; round < 60; round++) {
			struct path *path = calloc(1, sizeof(*path));
			struct skua_reach reach;
			struct skua_loop_options options = { .size = sizeof(options),
							     .grain = round % 3 * 7,
							     .reach = &reach };
			uint64_t n = 1 + skuai_rng_below(&rng, 10000), count = 0, first = 0;
			for (unsigned i = 0; i < 3; i++)
				path->holes[i] = i <= round % 4
							 ? skuai_rng_below(&rng, (uint32_t)(2 * n))
							 : n;
			bool is_whole = path->holes[0] >= n && path->holes[1] >= n &&
					path->holes[2] >= n;
			assert_int_equal(skua_for(pool, 0, n, walk, path, &options),
					 is_whole ? 0 : -77);
			for (uint64_t i = 0; i < n; i++) {
				uint8_t times = skua_load(&path->done[i], relaxed);
				assert_in_range(times, 0, 1);
				count += times;
			}
			while (first < n && skua_load(&path->done[first], relaxed))
				first++;
			assert_true(reach.count == count);
			assert_true(reach.first <= first);
			assert_true(!is_whole || (reach.first == n && reach.count == n));
			free(path);
		}
		pool_end(pool);
	}
}

/* Who helps stays in its first chunk until the owner has robbed it, and fails at the far end. */
struct trap {
	_Atomic uint32_t is_helped, is_over;
	_Atomic uintptr_t owner; /* whoever has the first index */
	_Atomic uint8_t done[1000];
};

static int walk_into_trap(struct skua_slot *skua_here, uint64_t lo, uint64_t hi, void *argument)
{
	struct trap *trap = argument;

	(void)skua_here;
	if (lo == 0)
		skua_store(&trap->owner, (uintptr_t)pthread_self(), relaxed);
	bool is_owner = skua_load(&trap->owner, relaxed) == (uintptr_t)pthread_self();
	if (!is_owner)
		skua_store(&trap->is_helped, 1, release);
	if (!reaches(is_owner ? &trap->is_helped : &trap->is_over, 1))
		return -1;
	if (hi == 1000) {
		skua_store(&trap->is_over, 1, release);
		return -77;
	}
	for (uint64_t i = lo; i < hi; i++)
		skua_add(&trap->done[i], 1, relaxed);
	return 0;
}

static void test_claims_see_what_is_left_at_other_homes(void **state)
{
	(void)state;
	WATCH(60);
	struct skua_pool *pool = pool_of(2);
	for (unsigned round = 0; round < 5; round++) {
		struct trap *trap = calloc(1, sizeof(*trap));
		struct skua_reach reach;
		struct skua_loop_options options = { .size = sizeof(options), .reach = &reach };
		assert_int_equal(skua_for(pool, 0, 1000, walk_into_trap, trap, &options), -77);
		uint64_t first = 0;
		while (first < 1000 && skua_load(&trap->done[first], relaxed))
			first++;
		assert_in_range(reach.first, 1, first);
		free(trap);
	}
	pool_end(pool);
}

/* --- ranges whose units are many indices --- */

static _Atomic uint64_t summed;

static int sum_lengths(struct skua_slot *skua_here, uint64_t lo, uint64_t hi, void *argument)
{
	(void)skua_here, (void)argument;
	assert_true(lo < hi);
	if (lo == 0)
		spin_for(8000); /* too long for a short loop, which would be run without claims */
	skua_add(&summed, hi - lo, relaxed);
	return 0;
}

static void expect_huge(struct skua_pool *pool, uint64_t n, uint64_t grain)
{
	struct skua_reach reach;
	struct skua_loop_options options = { .size = sizeof(options),
					     .grain = grain,
					     .reach = &reach };

	skua_store(&summed, 0, relaxed);
	assert_int_equal(skua_for(pool, 0, n, sum_lengths, NULL, &options), SKUA_OK);
	assert_true(skua_load(&summed, relaxed) == n);
	assert_true(reach.first == n && reach.count == n);
}

static void test_claims_of_huge_ranges(void **state)
{
	static const uint64_t grains[] = { 0, 1, 1000, (uint64_t)1 << 62, ((uint64_t)1 << 63) + 5 };
	static const uint64_t counts[] = { ((uint64_t)1 << 31) + 1, ((uint64_t)1 << 33) - 1,
					   ((uint64_t)1 << 63) + 1, UINT64_MAX };

	(void)state;
	for (int workers = 1; workers <= 2; workers++) {
		WATCH(60);
		struct skua_pool *pool = pool_of(workers);
		for (unsigned g = 0; g < sizeof(grains) / sizeof(grains[0]); g++)
			for (unsigned c = 0; c < sizeof(counts) / sizeof(counts[0]); c++)
				expect_huge(pool, counts[c], grains[g]);
		pool_end(pool);
	}
}

/* One of the second window fails, once: who tried it again would find nothing wrong. */
#define LATE (((uint64_t)1 << 31) + 12345)

static int fail_late(struct skua_slot *skua_here, uint64_t lo, uint64_t hi, void *argument)
{
	_Atomic uint32_t *has_failed = argument;

	(void)skua_here;
	if (lo == 0)
		spin_for(8000); /* as in sum_lengths: its first window is of single indices */
	return lo <= LATE && LATE < hi && !skua_exchange(has_failed, 1, relaxed) ? -77 : 0;
}

static void test_claims_of_huge_ranges_tell_a_late_error(void **state)
{
	(void)state;
	for (int workers = 1; workers <= 3; workers++) {
		WATCH(60);
		struct skua_pool *pool = pool_of(workers);
		_Atomic uint32_t has_failed = 0;
		struct skua_reach reach;
		struct skua_loop_options options = { .size = sizeof(options), .reach = &reach };
		assert_int_equal(
			skua_for(pool, 0, (uint64_t)1 << 40, fail_late, &has_failed, &options),
			-77);
		assert_in_range(reach.first, (uint64_t)1 << 31, LATE);
		assert_true(reach.count < (uint64_t)1 << 40);
		pool_end(pool);
	}
}

/* Dear indices, though there are 2^64 of them: nobody is given more than the clock allows. */
static int take_a_while(struct skua_slot *skua_here, uint64_t lo, uint64_t hi, void *argument)
{
	_Atomic uint64_t *longest = argument;
	uint64_t seen = skua_load(longest, relaxed), count = hi - lo;

	(void)skua_here;
	while (count > seen && !skua_cas_weak(longest, &seen, count, relaxed, relaxed))
		;
	spin_for(count < 1000 ? (int64_t)count * 1000 : 1000000);
	return 0;
}

static void test_claims_of_huge_ranges_heed_their_deadline(void **state)
{
	(void)state;
	for (int workers = 1; workers <= 2; workers++) {
		WATCH(60);
		struct skua_pool *pool = pool_of(workers);
		_Atomic uint64_t longest = 0;
		struct skua_loop_options options = {
			.size = sizeof(options), .deadline = skua_clock_ns() + 100 * MILLISECOND
		};
		assert_int_equal(skua_for(pool, 0, UINT64_MAX, take_a_while, &longest, &options),
				 SKUA_ETIMEDOUT);
		/* None at all: without a processor until the time was over. */
		assert_in_range(skua_load(&longest, relaxed), 0, 100000);
		pool_end(pool);
	}
}

/* The last index ends after the deadline; what is whole then is whole. */
static int end_late(struct skua_slot *skua_here, uint64_t lo, uint64_t hi, void *argument)
{
	const int64_t *deadline = argument;

	(void)skua_here, (void)lo;
	while (hi == 20 && skua_clock_ns() <= *deadline)
		continue;
	return 0;
}

static void test_claims_whole_at_the_deadline_is_whole(void **state)
{
	unsigned whole = 0;

	(void)state;
	for (int workers = 1; workers <= 3; workers++) {
		WATCH(60);
		struct skua_pool *pool = pool_of(workers);
		for (unsigned round = 0; round < 10 || (!whole && round < 500); round++) {
			int64_t deadline = skua_clock_ns() + 20 * MILLISECOND;
			struct skua_reach reach;
			struct skua_loop_options options = { .size = sizeof(options),
							     .deadline = deadline,
							     .reach = &reach };
			int error = skua_for(pool, 0, 20, end_late, &deadline, &options);
			/* Not whole: a thread without a processor for 20 ms. */
			assert_int_equal(error, reach.count == 20 ? SKUA_OK : SKUA_ETIMEDOUT);
			whole += reach.count == 20;
		}
		pool_end(pool);
	}
	assert_true(whole > 0);
}

/* --- loops that were short the last time --- */

static int note_longest(struct skua_slot *skua_here, uint64_t lo, uint64_t hi, void *argument)
{
	uint64_t *longest = argument;

	(void)skua_here;
	assert_true(lo < hi);
	if (hi - lo > *longest)
		*longest = hi - lo;
	return hi - lo > 1000 ? -5 : 0;
}

SKUA_TASK(int, grow_suddenly, uint64_t, n, uint64_t *, longest)
{
	int error = 0;

	for (unsigned i = 0; i < 5; i++)
		error |= skua_for(skua_here, 0, 8, note_longest, longest, NULL);
	assert_int_equal(error, 0);
	*longest = 0;
	return skua_for(skua_here, 0, n, note_longest, longest, NULL);
}

static void test_claims_short_loops_may_grow(void **state)
{
	uint64_t longest = 0;

	(void)state;
	WATCH(60);
	struct skua_pool *pool = pool_of(1);
	assert_int_equal(skua_run(pool, grow_suddenly, 16, &longest), 0);
	assert_in_range(longest, 1, 16);
	assert_int_equal(skua_run(pool, grow_suddenly, UINT64_MAX, &longest), -5);
	assert_in_range(longest, 1001, 64000); /* by steps, not a part of what there is */
	pool_end(pool);
}

struct dearer {
	int64_t cost_ns; /* of an index */
	unsigned calls;
};

static int cost_more(struct skua_slot *skua_here, uint64_t lo, uint64_t hi, void *argument)
{
	struct dearer *dearer = argument;

	(void)skua_here;
	dearer->calls++;
	if (dearer->cost_ns)
		spin_for(dearer->cost_ns * (int64_t)(hi - lo));
	return 0;
}

/* How many of so many loops were one call each. */
SKUA_TASK(unsigned, count_whole, unsigned, loops, struct dearer *, dearer)
{
	unsigned whole = 0;

	for (unsigned i = 0; i < loops; i++) {
		dearer->calls = 0;
		skua_for(skua_here, 0, 8, cost_more, dearer, NULL);
		whole += dearer->calls == 1;
	}
	return whole;
}

/* Of those that were always short most are not timed; and yet it is seen when they are not. */
static void test_claims_short_loops_may_become_dear(void **state)
{
	struct dearer dearer = { 0 };

	(void)state;
	WATCH(60);
	struct skua_pool *pool = pool_of(1);
	for (unsigned round = 0; round < 20; round++) {
		dearer.cost_ns = 0;
		skua_run(pool, count_whole, 1000, &dearer);
		dearer.cost_ns = 5000; /* 40 us in all */
		assert_in_range(skua_run(pool, count_whole, 30, &dearer), 0, 16);
	}
	pool_end(pool);
}

/* --- who helps brings the next one --- */

/* An index ends when all have begun: each is with a worker of its own, or nobody comes. */
static int wait_for_all(struct skua_slot *skua_here, uint64_t lo, uint64_t hi, void *argument)
{
	_Atomic uint32_t *begun = argument;

	(void)skua_here;
	skua_add(begun, (uint32_t)(hi - lo), release);
	return reaches(begun, 8) ? 0 : -1;
}

static void test_claims_all_come_to_help(void **state)
{
	(void)state;
	WATCH(60);
	struct skua_pool *pool = pool_of(8);
	for (unsigned round = 0; round < 5; round++) {
		_Atomic uint32_t begun = 0;
		struct skua_reach reach;
		struct skua_loop_options options = { .size = sizeof(options), .reach = &reach };
		assert_int_equal(skua_for(pool, 0, 8, wait_for_all, &begun, &options), SKUA_OK);
		/* What the helpers of helpers did is counted as well. */
		assert_true(reach.first == 8 && reach.count == 8);
	}
	pool_end(pool);
}

/* --- bodies that wait --- */

static _Thread_local unsigned depth;
static _Atomic unsigned deepest;

static void dawdle(struct skua_slot *skua_here, void *argument)
{
	(void)skua_here, (void)argument;
	spin_for(10000);
}

static int wait_for_a_job(struct skua_slot *skua_here, uint64_t lo, uint64_t hi, void *argument)
{
	(void)skua_here;
	if (++depth > skua_load(&deepest, relaxed))
		skua_store(&deepest, depth, relaxed);
	for (uint64_t i = lo; i < hi; i++) {
		struct skua_job job = SKUA_JOB(dawdle, NULL);
		assert_int_equal(skua_submit(argument, &job), SKUA_OK);
		assert_int_equal(skua_job_wait(&job, SKUA_FOREVER), SKUA_OK);
	}
	depth--;
	return 0;
}

/* Whoever waits in a body does not begin another of the same loop: it would nest n deep. */
static void test_claims_do_not_nest_in_themselves(void **state)
{
	(void)state;
	for (int workers = 2; workers <= 4; workers++) {
		WATCH(100);
		struct skua_pool_options options = { .size = sizeof(options),
						     .workers = workers,
						     .fork_slots = 1024 };
		struct skua_pool *pool, *other = pool_of(1);
		struct skua_reach reach;
		struct skua_loop_options loop = { .size = sizeof(loop), .reach = &reach };
		assert_int_equal(skua_pool_open(&pool, &options), SKUA_OK);
		skua_store(&deepest, 0, relaxed);
		assert_int_equal(skua_for(pool, 0, 3000, wait_for_a_job, other, &loop), SKUA_OK);
		/* Who left at once has done nothing. */
		assert_true(reach.first == 3000 && reach.count == 3000);
		assert_in_range(skua_load(&deepest, relaxed), 1, 2);
		pool_end(pool);
		pool_end(other);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_claims_share_is_a_part_of_what_is_left),
		cmocka_unit_test(test_claims_gives_each_unit_once),
		cmocka_unit_test(test_claims_halve_the_fullest),
		cmocka_unit_test(test_claims_deal_out_to_two),
		cmocka_unit_test(test_claims_tell_how_far_they_got),
		cmocka_unit_test(test_claims_see_what_is_left_at_other_homes),
		cmocka_unit_test(test_claims_of_huge_ranges),
		cmocka_unit_test(test_claims_of_huge_ranges_tell_a_late_error),
		cmocka_unit_test(test_claims_of_huge_ranges_heed_their_deadline),
		cmocka_unit_test(test_claims_whole_at_the_deadline_is_whole),
		cmocka_unit_test(test_claims_short_loops_may_grow),
		cmocka_unit_test(test_claims_short_loops_may_become_dear),
		cmocka_unit_test(test_claims_all_come_to_help),
		cmocka_unit_test(test_claims_do_not_nest_in_themselves),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
