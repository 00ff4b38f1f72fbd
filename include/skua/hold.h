/* SPDX-License-Identifier: MIT */
/* hold.h — say which locks a task holds, and learn of a wait that could run into them */
#ifndef SKUA_HOLD_H
#define SKUA_HOLD_H

#include <skua/detail/export.h>

SKUA_BEGIN_C

/*
 * A task that joins or waits while it holds a lock may be given another task to run meanwhile, and
 * that may want the same lock: the thread waits for itself.  Say so next to the lock:
 *
 *	pthread_mutex_lock(&mutex);
 *	skua_hold(&mutex);
 *	...
 *	skua_unhold(&mutex);
 *	pthread_mutex_unlock(&mutex);
 *
 * With SKUA_CHECKED defined, a join or wait in between is reported with the lock's name, unless it
 * is isolated (group.h).  Without, both are nothing.
 */
#ifdef SKUA_CHECKED
#define skua_hold(lock)	  skua_hold_begin(lock, #lock)
#define skua_unhold(lock) skua_hold_end(lock)
#else
#define skua_hold(lock)	  ((void)0)
#define skua_unhold(lock) ((void)0)
#endif

/**
 * The calling thread holds this lock; what skua_hold calls.
 *
 * Thread    any; up to 16 locks at once, more are not watched
 * Memory    none; the name is kept as it is
 * Ordering  none
 * Fails     never
 * Cost      a few ns
 * See       man skua_group
 */
SKUA_API void skua_hold_begin(const void *lock, const char *name) SKUA_OPAQUE(1);

/**
 * It holds it no more; a lock that was never noted is a mistake, reported.
 *
 * Thread    the one that began
 * Memory    none
 * Ordering  none
 * Fails     never
 * Cost      a few ns
 * See       man skua_group
 */
SKUA_API void skua_hold_end(const void *lock) SKUA_OPAQUE(1);

SKUA_END_C

#endif
