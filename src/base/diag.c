/* SPDX-License-Identifier: MIT */
/* diag.c — how impossible things are reported: one line on standard error, then abort; warnings */
#include "base/diag.h"

#include "base/atomic.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef SKUA_ATOMICS_MODEL
/* What the checker explores is not to go on in a hook. */
static void diag_call_hook(void)
{
}
#else
static _Atomic(void (*)(void)) diag_hook;

void skuai_bug_hook(void (*hook)(void))
{
	/* order diag.hook.1: release, pairs .2; what the hook looks at */
	skua_store(&diag_hook, hook, release);
}

static void diag_call_hook(void)
{
	/* order diag.hook.2: acquire, pairs .1 */
	void (*hook)(void) = skua_exchange(&diag_hook, NULL, acquire);

	if (hook)
		hook();
}
#endif

/* One write, no stdio: other threads may hold its locks, or be in the middle of the same. */
_Noreturn static void diag_end(const char *line)
{
	ssize_t ignored = write(STDERR_FILENO, line, strlen(line));

	(void)ignored; /* nowhere left to tell */
	diag_call_hook();
	abort();
}

void skuai_warn(const char *format, ...)
{
	char line[1024] = "skua: ";
	size_t used = strlen(line);
	int before = errno;
	va_list list;

	va_start(list, format);
	vsnprintf(line + used, sizeof(line) - used - 1, format, list); /* but for the line's end */
	va_end(list);
	char *at = line;
	/* Parts of names: nothing that a terminal obeys, C1 in UTF-8 included. */
	for (; *at; at++) {
		unsigned char c = (unsigned char)*at, behind = (unsigned char)at[1];
		if (c == 0xc2 && behind >= 0x80 && behind < 0xa0)
			*at++ = '?', *at = '?';
		else if (c < ' ' || c == 0x7f)
			*at = '?';
	}
	*at++ = '\n';
	ssize_t ignored = write(STDERR_FILENO, line, (size_t)(at - line));
	(void)ignored; /* nowhere else to tell */
	errno = before;
}

_Noreturn void skuai_bug(const char *text)
{
	char line[512];

	snprintf(line, sizeof(line), "skua: bug in the calling program: %s\n", text);
	diag_end(line);
}

_Noreturn void skuai_bug_of(const char *of, const char *name, const char *text)
{
	char line[512];

	snprintf(line, sizeof(line), "skua: bug in the calling program: %s %s: %s\n", of, name,
		 text);
	diag_end(line);
}

_Noreturn void skuai_broken(const char *claim, const char *file, int line_number)
{
	char line[512];

	snprintf(line, sizeof(line),
		 "skua: bug in skua itself, please report: %s:%d: not true: %s\n", file,
		 line_number, claim);
	diag_end(line);
}
