/* SPDX-License-Identifier: MIT */
/* live_read.c — the file of a monitored pool, read without trusting it */
#include "top/live_read.h"

#include <skua/machine.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define TRIES	     25
#define TRY_AGAIN_NS 2000000 /* a write takes some 20 us */

/*
 * The file is read, never mapped: one that is cut short meanwhile would end us with SIGBUS.  It
 * must be a regular file of the owner's; sizes and counts are checked before they are used, and a
 * checksum tells a read that met a write, which is then tried again.
 */

bool live_split_name(const char *name, unsigned *process, unsigned *number)
{
	unsigned *parts[2] = { process, number };

	for (unsigned i = 0; i < 2; i++) {
		size_t digits = strspn(name, "0123456789");
		if (digits < 1 || digits > 9 || name[digits] != (i ? '\0' : '.'))
			return false;
		*parts[i] = (unsigned)strtoul(name, NULL, 10);
		name += digits + 1;
	}
	return *process > 0;
}

static const char *head_fault(const struct skuai_live_head *head, off_t bytes, const char *name)
{
	unsigned process = 0, number = 0;

	if (memcmp(head->magic, SKUAI_LIVE_MAGIC, sizeof(head->magic)) != 0)
		return "it is no file of a monitored pool";
	if (head->version != SKUAI_LIVE_VERSION)
		return "its format is of another version of skua; use the 'skua' that belongs to "
		       "the program's library";
	if (head->head_bytes != sizeof(*head) ||
	    head->worker_bytes != sizeof(struct skuai_live_worker) || head->workers < 1 ||
	    head->workers > SKUA_WORKERS_MAX ||
	    (uint64_t)bytes !=
		    sizeof(*head) + (uint64_t)head->workers * sizeof(struct skuai_live_worker))
		return "its sizes contradict each other; it is damaged";
	if (!live_split_name(name, &process, &number) || head->process != process ||
	    head->pool != number)
		return "it names another process than its file name; it is damaged";
	return NULL;
}

/* One try.  NULL and *is_torn: it was just being written. */
static const char *try_read(int fd, const char *name, struct live_pool *pool, bool *is_torn)
{
	struct stat status;
	char *image = NULL;
	const char *why = NULL;

	*is_torn = false;
	if (fstat(fd, &status) != 0)
		return strerror(errno);
	if (status.st_size == 0) {
		*is_torn = true; /* not written yet */
		return NULL;
	}
	if (status.st_size < (off_t)sizeof(pool->head) ||
	    pread(fd, &pool->head, sizeof(pool->head), 0) != (ssize_t)sizeof(pool->head))
		return "it is too short; it is damaged";
	why = head_fault(&pool->head, status.st_size, name);
	if (why)
		return why;
	size_t bytes = (size_t)status.st_size;
	image = malloc(bytes);
	if (!image)
		return "there is not enough memory";
	if (pread(fd, image, bytes, 0) != (ssize_t)bytes) {
		why = "it became shorter; it is damaged";
	} else {
		struct skuai_live_head again;
		memcpy(&again, image, sizeof(again));
		*is_torn = again.check != skuai_live_check(image, bytes) ||
			   head_fault(&again, status.st_size, name) != NULL;
		pool->head = again;
	}
	if (!why && !*is_torn) { /* what is behind the head is moved to its place */
		memmove(image, image + sizeof(pool->head), bytes - sizeof(pool->head));
		pool->workers = (struct skuai_live_worker *)(void *)image;
		return NULL;
	}
	free(image);
	return why;
}

static void tame(struct live_pool *pool)
{
	struct skuai_live_head *head = &pool->head;

	head->name[sizeof(head->name) - 1] = '\0';
	if (head->now_ns < 0)
		head->now_ns = 0;
	if (head->begun_ns < 0 || head->begun_ns > head->now_ns)
		head->begun_ns = head->now_ns;
	for (unsigned i = 0; i < head->workers; i++) {
		struct skuai_live_worker *worker = &pool->workers[i];
		worker->task[sizeof(worker->task) - 1] = '\0';
		if (worker->state >= SKUAI_LIVE_STATES)
			worker->state = SKUAI_LIVE_SEARCHING;
		if (worker->since_ns < 0 || worker->since_ns > head->now_ns)
			worker->since_ns = 0;
	}
}

static enum live_result read_open(int fd, const char *name, uid_t owner, struct live_pool *pool,
				  const char **why)
{
	struct stat status;
	bool is_torn = true;

	if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) {
		*why = "it is no regular file";
		return LIVE_REFUSED;
	}
	if (status.st_uid != owner) {
		*why = "it belongs to another user";
		return LIVE_REFUSED;
	}
	*why = NULL;
	for (unsigned i = 0; i < TRIES && is_torn; i++) {
		if (i)
			nanosleep(&(struct timespec){ .tv_nsec = TRY_AGAIN_NS }, NULL);
		*why = try_read(fd, name, pool, &is_torn);
	}
	if (is_torn)
		*why = "its checksum is wrong each time; it is damaged";
	if (*why)
		return LIVE_REFUSED;
	tame(pool);
	return LIVE_READ;
}

enum live_result live_read(int folder, const char *name, uid_t owner, struct live_pool *pool,
			   const char **why)
{
	*pool = (struct live_pool){ .workers = NULL };
	int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0) {
		*why = errno == ELOOP ? "it is a symbolic link" : strerror(errno);
		return errno == ENOENT ? LIVE_GONE : LIVE_REFUSED;
	}
	enum live_result result = read_open(fd, name, owner, pool, why);
	close(fd);
	return result;
}

void live_free(struct live_pool *pool)
{
	free(pool->workers);
	pool->workers = NULL;
}
