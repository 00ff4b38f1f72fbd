/* SPDX-License-Identifier: MIT */
/* model_claims.c — chunks claimed from both ends of a range: every unit once, none left behind */
#include "mc.h"

#include "par/claims.h"

/*
 * Thread 0 claims at the front, the others at the back, each until nothing is left.  What a claim
 * gives is written without any order, so two who got the same unit are a data race besides a wrong
 * count.  The outcome is who got which unit: the front's are together, and so are the back's.
 */
enum {
	UNITS_MAX = 6
};

static struct table {
	struct skuai_claims claims;
	struct skuai_claims_size size;
	struct mc_cell taken[UNITS_MAX];
	char who[UNITS_MAX + 1];
	unsigned units;
} * table;

static void claim_all(enum skuai_claims_end end)
{
	uint32_t first, count;

	while ((count = skuai_claims_take(&table->claims, end, &table->size, &first))) {
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
	claim_all(SKUAI_CLAIMS_BACK);
}

static void play(unsigned units, unsigned helpers, struct skuai_claims_size size)
{
	table = mc_alloc(sizeof(*table));
	table->units = units;
	table->size = size;
	skuai_claims_open(&table->claims, units);
	for (unsigned i = 0; i < helpers; i++)
		mc_start(helper, NULL);
	claim_all(SKUAI_CLAIMS_FRONT);
	mc_join();
	mc_assert(skuai_claims_count(skuai_claims_left(&table->claims)) == 0);
	for (unsigned i = 0; i < units; i++)
		mc_assert(mc_read(&table->taken[i]) == 1);
	mc_outcome("%s", table->who);
}

static void one_by_one(void)
{
	play(3, 1, (struct skuai_claims_size){ .chunk = 1, .parts = 1, .least = 1 });
}

static void last_unit(void)
{
	play(1, 2, (struct skuai_claims_size){ .chunk = 4, .parts = 4, .least = 1 });
}

static void two_helpers(void)
{
	play(3, 2, (struct skuai_claims_size){ .chunk = 1, .parts = 1, .least = 1 });
}

/* A part of what is left at a time: 3 of 6, then 1 of 3 and so on. */
static void guided(void)
{
	play(6, 1, (struct skuai_claims_size){ .chunk = 9, .parts = 2, .least = 1 });
}

static void large(void)
{
	play(6, 2, (struct skuai_claims_size){ .chunk = 2, .parts = 2, .least = 1 });
}

int main(int argc, char **argv)
{
	static const struct mc_case cases[] = {
		{ .name = "one_by_one", .body = one_by_one, .outcomes = "000 001 011 111" },
		{ .name = "one_by_one_weak",
		  .body = one_by_one,
		  .spurious = 1,
		  .outcomes = "000 001 011 111" },
		{ .name = "last_unit", .body = last_unit, .outcomes = "0 1 2" },
		{ .name = "two_helpers", .body = two_helpers },
		{ .name = "guided", .body = guided },
		{ .name = "large", .body = large, .preemptions = 3 },
		{ .name = NULL },
	};
	return mc_main(argc, argv, cases);
}
