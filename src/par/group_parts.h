/* SPDX-License-Identifier: MIT */
/* group_parts.h — what the files of groups share: the life of a task, and the isolated list */
#ifndef SKUAI_PAR_GROUP_PARTS_H
#define SKUAI_PAR_GROUP_PARTS_H

#include "sched/post.h"

#include <skua/group.h>

/* --- group.c --- */

/* May this worker run its tasks? */
bool skuai_group_may_run(const struct skua_group *group, const struct skuai_worker *self);

/* Run the task of a cell, or skip it. */
void skuai_group_begin(struct skuai_worker *self, struct skua_slot *here, struct skuai_cell *cell);

/* A task is done, or will not be. */
void skuai_group_leave(struct skua_group *group);

/* What a queue runs of an isolated group's cell. */
void skuai_group_run_claimed(struct skua_slot *here, void *cell);

/* --- isolated.c --- */

/* Put a cell in the group's list; a second way to it, besides the queue's. */
void skuai_group_list(struct skua_group *group, struct skuai_cell *cell);

/* Run what stands in the list, but begin nothing after the deadline. */
void skuai_group_run_listed(struct skua_group *group, struct skuai_worker *self, int64_t deadline);

/* All have run: only the references are left. */
void skuai_group_empty_list(struct skua_group *group, struct skuai_worker *self);

#endif
