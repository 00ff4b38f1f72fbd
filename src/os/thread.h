/* SPDX-License-Identifier: MIT */
/* thread.h — start, join, name and pin threads */
#ifndef SKUAI_OS_THREAD_H
#define SKUAI_OS_THREAD_H

#include "os/cpuset.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef void skuai_thread_body(void *argument);

/* One started thread.  Belongs to whoever starts it, and stays where it is until the join. */
struct skuai_thread {
	pthread_t handle;
	skuai_thread_body *body; /* written by start, read by the new thread */
	void *argument;		 /* likewise */
	char name[16];		 /* likewise; Linux's limit, end included */
};

struct skuai_thread_options {
	const char *name;   /* shown by ps and gdb; cut to 15 bytes; NULL: as the starter's */
	size_t stack_bytes; /* at least this; 0: the system's default */
};

/*
 * Start a thread.  Its signals are blocked, except those a fault of its own raises (SIGSEGV,
 * SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS) and SIGPROF: the program's handlers keep running on the
 * program's threads, profilers still see ours.
 * SKUA_EAGAIN: no more threads, or no room for the stack; *thread is then undefined.
 */
int skuai_thread_start(struct skuai_thread *thread, skuai_thread_body *body, void *argument,
		       const struct skuai_thread_options *options);

/* Wait for its end.  Once per started thread. */
void skuai_thread_join(struct skuai_thread *thread);

/* Run the calling thread on this CPU only.  SKUA_EINVAL: no such or no allowed CPU; SKUA_EPERM. */
int skuai_thread_pin(unsigned cpu);

/* The CPU that the calling thread is on at this moment; -1: the system does not tell. */
int skuai_thread_cpu(void);

/*
 * Go to an allowed CPU that is none of these, at once; afterwards all are allowed again that were
 * before.  False: there is no other, or the system refuses.  Who changes from outside what a thread
 * is allowed, between this and that, or between the next two, is overruled.
 */
bool skuai_thread_leave(const struct skuai_cpuset *taken);

/*
 * Do not let a thread of this process run on this CPU any more, or let it again; the calling one
 * has number 0, see skuai_thread_tid.  False: it may run nowhere else, or the system refuses.
 */
bool skuai_thread_forbid(uint32_t tid, unsigned cpu);
bool skuai_thread_allow(uint32_t tid, unsigned cpu);

/* A number that tells the calling thread from every other living one; never 0. */
uintptr_t skuai_thread_id(void);

/* The kernel's number of the calling thread, asked once; asked again in the child of a fork. */
uint32_t skuai_thread_tid(void);
void skuai_thread_forget_tid(void);

/*
 * Bytes of stack that the calling thread may still use below this call; `total` is the whole of it.
 * SIZE_MAX / 2 for both when the system does not tell.
 */
size_t skuai_thread_stack_left(size_t *total);

/* Let another thread run on this CPU, if one wants to. */
void skuai_thread_yield(void);

#endif
