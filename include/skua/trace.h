/* SPDX-License-Identifier: MIT */
/* trace.h — what a pool's workers did when: begin, end, write, and marks of your own */
#ifndef SKUA_TRACE_H
#define SKUA_TRACE_H

#include <skua/detail/export.h>
#include <stddef.h>
#include <stdint.h>

SKUA_BEGIN_C

struct skua_pool;

/*
 * Each worker keeps its last events in a ring: tasks, thefts, waits, sleeps, wakes.  Nothing is
 * lost while they fit; after that the oldest are, and the file says how many.  A pool that is not
 * traced pays nothing for forks and joins, and a branch elsewhere.
 *
 * Without a line of code: SKUA_TRACE=file in the environment traces every pool that is opened, and
 * writes the file when it is closed or the program ends.  `skua trace` reads such files.
 */
struct skua_trace_options {
	size_t size;	  /* sizeof(struct skua_trace_options) */
	size_t records;	  /* that each worker keeps, 16 bytes each; 0: 65536; up to 2^26, rounded up
			     to a power of two.  Memory only as they are used. */
	const char *path; /* written at the end, or when the pool is closed; NULL: nothing is */
};

/**
 * Trace a pool from now on.  NULL: the default options, and the default pool.
 *
 * Thread    any
 * Memory    the rings, kept until the pool is closed
 * Ordering  none: a worker may notice a little later
 * Fails     SKUA_EINVAL: wrong size, too many records, a path of 4096 bytes or more; SKUA_EBUSY: it
 *           is traced already, maybe by SKUA_TRACE; SKUA_ENOMEM; why the default pool cannot be had
 * Cost      some us a worker; then some 10 to 30 ns an event
 * See       examples/29_trace.c, man skua_trace
 */
SKUA_API int skua_trace_begin(struct skua_pool *pool, const struct skua_trace_options *options);

/**
 * Trace it no more, and write the file that was asked for.  What was traced can still be written.
 *
 * Thread    any
 * Memory    1 MiB for a moment, if a file is written
 * Ordering  none
 * Fails     SKUA_EINVAL: it is not traced, or by SKUA_TRACE; or what skua_trace_write says
 * Cost      as skua_trace_write
 * See       examples/29_trace.c, man skua_trace
 */
SKUA_API int skua_trace_end(struct skua_pool *pool);

/**
 * Write what is in the rings, of the last so many nanoseconds or, with 0, all.  The pool may run
 * and be traced on meanwhile.  The file is written under another name first, and then replaces what
 * was there.
 *
 * Thread    any
 * Memory    1 MiB for a moment, with 65536 records a worker
 * Ordering  none
 * Fails     SKUA_EINVAL: NULL, a path of 4096 bytes or more, less than 0, never traced; the codes
 *           of files that cannot be written, of which skua_trace_error tells more
 * Cost      some ms for each MiB
 * See       examples/29_trace.c, man skua_trace
 */
SKUA_API int skua_trace_write(struct skua_pool *pool, const char *path, int64_t last_ns);

/**
 * The number of a name, for the functions below; the same for the same text.  Up to 4096 names of
 * 255 bytes for a process; then, or for want of memory, 0, which is no name.
 *
 * Thread    any
 * Memory    the text, for ever
 * Ordering  none
 * Fails     never; 0 for NULL and ""
 * Cost      some 50 ns: ask once, keep the number
 * See       examples/29_trace.c, man skua_trace
 */
SKUA_API uint32_t skua_trace_name(const char *text);

/**
 * Something happened here, now.  Of the value the low 24 bits are kept.
 *
 * A worker's mark stands among its other events; that of another thread in every trace that is on.
 *
 * Thread    any
 * Memory    none
 * Ordering  none
 * Fails     never; nothing is traced: nothing
 * Cost      some 20 ns traced; other threads take a lock; not traced a few loads
 * See       examples/29_trace.c, man skua_trace
 */
SKUA_API void skua_trace_mark(uint32_t name, uint64_t value);

/**
 * A span of the program's own begins.  It ends in the same task, the last to begin the first.
 *
 * Thread    any
 * Memory    none
 * Ordering  none
 * Fails     never
 * Cost      as skua_trace_mark
 * See       examples/29_trace.c, man skua_trace
 */
SKUA_API void skua_trace_span_begin(uint32_t name);

/**
 * The span ends.
 *
 * Thread    any
 * Memory    none
 * Ordering  none
 * Fails     never
 * Cost      as skua_trace_mark
 * See       examples/29_trace.c, man skua_trace
 */
SKUA_API void skua_trace_span_end(uint32_t name);

/**
 * The last thing that went wrong with a trace in this process, SKUA_TRACE's own among it, as a
 * sentence in text, cut at room bytes.  A library does not print; SKUA_STATS=1 does.
 *
 * Thread    any
 * Memory    none
 * Ordering  none
 * Fails     never: the code of what went wrong, SKUA_OK and "": nothing did.  text NULL: the code
 * Cost      a copy under a lock
 * See       man skua_trace
 */
SKUA_API int skua_trace_error(char *text, size_t room);

SKUA_END_C

#endif
