/* SPDX-License-Identifier: MIT */
/* threadinfo.c — what the kernel tells about this process and one of its threads */
#include "os/threadinfo.h"

#include "base/alloc.h"
#include "os/sysfile.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define STACK_WORDS 1024 /* 8 KiB of it are looked at; arbitrary */
#define CALLS_MOST  24
#define CODE_RANGES 256			/* files with code; what is beyond has no name */
#define MAPS_BYTES  ((size_t)256 << 10) /* likewise */

/* Read /proc/self/NAME as a text that ends in NUL; "" when it cannot be had. */
static void read_own(const char *name, char *text, size_t room)
{
	char path[64];
	struct skuai_text read;
	int saved = errno;

	snprintf(path, sizeof(path), "/proc/self/%s", name);
	skuai_file_read(NULL, path, text, room - 1, &read);
	text[read.count] = '\0';
	errno = saved;
}

/* The fields of a stat file behind the name, which may hold anything: from the third on. */
static const char *behind_name(const char *text)
{
	const char *last = strrchr(text, ')');

	return last && last[1] == ' ' ? last + 2 : "";
}

uint64_t skuai_process_start(void)
{
	char text[1024];

	read_own("stat", text, sizeof(text));
	const char *at = behind_name(text);
	for (unsigned field = 3; field < 22 && at; field++) {
		at = strchr(at, ' ');
		at = at ? at + 1 : NULL;
	}
	return at ? strtoull(at, NULL, 10) : 0;
}

uint64_t skuai_process_namespace(void)
{
	struct stat status;
	int saved = errno;
	uint64_t number = stat("/proc/self/ns/pid", &status) == 0 ? (uint64_t)status.st_ino : 0;

	errno = saved;
	return number;
}

static void read_wait(uint32_t tid, struct skuai_thread_info *info)
{
	char name[48];

	snprintf(name, sizeof(name), "task/%u/wchan", tid);
	read_own(name, info->wait, sizeof(info->wait));
	info->wait[strcspn(info->wait, "\n")] = '\0';
	if (strcmp(info->wait, "0") == 0)
		info->wait[0] = '\0';
}

/* "running", or: number, six arguments, stack pointer, address. */
static void read_call(uint32_t tid, struct skuai_thread_info *info)
{
	char name[48], text[256], *at;

	snprintf(name, sizeof(name), "task/%u/syscall", tid);
	read_own(name, text, sizeof(text));
	text[strcspn(text, "\n")] = '\0';
	at = strrchr(text, ' ');
	if (!at || at == text)
		return;
	info->at = (uintptr_t)strtoull(at, NULL, 16);
	*at = '\0';
	at = strrchr(text, ' ');
	if (at)
		info->stack = (uintptr_t)strtoull(at, NULL, 16);
}

void skuai_thread_info(uint32_t tid, struct skuai_thread_info *info)
{
	char name[48], text[1024];

	*info = (struct skuai_thread_info){ 0 };
	snprintf(name, sizeof(name), "task/%u/stat", tid);
	read_own(name, text, sizeof(text));
	info->state = *behind_name(text);
	snprintf(name, sizeof(name), "task/%u/stack", tid);
	read_own(name, info->kernel, sizeof(info->kernel));
	read_wait(tid, info);
	read_call(tid, info);
}

/* Memory of our own that may not be there: the thread goes on meanwhile, and may even end. */
static size_t copy_words(uintptr_t from, uintptr_t *words, size_t count)
{
	struct iovec there = { .iov_len = count * sizeof(*words) };
	struct iovec here = { .iov_base = words, .iov_len = there.iov_len };
	int saved = errno;

	memcpy(&there.iov_base, &from, sizeof(from));
	ssize_t bytes = process_vm_readv(getpid(), &here, 1, &there, 1, 0);

	errno = saved;
	return bytes > 0 ? (size_t)bytes / sizeof(*words) : 0;
}

/* --- where there is code --- */

struct code_range {
	uintptr_t start, end;
};

/* Parts of the address space that can be executed, as /proc/self/maps has them.  How many. */
static size_t read_code_ranges(struct code_range *ranges, size_t most)
{
	struct skuai_text read;
	size_t count = 0;
	char *maps = skuai_alloc(1, MAPS_BYTES);

	if (!maps)
		return 0;
	skuai_file_read(NULL, "/proc/self/maps", maps, MAPS_BYTES - 1, &read);
	maps[read.count] = '\0';
	for (char *line = maps; line && *line && count < most;) {
		char *at;
		ranges[count].start = (uintptr_t)strtoull(line, &at, 16);
		ranges[count].end = *at == '-' ? (uintptr_t)strtoull(at + 1, &at, 16) : 0;
		/* start-end rwxp offset ... */
		count += at[0] == ' ' && at[1] && at[2] && at[3] == 'x';
		line = strchr(at, '\n');
		line = line ? line + 1 : NULL;
	}
	skuai_free(maps);
	return count;
}

static bool is_code(const struct code_range *ranges, size_t count, uintptr_t address)
{
	for (size_t i = 0; i < count; i++)
		if (address > ranges[i].start && address < ranges[i].end)
			return true;
	return false;
}

/* A line with the function's name, unless it would be the same as the last.  False: no room. */
static bool add_call(struct skuai_symbols *symbols, uintptr_t address, char *text, size_t room,
		     size_t *last)
{
	char name[80];
	size_t used = *last + strlen(text + *last);

	skuai_symbols_name(symbols, address, name, sizeof(name) - 1);
	size_t length = strlen(name);
	memcpy(name + length, "\n", 2);
	if (strcmp(text + *last, name) == 0)
		return true;
	if (used + length + 2 > room)
		return false;
	memcpy(text + used, name, length + 2);
	*last = used;
	return true;
}

unsigned skuai_thread_calls(const struct skuai_thread_info *info, struct skuai_symbols *symbols,
			    char *text, size_t room)
{
	uintptr_t words[STACK_WORDS + 1] = { info->at };
	struct code_range ranges[CODE_RANGES];
	size_t last = 0, count = 0;
	unsigned calls = 0;

	text[0] = '\0';
	if (!info->stack || info->stack % sizeof(words[0]))
		return 0;
	size_t range_count = read_code_ranges(ranges, CODE_RANGES);
	/* Half as much where the stack ends sooner. */
	for (size_t want = STACK_WORDS; want >= 16 && !count; want /= 2)
		count = copy_words(info->stack, words + 1, want);
	for (size_t i = 0; i <= count && calls < CALLS_MOST; i++)
		if (is_code(ranges, range_count, words[i])) {
			if (!add_call(symbols, words[i], text, room, &last))
				break;
			calls++;
		}
	return calls;
}
