/* SPDX-License-Identifier: MIT */
/* test_local_tasks.c — leases of tasks that wait, are stolen, hand over; of guests and threads */
#include "unit/test_local.h"

#include "os/thread.h"

/* --- tasks inside waits --- */

/*
 * One worker: it holds a lease and waits for jobs, which only it can run, inside the wait; each
 * leases and waits again.
 */
struct nest {
	struct skua_pool *pool;
	struct skua_local *local;
	unsigned depth, wrong;
};

static void lease_and_wait(struct skua_slot *skua_here, void *argument)
{
	struct nest *nest = argument;
	struct nest inner = *nest;
	struct instance *instance = enter(nest->local);

	(void)skua_here;
	nest->wrong += !instance;
	if (nest->depth-- > 0) {
		inner.depth--;
		struct skua_job job = SKUA_JOB(lease_and_wait, &inner);
		nest->wrong += skua_submit(nest->pool, &job) != SKUA_OK;
		nest->wrong += skua_job_wait(&job, SKUA_FOREVER) != SKUA_OK;
		nest->wrong += inner.wrong;
	}
	nest->wrong += !leave(nest->local, instance);
}

static void test_local_nested_task_gets_another(void **state)
{
	WATCH(20);
	struct skua_pool *pool = pool_of(1);
	struct skua_local local = local_of(pool);

	(void)state;
	for (unsigned round = 0; round < 3; round++) {
		struct nest nest = { .pool = pool, .local = &local, .depth = 5 };
		struct skua_job job = SKUA_JOB(lease_and_wait, &nest);
		assert_int_equal(skua_submit(pool, &job), SKUA_OK);
		assert_int_equal(skua_job_wait(&job, SKUA_FOREVER), SKUA_OK);
		assert_int_equal(nest.wrong, 0);
		assert_int_equal(sum_of(&local).instances, 6); /* as deep as it went */
	}
	assert_int_equal(sum_of(&local).leases, 18);
	assert_int_equal(skua_local_close(&local), SKUA_OK);
	pool_end(pool);
}

/* A tree of tasks that hold a lease across fork and join: joins of stolen tasks run others inside.
 * */
SKUA_TASK(long, tree, struct skua_local *, local, int, depth)
{
	struct instance *instance = enter(local);

	if (depth > 0) {
		skua_fork(tree, left, local, depth - 1);
		long right = skua_call(tree, local, depth - 1);
		long sum = right + skua_join(tree, left) + 1;
		return leave(local, instance) ? sum : -1000000;
	}
	for (unsigned i = 0; i < 50; i++)
		__asm__ volatile("" ::: "memory");
	return leave(local, instance) ? 1 : -1000000;
}

static const int worker_counts[] = { 1, 2, 8, 64 };

static void test_local_tree_never_shares(void **state)
{
	int depth = SLOW_BUILD ? 9 : 13;

	(void)state;
	for (unsigned w = 0; w < 4; w++) {
		WATCH(60);
		struct skua_pool *pool = pool_of(worker_counts[w]);
		struct skua_local local = local_of(pool);
		long nodes = (2L << depth) - 1;
		uint64_t rounds = test_rounds(SLOW_BUILD ? 3 : 20);
		for (uint64_t round = 0; round < rounds; round++)
			assert_int_equal(skua_run(pool, tree, &local, depth), nodes);
		struct sum sum = sum_of(&local);
		assert_int_equal(sum.leases, (uint64_t)nodes * rounds);
		/* a worker's own tree, and at most 32 more begun inside its joins */
		assert_in_range(sum.instances, 1,
				(uint64_t)worker_counts[w] * 33 * (uint64_t)(depth + 1));
		assert_int_equal(skua_local_close(&local), SKUA_OK);
		pool_end(pool);
	}
}

/* --- hand-over --- */

/* The worker leases, this thread returns: for ever the same instance. */
static void test_local_handed_over_goes_home(void **state)
{
	WATCH(30);
	struct skua_pool *pool = pool_of(1);
	struct skua_local local = local_of(pool);
	uint64_t rounds = test_rounds(500);

	(void)state;
	for (uint64_t round = 0; round < rounds; round++) {
		struct instance *instance = skua_run(pool, enter_task, &local);
		assert_non_null(instance);
		assert_true(leave(&local, instance));
	}
	assert_int_equal(sum_of(&local).instances, 1);
	assert_int_equal(sum_of(&local).leases, rounds);
	assert_int_equal(skua_local_close(&local), SKUA_OK);
	pool_end(pool);
}

/* Tasks lease, others return: over a table of letters, each taken out by one. */
#define LETTERS 16

struct post {
	struct skua_local *local;
	_Atomic(struct instance *) letters[LETTERS];
	_Atomic uint32_t wrong;
};

static void send_on(struct post *post, uint64_t seed, unsigned rounds)
{
	for (unsigned i = 0; i < rounds; i++) {
		_Atomic(struct instance *) *letter = &post->letters[(seed * 7 + i * 5) % LETTERS];
		struct instance *mine = enter(post->local);
		struct instance *old = skua_exchange(letter, mine, acq_rel);
		if (!mine || (old && !leave(post->local, old)))
			skua_add(&post->wrong, 1, relaxed);
	}
}

SKUA_TASK_VOID(send_tree, struct post *, post, int, depth, uint64_t, seed)
{
	if (depth > 0) {
		skua_fork(send_tree, left, post, depth - 1, 2 * seed);
		skua_call(send_tree, post, depth - 1, 2 * seed + 1);
		skua_join(send_tree, left);
	} else {
		send_on(post, seed, 8);
	}
}

struct sender {
	struct post *post;
	struct skuai_thread thread;
	uint64_t seed;
};

static void sender_main(void *argument)
{
	struct sender *sender = argument;

	send_on(sender->post, sender->seed, SLOW_BUILD ? 300 : 3000);
}

static void post_round(struct skua_pool *pool, struct post *post)
{
	struct sender senders[3];

	for (unsigned i = 0; i < 3; i++) {
		senders[i] = (struct sender){ .post = post, .seed = i };
		assert_int_equal(
			skuai_thread_start(&senders[i].thread, sender_main, &senders[i], NULL),
			SKUA_OK);
	}
	skua_run(pool, send_tree, post, SLOW_BUILD ? 8 : 11, 1);
	for (unsigned i = 0; i < 3; i++)
		skuai_thread_join(&senders[i].thread);
	for (unsigned i = 0; i < LETTERS; i++) {
		struct instance *last = skua_exchange(&post->letters[i], NULL, acquire);
		assert_true(!last || leave(post->local, last));
	}
}

static void test_local_handed_over_among_all(void **state)
{
	(void)state;
	for (unsigned w = 0; w < 4; w++) {
		WATCH(60);
		struct skua_pool *pool = pool_of(worker_counts[w]);
		struct skua_local local = local_of(pool);
		struct post post = { .local = &local };
		post_round(pool, &post);
		post_round(pool, &post);
		assert_int_equal(skua_load(&post.wrong, relaxed), 0);
		/* at one shelf no more than were ever out at once: the letters, and who holds one
		 * */
		uint64_t most = (uint64_t)(worker_counts[w] + 1) * (LETTERS + 4 + 33);
		assert_in_range(sum_of(&local).instances, 1, most);
		assert_int_equal(sum_of(&local).leases, 2 * (3 * (SLOW_BUILD ? 300 : 3000) +
							     8 * (SLOW_BUILD ? 256 : 2048)));
		assert_int_equal(skua_local_close(&local), SKUA_OK);
		pool_end(pool);
	}
}

/* --- threads without a place, and guests --- */

struct visitor {
	struct skua_pool *pool;
	struct skua_local *local;
	struct skuai_thread thread;
	uint64_t wrong, rounds;
	bool is_guest;
};

SKUA_TASK(bool, lease_once, struct skua_local *, local)
{
	return leave(local, enter(local));
}

static void visitor_main(void *argument)
{
	struct visitor *visitor = argument;

	for (uint64_t i = 0; i < visitor->rounds; i++)
		visitor->wrong += !(visitor->is_guest
					    ? skua_run(visitor->pool, lease_once, visitor->local)
					    : leave(visitor->local, enter(visitor->local)));
}

static void test_local_threads_and_guests(void **state)
{
	(void)state;
	for (unsigned w = 0; w < 4; w++) {
		WATCH(60);
		struct visitor visitors[8];
		struct skua_pool *pool = pool_of(worker_counts[w]);
		struct skua_local local = local_of(pool);
		uint64_t leases = 0;
		for (unsigned i = 0; i < 8; i++) {
			visitors[i] = (struct visitor){ .pool = pool,
							.local = &local,
							.rounds = test_rounds(SLOW_BUILD ? 100
											 : 1000),
							.is_guest = i % 2 };
			leases += visitors[i].rounds;
			assert_int_equal(skuai_thread_start(&visitors[i].thread, visitor_main,
							    &visitors[i], NULL),
					 SKUA_OK);
		}
		for (unsigned i = 0; i < 8; i++) {
			skuai_thread_join(&visitors[i].thread);
			assert_int_equal(visitors[i].wrong, 0);
		}
		assert_int_equal(sum_of(&local).leases, leases);
		/* one a thread, and one a place: jobs do not nest here */
		assert_in_range(sum_of(&local).instances, 1, 4 + worker_counts[w]);
		assert_int_equal(skua_local_close(&local), SKUA_OK);
		pool_end(pool);
	}
}

/* Its pool is closed, and another one comes, maybe at the same address and with more workers. */
static void test_local_outlives_its_pool(void **state)
{
	WATCH(20);
	struct skua_pool *pool = pool_of(1);
	struct skua_local local = local_of(pool);

	(void)state;
	assert_true(skua_run(pool, lease_once, &local));
	pool_end(pool);
	assert_true(leave(&local, enter(&local)));
	pool = pool_of(8);
	assert_int_equal(skua_run(pool, tree, &local, 8), 511);
	pool_end(pool);
	assert_int_equal(sum_of(&local).leases, 513);
	assert_int_equal(skua_local_close(&local), SKUA_OK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_local_nested_task_gets_another),
		cmocka_unit_test(test_local_tree_never_shares),
		cmocka_unit_test(test_local_handed_over_goes_home),
		cmocka_unit_test(test_local_handed_over_among_all),
		cmocka_unit_test(test_local_threads_and_guests),
		cmocka_unit_test(test_local_outlives_its_pool),
	};
	return cmocka_run_group_tests_name("local_tasks", tests, NULL, NULL);
}
