/* SPDX-License-Identifier: MIT */
/* test_pool_fork.c — fork(2) in the middle of work: the child has fresh workers, or is told */
#include "unit/test_pool.h"

#include "os/thread.h"

#include <skua/fork.h>
#include <skua/job.h>
#include <skua/loop.h>

#include <errno.h>
#include <stdlib.h>
#include <sys/wait.h>

/*
 * Sanitizers of gcc 12 and clang 14 do not survive threads in the child of a program with threads:
 * TSan ends it ("dup thread"), and the heap of ASan and MSan stays locked when a thread of the
 * parent was in malloc, as one that is just starting is.  There, only the child that starts none is
 * run.
 */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define NO_THREADS_IN_CHILD 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer) || \
	__has_feature(thread_sanitizer)
#define NO_THREADS_IN_CHILD 1
#endif
#endif

/* A foreign thread that keeps the pool busy: a fork finds workers in the middle of things. */
struct load {
	struct skua_pool *pool;
	_Atomic uint32_t is_over, rounds, wrong;
	struct skuai_thread thread;
};

static void do_nothing(struct skua_slot *skua_here, void *argument)
{
	(void)skua_here, (void)argument;
}

static void keep_busy(void *argument)
{
	struct load *load = argument;

	while (!skua_load(&load->is_over, acquire)) {
		struct skua_job jobs[8];
		for (unsigned i = 0; i < 8; i++)
			jobs[i] = (struct skua_job)SKUA_JOB(do_nothing, NULL);
		int error = skua_submit_many(load->pool, jobs, 8);
		bool is_wrong = error || skua_run(load->pool, fib, 14) != 377;
		for (unsigned i = 0; i < 8 && !error; i++)
			is_wrong |= skua_job_wait(&jobs[i], SKUA_FOREVER) != SKUA_OK;
		skua_add(&load->wrong, is_wrong, relaxed);
		skua_add(&load->rounds, 1, release);
	}
}

static void load_begin(struct load *load, struct skua_pool *pool)
{
	*load = (struct load){ .pool = pool };
	assert_int_equal(skuai_thread_start(&load->thread, keep_busy, load, NULL), SKUA_OK);
}

static void load_end(struct load *load)
{
	uint32_t before = skua_load(&load->rounds, acquire);

	assert_true(reaches(&load->rounds, before + 2)); /* the parent still gets on */
	skua_store(&load->is_over, 1, release);
	skuai_thread_join(&load->thread);
	assert_int_equal(skua_load(&load->wrong, relaxed), 0);
}

/* What became of a child that calls body: its exit status, or 128 + signal. */
static int in_child(int (*body)(void *), void *argument)
{
	int status;
	pid_t child = fork();

	if (child == 0) {
		watch_set("child", 10);
		_exit(body(argument));
	}
	assert_true(child > 0);
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		continue;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int use_pool(void *argument)
{
	struct skua_pool *pool = argument;
	struct skua_job job = SKUA_JOB(do_nothing, NULL);

	if (skua_run(pool, fib, 16) != 987)
		return 1;
	if (skua_submit(pool, &job) || skua_job_wait(&job, SKUA_FOREVER))
		return 2;
	if (skua_run(pool, fib, 16) != 987)
		return 3;
	return skua_pool_close(pool, SKUA_CLOSE_DRAIN) ? 4 : 0;
}

static int just_close(void *argument)
{
	return skua_pool_close(argument, SKUA_CLOSE_DRAIN) ? 4 : 0;
}

static int just_end(void *argument)
{
	(void)argument;
	return 0;
}

__attribute__((unused)) static void test_pool_fork_in_the_middle_of_work(void **state)
{
	(void)state;
	WATCH(100);
	struct skua_pool *pool = pool_of(3);
	struct load load;

	load_begin(&load, pool);
	for (uint64_t round = 0; round < test_rounds(SLOW_BUILD ? 30 : 100); round++) {
		int (*body)(void *) = round % 4 == 3   ? just_end
				      : round % 4 == 2 ? just_close
						       : use_pool;
		int status = in_child(body, pool);
		if (status)
			fail_msg("round %llu: the child ended with %d", (unsigned long long)round,
				 status);
	}
	load_end(&load);
	pool_end(pool);
}

/* --- what belongs to the parent --- */

struct gate {
	_Atomic uint32_t entered, is_open;
};

static void pass_gate(struct skua_slot *skua_here, void *argument)
{
	struct gate *gate = argument;

	(void)skua_here;
	skua_add(&gate->entered, 1, release);
	reaches(&gate->is_open, 1);
}

static int wait_for_parents_job(void *argument)
{
	struct skua_job *job = argument;

	if (skua_job_is_done(job))
		return 5;
	return skua_job_wait(job, SKUA_FOREVER) == SKUA_EFORKED ? 0 : 6;
}

static void test_pool_fork_jobs_belong_to_the_parent(void **state)
{
	WATCH(30);
	(void)state;
	struct skua_pool *pool = pool_of(1);
	struct gate gate = { 0 };
	struct skua_job running = SKUA_JOB(pass_gate, &gate), queued = SKUA_JOB(do_nothing, NULL);
	struct skua_job done = SKUA_JOB(do_nothing, NULL);

	assert_int_equal(skua_submit(pool, &done), SKUA_OK);
	assert_int_equal(skua_job_wait(&done, SKUA_FOREVER), SKUA_OK);
	assert_int_equal(skua_submit(pool, &running), SKUA_OK);
	assert_true(reaches(&gate.entered, 1));
	assert_int_equal(skua_submit(pool, &queued), SKUA_OK);
	assert_int_equal(in_child(wait_for_parents_job, &running), 0);
	assert_int_equal(in_child(wait_for_parents_job, &queued), 0);
	assert_int_equal(in_child(wait_for_parents_job, &done), 5); /* done is done for both */
	skua_store(&gate.is_open, 1, release);
	assert_int_equal(skua_job_wait(&running, SKUA_FOREVER), SKUA_OK);
	assert_int_equal(skua_job_wait(&queued, SKUA_FOREVER), SKUA_OK);
	pool_end(pool);
}

/* --- a task that forks a process --- */

enum act {
	ACT_FORKS,
	ACT_USE_POOL,
	ACT_RETURN
};

struct inside {
	struct skua_pool *pool;
	enum act act;
	struct gate gate;
	int status;
	bool is_child;
};

SKUA_TASK_VOID(stolen, struct inside *, inside)
{
	pass_gate(NULL, &inside->gate);
}

SKUA_TASK(long, use_forks)
{
	skua_fork(fib, a, 15);
	long b = skua_call(fib, 14);
	return skua_join(fib, a) + b;
}

static int act_in_child(struct skua_slot *skua_here, struct inside *inside)
{
	struct skua_job job = SKUA_JOB(do_nothing, NULL);

	if (inside->act == ACT_FORKS) /* its own stack of forks works without any worker */
		return skua_call(use_forks) == 987 ? 0 : 1;
	for (unsigned round = 0; round < 20; round++) {
		if (skua_run(inside->pool, fib, 16) != 987)
			return 2;
		if (skua_submit(inside->pool, &job) || skua_job_wait(&job, SKUA_FOREVER))
			return 3;
		if (skua_call(use_forks) != 987)
			return 4;
	}
	return 0;
}

/* The child goes on inside the task and ends there. */
SKUA_TASK_VOID(fork_inside, struct inside *, inside)
{
	skua_fork(fib, waiting, 10); /* a fork from before, never stolen or stolen: */
	pid_t child = fork();
	if (child == 0) {
		watch_set("child of a task", 10);
		_exit(act_in_child(skua_here, inside));
	}
	while (waitpid(child, &inside->status, 0) < 0 && errno == EINTR)
		continue;
	if (skua_join(fib, waiting) != 55)
		inside->status = -1;
}

static void fork_in_job(struct skua_slot *skua_here, void *argument)
{
	struct inside *inside = argument;
	skua_call(fork_inside, inside);
}

__attribute__((unused)) static void test_pool_fork_inside_a_task(void **state)
{
	(void)state;
	for (int workers = 1; workers <= 3; workers++)
		for (enum act act = ACT_FORKS; act <= ACT_USE_POOL; act++)
			for (unsigned round = 0; round < 10; round++) {
				WATCH(30);
				struct inside inside = { .pool = pool_of(workers), .act = act };
				struct skua_job job = SKUA_JOB(fork_in_job, &inside);
				if (round % 2) {
					skua_run(inside.pool, fork_inside, &inside);
				} else {
					assert_int_equal(skua_submit(inside.pool, &job), SKUA_OK);
					assert_int_equal(skua_job_wait(&job, SKUA_FOREVER),
							 SKUA_OK);
				}
				if (inside.status)
					fail_msg("%d workers, act %d, round %u: status %#x",
						 workers, act, round, inside.status);
				pool_end(inside.pool);
			}
}

/* A loop whose body makes a child, which uses the pool: the loop stays the parent's. */
struct loop_with_child {
	struct skua_pool *pool;
	pid_t parent;
	_Atomic uint32_t is_bad;
};

static int do_little(struct skua_slot *skua_here, uint64_t lo, uint64_t hi, void *argument)
{
	(void)skua_here, (void)argument;
	spin_for(200 * (int64_t)(hi - lo));
	return 0;
}

static int make_child(struct skua_slot *skua_here, uint64_t lo, uint64_t hi, void *argument)
{
	struct loop_with_child *loop = argument;
	int status;

	(void)skua_here;
	if (getpid() != loop->parent)
		_exit(100); /* a body of the parent's loop, in the child */
	spin_for(2000 * (int64_t)(hi - lo));
	if (lo / 64 == (hi - 1) / 64) /* now and then */
		return 0;
	pid_t child = fork();
	if (child == 0) {
		watch_set("child of a loop", 10);
		for (unsigned i = 0; i < 10; i++)
			skua_for(loop->pool, 0, 3000, do_little, NULL, NULL);
		_exit(0);
	}
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		continue;
	if (status)
		skua_store(&loop->is_bad, (uint32_t)status, relaxed);
	return 0;
}

__attribute__((unused)) static void test_pool_fork_in_a_loop(void **state)
{
	(void)state;
	for (int workers = 1; workers <= 8; workers += workers < 3 ? 1 : 5) {
		WATCH(60);
		struct loop_with_child loop = { .pool = pool_of(workers), .parent = getpid() };
		assert_int_equal(skua_for(loop.pool, 0, 2000, make_child, &loop, NULL), SKUA_OK);
		if (skua_load(&loop.is_bad, relaxed))
			fail_msg("%d workers: a child ended with %#x", workers,
				 skua_load(&loop.is_bad, relaxed));
		pool_end(loop.pool);
	}
}

/* A task stolen before the fork will never be done in the child: its join says so. */
SKUA_TASK_VOID(fork_after_a_theft, struct inside *, inside)
{
	skua_fork(stolen, handle, inside);
	reaches(&inside->gate.entered, 1); /* by force: we do not answer */
	pid_t child = fork();
	if (child == 0) {
		watch_set("child that joins a stolen task", 10);
		if (inside->act == ACT_USE_POOL)
			skua_run(inside->pool, fib, 10); /* fresh workers do not change it */
		skua_join(stolen, handle);
		_exit(0);
	}
	while (waitpid(child, &inside->status, 0) < 0 && errno == EINTR)
		continue;
	skua_store(&inside->gate.is_open, 1, release);
	skua_join(stolen, handle);
}

static void run_fork_after_a_theft(void *argument)
{
	struct inside *inside = argument;

	watch_set("parent of the child that joins a stolen task", 20);
	inside->pool = pool_of(2);
	skua_run(inside->pool, fork_after_a_theft, inside);
	int status = inside->status;
	_exit(WIFSIGNALED(status) ? WTERMSIG(status) : 100 + WEXITSTATUS(status));
}

__attribute__((unused)) static void test_pool_fork_join_of_a_stolen_task_is_told(void **state)
{
	(void)state;
	for (enum act act = ACT_FORKS; act <= ACT_USE_POOL; act++) {
		WATCH(60);
		struct inside inside = { .act = act };
		char text[1024];
		int status = test_in_child_stderr(run_fork_after_a_theft, &inside, text,
						  sizeof(text));
		if (status != SIGABRT)
			fail_msg("act %d: the child ended with %d: %s", act, status, text);
		assert_non_null(strstr(text, "fork()"));
	}
}

/* A child that returns from the task it was made in is told, or works; it does not hang. */
SKUA_TASK_VOID(fork_and_return, struct inside *, inside)
{
	pid_t child = fork();
	if (child == 0) {
		inside->is_child = true;
		watch_set("child that returns", 10);
		if (inside->act == ACT_USE_POOL)
			skua_run(inside->pool, fib, 10);
		return;
	}
	while (waitpid(child, &inside->status, 0) < 0 && errno == EINTR)
		continue;
}

static void return_from_job(struct skua_slot *skua_here, void *argument)
{
	struct inside *inside = argument;
	skua_call(fork_and_return, inside);
}

static void run_fork_and_return(void *argument)
{
	struct inside *inside = argument;
	struct skua_job job = SKUA_JOB(return_from_job, inside);

	watch_set("parent of the child that returns", 20);
	inside->pool = pool_of(2);
	if (inside->status) { /* in a job */
		inside->status = 0;
		if (skua_submit(inside->pool, &job) || skua_job_wait(&job, SKUA_FOREVER))
			_exit(99);
	} else {
		skua_run(inside->pool, fork_and_return, inside);
	}
	if (inside->is_child) {
		long result = 0;
		for (unsigned i = 0; i < 50; i++)
			result += skua_run(inside->pool, fib, 16);
		if (result != 50 * 987 || skua_pool_close(inside->pool, SKUA_CLOSE_DRAIN))
			_exit(3);
		_exit(0);
	}
	int status = inside->status;
	_exit(WIFSIGNALED(status) ? WTERMSIG(status) : 100 + WEXITSTATUS(status));
}

__attribute__((unused)) static void test_pool_fork_child_that_returns_does_not_hang(void **state)
{
	(void)state;
	for (enum act act = ACT_FORKS; act <= ACT_USE_POOL; act++)
		for (int in_job = 0; in_job < 2; in_job++) {
			WATCH(60);
			struct inside inside = { .act = act, .status = in_job };
			char text[1024];
			int status = test_in_child_stderr(run_fork_and_return, &inside, text,
							  sizeof(text));
			if (status != SIGABRT && status != 100)
				fail_msg("act %d, in a job %d: the child ended with %d: %s", act,
					 in_job, status, text);
			if (status == SIGABRT)
				assert_non_null(strstr(text, "fork()"));
		}
}

/* --- the default pool --- */

static int use_default_pool(void *argument)
{
	(void)argument;
	return use_pool(NULL);
}

static void open_and_close_default(void *argument)
{
	struct load *load = argument;

	while (!skua_load(&load->is_over, acquire)) {
		skua_pool_workers(NULL);
		skua_pool_close(NULL, SKUA_CLOSE_DRAIN);
		skua_add(&load->rounds, 1, release);
	}
}

/* A fork while another thread opens or closes the default pool. */
__attribute__((unused)) static void
test_pool_fork_while_the_default_pool_opens_and_closes(void **state)
{
	WATCH(60);
	(void)state;
	struct load load = { 0 };

	setenv("SKUA_WORKERS", "8", 1); /* opening takes a while */
	assert_int_equal(skuai_thread_start(&load.thread, open_and_close_default, &load, NULL),
			 SKUA_OK);
	for (unsigned round = 0; round < 100; round++) {
		int status = in_child(use_default_pool, NULL);
		if (status)
			fail_msg("round %u: the child ended with %d", round, status);
	}
	skua_store(&load.is_over, 1, release);
	skuai_thread_join(&load.thread);
	unsetenv("SKUA_WORKERS");
	assert_int_equal(skua_pool_close(NULL, SKUA_CLOSE_DRAIN), SKUA_OK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pool_fork_jobs_belong_to_the_parent),
#ifndef NO_THREADS_IN_CHILD
		cmocka_unit_test(test_pool_fork_in_the_middle_of_work),
		cmocka_unit_test(test_pool_fork_inside_a_task),
		cmocka_unit_test(test_pool_fork_in_a_loop),
		cmocka_unit_test(test_pool_fork_join_of_a_stolen_task_is_told),
		cmocka_unit_test(test_pool_fork_child_that_returns_does_not_hang),
		cmocka_unit_test(test_pool_fork_while_the_default_pool_opens_and_closes),
#endif
	};
	return cmocka_run_group_tests_name("pool_fork", tests, NULL, NULL);
}
