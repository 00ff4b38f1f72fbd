/* SPDX-License-Identifier: MIT */
/* live_read.h — the file of a monitored pool, read without trusting it */
#ifndef SKUAT_TOP_LIVE_READ_H
#define SKUAT_TOP_LIVE_READ_H

#include "trace/livefile.h"

#include <stdbool.h>
#include <sys/types.h>

struct live_pool {
	struct skuai_live_head head;
	struct skuai_live_worker *workers; /* head.workers of them; names end in NUL */
};

enum live_result {
	LIVE_READ,
	LIVE_GONE,    /* there is no such file any more */
	LIVE_REFUSED, /* *why says what is wrong with it */
};

/* Read the file NAME, which must belong to that user; its name says which process and pool. */
enum live_result live_read(int folder, const char *name, uid_t owner, struct live_pool *pool,
			   const char **why);
void live_free(struct live_pool *pool);

/* "123.4": the process and the number of its pool, and nothing else. */
bool live_split_name(const char *name, unsigned *process, unsigned *number);

#endif
