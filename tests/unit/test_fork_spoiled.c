/* SPDX-License-Identifier: MIT */
/* test_fork_spoiled.c — slow halves that spoil every register they may: the caller must not mind */
#include "unit/test_pool.h"

#include "sched/worker.h"

/*
 * The compiler is told which registers a call of the slow half destroys (SKUA_GIVEN_UP).  Usually
 * it destroys few of them, so a register missing from that list would go unnoticed.  Here it
 * destroys all: these stubs stand in for those of src/os/keepcall.c, whose object is then not
 * linked.
 */
#ifndef SKUA_PLAIN_FORK

#define SPOIL_PAIR(a, b) \
	"	pcmpeqd	%xmm" #a ", %xmm" #a "\n	pcmpeqd	%xmm" #b ", %xmm" #b "\n"
#ifdef __AVX512F__
#define SPOIL_MASKS                                                             \
	"	kxnorw	%k0, %k0, %k0\n	kxnorw	%k1, %k1, %k1\n	kxnorw	%k2, %k2, %k2\n" \
	"	kxnorw	%k3, %k3, %k3\n	kxnorw	%k4, %k4, %k4\n	kxnorw	%k5, %k5, %k5\n" \
	"	kxnorw	%k6, %k6, %k6\n	kxnorw	%k7, %k7, %k7\n"
#else
#define SPOIL_MASKS ""
#endif

__asm__(".macro spoil_all\n"
	/* a callee may use the whole x87 stack: it finds it empty */
	"	fldz\n	fldz\n	fldz\n	fldz\n	fldz\n	fldz\n	fldz\n	fldz\n"
	"	.rept	8\n"
	"	fstp	%st(0)\n"
	"	.endr\n"
	/* clang-format off */
	SPOIL_PAIR(0, 1) SPOIL_PAIR(2, 3) SPOIL_PAIR(4, 5) SPOIL_PAIR(6, 7)
	SPOIL_PAIR(8, 9) SPOIL_PAIR(10, 11) SPOIL_PAIR(12, 13) SPOIL_PAIR(14, 15) SPOIL_MASKS
	/* clang-format on */
	"	mov	$-1, %r10\n"
	"	mov	$-1, %r11\n"
	".endm\n"
	".macro spoiling name, function, gives\n"
	"	.globl	\\name\n"
	"	.type	\\name, @function\n"
	"\\name:\n"
	"	push	%rbp\n"
	"	mov	%rsp, %rbp\n"
	"	push	%rax\n	push	%rcx\n	push	%rdx\n	push	%rsi\n"
	"	push	%r8\n	push	%r9\n	push	%rdi\n"
	"	and	$-16, %rsp\n"
	"	call	\\function\n"
	"	lea	-56(%rbp), %rsp\n"
	"	pop	%rdi\n"
	"	.if	\\gives\n"
	"	movzbl	%al, %edi\n"
	"	.endif\n"
	"	pop	%r9\n	pop	%r8\n	pop	%rsi\n	pop	%rdx\n	pop	%rcx\n"
	"	pop	%rax\n	pop	%rbp\n"
	"	spoil_all\n"
	"	ret\n"
	".endm\n"
	".text\n"
	"spoiling skua_fork_keep, skua_fork_slow, 0\n"
	"spoiling skua_join_keep, skua_join_slow, 1\n");

void skua_never(void)
{
	abort();
}

#endif

/* What skuai_forks_ask does, inlined, so that nothing is put away for a call. */
#define ASKED()                                                                              \
	do {                                                                                 \
		struct skuai_forks *forks = (struct skuai_forks *)(void *)skua_here->bounds; \
		skua_add(&forks->want, 1, relaxed);                                          \
		skua_store(&forks->bounds.limit, NULL, relaxed);                             \
		skua_store(&forks->bounds.joinlo, (struct skua_slot *)UINTPTR_MAX, relaxed); \
	} while (0)

SKUA_TASK(long, one)
{
	return 1;
}

struct values {
	double d[10];
	float f[4];
	long double l[3];
	uint64_t u[8];
};

/* Loads all before a fork or join, uses all after it. */
SKUA_TASK(bool, floats_survive, volatile struct values *, v)
{
	double a = v->d[0], b = v->d[1], c = v->d[2], d = v->d[3], e = v->d[4], f = v->d[5];
	float g = v->f[0], h = v->f[1], i = v->f[2], j = v->f[3];

	ASKED();
	skua_fork(one, handle);
	bool is_right = a == v->d[0] && b == v->d[1] && c == v->d[2] && d == v->d[3] &&
			e == v->d[4] && f == v->d[5] && g == v->f[0] && h == v->f[1] &&
			i == v->f[2] && j == v->f[3];
	a = v->d[6], b = v->d[7], c = v->d[8], d = v->d[9];
	ASKED();
	long got = skua_join(one, handle);
	return is_right && got == 1 && a == v->d[6] && b == v->d[7] && c == v->d[8] && d == v->d[9];
}

SKUA_TASK(bool, long_doubles_survive, volatile struct values *, v)
{
	long double a = v->l[0], b = v->l[1], c = v->l[2];

	ASKED();
	skua_fork(one, handle);
	bool is_right = a == v->l[0] && b == v->l[1] && c == v->l[2];
	a += 1, b += 2, c += 3;
	ASKED();
	long got = skua_join(one, handle);
	return is_right && got == 1 && a == v->l[0] + 1 && b == v->l[1] + 2 && c == v->l[2] + 3;
}

SKUA_TASK(bool, integers_survive, volatile struct values *, v)
{
	uint64_t a = v->u[0], b = v->u[1], c = v->u[2], d = v->u[3], e = v->u[4], f = v->u[5];
	uint64_t g = v->u[6], h = v->u[7];

	ASKED();
	skua_fork(one, handle);
	bool is_right = a == v->u[0] && b == v->u[1] && c == v->u[2] && d == v->u[3] &&
			e == v->u[4] && f == v->u[5] && g == v->u[6] && h == v->u[7];
	a++, b++, c++, d++, e++, f++, g++, h++;
	ASKED();
	long got = skua_join(one, handle);
	return is_right && got == 1 && a == v->u[0] + 1 && b == v->u[1] + 1 && c == v->u[2] + 1 &&
	       d == v->u[3] + 1 && e == v->u[4] + 1 && f == v->u[5] + 1 && g == v->u[6] + 1 &&
	       h == v->u[7] + 1;
}

static void test_fork_spoiled_values_survive(void **state)
{
	(void)state;
	for (int workers = 1; workers <= 3; workers++) {
		WATCH(30);
		struct skua_pool *pool = pool_of(workers);
		volatile struct values values = { .d = { 1.5, -2, 3, 4, 5, 6, 7, 8, 9, 10 },
						  .f = { 1, 2, 3, 4 },
						  .l = { 1, 2, 3 },
						  .u = { 1, 2, 3, 4, 5, 6, 7, 8 } };
		for (unsigned round = 0; round < 300; round++) {
			assert_true(skua_run(pool, floats_survive, &values));
			assert_true(skua_run(pool, long_doubles_survive, &values));
			assert_true(skua_run(pool, integers_survive, &values));
			assert_int_equal(skua_run(pool, fib, 10), 55);
		}
		pool_end(pool);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fork_spoiled_values_survive),
	};
	return cmocka_run_group_tests_name("fork_spoiled", tests, NULL, NULL);
}
