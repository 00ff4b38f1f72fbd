/* SPDX-License-Identifier: MIT */
/* output.c — standard output that cannot fail unnoticed */
#include "output.h"

#include "command.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int first_error; /* errno of the first write that failed */
static bool is_used;	/* something was written, or tried */
static FILE *diverted;	/* what is not for standard output */

void output_start(void)
{
	for (int fd = 0; fd <= 2; fd++) {
		if (fcntl(fd, F_GETFD) >= 0 || errno != EBADF)
			continue;
		/* An O_PATH descriptor answers every read and write with EBADF, as a closed one. */
		if (open("/", O_PATH | O_DIRECTORY) != fd)
			_exit(STATUS_FAULT); /* nowhere to say why */
	}
}

static void note_error(bool is_failed)
{
	is_used = true;
	if (is_failed && !first_error)
		first_error = errno ? errno : EIO;
}

void out(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	int count = vfprintf(diverted ? diverted : stdout, format, arguments);
	va_end(arguments);
	if (!diverted)
		note_error(count < 0);
}

void out_bytes(const char *bytes, size_t count)
{
	if (diverted)
		fwrite(bytes, 1, count, diverted);
	else
		note_error(fwrite(bytes, 1, count, stdout) != count);
}

void out_divert(FILE *to)
{
	diverted = to;
}

int output_finish(const char *command, int status)
{
	if (!is_used)
		return status;
	note_error(fflush(stdout) != 0);
	note_error(close(STDOUT_FILENO) != 0); /* some file systems complain only now */
	if (!first_error)
		return status;
	fprintf(stderr, "skua%s%s: cannot write to standard output: %s\n", command ? " " : "",
		command ? command : "",
		first_error == EBADF ? "it is closed, or open for reading only"
				     : strerror(first_error));
	return STATUS_FAULT;
}
