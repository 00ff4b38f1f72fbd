/* SPDX-License-Identifier: MIT */
/* thread.c — start, join, name and pin threads */
#include "os/thread.h"

#include "base/diag.h"
#include "base/errcode.h"
#include "base/fault.h"
#include "os/cpuset.h"
#include "os/stackmem.h"

#include <skua/error.h>

#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static void *thread_main(void *argument)
{
	struct skuai_thread *thread = argument;

	if (thread->name[0])
		pthread_setname_np(pthread_self(), thread->name); /* a courtesy: may fail */
	thread->body(thread->argument);
	return NULL;
}

/* All but what a fault of the thread itself raises, and the profiler's tick. */
static void fill_blocked_signals(sigset_t *set)
{
	static const int left_open[] = {
		SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGPROF
	};

	sigfillset(set);
	for (size_t i = 0; i < sizeof(left_open) / sizeof(left_open[0]); i++)
		sigdelset(set, left_open[i]);
}

static int set_stack_size(pthread_attr_t *attributes, size_t bytes)
{
	size_t page = skuai_page_bytes();
	size_t least = (size_t)sysconf(_SC_THREAD_STACK_MIN);

	if (bytes < least)
		bytes = least;
	if (bytes > SIZE_MAX / 2)
		return EINVAL;
	return pthread_attr_setstacksize(attributes, (bytes + page - 1) / page * page);
}

static int create_blocked(struct skuai_thread *thread, const pthread_attr_t *attributes)
{
	int error = skuai_fault(SKUAI_FAULT_THREAD);

	if (error)
		return error;
	/* The new thread inherits the mask it is made under; there is no moment it runs without. */
	sigset_t blocked, before;
	fill_blocked_signals(&blocked);
	pthread_sigmask(SIG_BLOCK, &blocked, &before);
	error = pthread_create(&thread->handle, attributes, thread_main, thread);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return error;
}

int skuai_thread_start(struct skuai_thread *thread, skuai_thread_body *body, void *argument,
		       const struct skuai_thread_options *options)
{
	pthread_attr_t attributes;

	*thread = (struct skuai_thread){ .body = body, .argument = argument };
	if (options && options->name)
		strncpy(thread->name, options->name, sizeof(thread->name) - 1);
	int saved = errno;
	int error = pthread_attr_init(&attributes); /* cannot fail on Linux: no fault point */
	if (!error) {
		if (options && options->stack_bytes)
			error = set_stack_size(&attributes, options->stack_bytes);
		if (!error)
			error = create_blocked(thread, &attributes);
		pthread_attr_destroy(&attributes);
	}
	errno = saved;
	return skuai_error_from_errno(error);
}

void skuai_thread_join(struct skuai_thread *thread)
{
	int error = pthread_join(thread->handle, NULL);

	skua_verify(!error); /* only misuse of ours: joined twice, or by itself */
}

/* Thread 0: the calling one. */
static int allow_only(uint32_t tid, const struct skuai_cpuset *set)
{
	int saved = errno, error = skuai_fault(SKUAI_FAULT_AFFINITY);

	if (!error && sched_setaffinity((pid_t)tid, sizeof(*set), (const cpu_set_t *)set->words))
		error = errno;
	errno = saved;
	return skuai_error_from_errno(error);
}

int skuai_thread_pin(unsigned cpu)
{
	if (cpu >= SKUAI_CPUS_MAX)
		return SKUA_EINVAL;
	struct skuai_cpuset set = { 0 };
	skuai_cpuset_add(&set, cpu);
	return allow_only(0, &set);
}

int skuai_thread_cpu(void)
{
	int saved = errno, cpu = sched_getcpu();

	errno = saved;
	return cpu < SKUAI_CPUS_MAX ? cpu : -1;
}

/*
 * All of these are allowed again, and no others.  If nobody but the system had limited them, nobody
 * but the system does so afterwards: what is set here is kept apart from what a cpuset allows, and
 * the exact set would stay as it is when the cpuset grows.
 */
static bool allow_again(uint32_t tid, const struct skuai_cpuset *set)
{
	struct skuai_cpuset all, now;

	memset(&all, 0xff, sizeof(all));
	if (allow_only(tid, &all) == SKUA_OK &&
	    skuai_cpuset_allowed(tid, &now) == SKUAI_CPUSET_WHOLE &&
	    memcmp(&now, set, sizeof(now)) == 0)
		return true;
	return allow_only(tid, set) == SKUA_OK;
}

bool skuai_thread_leave(const struct skuai_cpuset *taken)
{
	struct skuai_cpuset allowed, others;
	bool is_free = false;

	if (skuai_cpuset_allowed(0, &allowed) != SKUAI_CPUSET_WHOLE)
		return false;
	others = allowed;
	skuai_cpuset_minus(&others, taken);
	if (skuai_cpuset_count(&others) == 0 || allow_only(0, &others) != SKUA_OK)
		return false;
	for (unsigned tries = 0; tries < 3 && !is_free; tries++)
		is_free = allow_again(0, &allowed);
	return is_free;
}

bool skuai_thread_forbid(uint32_t tid, unsigned cpu)
{
	struct skuai_cpuset allowed;

	if (skuai_cpuset_allowed(tid, &allowed) != SKUAI_CPUSET_WHOLE ||
	    !skuai_cpuset_has(&allowed, cpu))
		return false;
	skuai_cpuset_drop(&allowed, cpu);
	return skuai_cpuset_count(&allowed) > 0 && allow_only(tid, &allowed) == SKUA_OK;
}

bool skuai_thread_allow(uint32_t tid, unsigned cpu)
{
	struct skuai_cpuset allowed;

	if (skuai_cpuset_allowed(tid, &allowed) != SKUAI_CPUSET_WHOLE)
		return false;
	skuai_cpuset_add(&allowed, cpu);
	return allow_again(tid, &allowed);
}

uintptr_t skuai_thread_id(void)
{
	static _Thread_local char mine; /* each thread has its own, at an address of its own */

	return (uintptr_t)&mine;
}

static _Thread_local uint32_t own_tid;

uint32_t skuai_thread_tid(void)
{
	if (!own_tid)
		own_tid = (uint32_t)gettid();
	return own_tid;
}

void skuai_thread_forget_tid(void)
{
	own_tid = 0;
}

void skuai_thread_yield(void)
{
	sched_yield(); /* always succeeds on Linux */
}

/* Where the calling thread's stack ends, asked once: the question is slow for the first thread. */
static _Thread_local uintptr_t stack_low;
static _Thread_local size_t stack_total;

static void learn_stack(void)
{
	pthread_attr_t attributes;
	void *low = NULL;
	size_t total = SIZE_MAX / 2;
	int saved = errno;

	if (!pthread_getattr_np(pthread_self(), &attributes)) {
		if (pthread_attr_getstack(&attributes, &low, &total))
			total = SIZE_MAX / 2;
		pthread_attr_destroy(&attributes);
	}
	errno = saved;
	stack_low = low ? (uintptr_t)low : 1;
	stack_total = total;
}

size_t skuai_thread_stack_left(size_t *total)
{
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);

	if (!stack_low)
		learn_stack();
	*total = stack_total;
	if (stack_low == 1)
		return SIZE_MAX / 2;
	return here > stack_low ? here - stack_low : 0;
}
