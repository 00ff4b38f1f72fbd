/* SPDX-License-Identifier: MIT */
/* wait_linux.c — sleep on a word: Linux futex, private to the process */
#include "os/wait.h"

#include "base/fault.h"
#include "os/clock.h"

#include <errno.h>
#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define WAIT_POLL_NS 1000000 /* arbitrary: without futex, look again this often */

/* 0 or an errno; the caller's errno is left alone. */
static int futex_call(_Atomic uint32_t *word, int operation, uint32_t value,
		      const struct timespec *deadline)
{
	int saved = errno;
	long result = syscall(SYS_futex, word, operation | FUTEX_PRIVATE_FLAG, value, deadline,
			      NULL, FUTEX_BITSET_MATCH_ANY);
	int error = result < 0 ? errno : 0;

	errno = saved;
	return error;
}

static struct timespec timespec_of(int64_t ns)
{
	if (ns < 0)
		ns = 0; /* long past; the kernel refuses negative times */
	return (struct timespec){ .tv_sec = (time_t)(ns / 1000000000),
				  .tv_nsec = (long)(ns % 1000000000) };
}

static void sleep_until(int64_t when)
{
	int saved = errno;
	struct timespec time = timespec_of(when);

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time,
			NULL); /* cut short by a signal: fine */
	errno = saved;
}

enum skuai_wait_result skuai_wait(_Atomic uint32_t *word, uint32_t expected, int64_t deadline)
{
	struct timespec time = timespec_of(deadline);
	int error = skuai_fault(SKUAI_FAULT_FUTEX_WAIT);

	if (!error)
		/* WAIT_BITSET, because only it takes an absolute time of the monotonic clock. */
		error = futex_call(word, FUTEX_WAIT_BITSET, expected,
				   deadline == SKUAI_NO_DEADLINE ? NULL : &time);
	switch (error) {
	case 0:	     /* woken */
	case EAGAIN: /* the word had changed */
	case EINTR:  /* a signal */
		return SKUAI_WAIT_RETURNED;
	case ETIMEDOUT:
		return SKUAI_WAIT_TIMED_OUT;
	default: { /* refused: rest a little instead, so that the caller's loop polls */
		int64_t soon = skuai_deadline_after(WAIT_POLL_NS);
		sleep_until(soon < deadline ? soon : deadline);
		return skuai_clock_ns() < deadline ? SKUAI_WAIT_RETURNED : SKUAI_WAIT_TIMED_OUT;
	}
	}
}

void skuai_wake(_Atomic uint32_t *word, uint32_t most)
{
	/*
	 * A wake cannot fail on a live word.  Where futex is refused outright, nobody sleeps in it:
	 * waiters poll.  The second try is for a refusal that was a passing one.
	 */
	for (int attempt = 0; attempt < 2; attempt++) {
		int error = skuai_fault(SKUAI_FAULT_FUTEX_WAKE);
		if (!error)
			error = futex_call(word, FUTEX_WAKE, most, NULL);
		if (!error)
			return;
	}
}

bool skuai_wait_offered(void)
{
	_Atomic uint32_t word = 0;
	int error = skuai_fault(SKUAI_FAULT_FUTEX_WAKE);

	return !error && futex_call(&word, FUTEX_WAKE, 1, NULL) == 0;
}
