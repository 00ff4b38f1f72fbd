/* SPDX-License-Identifier: MIT */
/* model_claims.c — chunks of a range claimed by all: every unit once, none left behind */
#include "mc.h"

#include "par/claims.h"

/*
 * Thread 0 has the whole range at its home, or of two homes each has half of it; each claims until
 * it finds nothing.  What a claim gives is written without any order, so two who got the same unit
 * are a data race besides a wrong count.  The outcome is who got which unit.
 */
enum {
	UNITS_MAX = 6
};

static struct table {
	struct skuai_home homes[3];
	struct skuai_claims claims;
	struct skuai_claims_size size;
	struct mc_cell taken[UNITS_MAX];
	char who[UNITS_MAX + 1];
	unsigned units;
} * table;

/* As claims.c claims: a chunk at home, else from elsewhere.  How many; 0: nothing is left. */
static uint32_t take(struct skuai_claims *claims, unsigned home,
		     const struct skuai_claims_size *size, uint32_t *first)
{
	uint32_t count = skuai_claims_front(&claims->homes[home], size, first);

	return count ? count : skuai_claims_bring(claims, home, size, first);
}

static void claim_all(unsigned home)
{
	uint32_t first, count;

	while ((count = take(&table->claims, home, &table->size, &first))) {
		mc_assert(first + count <= table->units);
		for (uint32_t i = first; i < first + count; i++) {
			mc_assert(mc_read(&table->taken[i]) == 0);
			mc_write(&table->taken[i], 1);
			table->who[i] = (char)('0' + mc_self());
		}
	}
}

static void helper(void *unused)
{
	(void)unused;
	claim_all((unsigned)mc_self() % table->claims.count);
}

/* Of two homes the first has so many units. */
static void open_table(unsigned units, unsigned own, unsigned homes, unsigned home,
		       struct skuai_claims_size size)
{
	table = mc_alloc(sizeof(*table));
	table->units = units;
	table->size = size;
	table->claims = (struct skuai_claims){ .homes = table->homes, .count = homes };
	skuai_claims_open(&table->claims, home, units, own);
}

static void play_with(unsigned units, unsigned own, unsigned homes, unsigned helpers,
		      struct skuai_claims_size size)
{
	open_table(units, own, homes, 0, size);
	for (unsigned i = 0; i < helpers; i++)
		mc_start(helper, NULL);
	claim_all(0);
	mc_join();
	for (unsigned i = 0; i < homes; i++)
		mc_assert(skuai_claims_count(skuai_claims_left(&table->claims, i)) == 0);
	for (unsigned i = 0; i < units; i++)
		mc_assert(mc_read(&table->taken[i]) == 1);
	mc_outcome("%s", table->who);
}

static void play(unsigned units, unsigned homes, unsigned helpers, struct skuai_claims_size size)
{
	play_with(units, units - units / 2, homes, helpers, size);
}

static const struct skuai_claims_size one = { .chunk = 1, .spare = 9, .least = 1 };

static void one_by_one(void)
{
	play(3, 2, 1, one);
}

static void last_unit(void)
{
	play(1, 3, 2, (struct skuai_claims_size){ .chunk = 4, .spare = 4, .least = 1 });
}

static void two_helpers(void)
{
	play(2, 3, 2, one);
}

/* The border is not in the middle: whoever has less comes for more. */
static void uneven(void)
{
	play_with(4, 1, 2, 1, (struct skuai_claims_size){ .chunk = 4, .spare = 2, .least = 1 });
}

/* Half of what is left at a time: 2 of 3, then 1. */
static void guided(void)
{
	play(5, 2, 1, (struct skuai_claims_size){ .chunk = 9, .spare = 2, .least = 1 });
}

static void large(void)
{
	play(6, 2, 1, (struct skuai_claims_size){ .chunk = 2, .spare = 2, .least = 1 });
}

/* Two who live together find nothing there: one brings a part home, the other a chunk. */
static void take_one(void *unused)
{
	uint32_t first;

	(void)unused;
	if (take(&table->claims, 0, &table->size, &first))
		mc_write(&table->taken[first], 1);
}

static void brought_home(void)
{
	open_table(4, 0, 3, 1, one);
	mc_start(take_one, NULL);
	mc_start(take_one, NULL);
	mc_join();
	claim_all(1);
	for (unsigned i = 0; i < table->units; i++)
		mc_assert(mc_read(&table->taken[i]) == 1);
}

/* Each believes to be alone, and takes all that the other has at home. */
static void alone(void)
{
	struct skuai_claims_size size = one;

	size.is_alone = true;
	play(4, 2, 1, size);
}

/* Threads 0 and 2 live together: one of them brings a part, the other claims meanwhile. */
static void shared_home(void)
{
	play(3, 2, 2, one);
}

static void one_home(void)
{
	play(3, 1, 2, one);
}

int main(int argc, char **argv)
{
	static const struct mc_case cases[] = {
		{ .name = "one_by_one", .body = one_by_one },
		{
			.name = "one_by_one_weak",
			.body = one_by_one,
			.spurious = 1,
		},
		{ .name = "last_unit", .body = last_unit, .preemptions = 3, .outcomes = "0 1 2" },
		{ .name = "two_helpers", .body = two_helpers, .preemptions = 1 },
		{ .name = "guided", .body = guided },
		{ .name = "uneven", .body = uneven },
		{ .name = "large", .body = large },
		{ .name = "brought_home", .body = brought_home },
		{ .name = "alone", .body = alone },
		{ .name = "shared_home", .body = shared_home, .preemptions = 1 },
		{ .name = "one_home", .body = one_home, .preemptions = 1 },
		{ .name = NULL },
	};
	return mc_main(argc, argv, cases);
}
