/* SPDX-License-Identifier: MIT */
/* test_membarrier.c — the asymmetric fence: orders, refusals, fork, seccomp */
#include "check.h"

#include "base/atomic.h"
#include "base/fault.h"
#include "os/membarrier.h"
#include "os/thread.h"

#include <skua/error.h>

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * The store-buffering duel of test_atomic.c, with the frequent side's fence taken away (a compiler
 * fence only) and membarrier on the rare side: they still cannot both miss each other.
 */
struct duel {
	_Alignas(64) _Atomic int x;
	_Alignas(64) _Atomic int y;
	_Alignas(64) _Atomic int start, seen_by_light;
	int rounds;
};

/* Spin, but where there is one CPU let the other side have it at last; as in test_atomic.c. */
static void look_again(uint32_t *looks)
{
	if (++*looks % 100000 == 0)
		skuai_thread_yield();
}

static void light_side(void *argument)
{
	struct duel *duel = argument;

	for (int round = 1; round <= duel->rounds; round++) {
		uint32_t looks = 0;
		while (skua_load(&duel->start, acquire) != round)
			look_again(&looks);
		skua_store(&duel->y, round, relaxed);
		__asm__ volatile("" ::: "memory");
		int seen = skua_load(&duel->x, relaxed);
		skua_store(&duel->seen_by_light, 2 * round + (seen == round), release);
	}
}

static void test_membarrier_spares_the_other_side_its_fence(void **state)
{
	struct duel duel = { .rounds = (int)test_rounds(20000) };
	struct skuai_thread light;
	int both_missed = 0;

	(void)state;
	if (skuai_membarrier_ready() != SKUA_OK)
		skip();
	assert_int_equal(skuai_thread_start(&light, light_side, &duel, NULL), 0);
	for (int round = 1; round <= duel.rounds; round++) {
		skua_store(&duel.start, round, release);
		for (volatile int wait = round % 64; wait; wait = wait - 1)
			continue;
		skua_store(&duel.x, round, relaxed);
		assert_int_equal(skuai_membarrier(), SKUA_OK);
		bool heavy_saw = skua_load(&duel.y, relaxed) == round;
		int answer;
		uint32_t looks = 0;
		while ((answer = skua_load(&duel.seen_by_light, acquire)) / 2 != round)
			look_again(&looks);
		both_missed += !heavy_saw && !(answer & 1);
	}
	skuai_thread_join(&light);
	assert_int_equal(both_missed, 0);
}

static void test_membarrier_leaves_errno_alone(void **state)
{
	(void)state;
	errno = 4711;
	skuai_membarrier_offered();
	skuai_membarrier_ready();
	skuai_membarrier();
	assert_int_equal(errno, 4711);
}

static void test_membarrier_refused_says_which_way(void **state)
{
	(void)state;
#ifdef SKUA_FAULTS
	static const struct {
		int error, code;
	} cases[] = { { ENOSYS, SKUA_ENOTSUP }, { EINVAL, SKUA_ENOTSUP }, { EPERM, SKUA_EPERM } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		skuai_fault_arm(SKUAI_FAULT_MEMBARRIER, 1, true, cases[i].error);
		assert_int_equal(skuai_membarrier_ready(), cases[i].code);
		assert_false(skuai_membarrier_offered());
		assert_true(skuai_membarrier() < 0);
		skuai_fault_disarm();
	}
	if (skuai_membarrier_ready() != SKUA_OK)
		skip();
	/* "not registered" on the first call only: it registers and goes on, as after fork() */
	skuai_fault_arm(SKUAI_FAULT_MEMBARRIER, 1, false, EPERM);
	assert_int_equal(skuai_membarrier(), SKUA_OK);
	assert_int_equal(skuai_fault_calls(SKUAI_FAULT_MEMBARRIER), 1 + 3);
	skuai_fault_disarm();
#else
	skip();
#endif
}

static void fence_as_a_child(void *argument)
{
	(void)argument;
	_exit(skuai_membarrier() == SKUA_OK ? 0 : 1);
}

static void test_membarrier_works_in_a_forked_child(void **state)
{
	(void)state;
	if (skuai_membarrier_ready() != SKUA_OK)
		skip();
	assert_int_equal(test_in_child(fence_as_a_child, NULL), 0);
}

/* From here on this process's membarrier(2) fails with EPERM, as in a strict container. */
static bool deny_membarrier(void)
{
	struct sock_filter rules[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_membarrier, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = { sizeof(rules) / sizeof(rules[0]), rules };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

static void be_denied(void *argument)
{
	(void)argument;
	if (!deny_membarrier())
		_exit(77);
	bool is_clear = !skuai_membarrier_offered() && skuai_membarrier_ready() == SKUA_EPERM &&
			skuai_membarrier() == SKUA_EPERM;
	_exit(is_clear ? 0 : 1);
}

static void test_membarrier_denied_by_seccomp_is_an_error_not_a_crash(void **state)
{
	(void)state;
	int status = test_in_child(be_denied, NULL);
	if (status == 77)
		skip();
	assert_int_equal(status, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_membarrier_spares_the_other_side_its_fence),
		cmocka_unit_test(test_membarrier_leaves_errno_alone),
		cmocka_unit_test(test_membarrier_refused_says_which_way),
		cmocka_unit_test(test_membarrier_works_in_a_forked_child),
		cmocka_unit_test(test_membarrier_denied_by_seccomp_is_an_error_not_a_crash),
	};
	return cmocka_run_group_tests_name("membarrier", tests, NULL, NULL);
}
