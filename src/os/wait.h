/* SPDX-License-Identifier: MIT */
/* wait.h — sleep on a 32-bit word until somebody changes it and wakes us */
#ifndef SKUAI_OS_WAIT_H
#define SKUAI_OS_WAIT_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The one way to sleep in this library.  Not a condition variable: glibc's can lose a signal (glibc
 * bug 25847, unfixed in Debian 12), and none is needed.
 *
 * The promise: if the word is not `expected` when the kernel looks, or a wake comes after it
 * looked, skuai_wait returns.  It may also return for no reason (a signal, a stolen wake), so
 * callers loop:
 *
 *	while (skua_load(&word, acquire) == ASLEEP)
 *		skuai_wait(&word, ASLEEP, SKUAI_NO_DEADLINE);
 *
 * The waker changes the word first, then wakes.  The kernel compares and queues under one lock, so
 * a change between our load and its look makes it return at once: no wake is lost.  Waiting orders
 * nothing by itself; the loads and stores of the word do.
 *
 * Where futex is refused (ENOSYS, or EPERM from a seccomp filter) waiting becomes sleeping a
 * millisecond at a time: slow, never wrong, never spinning.
 */

enum skuai_wait_result {
	SKUAI_WAIT_RETURNED, /* woken, changed, or for no reason: look at the word again */
	SKUAI_WAIT_TIMED_OUT,
};

/* Sleep while *word is expected, at most until deadline (skuai_clock_ns time). */
enum skuai_wait_result skuai_wait(_Atomic uint32_t *word, uint32_t expected, int64_t deadline);

/* Wake up to `most` threads asleep on word. */
void skuai_wake(_Atomic uint32_t *word, uint32_t most);

#define SKUAI_WAKE_ALL ((uint32_t)INT32_MAX)

/* Does the kernel offer it to this process?  Asked anew each call. */
bool skuai_wait_offered(void);

#endif
