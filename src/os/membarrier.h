/* SPDX-License-Identifier: MIT */
/* membarrier.h — make every other running thread of this process pass a full fence */
#ifndef SKUAI_OS_MEMBARRIER_H
#define SKUAI_OS_MEMBARRIER_H

#include <stdbool.h>

/*
 * An asymmetric fence: the frequent side pays nothing (a compiler fence), the rare side calls
 * skuai_membarrier() and pays a system call and an interrupt to each running thread.
 *
 *	if (skuai_membarrier_ready() != SKUA_OK)  ... use a seq_cst fence on both sides instead
 *
 * Uses membarrier(2), PRIVATE_EXPEDITED, Linux 4.14.  It can be missing (old kernel, valgrind,
 * qemu) or denied (seccomp); then ready says so once and for all, before anybody relies on it.
 */

/* Register this process.  SKUA_OK, SKUA_ENOTSUP (no such thing) or SKUA_EPERM (denied). */
int skuai_membarrier_ready(void);

/*
 * The fence.  Only after ready said SKUA_OK.  After it returns, every other thread has passed a
 * full fence since it was called.  fork() keeps the registration; where a kernel does not, EPERM
 * registers again.  Returns SKUA_OK, or an error when the system took the service away meanwhile;
 * the caller must not rely on order then.
 */
int skuai_membarrier(void);

/* Does the kernel offer it to this process?  Asks only, registers nothing. */
bool skuai_membarrier_offered(void);

#endif
