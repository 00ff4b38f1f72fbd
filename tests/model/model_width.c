/* SPDX-License-Identifier: MIT */
/* model_width.c — the production count of workers: none is missing while one is dormant */
#include "mc.h"

#include "base/atomic.h"
#include "sched/width.h"

/*
 * A worker retires when it may, and waits for its bit to be taken; whoever blocks or resizes brings
 * one back when too few are up.  At the end as many are active as should be, or nobody is dormant:
 * a worker that could be had and is not is the defect to find.  What a dormant one left at its
 * place is seen by whoever brings it back.
 */
struct world {
	struct skuai_width width;
	struct mc_cell places[3]; /* plain: left by whoever retires, read by whoever brings back */
	_Atomic uint32_t called[3];
};

static struct world *world;

static void open_world(unsigned wanted, unsigned capacity)
{
	world = mc_alloc(sizeof(*world));
	skuai_width_open(&world->width, wanted, capacity);
}

/* What sleep_dormant does, but for the sleep. */
static void retire(void *number)
{
	unsigned self = (unsigned)(uintptr_t)number;

	mc_write(&world->places[self], 7);
	skuai_width_retire(&world->width, self);
}

/* What skuai_activate does. */
static void bring_back(void)
{
	int number;

	while ((number = skuai_width_activate(&world->width)) >= 0) {
		mc_read(&world->places[number]);
		mc_assert(skua_add(&world->called[number], 1, relaxed) == 0);
	}
}

static void block(void *unused)
{
	(void)unused;
	skuai_width_block(&world->width);
	bring_back();
}

static void block_and_unblock(void *unused)
{
	block(unused);
	skuai_width_unblock(&world->width);
}

static void want_two(void *unused)
{
	(void)unused;
	skuai_width_want(&world->width, 2);
	bring_back();
}

/* Nobody is missing, and the bits agree with the count. */
static void check_end(void)
{
	unsigned dormant = 0;

	mc_join();
	for (unsigned i = 0; i < world->width.capacity; i++)
		dormant += skuai_width_is_dormant(&world->width, i);
	mc_assert(skuai_width_active(&world->width) + dormant == world->width.capacity);
	mc_assert(skuai_width_activate(&world->width) < 0); /* too few, and one to be had */
}

/* The heart of it: one too many retires, just as one more is wanted. */
static void retire_against_block(void)
{
	open_world(2, 2);
	skuai_width_want(&world->width, 1);
	mc_start(retire, (void *)0);
	mc_start(block, NULL);
	check_end();
	mc_assert(skuai_width_active(&world->width) == 2);
}

static void retire_against_resize(void)
{
	open_world(2, 2);
	skuai_width_want(&world->width, 1);
	mc_start(retire, (void *)1);
	mc_start(want_two, NULL);
	check_end();
	mc_assert(skuai_width_active(&world->width) == 2);
}

/* Whoever closes the pool and sees that one has retired sees what it left. */
static void close_pool(void *unused)
{
	(void)unused;
	if (skuai_width_active(&world->width) == 1)
		mc_read(&world->places[0]);
}

static void retire_against_close(void)
{
	open_world(2, 2);
	skuai_width_want(&world->width, 1);
	mc_start(retire, (void *)0);
	mc_start(close_pool, NULL);
	check_end();
}

/* What skuai_wake_chosen and sleep_dormant do: a job for a worker that retires just then. */
static void choose_first(void *unused)
{
	(void)unused;
	skua_store(&world->called[2], 1, relaxed); /* the job */
	skua_fence(&world->called[2], seq_cst);	   /* idle.needs.1 */
	if (skuai_width_is_dormant(&world->width, 0))
		skuai_width_keep(&world->width, 0);
}

static void retire_looking(void *unused)
{
	(void)unused;
	if (skuai_width_retire(&world->width, 0) && skua_load(&world->called[2], relaxed))
		skuai_width_keep(&world->width, 0);
}

static void chosen_against_retire(void)
{
	open_world(2, 2);
	skuai_width_want(&world->width, 1);
	mc_start(retire_looking, NULL);
	mc_start(choose_first, NULL);
	mc_join();
	mc_assert(!skuai_width_is_dormant(&world->width, 0));
}

/* Two retire, only one may. */
static void two_retire(void)
{
	open_world(2, 2);
	skuai_width_want(&world->width, 1);
	mc_start(retire, (void *)0);
	mc_start(retire, (void *)1);
	check_end();
	mc_assert(skuai_width_active(&world->width) == 1);
}

/* Two block, one is dormant: it is brought back once. */
static void two_block(void)
{
	open_world(1, 2);
	mc_start(block, NULL);
	mc_start(block, NULL);
	check_end();
	mc_assert(skuai_width_active(&world->width) == 2);
}

/* One may be too many, but none too few. */
static void retire_against_two(void)
{
	open_world(2, 3);
	skuai_width_want(&world->width, 1);
	mc_start(retire, (void *)0);
	mc_start(block, NULL);
	mc_start(block_and_unblock, NULL);
	mc_join();
	unsigned dormant = 0;
	for (unsigned i = 0; i < 3; i++)
		dormant += skuai_width_is_dormant(&world->width, i);
	mc_assert(skuai_width_active(&world->width) + dormant == 3);
	mc_assert(skuai_width_active(&world->width) >= 2);
}

static const struct mc_case cases[] = {
	{ .name = "retire_against_block", .body = retire_against_block },
	{ .name = "retire_against_resize", .body = retire_against_resize },
	{ .name = "retire_against_close", .body = retire_against_close },
	{ .name = "chosen_against_retire", .body = chosen_against_retire },
	{ .name = "two_retire", .body = two_retire },
	{ .name = "two_block", .body = two_block },
	{ .name = "retire_against_two", .body = retire_against_two, .preemptions = 3 },
	{ .name = NULL },
};

int main(int argc, char **argv)
{
	return mc_main(argc, argv, cases);
}
