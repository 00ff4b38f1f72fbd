/* SPDX-License-Identifier: MIT */
/* model_lock.c — the production lock: nobody inside with another, nobody left asleep */
#include "mc.h"

#include "base/atomic.h"
#include "sched/lock.h"

/*
 * Each thread takes the lock (or tries to), raises a plain counter and gives it back, some number
 * of times.  Two inside at once, or one that does not see what the last one wrote, are a data race;
 * a wake that is lost is a deadlock; the counter says how often somebody was inside.
 */
static struct table {
	struct skuai_lock lock;
	struct mc_cell counter;
	unsigned entered; /* by the threads' own count; added up in any order */
} * table;

static void inside(void)
{
	mc_write(&table->counter, mc_read(&table->counter) + 1);
	table->entered++;
	skuai_lock_give(&table->lock);
}

static void taker(void *unused)
{
	(void)unused;
	skuai_lock_take(&table->lock);
	inside();
}

static void taker_twice(void *unused)
{
	taker(unused);
	taker(unused);
}

static void trier(void *unused)
{
	(void)unused;
	if (skuai_lock_try(&table->lock))
		inside();
}

/* The body is one of them, too; afterwards the lock is free. */
static void play(void (*body)(void *), void (*const *others)(void *))
{
	table = mc_alloc(sizeof(*table));
	for (; *others; others++)
		mc_start(*others, NULL);
	body(NULL);
	mc_join();
	mc_assert(mc_read(&table->counter) == table->entered);
	mc_assert(skuai_lock_try(&table->lock));
	mc_outcome("%u", table->entered);
}

/* X(id, how often somebody may be inside, what the checker may do besides, the body, the others) */
#define PROGRAMS(X)                                                 \
	X(two, "2", .spurious = 0, taker, taker)                    \
	X(two_spurious, "2", .spurious = 2, taker, taker)           \
	X(two_twice, "4", .spurious = 1, taker_twice, taker_twice)  \
	X(three, "3", .spurious = 0, taker, taker, taker)           \
	X(three_spurious, "3", .spurious = 1, taker, taker, taker)  \
	X(try_two, "1 2", .spurious = 0, trier, trier)              \
	X(try_take, "1 2", .spurious = 0, taker, trier)             \
	X(try_take_twice, "2 3", .spurious = 0, taker_twice, trier) \
	X(try_take_take, "2 3", .spurious = 0, taker, taker, trier) \
	X(large_four, "4", .preemptions = 2, taker, taker, taker, taker)

#define BODY(id, often, world, body, ...)                                      \
	static void id(void)                                                   \
	{                                                                      \
		static void (*const others[])(void *) = { __VA_ARGS__, NULL }; \
		play(body, others);                                            \
	}
PROGRAMS(BODY)

#define CASE(id, often, world, ...) { .name = #id, .body = id, .outcomes = often, world },
int main(int argc, char **argv)
{
	static const struct mc_case cases[] = {
		/* clang-format off */
		PROGRAMS(CASE)
		{ .name = NULL },
		/* clang-format on */
	};
	return mc_main(argc, argv, cases);
}
