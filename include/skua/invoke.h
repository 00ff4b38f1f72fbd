/* SPDX-License-Identifier: MIT */
/* invoke.h — several functions called at once, and waited for together */
#ifndef SKUA_INVOKE_H
#define SKUA_INVOKE_H

#include <skua/group.h>
#include <skua/loop.h>

SKUA_BEGIN_C

/** A function to call, and what it is given.  It returns 0, or an error code: no more begin. */
struct skua_call {
	skua_group_task *run; /* int run(struct skua_slot *skua_here, void *argument) */
	void *argument;
};

/*
 * Calls written where they are made, in place of an array and its length:
 *
 *	int error = skua_invoke(pool, SKUA_CALLS({ read_index, &x }, { read_data, &y }), NULL);
 *
 * In C it is the two arguments, in C++ one, which skua_invoke takes as well: use it there only.
 */
#ifdef __cplusplus
#define SKUA_CALLS(...)     \
	{                   \
		__VA_ARGS__ \
	}
#else
#define SKUA_CALLS(...)                              \
	((const struct skua_call[]){ __VA_ARGS__ }), \
		(sizeof((const struct skua_call[]){ __VA_ARGS__ }) / sizeof(struct skua_call))
#endif

/**
 * Call functions, maybe at the same time, and return when all have ended:
 * skua_invoke(where, calls, count, options).  The options are those of a loop whose indices are the
 * calls; grain and is_stable have no meaning here.
 *
 * Thread    any, as skua_for
 * Memory    64 bytes of fork stack for each that waits; without any pool to be had they run one
 *           after the other on the calling thread
 * Ordering  what the caller did is visible to the functions, what they did to the caller
 * Fails     SKUA_EINVAL: no calls, no function, wrong options: none was called; SKUA_ECLOSED; what
 *           the first that failed returned; SKUA_ECANCELED, SKUA_ETIMEDOUT, as of skua_for.
 *           Those not begun by then are not called: options.reach tells how many were.
 * Cost      some 20 ns, and a fork for each
 * See       examples/28_invoke.c, man skua_invoke
 */
SKUA_API int skua_invoke_calls(struct skua_pool *pool, const struct skua_call *calls, size_t count,
			       const struct skua_loop_options *options);
#define skua_invoke(where, ...) skua_invoke_calls(SKUA_WHERE(where), __VA_ARGS__)

SKUA_END_C

#ifdef __cplusplus
template <size_t count>
static inline int skua_invoke_calls(struct skua_pool *pool, const struct skua_call (&calls)[count],
				    const struct skua_loop_options *options)
{
	return skua_invoke_calls(pool, calls, count, options);
}
#endif

#endif
