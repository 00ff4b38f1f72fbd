/* SPDX-License-Identifier: MIT */
/* dear_fork.h — makes each fork of a source file dearer: a slowed build, for --compare to see */
#ifndef SKUA_TESTS_DEAR_FORK_H
#define SKUA_TESTS_DEAR_FORK_H

#include <skua/fork.h>

/* Some microseconds: far more than a machine that is busy with other tests makes of a fork. */
static inline void dear_fork(void)
{
	for (volatile int i = 0; i < 4000; i++)
		;
}

/* A place in every fork that checked builds use, and others leave empty. */
#undef SKUA_CHECK_FORK
#define SKUA_CHECK_FORK(task, here) dear_fork()

#endif
