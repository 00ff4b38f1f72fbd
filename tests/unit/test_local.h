/* SPDX-License-Identifier: MIT */
/* test_local.h — what tests of worker-local storage share: instances that know who is inside */
#ifndef SKUA_TESTS_TEST_LOCAL_H
#define SKUA_TESTS_TEST_LOCAL_H

#include "unit/test_pool.h"

#include <skua/local.h>

/* What every instance in these tests is.  Two inside at once are also a race that TSan sees. */
struct instance {
	uint64_t is_inside; /* plain on purpose */
	uint64_t leases;
};

__attribute__((unused)) static struct skua_local local_of(struct skua_pool *pool)
{
	struct skua_local local;
	struct skua_local_options options = { .size = sizeof(options),
					      .pool = pool,
					      .bytes = sizeof(struct instance) };

	assert_int_equal(skua_local_open(&local, &options), SKUA_OK);
	return local;
}

/* Lease and say so in it.  NULL: somebody else's mark is in it, or there is no instance. */
__attribute__((unused)) static struct instance *enter(struct skua_local *local)
{
	struct instance *instance = skua_local_lease(local);

	if (!instance || instance->is_inside)
		return NULL;
	instance->is_inside = 1;
	instance->leases++;
	return instance;
}

__attribute__((unused)) static bool leave(struct skua_local *local, struct instance *instance)
{
	if (!instance || instance->is_inside != 1)
		return false;
	instance->is_inside = 0;
	return skua_local_return(local, instance) == SKUA_OK;
}

struct sum {
	uint64_t instances, leases;
};

__attribute__((unused)) static void add_up(void *context, void *instance)
{
	struct sum *sum = context;

	sum->instances++;
	sum->leases += ((struct instance *)instance)->leases;
}

__attribute__((unused)) static struct sum sum_of(struct skua_local *local)
{
	struct sum sum = { 0 };

	assert_int_equal(skua_local_each(local, add_up, &sum), SKUA_OK);
	return sum;
}

SKUA_TASK(struct instance *, enter_task, struct skua_local *, local)
{
	return enter(local);
}

#endif
