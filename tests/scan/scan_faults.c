/* SPDX-License-Identifier: MIT */
/* scan_faults.c — a library to preload: one chosen call of a scan fails, once or from then on */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * SCAN_FAULT="openat 3 5 once": the third openat fails with error 5; "always" in place of "once":
 * all from there on.  The calls are openat, getdents64, fstatat, fstat, and memory, which is every
 * request for some.  SCAN_FAULT_LOG names a file that is made when a call was failed.  What is read
 * below /sys, /proc and /etc is left alone: those are the machine's, not the tree's.
 */

static _Atomic long calls;

static void leave_mark(void)
{
	const char *log = getenv("SCAN_FAULT_LOG");
	int fd = log ? open(log, O_WRONLY | O_CREAT | O_CLOEXEC, 0644) : -1;

	if (fd >= 0)
		close(fd);
}

/* Is it this call's turn?  Then errno says how it fails. */
static int is_failed(const char *call)
{
	const char *wanted = getenv("SCAN_FAULT");
	size_t length = strlen(call);
	char *end;

	if (!wanted || strncmp(wanted, call, length) != 0 || wanted[length] != ' ')
		return 0;
	long turn = strtol(wanted + length, &end, 10), error = strtol(end, &end, 10);
	long now = atomic_fetch_add(&calls, 1) + 1;
	if (now != turn && !(now > turn && strcmp(end, " always") == 0))
		return 0;
	leave_mark();
	errno = (int)error;
	return 1;
}

static int is_of_machine(const char *path)
{
	return !strncmp(path, "/sys", 4) || !strncmp(path, "/proc", 5) || !strncmp(path, "/etc", 4);
}

int openat(int at, const char *path, int flags, ...)
{
	int (*real)(int, const char *, int, ...) = dlsym(RTLD_NEXT, "openat");
	mode_t mode = 0;

	if (flags & (O_CREAT | O_TMPFILE)) {
		va_list rest;
		va_start(rest, flags);
		mode = va_arg(rest, mode_t);
		va_end(rest);
	}
	if (!is_of_machine(path) && is_failed("openat"))
		return -1;
	return real(at, path, flags, mode);
}

ssize_t getdents64(int fd, void *buffer, size_t bytes)
{
	ssize_t (*real)(int, void *, size_t) = dlsym(RTLD_NEXT, "getdents64");

	return is_failed("getdents64") ? -1 : real(fd, buffer, bytes);
}

int fstatat(int at, const char *path, struct stat *stat, int flags)
{
	int (*real)(int, const char *, struct stat *, int) = dlsym(RTLD_NEXT, "fstatat");

	return !is_of_machine(path) && is_failed("fstatat") ? -1 : real(at, path, stat, flags);
}

/* glibc's own, under the names that it has for who replaces them. */
extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t count, size_t bytes);
extern void *__libc_realloc(void *memory, size_t bytes);
extern void *__libc_memalign(size_t alignment, size_t bytes);

void *malloc(size_t bytes)
{
	return is_failed("memory") ? NULL : __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes)
{
	return is_failed("memory") ? NULL : __libc_calloc(count, bytes);
}

void *realloc(void *memory, size_t bytes)
{
	return is_failed("memory") ? NULL : __libc_realloc(memory, bytes);
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
	return is_failed("memory") ? NULL : __libc_memalign(alignment, bytes);
}

int fstat(int fd, struct stat *stat)
{
	int (*real)(int, struct stat *) = dlsym(RTLD_NEXT, "fstat");

	return is_failed("fstat") ? -1 : real(fd, stat);
}
