/* SPDX-License-Identifier: MIT */
/* fault.h — one table through which any fallible system call can be made to fail */
#ifndef SKUAI_BASE_FAULT_H
#define SKUAI_BASE_FAULT_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Every call that the system may refuse is preceded by a fault point of its kind:
 *
 *	int error = skuai_fault(SKUAI_FAULT_MMAP);
 *	if (!error && mmap(...) == MAP_FAILED)
 *		error = errno;
 *
 * A test arms one kind: "the n-th call from now fails with this errno, once (or for ever)".  A test
 * loops n from 1 until a run makes fewer than n calls: then every call site has failed in turn.
 * In a program, SKUA_FAULT=kind:n[:ever][:errno-number] in the environment arms one kind before
 * main(), so that whole commands can be swept from a shell.
 *
 * Compiled in only with SKUA_FAULTS (every preset but release); else a fault point is the
 * constant 0.
 */

/* X(NAME, word for the environment, the errno a real system gives most often) */
#define SKUAI_FAULT_KINDS(X)                \
	X(MALLOC, "malloc", ENOMEM)         \
	X(MMAP, "mmap", ENOMEM)             \
	X(MPROTECT, "mprotect", ENOMEM)     \
	X(THREAD, "thread", EAGAIN)         \
	X(AFFINITY, "affinity", EPERM)      \
	X(FUTEX_WAIT, "futex_wait", EINTR)  \
	X(FUTEX_WAKE, "futex_wake", ENOSYS) \
	X(MEMBARRIER, "membarrier", ENOSYS) \
	X(OPEN, "open", EMFILE)             \
	X(READ, "read", EIO)                \
	X(STAT, "stat", EACCES)

enum skuai_fault_kind {
#define SKUAI_FAULT_ENTRY(name, word, usual) SKUAI_FAULT_##name,
	SKUAI_FAULT_KINDS(SKUAI_FAULT_ENTRY)
#undef SKUAI_FAULT_ENTRY
	SKUAI_FAULT_COUNT
};

#define SKUAI_FAULT_USUAL 0 /* as error: the errno of the table above */

#ifdef SKUA_FAULTS

/* The errno this call must pretend to have got, or 0: go ahead and make it. */
int skuai_fault(enum skuai_fault_kind kind);

/* From now on, the n-th call (1 is the next) of this kind fails; once, or it and all after it. */
void skuai_fault_arm(enum skuai_fault_kind kind, uint32_t nth, bool for_ever, int error);

/* The same from text, kind:n[:ever][:errno-number]; anything else is a bug of the caller. */
void skuai_fault_arm_text(const char *text);

/* No kind fails any more; all counts start at 0 again. */
void skuai_fault_disarm(void);

/* Calls of this kind since the last disarm, failed ones included. */
uint32_t skuai_fault_calls(enum skuai_fault_kind kind);

/* The word of a kind, for messages. */
const char *skuai_fault_word(enum skuai_fault_kind kind);

#else

static inline int skuai_fault(enum skuai_fault_kind kind)
{
	(void)kind;
	return 0;
}

#endif

#endif
