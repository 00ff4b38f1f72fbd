/* SPDX-License-Identifier: MIT */
/* blocking.h — tasks that sleep among tasks that compute: do the cores stay busy? */
#ifndef SKUA_WORK_BLOCKING_H
#define SKUA_WORK_BLOCKING_H

#include "grind.h"
#include "work.h"

#define BLOCKING_SPARES 32
#define BLOCKING_NAP_NS 1000000
#define BLOCKING_TURNS	(1000 * (uint64_t)GRIND_US) /* about as long as a nap */

struct blocking {
	uint64_t tasks; /* of each kind */
	uint64_t *results;
	bool is_told; /* the pool is told of the naps */
	bool is_wrong;
	struct work_notes notes;
};

#endif
