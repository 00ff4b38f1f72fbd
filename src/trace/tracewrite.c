/* SPDX-License-Identifier: MIT */
/* tracewrite.c — a trace is written to a file: whole or not at all, over nobody else's */
#include "trace/tracewrite.h"

#include "base/alloc.h"
#include "base/errcode.h"
#include "base/fault.h"
#include "os/clock.h"
#include "os/symbols.h"
#include "os/ticks.h"
#include "trace/namebook.h"

#include <skua/error.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define MOMENT_TRIES 8

/* A file being written. */
struct sink {
	int fd;
	int error; /* errno of the first that failed; then nothing is written any more */
};

static void sink_write(struct sink *sink, const void *bytes, size_t count)
{
	size_t done = 0;

	while (!sink->error && done < count) {
		ssize_t wrote = write(sink->fd, (const char *)bytes + done, count - done);
		if (wrote < 0 && errno != EINTR)
			sink->error = errno;
		else if (wrote > 0)
			done += (size_t)wrote;
	}
}

static void sink_pad(struct sink *sink, size_t bytes)
{
	static const char zeros[8];

	sink_write(sink, zeros, (8 - bytes % 8) % 8);
}

static void sink_section(struct sink *sink, uint32_t kind, uint32_t number, uint64_t bytes)
{
	struct skuai_trace_section section = { kind, number, (bytes + 7) / 8 * 8 };

	sink_write(sink, &section, sizeof(section));
}

/* --- what is in it --- */

static void write_facts(struct sink *sink, const char *facts)
{
	size_t bytes = strlen(facts);

	sink_section(sink, SKUAI_TRACE_FACTS, 0, bytes);
	sink_write(sink, facts, bytes);
	sink_pad(sink, bytes);
}

/* Leave out what is not of the time that the file is about.  How many are left. */
static uint64_t cut_to_time(const struct skuai_trace_source *source,
			    struct skuai_trace_record *records, uint64_t count, uint64_t *early)
{
	uint64_t begin = 0, end = count;

	while (begin < end && records[begin].ticks < source->from_ticks)
		begin++;
	while (begin < end && records[end - 1].ticks > source->header.end_ticks)
		end--;
	memmove(records, &records[begin], (end - begin) * sizeof(*records));
	*early = begin;
	return end - begin;
}

static void write_ring(struct sink *sink, const struct skuai_trace_source *source,
		       const struct skuai_trace_part *part, struct skuai_trace_record *records,
		       struct skuai_trace_told *told)
{
	uint64_t from, early;
	uint64_t count = skuai_evring_copy(part->ring, part->first, records, &from);

	count = cut_to_time(source, records, count, &early);
	/* With older ones still there, none that belongs here is gone. */
	uint64_t dropped = early ? 0 : from - part->first;
	struct skuai_trace_ring ring = { .written = count + dropped, .dropped = dropped };
	sink_section(sink, SKUAI_TRACE_RING, part->number, sizeof(ring) + count * sizeof(*records));
	sink_write(sink, &ring, sizeof(ring));
	sink_write(sink, records, count * sizeof(*records));
	told->records += count;
	told->dropped += dropped;
}

/* Its text into `room`; how many bytes, 0: there is no such name. */
static size_t text_of(struct skuai_symbols *symbols, uint32_t number, char *room, size_t bytes)
{
	uintptr_t address;
	const char *text = skuai_name_read(number, &address);

	if (text)
		snprintf(room, bytes, "%s", text);
	else if (address)
		skuai_symbols_name(symbols, address, room, bytes);
	else
		room[0] = '\0';
	return strlen(room);
}

static void write_names(struct sink *sink)
{
	char text[SKUAI_NAME_BYTES_MOST + 1];
	struct skuai_symbols *symbols = skuai_symbols_open();
	uint64_t bytes = 0;
	uint32_t last = SKUAI_NAMES_MOST;

	/* Their length comes first; one that was added since is left to the next trace. */
	unsigned char counts[SKUAI_NAMES_MOST + 1] = { 0 };
	for (uint32_t number = 1; number <= last; number++) {
		counts[number] = (unsigned char)text_of(symbols, number, text, sizeof(text));
		if (counts[number])
			bytes += sizeof(struct skuai_trace_name) +
				 ((uint64_t)counts[number] + 7) / 8 * 8;
	}
	sink_section(sink, SKUAI_TRACE_NAMES, 0, bytes);
	for (uint32_t number = 1; number <= last; number++) {
		struct skuai_trace_name name = { number, counts[number] };
		if (!name.bytes)
			continue;
		text_of(symbols, number, text, sizeof(text));
		sink_write(sink, &name, sizeof(name));
		sink_write(sink, text, name.bytes);
		sink_pad(sink, name.bytes);
	}
	skuai_symbols_close(symbols);
}

static int write_all(int fd, const struct skuai_trace_source *source, struct skuai_trace_told *told)
{
	struct sink sink = { .fd = fd };
	struct skuai_trace_header header = source->header;
	uint64_t most = 0;

	for (unsigned i = 0; i < source->part_count; i++)
		if (source->parts[i].ring->mask >= most)
			most = source->parts[i].ring->mask + 1;
	struct skuai_trace_record *records = skuai_alloc(most, sizeof(*records));
	if (!records)
		return ENOMEM;
	memcpy(header.magic, SKUAI_TRACE_MAGIC, sizeof(header.magic));
	header.version = SKUAI_TRACE_VERSION;
	header.bytes = sizeof(header);
	sink_write(&sink, &header, sizeof(header));
	write_facts(&sink, source->facts);
	for (unsigned i = 0; i < source->part_count; i++)
		write_ring(&sink, source, &source->parts[i], records, told);
	write_names(&sink); /* behind the rings: so every name in them is there */
	sink_section(&sink, SKUAI_TRACE_END, 0, 0);
	skuai_free(records);
	return sink.error;
}

/* The same without the signals of a pipe whose reader has gone, and of a file that is too large. */
static int write_quietly(int fd, const struct skuai_trace_source *source,
			 struct skuai_trace_told *told)
{
	sigset_t ours, before, pending;
	const struct timespec at_once = { 0 };

	sigemptyset(&ours);
	sigaddset(&ours, SIGPIPE);
	sigaddset(&ours, SIGXFSZ);
	sigpending(&pending);
	pthread_sigmask(SIG_BLOCK, &ours, &before);
	int error = write_all(fd, source, told);
	int number = error == EPIPE ? SIGPIPE : error == EFBIG ? SIGXFSZ : 0;
	if (number && !sigismember(&pending, number)) {
		sigdelset(&ours, number == SIGPIPE ? SIGXFSZ : SIGPIPE);
		sigtimedwait(&ours, NULL, &at_once);
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return error;
}

/* --- where it goes --- */

void skuai_trace_look(const char *path, struct skuai_trace_before *before)
{
	struct stat seen;

	*before = (struct skuai_trace_before){ .is_known = true, .is_there = !stat(path, &seen) };
	if (!before->is_there)
		return;
	before->device = seen.st_dev;
	before->inode = seen.st_ino;
	before->bytes = (uint64_t)seen.st_size;
	before->changed_ns = (int64_t)seen.st_mtim.tv_sec * 1000000000 + seen.st_mtim.tv_nsec;
}

int skuai_trace_refusal(const char *path)
{
	struct stat seen;
	char folder[SKUAI_TRACE_PATH_ROOM];
	const char *slash = strrchr(path, '/');
	size_t bytes = slash ? (size_t)(slash - path) : 0;

	if (stat(path, &seen) == 0 && !S_ISREG(seen.st_mode))
		return S_ISDIR(seen.st_mode) ? EISDIR : access(path, W_OK) ? errno : 0;
	if (!bytes || bytes >= sizeof(folder)) {
		bytes = 1;
		path = slash ? "/" : ".";
	}
	memcpy(folder, path, bytes);
	folder[bytes] = '\0';
	return access(folder, W_OK | X_OK) ? errno : 0;
}

static bool is_as_before(const char *path, const struct skuai_trace_before *before)
{
	struct skuai_trace_before now;

	if (!before || !before->is_known)
		return true;
	skuai_trace_look(path, &now);
	return now.is_there == before->is_there && now.device == before->device &&
	       now.inode == before->inode && now.bytes == before->bytes &&
	       now.changed_ns == before->changed_ns;
}

/* Give the whole file its name.  An errno. */
static int rename_whole(const char *whole, const struct skuai_trace_before *before,
			struct skuai_trace_told *told)
{
	size_t bytes = strlen(told->path);

	if (!is_as_before(told->path, before)) {
		snprintf(told->path + bytes, sizeof(told->path) - bytes, ".%ld", (long)getpid());
	} else if (before && before->is_known && !before->is_there) {
		/* A name is linked only where there is none: nobody comes in between. */
		if (link(whole, told->path) == 0)
			return unlink(whole) ? errno : 0;
		if (errno == EEXIST)
			snprintf(told->path + bytes, sizeof(told->path) - bytes, ".%ld",
				 (long)getpid());
	}
	return rename(whole, told->path) ? errno : 0;
}

/* To what is no regular file: into it.  An errno. */
static int write_into(const struct skuai_trace_source *source, struct skuai_trace_told *told)
{
	/* A pipe that nobody reads is an error; one that somebody does, is waited for. */
	int fd = open(told->path, O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);

	if (fd < 0)
		return errno;
	fcntl(fd, F_SETFL, O_WRONLY);
	int error = write_quietly(fd, source, told);
	return close(fd) && !error ? errno : error;
}

static int write_beside(const struct skuai_trace_source *source,
			const struct skuai_trace_before *before, struct skuai_trace_told *told)
{
	char whole[sizeof(told->path) + 32];
	static _Atomic uint32_t files;

	/* order tracewrite.name.1: relaxed, a number that nobody else has */
	snprintf(whole, sizeof(whole), "%s.%ld-%u.tmp", told->path, (long)getpid(),
		 (unsigned)skua_add(&files, 1, relaxed));
	int error = skuai_fault(SKUAI_FAULT_OPEN);
	int fd = error ? -1 : open(whole, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd < 0)
		return error ? error : errno;
	error = write_quietly(fd, source, told);
	if (close(fd) && !error)
		error = errno;
	if (!error)
		error = rename_whole(whole, before, told);
	if (error)
		unlink(whole);
	return error;
}

int skuai_trace_write_file(const struct skuai_trace_source *source, const char *path,
			   const struct skuai_trace_before *before, struct skuai_trace_told *told)
{
	struct stat seen;

	*told = (struct skuai_trace_told){ 0 };
	if (__BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__)
		return SKUA_ENOTSUP;
	if (strlen(path) >= SKUAI_TRACE_PATH_ROOM)
		return SKUA_EINVAL;
	snprintf(told->path, sizeof(told->path), "%s", path);
	bool is_special = stat(path, &seen) == 0 && !S_ISREG(seen.st_mode) &&
			  !S_ISDIR(seen.st_mode);
	told->system_error = is_special ? write_into(source, told)
					: write_beside(source, before, told);
	return skuai_error_from_errno(told->system_error);
}

void skuai_trace_moment(int64_t *ns, uint64_t *ticks)
{
	int64_t best = INT64_MAX;

	for (int i = 0; i < MOMENT_TRIES; i++) {
		uint64_t before = skuai_ticks();
		int64_t now = skuai_clock_ns();
		uint64_t after = skuai_ticks();
		if ((int64_t)(after - before) >= best)
			continue; /* something came in between */
		best = (int64_t)(after - before);
		*ns = now;
		*ticks = before + (after - before) / 2;
	}
}
