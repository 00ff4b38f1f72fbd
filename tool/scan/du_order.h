/* SPDX-License-Identifier: MIT */
/* du_order.h — names of a directory as the kernel gives them, in the order du takes them */
#ifndef SKUAT_SCAN_DU_ORDER_H
#define SKUAT_SCAN_DU_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* As getdents64(2) writes it. */
struct du_name {
	uint64_t ino;
	int64_t offset;
	uint16_t size;
	uint8_t kind;
	char text[];
};

/*
 * Names that du takes together: at most 100,000.  Where they are more than 10,000 it looks at them
 * in the order of their inodes, unless the file system is one where that does not help.
 */
struct du_batch {
	char *names;
	size_t bytes; /* of the batch */
	size_t after; /* of names behind it that belong to the next */
	size_t room;
	bool is_end; /* the directory has no more */
};

void du_batch_begin(struct du_batch *batch);

/* The next batch; 0, or an error number: then it has what could be read before. */
int du_batch_read(struct du_batch *batch, int fd);

/* Bytes of the whole names from `at` on that are at most so many. */
size_t du_batch_piece(const struct du_batch *batch, size_t at, size_t most);

void du_batch_free(struct du_batch *batch);

/* "." and ".." do not count. */
uint32_t du_count_names(const char *names, size_t bytes);

static inline bool du_is_dots(const char *name)
{
	return name[0] == '.' && (name[1] == 0 || (name[1] == '.' && name[2] == 0));
}

#endif
