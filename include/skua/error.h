/* SPDX-License-Identifier: MIT */
/* error.h — the error codes, listed once, and their texts */
#ifndef SKUA_ERROR_H
#define SKUA_ERROR_H

#include <skua/detail/export.h>

SKUA_BEGIN_C

/*
 * X(name, value, text): the one list.  Values are ours, not errno's, so they are the same on every
 * system; they are never reused.  The text finishes the sentence "could not do it: ...".  Codes of
 * -1000 and below are left to programs, for the errors of their own tasks.
 */
#define SKUA_ERRORS(X)                                                                   \
	X(EINVAL, -1, "an argument is not valid")                                        \
	X(ENOMEM, -2, "not enough memory")                                               \
	X(EAGAIN, -3, "the system has no more threads, files or room to give right now") \
	X(ENOTSUP, -4, "this system does not offer it")                                  \
	X(EPERM, -5, "the system does not permit it")                                    \
	X(ENOENT, -6, "there is no such file or thing")                                  \
	X(EIO, -7, "the system failed to read or write")                                 \
	X(ETIMEDOUT, -8, "the deadline passed")                                          \
	X(ESYS, -9, "the system answered with an error skua has no name for")            \
	X(EFULL, -10, "there is no room left, and it may not grow")                      \
	X(ECLOSED, -11, "the pool is closing")                                           \
	X(EBUSY, -12, "it is in use")                                                    \
	X(ECANCELED, -13, "it was cancelled")                                            \
	X(EFORKED, -14, "it belongs to the parent process, from before a fork")          \
	X(ECYCLE, -15, "it waits for itself, in a circle")

enum skua_error {
	SKUA_OK = 0,
#define SKUA_ERROR_ENTRY(name, value, text) SKUA_##name = (value),
	SKUA_ERRORS(SKUA_ERROR_ENTRY)
#undef SKUA_ERROR_ENTRY
};

/**
 * What an error code means, as the end of a sentence: "not enough memory".
 *
 * Thread    any
 * Memory    static; do not free
 * Ordering  none
 * Fails     never; -1000 and below are the program's own, any other unknown code gives "unknown
 *           skua error"
 * Cost      a few comparisons
 * See       examples/00_machine.c
 */
SKUA_API const char *skua_strerror(int error);

SKUA_END_C

#endif
