/* SPDX-License-Identifier: MIT */
/* keepcall.h — how the inlined halves of fork and join branch to the slow ones, by processor */
#ifndef SKUA_DETAIL_KEEPCALL_H
#define SKUA_DETAIL_KEEPCALL_H

#include <skua/detail/export.h>

/*
 * A plain call of the slow half would cost the common path: the compiler keeps what must survive a
 * call in saved registers, and saves those at every entry of the user's function.  So on x86-64 a
 * stub is called that keeps every general register (src/os/keepcall.c), and the compiler is told
 * so.  Vector registers are given up; that costs only where some are in use.
 *
 *	SKUA_TASK_ADDRESS(variable, task)          variable = task
 *	SKUA_NEXT_SLOT(variable, slot)             variable = slot + 1
 *	SKUA_GOTO_UNLESS_BELOW(slot, word, label)  if (slot >= *word) goto label
 *	SKUA_GOTO_IF_BELOW(slot, word, label)      if (slot < *word) goto label
 *	SKUA_FORK_SLOW(slot)                       skua_fork_slow(slot)
 *	SKUA_JOIN_SLOW(result, slot)               result = skua_join_slow(slot)
 *
 * Addresses are made anew each time: kept in a saved register they cost a push and a pop at every
 * entry of the user's function, to spare one instruction here.  The comparisons load the word as a
 * relaxed atomic load would.  Measured: docs/decisions/0010-fork-fast-path.md.
 */
#if !defined(__x86_64__) || defined(__ILP32__) || !defined(__SSE2__) ||  \
	defined(SKUA_ATOMS_OF_HOUSE) || defined(__SANITIZE_ADDRESS__) || \
	defined(__SANITIZE_THREAD__)
#define SKUA_PLAIN_FORK 1
#elif defined(__has_feature) /* clang has no macro for each */
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer) || \
	__has_feature(thread_sanitizer)
#define SKUA_PLAIN_FORK 1
#endif
#endif

/* Stands where control never comes; see below. */
SKUA_BEGIN_C
SKUA_API void skua_never(void) __attribute__((noreturn, cold));
SKUA_END_C

#ifdef SKUA_PLAIN_FORK

#define SKUA_RARE
#define SKUA_TASK_ADDRESS(variable, task) ((variable) = (task))
#define SKUA_NEXT_SLOT(variable, slot)	  ((variable) = (slot) + 1)
#define SKUA_GOTO_UNLESS_BELOW(slot, word, label)                                              \
	do {                                                                                   \
		/* order keepcall.limit.1: relaxed, an old bound delays an answer by a fork */ \
		struct skua_slot *bound = skua_atom_load(struct skua_slot *, word, relaxed);   \
		if (__builtin_expect((slot) >= bound, 0))                                      \
			goto label;                                                            \
	} while (0)
#define SKUA_GOTO_IF_BELOW(slot, word, label)                                                \
	do {                                                                                 \
		/* order keepcall.joinlo.1: relaxed, after ready = NULL by slot.join.2 */    \
		struct skua_slot *bound = skua_atom_load(struct skua_slot *, word, relaxed); \
		if (__builtin_expect((slot) < bound, 0))                                     \
			goto label;                                                          \
	} while (0)
#define SKUA_FORK_SLOW(slot)	     skua_fork_slow(slot)
#define SKUA_JOIN_SLOW(result, slot) ((result) = skua_join_slow(slot))

#else

#if defined(__clang__)
#define SKUA_RARE
#else
#define SKUA_RARE __attribute__((cold))
#endif

#define SKUA_TASK_ADDRESS(variable, task) \
	__asm__ volatile("lea %c1(%%rip), %0" : "=r"(variable) : "i"(task))
#define SKUA_NEXT_SLOT(variable, slot) \
	__asm__ volatile("lea 64(%1), %0" : "=r"(variable) : "r"(slot))

#define SKUA_BOUND(word) "m"(*(struct skua_slot *const *)(void *)(word))
#define SKUA_GOTO_UNLESS_BELOW(slot, word, label) \
	__asm__ goto("cmp %1, %0; jae %l2" : : "r"(slot), SKUA_BOUND(word) : "cc" : label)
#define SKUA_GOTO_IF_BELOW(slot, word, label) \
	__asm__ goto("cmp %1, %0; jb %l2" : : "r"(slot), SKUA_BOUND(word) : "cc", "memory" : label)

#ifdef __AVX512F__
#define SKUA_WIDE_REGISTERS                                                                      \
	, "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23", "xmm24",       \
		"xmm25", "xmm26", "xmm27", "xmm28", "xmm29", "xmm30", "xmm31", "k0", "k1", "k2", \
		"k3", "k4", "k5", "k6", "k7"
#else
#define SKUA_WIDE_REGISTERS
#endif
/* r10 and r11 are the dynamic linker's on the way to a shared library. */
#define SKUA_GIVEN_UP                                                                         \
	"memory", "cc", "r10", "r11", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", \
		"xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", \
		"st", "st(1)", "st(2)", "st(3)", "st(4)", "st(5)", "st(6)",                   \
		"st(7)" SKUA_WIDE_REGISTERS

/*
 * skua_never() stands where control never comes, so that the compiler sees a call in this function
 * and keeps nothing below the stack pointer, where the call in the text would write.
 */
static inline __attribute__((always_inline, unused)) void skua_seen_call(void)
{
	__asm__ goto("" : : : : never);
	return;
never:
	SKUA_RARE;
	skua_never();
}

#define SKUA_FORK_SLOW(slot)                                                               \
	do {                                                                               \
		skua_seen_call();                                                          \
		__asm__ volatile("call skua_fork_keep@PLT" : : "D"(slot) : SKUA_GIVEN_UP); \
	} while (0)
#define SKUA_JOIN_SLOW(result, slot)                       \
	do {                                               \
		skua_seen_call();                          \
		__asm__ volatile("call skua_join_keep@PLT" \
				 : "=D"(result)            \
				 : "0"(slot)               \
				 : SKUA_GIVEN_UP);         \
	} while (0)

#endif

#endif
