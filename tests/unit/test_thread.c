/* SPDX-License-Identifier: MIT */
/* test_thread.c — threads: started, named, pinned, shielded from signals, refused */
#include "check.h"

#include "base/fault.h"
#include "os/thread.h"

#include <skua/error.h>

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>

struct seen {
	char name[16];
	size_t stack_bytes;
	sigset_t blocked;
	int pin_error;
	int cpu;
};

static void look_around(void *argument)
{
	struct seen *seen = argument;
	pthread_attr_t attributes;

	memset(seen, 0, sizeof(*seen)); /* MSan: some calls below are not instrumented */
	pthread_getname_np(pthread_self(), seen->name, sizeof(seen->name));
	pthread_sigmask(SIG_SETMASK, NULL, &seen->blocked);
	if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
		pthread_attr_getstacksize(&attributes, &seen->stack_bytes);
		pthread_attr_destroy(&attributes);
	}
}

static void start_and_look(struct seen *seen, const struct skuai_thread_options *options)
{
	struct skuai_thread thread;

	assert_int_equal(skuai_thread_start(&thread, look_around, seen, options), SKUA_OK);
	skuai_thread_join(&thread);
}

static void test_thread_gets_its_name_cut_to_fifteen(void **state)
{
	struct seen seen;

	(void)state;
	start_and_look(&seen, &(struct skuai_thread_options){ .name = "skua 3" });
	assert_string_equal(seen.name, "skua 3");
	start_and_look(&seen,
		       &(struct skuai_thread_options){ .name = "a name of many more bytes" });
	assert_string_equal(seen.name, "a name of many ");
	start_and_look(&seen, NULL);
	assert_true(seen.name[0] != '\0');
}

static void test_thread_gets_the_stack_it_asked_for(void **state)
{
	struct seen seen;

	(void)state;
	start_and_look(&seen, &(struct skuai_thread_options){ .stack_bytes = 50 << 20 });
	assert_true(seen.stack_bytes >= 50 << 20);
	start_and_look(&seen, &(struct skuai_thread_options){ .stack_bytes = 1 });
	assert_true(seen.stack_bytes >= 16384);
	struct skuai_thread thread;
	assert_true(skuai_thread_start(&thread, look_around, &seen,
				       &(struct skuai_thread_options){ .stack_bytes = SIZE_MAX }) <
		    0);
}

static void test_thread_blocks_signals_but_not_its_own_faults(void **state)
{
	struct seen seen;
	sigset_t before, after;

	(void)state;
	static const int own[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGPROF };
	sigemptyset(&before);
	sigaddset(&before, SIGUSR2); /* blocked by the starter: it stays so */
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	start_and_look(&seen, NULL);
	pthread_sigmask(SIG_SETMASK, NULL, &after);
	assert_true(sigismember(&seen.blocked, SIGINT));
	assert_true(sigismember(&seen.blocked, SIGUSR1));
	assert_true(sigismember(&seen.blocked, SIGCHLD));
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		assert_false(sigismember(&seen.blocked, own[i]));
	for (int number = 1; number < 32; number++)
		assert_int_equal(sigismember(&before, number), sigismember(&after, number));
	sigemptyset(&before);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void join_itself(void *argument)
{
	(void)argument;
	struct skuai_thread self = { .handle = pthread_self() };
	skuai_thread_join(&self);
}

/* To join twice would be undefined; to join itself is refused by the system, EDEADLK. */
static void test_thread_wrong_join_is_not_passed_over(void **state)
{
	char text[512];

	(void)state;
	assert_int_equal(test_in_child_stderr(join_itself, NULL, text, sizeof(text)),
			 128 + SIGABRT);
	assert_non_null(strstr(text, "thread.c"));
}

static void pin_and_look(void *argument)
{
	struct seen *seen = argument;

	seen->pin_error = skuai_thread_pin((unsigned)seen->cpu);
	seen->cpu = sched_getcpu();
}

static void test_thread_pins_itself_to_each_allowed_cpu(void **state)
{
	cpu_set_t allowed;

	(void)state;
	memset(&allowed, 0, sizeof(allowed));
	assert_int_equal(sched_getaffinity(0, sizeof(allowed), &allowed), 0);
	for (unsigned cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, &allowed))
			continue;
		struct seen seen = { .cpu = (int)cpu };
		struct skuai_thread thread;
		assert_int_equal(skuai_thread_start(&thread, pin_and_look, &seen, NULL), SKUA_OK);
		skuai_thread_join(&thread);
		assert_int_equal(seen.pin_error, SKUA_OK);
		assert_int_equal(seen.cpu, (int)cpu);
	}
	assert_int_equal(skuai_thread_pin(8191), SKUA_EINVAL);
	assert_int_equal(skuai_thread_pin(8192), SKUA_EINVAL);
	assert_int_equal(skuai_thread_pin((unsigned)-1), SKUA_EINVAL);
}

static void test_thread_refused_by_the_system_is_an_error(void **state)
{
	(void)state;
#ifdef SKUA_FAULTS
	enum {
		COUNT = 4
	};
	struct skuai_thread threads[COUNT];
	struct seen seen[COUNT];

	/* the n-th start refused, once and for ever: the others run, all that started can be joined
	 */
	for (uint32_t nth = 1; nth <= COUNT; nth++)
		for (int for_ever = 0; for_ever <= 1; for_ever++) {
			bool started[COUNT];
			errno = 4711;
			skuai_fault_arm(SKUAI_FAULT_THREAD, nth, for_ever, SKUAI_FAULT_USUAL);
			for (uint32_t i = 0; i < COUNT; i++) {
				int error = skuai_thread_start(&threads[i], look_around, &seen[i],
							       NULL);
				started[i] = error == SKUA_OK;
				bool fails = for_ever ? i + 1 >= nth : i + 1 == nth;
				assert_int_equal(error, fails ? SKUA_EAGAIN : SKUA_OK);
			}
			skuai_fault_disarm();
			assert_int_equal(errno, 4711);
			for (uint32_t i = 0; i < COUNT; i++)
				if (started[i])
					skuai_thread_join(&threads[i]);
		}
	skuai_fault_arm(SKUAI_FAULT_AFFINITY, 1, false, SKUAI_FAULT_USUAL);
	assert_int_equal(skuai_thread_pin(0), SKUA_EPERM);
	skuai_fault_disarm();
#else
	skip();
#endif
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_thread_gets_its_name_cut_to_fifteen),
		cmocka_unit_test(test_thread_gets_the_stack_it_asked_for),
		cmocka_unit_test(test_thread_blocks_signals_but_not_its_own_faults),
		cmocka_unit_test(test_thread_wrong_join_is_not_passed_over),
		cmocka_unit_test(test_thread_pins_itself_to_each_allowed_cpu),
		cmocka_unit_test(test_thread_refused_by_the_system_is_an_error),
	};
	return cmocka_run_group_tests_name("thread", tests, NULL, NULL);
}
