/* SPDX-License-Identifier: MIT */
/* skynet.c — a million leaves, ten to a fork: wide and flat */
#include "skynet.h"

#include <skua/fork.h>
#include <stdlib.h>

/* github.com/atemerev/skynet: the leaves are numbered, and their numbers are added up. */

WORK_NOINLINE static uint64_t skynet_plain(uint64_t first, uint64_t leaves)
{
	uint64_t sum = 0, part = leaves / SKYNET_WIDE;

	if (leaves == 1)
		return first;
	for (unsigned i = 0; i < SKYNET_WIDE; i++)
		sum += skynet_plain(first + i * part, part);
	return sum;
}

SKUA_TASK(uint64_t, skynet_task, uint64_t, first, uint64_t, leaves)
{
	skua_forked(skynet_task) forked[SKYNET_WIDE];
	uint64_t sum = 0, part = leaves / SKYNET_WIDE;

	if (leaves == 1)
		return first;
	for (unsigned i = 0; i < SKYNET_WIDE; i++)
		skua_fork_into(skynet_task, forked[i], first + i * part, part);
	for (unsigned i = SKYNET_WIDE; i-- > 0;)
		sum += skua_join(skynet_task, forked[i]);
	return sum;
}

static void *prepare(const struct work_problem *problem)
{
	struct skynet *net = malloc(sizeof(*net));

	if (net)
		*net = (struct skynet){ .leaves = problem->size,
					.times = problem->times,
					.answer = problem->answer * problem->times };
	return net;
}

static void reset(void *data)
{
	((struct skynet *)data)->result = 0;
}

static void run_serial(void *data)
{
	struct skynet *net = data;

	for (uint64_t i = 0; i < net->times; i++) {
		net->result += skynet_plain(0, net->leaves);
		WORK_AGAIN();
	}
}

static void run_skua(void *data, struct skua_pool *pool)
{
	struct skynet *net = data;

	for (uint64_t i = 0; i < net->times; i++)
		net->result += skua_run(pool, skynet_task, 0, net->leaves);
}

static bool check(void *data)
{
	struct skynet *net = data;

	return net->result == net->answer;
}

static const struct work_problem problems[] = {
	{ .name = "1k", .tier = WORK_TEST, .size = 1000, .times = 3, .answer = 499500 },
	{ .name = "1M", .tier = WORK_QUICK, .size = 1000000, .times = 60, .answer = 499999500000 },
	{ .name = NULL },
};

const struct work work_skynet = {
	.name = "skynet",
	.role = "a million leaves, ten to a fork: wide and flat",
	.unit = "leaves",
	.problems = problems,
	.prepare = prepare,
	.reset = reset,
	.serial = run_serial,
	.skua = run_skua,
	.check = check,
	.drop = free,
};
