/* SPDX-License-Identifier: MIT */
/* cores.h — the machine itself: plain threads with nothing in common; no runtime can do better */
#ifndef SKUA_WORK_CORES_H
#define SKUA_WORK_CORES_H

#include "work.h"

#include <pthread.h>

#define CORES_MOST  1024
#define CORES_TIMES 192u /* 2, 3, 8 and 64 divide it */

/* A thread's share, on lines of its own. */
struct cores_share {
	_Alignas(128) uint64_t result;
	unsigned n, times;
	pthread_t thread;
};

struct cores {
	struct cores_share shares[CORES_MOST];
	unsigned n, count;
};

#endif
