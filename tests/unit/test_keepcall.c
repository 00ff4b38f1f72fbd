/* SPDX-License-Identifier: MIT */
/* test_keepcall.c — the calls of the slow halves keep every general register and the stack */
#include "unit/test_pool.h"

#include "sched/worker.h"

#ifndef SKUA_PLAIN_FORK

struct registers {
	uint64_t rax, rbx, rcx, rdx, rsi, rdi, r8, r9, r12, r13, r14, r15;
};

/* Fill all registers, call at a stack that is aligned or not, store what is in them afterwards. */
#define CALL_AND_LOOK(function)                                                                   \
	__attribute__((noinline)) static void look_##function(struct skua_slot *slot,             \
							      struct registers *after, int shift) \
	{                                                                                         \
		register uint64_t moved __asm__("r12") = (uint64_t)shift * 8;                     \
		__asm__ volatile("lea -128(%%rsp), %%rsp\n\t" /* the compiler's red zone */       \
				 "push %%rbp\n\tmov %%rsp, %%rbp\n\tsub $512, %%rsp\n\t"          \
				 "sub %%r12, %%rsp\n\tpush %%rbp\n\tpush %%rsi\n\t"               \
				 "mov $0x1001, %%rax\n\tmov $0x1002, %%rbx\n\t"                   \
				 "mov $0x1003, %%rcx\n\tmov $0x1004, %%rdx\n\t"                   \
				 "mov $0x1005, %%rsi\n\tmov $0x1006, %%r8\n\t"                    \
				 "mov $0x1007, %%r9\n\tmov $0x1008, %%r12\n\t"                    \
				 "mov $0x1009, %%r13\n\tmov $0x100a, %%r14\n\t"                   \
				 "mov $0x100b, %%r15\n\t"                                         \
				 "call " #function "\n\t"                                         \
				 "mov %%rsi, %%r10\n\tpop %%rsi\n\t"                              \
				 "mov %%rax, 0(%%rsi)\n\tmov %%rbx, 8(%%rsi)\n\t"                 \
				 "mov %%rcx, 16(%%rsi)\n\tmov %%rdx, 24(%%rsi)\n\t"               \
				 "mov %%r10, 32(%%rsi)\n\tmov %%rdi, 40(%%rsi)\n\t"               \
				 "mov %%r8, 48(%%rsi)\n\tmov %%r9, 56(%%rsi)\n\t"                 \
				 "mov %%r12, 64(%%rsi)\n\tmov %%r13, 72(%%rsi)\n\t"               \
				 "mov %%r14, 80(%%rsi)\n\tmov %%r15, 88(%%rsi)\n\t"               \
				 "pop %%r10\n\tmov %%rbp, %%r11\n\tcmp %%r10, %%r11\n\tje 1f\n\t" \
				 "ud2\n1:\tmov %%rbp, %%rsp\n\tpop %%rbp\n\t"                     \
				 "lea 128(%%rsp), %%rsp"                                          \
				 : "+S"(after), "+r"(moved), "+D"(slot)                           \
				 :                                                                \
				 : "rax", "rbx", "rcx", "rdx", "r8", "r9", "r10", "r11", "r13",   \
				   "r14", "r15", "memory", "cc", "xmm0", "xmm1", "xmm2", "xmm3",  \
				   "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10",       \
				   "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");                  \
	}

/* clang-format off */
CALL_AND_LOOK(skua_fork_keep)
CALL_AND_LOOK(skua_join_keep)
/* clang-format on */

static void run_nothing(struct skua_slot *here, struct skua_slot *slot)
{
	(void)here, (void)slot;
}

static void assert_kept(const struct registers *after, uint64_t rdi)
{
	assert_true(after->rbx == 0x1002 && after->rcx == 0x1003 && after->rdx == 0x1004);
	assert_true(after->rsi == 0x1005 && after->r8 == 0x1006 && after->r9 == 0x1007);
	assert_true(after->r12 == 0x1008 && after->r13 == 0x1009 && after->r14 == 0x100a);
	assert_int_equal(after->r15, 0x100b);
	assert_int_equal(after->rax, 0x1001);
	assert_int_equal(after->rdi, rdi);
}

struct looked {
	struct registers fork[4], join[4];
	struct skua_slot *slot;
};

/* On a worker: fork and join its first slot by hand, all the slow way. */
static void look_at_both(struct skua_slot *skua_here, void *argument)
{
	struct looked *looked = argument;

	looked->slot = skua_here;
	for (int shift = 0; shift < 4; shift++) {
		skua_store(&skua_here->ready, run_nothing, release);
		look_skua_fork_keep(skua_here, &looked->fork[shift], shift);
		skua_store(&skua_here->ready, NULL, relaxed);
		look_skua_join_keep(skua_here, &looked->join[shift], shift);
	}
}

static void test_keepcall_keeps_registers_and_stack(void **state)
{
	WATCH(20);
	struct skua_pool *pool = pool_of(1);
	struct looked looked = { 0 };
	struct skua_job job = SKUA_JOB(look_at_both, &looked);

	(void)state;
	assert_int_equal(skua_submit(pool, &job), SKUA_OK);
	assert_int_equal(skua_job_wait(&job, SKUA_FOREVER), SKUA_OK);
	for (unsigned i = 0; i < 4; i++) {
		assert_kept(&looked.fork[i], (uint64_t)(uintptr_t)looked.slot);
		assert_kept(&looked.join[i], 0); /* its result: nobody stole it */
	}
	pool_end(pool);
}

#else

static void test_keepcall_keeps_registers_and_stack(void **state)
{
	(void)state;
	skip(); /* an ordinary call on this processor, or in this build */
}

#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_keepcall_keeps_registers_and_stack),
	};
	return cmocka_run_group_tests_name("keepcall", tests, NULL, NULL);
}
