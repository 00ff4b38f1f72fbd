/* SPDX-License-Identifier: MIT */
/* du_order.c — names of a directory as the kernel gives them, in the order du takes them */
#include "scan/du_order.h"

#include "scan/kernfs.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define BATCH_NAMES  100000
#define SORTED_NAMES 10000		   /* more than that are sorted */
#define READ_BYTES   ((size_t)64 * 1024)   /* of one getdents */
#define KEPT_BYTES   ((size_t)1024 * 1024) /* a buffer that grew beyond it is given back */

/* Where a name is, and its inode. */
struct du_place {
	uint64_t ino;
	size_t at;
};

static const struct du_name *name_at(const char *names, size_t at)
{
	return (const struct du_name *)(names + at);
}

uint32_t du_count_names(const char *names, size_t bytes)
{
	uint32_t count = 0;

	for (size_t at = 0; at < bytes; at += name_at(names, at)->size)
		count += !du_is_dots(name_at(names, at)->text);
	return count;
}

void du_batch_begin(struct du_batch *batch)
{
	if (batch->room > KEPT_BYTES)
		du_batch_free(batch);
	batch->bytes = batch->after = 0;
	batch->is_end = false;
}

void du_batch_free(struct du_batch *batch)
{
	free(batch->names);
	*batch = (struct du_batch){ 0 };
}

/* One more getdents behind what is there; the bytes it gave, or -1 with errno. */
static ssize_t read_more(struct du_batch *batch, int fd)
{
	size_t used = batch->bytes + batch->after;

	if (batch->room - used < READ_BYTES) {
		size_t room = batch->room ? 2 * batch->room : 2 * READ_BYTES;
		char *names = realloc(batch->names, room);
		if (!names) {
			errno = ENOMEM;
			return -1;
		}
		memset(names + batch->room, 0, room - batch->room); /* MSan knows no getdents */
		batch->names = names;
		batch->room = room;
	}
	return getdents64(fd, batch->names + used, READ_BYTES);
}

/* Move names from behind the batch into it, until it is full. */
static uint32_t take_after(struct du_batch *batch, uint32_t count)
{
	while (batch->after > 0 && count < BATCH_NAMES) {
		const struct du_name *name = name_at(batch->names, batch->bytes);
		count += !du_is_dots(name->text);
		batch->bytes += name->size;
		batch->after -= name->size;
	}
	return count;
}

static int compare_places(const void *left, const void *right)
{
	const struct du_place *a = left, *b = right;

	if (a->ino != b->ino)
		return a->ino < b->ino ? -1 : 1;
	return (a->at > b->at) - (a->at < b->at); /* names of one file stay as they were */
}

/* Without memory for it they stay in the order of reading: no name is lost. */
static void sort_names(struct du_batch *batch)
{
	size_t count = 0, to = 0;
	for (size_t at = 0; at < batch->bytes; at += name_at(batch->names, at)->size)
		count++;
	struct du_place *places = malloc((count + 1) * sizeof(*places));
	char *sorted = malloc(batch->room);

	if (places && sorted) {
		for (size_t at = 0, i = 0; i < count; i++) {
			places[i] = (struct du_place){ name_at(batch->names, at)->ino, at };
			at += name_at(batch->names, at)->size;
		}
		qsort(places, count, sizeof(*places), compare_places);
		for (size_t i = 0; i < count; i++) {
			const struct du_name *name = name_at(batch->names, places[i].at);
			memcpy(sorted + to, name, name->size);
			to += name->size;
		}
		memcpy(sorted + to, batch->names + to, batch->after);
		free(batch->names);
		batch->names = sorted;
		sorted = NULL;
	}
	free(sorted);
	free(places);
}

int du_batch_read(struct du_batch *batch, int fd)
{
	int error = 0;

	if (batch->after)
		memmove(batch->names, batch->names + batch->bytes, batch->after);
	batch->bytes = 0;
	uint32_t count = take_after(batch, 0);
	while (count < BATCH_NAMES && !batch->is_end && !error) {
		ssize_t bytes = read_more(batch, fd);
		if (bytes < 0)
			error = errno;
		else if (bytes == 0)
			batch->is_end = true;
		else
			batch->after = (size_t)bytes;
		count = take_after(batch, count);
	}
	if (count > SORTED_NAMES && kernfs_is_sorted_by_du(fd))
		sort_names(batch);
	return error;
}

size_t du_batch_piece(const struct du_batch *batch, size_t at, size_t most)
{
	size_t end = at;

	while (end < batch->bytes) {
		size_t size = name_at(batch->names, end)->size;
		if (end + size - at > most)
			break;
		end += size;
	}
	return end - at;
}
