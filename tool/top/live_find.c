/* SPDX-License-Identifier: MIT */
/* live_find.c — which processes are monitored, and what their pools do */
#include "top/live_find.h"

#include "text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define FOLDERS	     3
#define ENTRIES_MOST 65536 /* of a folder that are looked at; arbitrary */
#define PATH_ROOM    512

/* --- processes --- */

/* Field 22 of /proc/PID/stat, and the name between parentheses; 0: there is no such process. */
static uint64_t process_start(unsigned number, char program[32])
{
	char path[64], text[1024];
	uint64_t start = 0;

	snprintf(path, sizeof(path), "/proc/%u/stat", number);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t count = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	if (fd >= 0)
		close(fd);
	text[count > 0 ? count : 0] = '\0';
	char *first = strchr(text, '('), *last = strrchr(text, ')');
	if (!first || !last || last < first)
		return 0;
	*last = '\0';
	snprintf(program, 32, "%s", first + 1);
	if (last[1] == '\0' || last[2] == 'Z' || last[2] == 'X')
		return 0; /* dead, and only not buried yet */
	char *at = last + 1;
	for (unsigned field = 3; field < 22 && at; field++)
		at = strchr(at + 1, ' ');
	if (at)
		start = strtoull(at, NULL, 10);
	return start;
}

int64_t live_age_ns(unsigned number)
{
	char program[32];
	struct timespec now;
	uint64_t start = process_start(number, program), second = (uint64_t)sysconf(_SC_CLK_TCK);

	if (!start || clock_gettime(CLOCK_BOOTTIME, &now) != 0)
		return INT64_MAX;
	int64_t began_ns = (int64_t)(start / second * 1000000000 +
				     start % second * 1000000000 / second);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec - began_ns;
}

/* The space in which process numbers count; 0: not told. */
static uint64_t own_space(void)
{
	struct stat status;

	return stat("/proc/self/ns/pid", &status) == 0 ? (uint64_t)status.st_ino : 0;
}

/* Is the process that wrote this still there?  Where that cannot be told, it is. */
static bool is_alive(const struct skuai_live_head *head)
{
	char program[32];

	if (!head->start_ticks || !own_space() || head->space != own_space() ||
	    !process_start((unsigned)getpid(), program))
		return true;
	return process_start(head->process, program) == head->start_ticks;
}

/* --- folders --- */

/* The folders where a process of that user would put its files; how many. */
static unsigned folder_paths(uid_t owner, char paths[FOLDERS][PATH_ROOM])
{
	const char *runtime = getenv("XDG_RUNTIME_DIR");
	unsigned count = 0;

	if (owner == geteuid() && runtime && runtime[0] == '/' && strlen(runtime) < PATH_ROOM - 8)
		snprintf(paths[count++], PATH_ROOM, "%s/skua", runtime);
	char usual[PATH_ROOM];
	snprintf(usual, sizeof(usual), "/run/user/%u/skua", (unsigned)owner);
	if (!count || strcmp(paths[0], usual) != 0)
		memcpy(paths[count++], usual, sizeof(usual));
	snprintf(paths[count++], PATH_ROOM, "/tmp/skua-%u", (unsigned)owner);
	return count;
}

/* A descriptor; or -1, and `fault` is written when that is more than that there is none. */
static int open_folder(const char *path, uid_t owner, char *fault, size_t room)
{
	struct stat status;
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0) {
		if (errno != ENOENT && errno != EACCES)
			snprintf(fault, room, "%.100s is not looked into: %s",
				 text_clean(path, 100).s,
				 errno == ENOTDIR || errno == ELOOP
					 ? "it is no folder, or a symbolic link"
					 : strerror(errno));
		return -1;
	}
	if (fstat(fd, &status) == 0 && status.st_uid == owner && !(status.st_mode & 022))
		return fd;
	snprintf(fault, room, "%.100s is not looked into: others can write there",
		 text_clean(path, 100).s);
	close(fd);
	return -1;
}

static int compare_names(const void *a, const void *b)
{
	unsigned one[2] = { 0 }, two[2] = { 0 };

	live_split_name(*(char *const *)a, &one[0], &one[1]);
	live_split_name(*(char *const *)b, &two[0], &two[1]);
	int order = (one[0] > two[0]) - (one[0] < two[0]);
	return order ? order : (one[1] > two[1]) - (one[1] < two[1]);
}

struct names {
	char **at;
	size_t count, room;
	bool is_short; /* of memory */
};

static void add_name(struct names *names, const char *name)
{
	if (names->count == names->room) {
		size_t room = names->room ? 2 * names->room : 16;
		char **at = realloc(names->at, room * sizeof(*at));
		names->is_short |= !at;
		if (!at)
			return;
		names->at = at;
		names->room = room;
	}
	char *copy = strdup(name);
	names->is_short |= !copy;
	if (copy)
		names->at[names->count++] = copy;
}

/* Names of the form PID.POOL in the folder, sorted; of one process, or with 0 of all. */
static void read_names(int folder, unsigned process, struct names *names)
{
	int fd = dup(folder);
	DIR *listing = fd < 0 ? NULL : fdopendir(fd);
	unsigned its_process, its_number;

	if (!listing) {
		if (fd >= 0)
			close(fd);
		return;
	}
	rewinddir(listing);
	for (unsigned i = 0; i < ENTRIES_MOST; i++) {
		struct dirent *entry = readdir(listing);
		if (!entry)
			break;
		if (live_split_name(entry->d_name, &its_process, &its_number) &&
		    (!process || its_process == process))
			add_name(names, entry->d_name);
	}
	closedir(listing);
	if (names->count)
		qsort(names->at, names->count, sizeof(*names->at), compare_names);
}

static void free_names(struct names *names)
{
	for (size_t i = 0; i < names->count; i++)
		free(names->at[i]);
	free(names->at);
}

/* --- one process --- */

static void take_pool(int folder, const char *name, struct live_process *process)
{
	struct live_pool pool;
	const char *why = NULL;

	if (process->pool_count == LIVE_POOLS_MAX) {
		process->left_out++;
		return;
	}
	switch (live_read(folder, name, process->owner, &pool, &why)) {
	case LIVE_GONE:
		break;
	case LIVE_REFUSED:
		snprintf(process->fault, sizeof(process->fault), "the file %s is not used: %.180s",
			 name, why);
		break;
	case LIVE_READ:
		if (is_alive(&pool.head))
			process->pools[process->pool_count++] = pool;
		else
			live_free(&pool); /* of an earlier process with this number */
		break;
	}
}

enum live_found live_look(unsigned number, struct live_process *process)
{
	char path[64], paths[FOLDERS][PATH_ROOM];
	struct stat status;

	*process = (struct live_process){ .number = number };
	snprintf(path, sizeof(path), "/proc/%u", number);
	if (stat(path, &status) != 0 || !process_start(number, process->program))
		return LIVE_NO_PROCESS;
	process->owner = status.st_uid;
	if (process->owner != geteuid() && geteuid() != 0)
		return LIVE_OTHER_USER;
	unsigned count = folder_paths(process->owner, paths);
	bool is_distrusted = false;
	for (unsigned i = 0; i < count; i++) {
		struct names names = { 0 };
		char fault[sizeof(process->fault)] = "";
		int folder = open_folder(paths[i], process->owner, fault, sizeof(fault));
		if (folder < 0) {
			is_distrusted |= fault[0] != '\0';
			if (fault[0])
				memcpy(process->fault, fault, sizeof(fault));
			continue;
		}
		read_names(folder, number, &names);
		for (size_t n = 0; n < names.count; n++)
			take_pool(folder, names.at[n], process);
		free_names(&names);
		close(folder);
	}
	if (process->pool_count)
		return LIVE_FOUND;
	if (process->fault[0])
		return is_distrusted ? LIVE_OUT_OF_REACH : LIVE_ALL_REFUSED;
	char program[32];
	return process_start(number, program) ? LIVE_NO_POOL : LIVE_NO_PROCESS; /* meanwhile */
}

void live_forget(struct live_process *process)
{
	for (unsigned i = 0; i < process->pool_count; i++)
		live_free(&process->pools[i]);
	process->pool_count = 0;
}

/* --- all --- */

/* Remove the files of dead processes; note the numbers of the others. */
static void sift(int folder, struct names *names, unsigned *removed)
{
	struct live_pool pool;
	const char *why;
	size_t kept = 0;

	for (size_t i = 0; i < names->count; i++) {
		enum live_result result = live_read(folder, names->at[i], geteuid(), &pool, &why);
		bool is_dead = result == LIVE_READ && !is_alive(&pool.head);
		bool is_ours = result == LIVE_READ && pool.head.space == own_space();
		if (is_dead && unlinkat(folder, names->at[i], 0) == 0)
			(*removed)++;
		if (result == LIVE_READ)
			live_free(&pool);
		if (result == LIVE_READ && !is_dead && is_ours)
			names->at[kept++] = names->at[i];
		else
			free(names->at[i]);
	}
	names->count = kept;
}

static bool is_listed(const struct live_process *list, unsigned count, unsigned number)
{
	for (unsigned i = 0; i < count; i++)
		if (list[i].number == number)
			return true;
	return false;
}

int live_list(struct live_process **processes, unsigned most, unsigned *removed)
{
	char paths[FOLDERS][PATH_ROOM], fault[256];
	struct live_process *list = calloc(most, sizeof(*list));
	unsigned count = 0, folders = folder_paths(geteuid(), paths);
	bool is_short = !list;

	*removed = 0;
	for (unsigned i = 0; i < folders && !is_short; i++) {
		struct names names = { 0 };
		int folder = open_folder(paths[i], geteuid(), fault, sizeof(fault));
		if (folder < 0)
			continue;
		read_names(folder, 0, &names);
		is_short |= names.is_short;
		sift(folder, &names, removed);
		for (size_t n = 0; n < names.count && count < most; n++) {
			unsigned number, pool;
			live_split_name(names.at[n], &number, &pool);
			if (is_listed(list, count, number))
				continue;
			if (live_look(number, &list[count]) == LIVE_FOUND)
				count++;
			else
				live_forget(&list[count]);
		}
		free_names(&names);
		close(folder);
	}
	*processes = list;
	return is_short ? -1 : (int)count;
}
