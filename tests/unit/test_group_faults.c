/* SPDX-License-Identifier: MIT */
/* test_group_faults.c — groups and futures: no memory, a closing pool, a fork(), races */
#include "unit/test_pool.h"

#include "base/fault.h"
#include "os/thread.h"
#include "sched/worker.h"

#include <skua/future.h>
#include <skua/group.h>

#include <sys/wait.h>

/* --- memory that runs out --- */

#define TASKS 300 /* several batches of cells */

struct ledger {
	struct skua_pool *pool;
	_Atomic uint32_t runs[4][TASKS];
	bool is_accepted[4][TASKS];
	struct skua_future futures[TASKS], followers[TASKS];
};

struct entry {
	struct ledger *ledger;
	unsigned kind, index;
	char large[32]; /* more than a small cell holds */
};

__attribute__((unused)) static int count_entry(struct skua_slot *skua_here, void *argument)
{
	struct entry *entry = argument;

	(void)skua_here;
	skua_add(&entry->ledger->runs[entry->kind][entry->index], 1, relaxed);
	return 0;
}

#ifdef SKUA_FAULTS

/* Taken, or refused for want of memory; anything else is wrong. */
static bool is_taken(int error)
{
	if (error && error != SKUA_ENOMEM)
		_exit(20);
	return !error;
}

/* Small and large tasks in a group, isolated or not, then wait. */
static int use_group(struct ledger *ledger, unsigned kind)
{
	struct skua_group group;
	struct skua_group_options options = { .size = sizeof(options),
					      .pool = ledger->pool,
					      .is_isolated = kind == 1 };
	struct entry entry = { ledger, kind, 0, { 0 } };

	if (skua_group_open(&group, &options))
		return 1;
	for (; entry.index < TASKS; entry.index++)
		ledger->is_accepted[kind][entry.index] = is_taken(skua_group_go(
			&group, count_entry, &entry, entry.index % 2 ? 24 : sizeof(entry)));
	return skua_group_wait(&group, SKUA_FOREVER) ? 2 : 0;
}

static int await_accepted(struct ledger *ledger)
{
	struct skua_future *some[TASKS];
	size_t count = 0, index;

	for (unsigned i = 0; i < TASKS; i++)
		if (ledger->is_accepted[2][i])
			some[count++] = &ledger->futures[i];
	if (count) {
		int error = skua_await_any(some, count, SKUA_FOREVER, &index);
		if (error == SKUA_OK ? index >= count : error != SKUA_ENOMEM)
			return 3;
		if (skua_await_all(some, count, SKUA_FOREVER))
			return 4;
	}
	for (unsigned i = 0; i < TASKS; i++)
		if (ledger->is_accepted[3][i] &&
		    skua_await(&ledger->followers[i], SKUA_FOREVER) != SKUA_OK)
			return 5;
	return 0;
}

static int use_futures(struct ledger *ledger)
{
	struct entry first = { ledger, 2, 0, { 0 } }, then = { ledger, 3, 0, { 0 } };

	for (unsigned i = 0; i < TASKS; i++) {
		first.index = then.index = i;
		ledger->is_accepted[2][i] = is_taken(
			skua_async(ledger->pool, &ledger->futures[i], count_entry, &first));
		if (!ledger->is_accepted[2][i]) /* it is as it was: somebody else may fulfil it */
			if (skua_future_fulfil(&ledger->futures[i], SKUA_OK))
				return 6;
		ledger->is_accepted[3][i] = is_taken(skua_then(&ledger->futures[i], ledger->pool,
							       &ledger->followers[i], count_entry,
							       &then));
	}
	return await_accepted(ledger);
}

static void use_all(struct skua_slot *skua_here, void *argument)
{
	struct ledger *ledger = argument;
	int error;

	(void)skua_here;
	if ((error = use_group(ledger, 0)) || (error = use_group(ledger, 1)) ||
	    (error = use_futures(ledger)))
		_exit(20 + error);
}

/* Everything that was accepted ran, once; nothing else did. */
static void settle_accounts(const struct ledger *ledger, uint32_t nth, bool for_ever)
{
	for (unsigned kind = 0; kind < 4; kind++)
		for (unsigned i = 0; i < TASKS; i++)
			if (skua_load(&ledger->runs[kind][i], relaxed) !=
			    ledger->is_accepted[kind][i])
				fail_msg("malloc %u%s: task %u of kind %u %s, but ran %u times",
					 nth, for_ever ? " and on" : "", i, kind,
					 ledger->is_accepted[kind][i] ? "was accepted" : "refused",
					 skua_load(&ledger->runs[kind][i], relaxed));
}

/* False: it made fewer calls. */
static bool use_with_fault(int workers, bool is_inside, uint32_t nth, bool for_ever)
{
	struct ledger *ledger = calloc(1, sizeof(*ledger));

	ledger->pool = pool_of(workers);
	struct skua_job job = SKUA_JOB(use_all, ledger);
	skuai_fault_disarm();
	skuai_fault_arm(SKUAI_FAULT_MALLOC, nth, for_ever, SKUAI_FAULT_USUAL);
	if (is_inside) {
		assert_int_equal(skua_submit(ledger->pool, &job), SKUA_OK);
		assert_int_equal(skua_job_wait(&job, SKUA_FOREVER), SKUA_OK);
	} else {
		use_all(NULL, ledger);
	}
	uint32_t calls = skuai_fault_calls(SKUAI_FAULT_MALLOC);
	skuai_fault_disarm();
	pool_end(ledger->pool);
	settle_accounts(ledger, nth, for_ever);
	free(ledger);
	return calls >= nth;
}

static void test_group_faults_memory(void **state)
{
	(void)state;
	for (int workers = 1; workers <= 64; workers *= 8)
		for (int how = 0; how < 4; how++) {
			WATCH(60);
			uint32_t nth = 1;
			while (nth < 500 && use_with_fault(workers, how % 2, nth, how / 2))
				nth += nth < (SLOW_BUILD ? 6 : 24) ? 1 : nth / 2;
			assert_true(nth > 4); /* there were some to fail */
		}
}

/* A task that could not be added leaves no trace: the group need not be waited for. */
static void test_group_faults_refused_is_not_leaked(void **state)
{
	WATCH(20);
	struct skua_pool *pool = pool_of(1);
	struct skua_group group;
	struct skua_group_options options = { .size = sizeof(options), .pool = pool };
	struct entry entry = { 0 };

	(void)state;
	assert_int_equal(skua_group_open(&group, &options), SKUA_OK);
	skuai_fault_arm(SKUAI_FAULT_MALLOC, 1, true, SKUAI_FAULT_USUAL);
	assert_int_equal(skua_go(&group, count_entry, &entry), SKUA_ENOMEM);
	assert_false(skua_group_is_busy(&group));
	skuai_fault_disarm();
	pool_end(pool);
}

/* --- what a close finds --- */

static void leak(void *argument)
{
	struct skua_future first = { 0 }, second = { 0 };
	struct skua_group group;
	struct entry entry = { calloc(1, sizeof(struct ledger)), 0, 0, { 0 } };
	struct skua_group_options options = { .size = sizeof(options), .pool = pool_of(1) };

	watch_set("child", 20);
	if (*(int *)argument) {
		if (skua_then(&first, options.pool, &second, count_entry, &entry))
			_exit(21);
	} else if (skua_group_open(&group, &options) || skua_go(&group, count_entry, &entry)) {
		_exit(22);
	}
	skua_pool_close(options.pool, SKUA_CLOSE_DRAIN);
	_exit(0);
}

static void test_group_faults_leaks_are_found(void **state)
{
	static const char *const says[] = { "never waited for", "not fulfilled" };
	char text[512];

	(void)state;
	for (int what = 0; what < 2; what++) {
		WATCH(30);
		assert_int_equal(test_in_child_stderr(leak, &what, text, sizeof(text)),
				 128 + SIGABRT);
		assert_non_null(strstr(text, says[what]));
	}
}

#endif

/* --- a pool that closes --- */

struct closing {
	struct skua_pool *pool;
	struct skua_group group;
	_Atomic uint32_t runs, begun, is_free, accepted;
	int error;
};

static int go_on(struct skua_slot *skua_here, void *argument)
{
	struct closing *closing = *(struct closing **)argument;

	(void)skua_here;
	skua_add(&closing->begun, 1, release);
	reaches(&closing->is_free, 1);
	if (skua_add(&closing->runs, 1, relaxed) < 1000 &&
	    skua_go(&closing->group, go_on, &closing) == SKUA_OK)
		skua_add(&closing->accepted, 1, relaxed);
	return 0;
}

static void wait_for_it(void *argument)
{
	struct closing *closing = argument;

	closing->error = skua_group_wait(&closing->group, SKUA_FOREVER);
}

/* Tasks that add tasks while the pool closes: drained to the last, or cancelled and told. */
static void test_group_faults_close_during_work(void **state)
{
	(void)state;
	for (int workers = 1; workers <= 64; workers *= 8)
		for (int how = 0; how < 4; how++) {
			WATCH(30);
			struct closing *closing = calloc(1, sizeof(*closing));
			struct skuai_thread waiter;
			enum skua_close close = how % 2 ? SKUA_CLOSE_CANCEL : SKUA_CLOSE_DRAIN;
			struct skua_group_options options = { .size = sizeof(options),
							      .is_isolated = how / 2 };
			closing->pool = options.pool = pool_of(workers);
			assert_int_equal(skua_group_open(&closing->group, &options), SKUA_OK);
			for (unsigned i = 0; i < 200; i++)
				assert_int_equal(skua_go(&closing->group, go_on, &closing),
						 SKUA_OK);
			assert_true(reaches(&closing->begun, 1));
			assert_int_equal(skuai_thread_start(&waiter, wait_for_it, closing, NULL),
					 0);
			assert_true(reaches(&closing->pool->visitors, 1)); /* it is inside */
			/* It has begun to close before the first of them goes on. */
			assert_int_equal(skua_pool_close_until(closing->pool, close, 0),
					 SKUA_ETIMEDOUT);
			skua_store(&closing->is_free, 1, release);
			assert_int_equal(skua_pool_close(closing->pool, close), SKUA_OK);
			skuai_thread_join(&waiter);
			assert_int_equal(closing->error, how % 2 ? SKUA_ECANCELED : SKUA_OK);
			assert_int_equal(skua_load(&closing->runs, relaxed) +
						 skua_group_skipped(&closing->group),
					 200 + skua_load(&closing->accepted, relaxed));
			free(closing);
		}
}

/* --- fork(2) --- */

/* Sanitizers do not survive threads in the child of a program with threads: test_pool_fork.c. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define NO_THREADS_IN_CHILD 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer) || \
	__has_feature(thread_sanitizer)
#define NO_THREADS_IN_CHILD 1
#endif
#endif

static int in_child(struct closing *closing, struct skua_future *future)
{
	struct skua_future *futures[1] = { future };
	struct skua_group fresh;
	struct skua_group_options options = { .size = sizeof(options), .pool = closing->pool };
	size_t index;

	watch_set("child", 20);
	if (skua_group_wait(&closing->group, SKUA_FOREVER) != SKUA_EFORKED)
		return 1;
	if (skua_go(&closing->group, go_on, &closing) != SKUA_EFORKED)
		return 2;
	if (skua_future_raise(future, SKUA_PRIORITY_URGENT) != SKUA_EFORKED)
		return 15;
	if (skua_await(future, SKUA_FOREVER) != SKUA_EFORKED)
		return 3;
	if (skua_await_any(futures, 1, SKUA_FOREVER, &index) != SKUA_EFORKED)
		return 4;
#ifdef NO_THREADS_IN_CHILD
	return 0;
#endif
	skua_store(&closing->runs, 2000, relaxed);
	skua_store(&closing->is_free, 1, relaxed);
	if (skua_group_open(&fresh, &options) || skua_go(&fresh, go_on, &closing) ||
	    skua_group_wait(&fresh, SKUA_FOREVER))
		return 5;
	if (skua_load(&closing->runs, relaxed) != 2001)
		return 6;
	return skua_pool_close(closing->pool, SKUA_CLOSE_DRAIN) ? 7 : 0;
}

static void test_group_faults_fork_half_done(void **state)
{
	(void)state;
	for (int workers = 1; workers <= 64; workers *= 8)
		for (int is_isolated = 0; is_isolated <= 1; is_isolated++) {
			WATCH(30);
			struct closing *closing = calloc(1, sizeof(*closing));
			struct skua_future future = { 0 };
			int status = 0;
			struct skua_group_options options = { .size = sizeof(options),
							      .is_isolated = is_isolated };
			closing->pool = options.pool = pool_of(workers);
			assert_int_equal(skua_group_open(&closing->group, &options), SKUA_OK);
			for (unsigned i = 0; i < 300; i++)
				assert_int_equal(skua_go(&closing->group, go_on, &closing),
						 SKUA_OK);
			assert_int_equal(skua_async(closing->pool, &future, go_on, &closing),
					 SKUA_OK);
			assert_true(reaches(&closing->begun, 1));
			pid_t child = fork();
			if (child == 0)
				_exit(in_child(closing, &future));
			assert_int_equal(waitpid(child, &status, 0), child);
			assert_int_equal(WIFEXITED(status) ? WEXITSTATUS(status) : -1, 0);
			skua_store(&closing->is_free, 1, release);
			assert_int_equal(skua_await(&future, SKUA_FOREVER), SKUA_OK);
			assert_int_equal(skua_group_wait(&closing->group, SKUA_FOREVER), SKUA_OK);
			pool_end(closing->pool);
			assert_int_equal(skua_load(&closing->runs, relaxed),
					 301 + skua_load(&closing->accepted, relaxed));
			free(closing);
		}
}

/* --- a group that is full of its own tasks --- */

struct growing {
	struct skua_group *group;
	_Atomic uint32_t *runs;
	unsigned depth;
};

static int grow(struct skua_slot *skua_here, void *argument)
{
	struct growing growing = *(struct growing *)argument;
	int error = 0;

	(void)skua_here;
	skua_add(growing.runs, 1, relaxed);
	if (!growing.depth--)
		return 0;
	for (unsigned i = 0; i < 2 && !error; i++)
		error = skua_go(growing.group, grow, &growing);
	return error;
}

/* Each waits for room that only its own end would make: it runs the next one itself. */
static void test_group_faults_full_of_its_own(void **state)
{
	(void)state;
	for (int workers = 1; workers <= 8; workers *= 2)
		for (int mode = SKUA_FULL_HELP; mode <= SKUA_FULL_WAIT; mode++) {
			WATCH(30);
			struct skua_group group;
			_Atomic uint32_t runs = 0;
			struct growing growing = { &group, &runs, 8 };
			struct skua_group_options options = { .size = sizeof(options),
							      .pool = pool_of(workers),
							      .max_inflight = 2,
							      .when_full = (enum skua_full)mode };
			assert_int_equal(skua_group_open(&group, &options), SKUA_OK);
			assert_int_equal(skua_go(&group, grow, &growing), SKUA_OK);
			assert_int_equal(skua_group_wait(&group, SKUA_FOREVER), SKUA_OK);
			assert_int_equal(skua_load(&runs, relaxed), 511);
			pool_end(options.pool);
		}
}

/* --- futures: races at the edges --- */

struct edge {
	struct skua_pool *pool;
	struct skua_future future;
	_Atomic uint32_t round, answered, runs, cancels, wrong;
	bool is_cancel;
};

static int count_edge(struct skua_slot *skua_here, void *argument)
{
	struct edge *edge = *(struct edge **)argument;

	(void)skua_here;
	skua_add(&edge->runs, 1, relaxed);
	return 0;
}

#define EDGE_ROUNDS (SLOW_BUILD ? 300u : 3000u)

/* Spin, so that both are there at once; but where there is one CPU, let the other have it then. */
static void look_again(uint32_t *looks)
{
	if (++*looks % 10000 == 0)
		skuai_thread_yield();
}

/* The other thread knows the future before it has a task: it waits for it, or cancels it. */
static void meet(void *argument)
{
	struct edge *edge = argument;

	for (uint32_t round = 1; round <= EDGE_ROUNDS; round++) {
		int error = SKUA_EINVAL;
		uint32_t looks = 0;
		while (skua_load(&edge->round, acquire) < round)
			look_again(&looks);
		if (!edge->is_cancel)
			skua_add(&edge->wrong, skua_await(&edge->future, SKUA_FOREVER) != 0,
				 relaxed);
		while (edge->is_cancel && error == SKUA_EINVAL) {
			error = skua_future_cancel(&edge->future);
			look_again(&looks);
		}
		skua_add(&edge->cancels, edge->is_cancel && error == SKUA_OK, relaxed);
		skua_store(&edge->answered, round, release);
	}
}

/* Red when TASKED is seen before its era (SKUA_EFORKED), or a claim is wiped out by the post. */
static void test_group_faults_async_meets_others(void **state)
{
	(void)state;
	for (int how = 0; how < 4; how++) {
		WATCH(120);
		struct edge *edge = calloc(1, sizeof(*edge));
		struct skuai_thread thread;
		edge->pool = pool_of(1 + how / 2);
		edge->is_cancel = how % 2;
		assert_int_equal(skuai_thread_start(&thread, meet, edge, NULL), 0);
		for (uint32_t round = 1; round <= EDGE_ROUNDS; round++) {
			memset(&edge->future, 0, sizeof(edge->future));
			skua_store(&edge->round, round, release);
			assert_int_equal(skua_async(edge->pool, &edge->future, count_edge, &edge),
					 SKUA_OK);
			uint32_t looks = 0;
			while (skua_load(&edge->answered, acquire) < round)
				look_again(&looks);
			(void)skua_await(&edge->future, SKUA_FOREVER);
		}
		skuai_thread_join(&thread);
		pool_end(edge->pool);
		assert_int_equal(skua_load(&edge->wrong, relaxed), 0);
		assert_int_equal(skua_load(&edge->runs, relaxed) +
					 skua_load(&edge->cancels, relaxed),
				 EDGE_ROUNDS);
		free(edge);
	}
}

/* An error runs down a chain of any length without nesting; so does a result. */
static void test_group_faults_long_chain(void **state)
{
	enum {
		LENGTH = SLOW_BUILD ? 20000 : 100000
	};

	(void)state;
	for (int how = 0; how < 2; how++) {
		WATCH(60);
		struct skua_future *chain = calloc(LENGTH, sizeof(*chain));
		struct edge edge = { .pool = pool_of(2) }, *copied = &edge;
		for (unsigned i = 1; i < LENGTH; i++)
			assert_int_equal(
				skua_then(&chain[i - 1], edge.pool, &chain[i], count_edge, &copied),
				SKUA_OK);
		assert_int_equal(skua_future_fulfil(&chain[0], how ? -77 : SKUA_OK), SKUA_OK);
		assert_int_equal(skua_await(&chain[LENGTH - 1], SKUA_FOREVER), how ? -77 : SKUA_OK);
		for (unsigned i = 0; i < LENGTH; i++)
			assert_int_equal(skua_await(&chain[i], SKUA_FOREVER), how ? -77 : SKUA_OK);
		pool_end(edge.pool);
		assert_int_equal(skua_load(&edge.runs, relaxed), how ? 0 : LENGTH - 1);
		free(chain);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#ifdef SKUA_FAULTS
		cmocka_unit_test(test_group_faults_memory),
		cmocka_unit_test(test_group_faults_refused_is_not_leaked),
		cmocka_unit_test(test_group_faults_leaks_are_found),
#endif
		cmocka_unit_test(test_group_faults_close_during_work),
		cmocka_unit_test(test_group_faults_fork_half_done),
		cmocka_unit_test(test_group_faults_full_of_its_own),
		cmocka_unit_test(test_group_faults_async_meets_others),
		cmocka_unit_test(test_group_faults_long_chain),
	};
	return cmocka_run_group_tests_name("group_faults", tests, NULL, NULL);
}
