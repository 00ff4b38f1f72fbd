/* SPDX-License-Identifier: MIT */
/* simcmd_file.c — files that `skua sim` reads and writes, and what is said when that fails */
#include "command.h"
#include "output.h"
#include "sim/simcmd.h"
#include "text.h"
#include "whole_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FILE_BYTES_MAX ((size_t)1 << 30) /* arbitrary: a trace of a thousand rings has as much */

int simcmd_no_memory(void)
{
	fprintf(stderr,
		"skua sim: not enough memory; try fewer --workers, fewer tasks or fewer --runs\n");
	return STATUS_FAULT;
}

static char *refuse(const char *path, const char *why)
{
	fprintf(stderr, "skua sim: cannot read %s: %s\n", text_clean(path, 200).s, why);
	return NULL;
}

/* All that a stream gives, however long: what may be a pipe has no size before its end. */
static char *read_all(FILE *file, const char *path, size_t *size)
{
	size_t room = 65536;
	char *bytes = malloc(room);

	*size = 0;
	while (bytes) {
		errno = 0;
		size_t got = fread(bytes + *size, 1, room - *size, file);
		*size += got;
		if (*size < room) {
			if (!ferror(file))
				return bytes;
			refuse(path, strerror(errno ? errno : EIO));
			free(bytes);
			return NULL;
		}
		char *more = room < FILE_BYTES_MAX ? realloc(bytes, 2 * room) : NULL;
		if (!more)
			free(bytes);
		bytes = more;
		room *= 2;
	}
	return refuse(path, "it is too large, or there is not enough memory");
}

char *simcmd_read_file(const char *path, size_t *size)
{
	bool is_stdin = strcmp(path, "-") == 0;
	FILE *file = is_stdin ? stdin : fopen(path, "re");

	if (!file)
		return refuse(path, strerror(errno));
	char *bytes = read_all(file, path, size);
	if (!is_stdin)
		fclose(file);
	return bytes;
}

#define WAS_SAID (-1) /* in place of an errno: the writer has told what went wrong */

/* By way of memory: what standard output refuses is noticed in one place. */
static int write_out(simcmd_writer *writer, const void *what)
{
	char *text = NULL;
	size_t size = 0;
	FILE *to = open_memstream(&text, &size);

	if (!to)
		return errno;
	int error = !writer(to, what) ? WAS_SAID : ferror(to) ? ENOMEM : 0;
	if (fclose(to) != 0 && !error)
		error = errno;
	if (!error)
		out_bytes(text, size);
	free(text);
	return error;
}

static int write_whole(const char *path, simcmd_writer *writer, const void *what)
{
	struct whole_file file;
	int error = whole_file_open(&file, path);

	if (error)
		return error;
	error = writer(file.to, what) ? 0 : WAS_SAID;
	return whole_file_close(&file, error);
}

bool simcmd_write_file(const char *path, simcmd_writer *writer, const void *what)
{
	int error = strcmp(path, "-") == 0 ? write_out(writer, what)
					   : write_whole(path, writer, what);

	if (error && error != WAS_SAID)
		fprintf(stderr, "skua sim: cannot write %s: %s\n", text_clean(path, 200).s,
			strerror(error));
	return !error;
}
