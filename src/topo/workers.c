/* SPDX-License-Identifier: MIT */
/* workers.c — how many workers to start, and why */
#include "topo/workers.h"

#include <string.h>

/* quota / period rounded up; without a quota, more than anybody has. */
static uint64_t workers_of_quota(struct skuai_limit quota)
{
	if (quota.quota_us == 0)
		return UINT64_MAX;
	return quota.quota_us / quota.period_us + (quota.quota_us % quota.period_us != 0);
}

struct skuai_workers skuai_workers_decide(unsigned cpus_allowed, struct skuai_limit quota,
					  const char *wish)
{
	struct skuai_workers workers = { .reason = SKUA_WORKERS_FROM_CPUS };
	uint64_t count = cpus_allowed ? cpus_allowed : 1, asked = 0,
		 granted = workers_of_quota(quota);

	if (wish && wish[0]) {
		struct skuai_text text = { wish, strlen(wish) };
		if (skuai_text_number(text, &asked) && asked >= 1 && asked <= SKUA_WORKERS_MAX) {
			workers.count = (unsigned)asked;
			workers.reason = SKUA_WORKERS_FROM_ENV;
			return workers;
		}
		workers.env_is_ignored = true;
	}
	if (granted < count) {
		count = granted;
		workers.reason = SKUA_WORKERS_FROM_QUOTA;
	}
	if (count > SKUA_WORKERS_MAX) {
		count = SKUA_WORKERS_MAX;
		workers.reason = SKUA_WORKERS_FROM_LIMIT;
	}
	workers.count = (unsigned)count;
	return workers;
}
