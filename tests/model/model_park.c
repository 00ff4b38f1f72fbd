/* SPDX-License-Identifier: MIT */
/* model_park.c — the production parking spot: no token lost, none without what its giver wrote */
#include "mc.h"

#include "base/atomic.h"
#include "os/clock.h"
#include "sched/park.h"

/*
 * Thread 0 parks; each of the others writes a plain letter, counts it, and leaves a token.  Who
 * finds a token must see what was written before it was left: a data race otherwise, or an old
 * count.  A token that is lost is a deadlock.  Outcomes: what skuai_park said each time, T for a
 * token and - for the deadline; then, for each other thread, whether thread 0 was asleep (s) or
 * not (n) when it left its token.
 */
static struct table {
	struct skuai_park park;
	_Atomic uint32_t count; /* of letters */
	struct mc_cell letters[2];
	char found[2];	     /* by the other threads: s or n */
	char said[5];	     /* thread 0's own */
	unsigned said_count; /* likewise */
} * table;

static void giver(void *unused)
{
	unsigned self = (unsigned)mc_self() - 1;

	(void)unused;
	mc_write(&table->letters[self], 7);
	skua_add(&table->count, 1, relaxed);
	table->found[self] = skuai_unpark(&table->park) ? 's' : 'n';
}

static void open_table(unsigned givers)
{
	table = mc_alloc(sizeof(*table));
	for (unsigned i = 0; i < givers; i++)
		mc_start(giver, NULL);
}

static void finish(void)
{
	mc_join();
	mc_outcome("%s,%.2s", table->said, table->found);
}

static bool park(int64_t deadline)
{
	bool is_token = skuai_park(&table->park, deadline);

	table->said[table->said_count++] = is_token ? 'T' : '-';
	return is_token;
}

static void one(void)
{
	open_table(1);
	mc_assert(park(SKUAI_NO_DEADLINE));
	mc_assert(mc_read(&table->letters[0]) == 7);
	finish();
}

/* The token is there before: it is found, and only once. */
static void before(void)
{
	open_table(1);
	mc_join();
	mc_assert(park(SKUAI_NO_DEADLINE));
	mc_assert(!park(0));
	finish();
}

/* Two tokens may be one; then it stands for both letters. */
static void two(void)
{
	open_table(2);
	while (skua_load(&table->count, relaxed) < 2)
		mc_assert(park(SKUAI_NO_DEADLINE));
	finish();
}

/* The deadline may come first; then the token is there for the next time. */
static void deadline(void)
{
	open_table(1);
	if (!park(0))
		mc_assert(park(SKUAI_NO_DEADLINE));
	mc_assert(mc_read(&table->letters[0]) == 7);
	finish();
}

/* With two, and a deadline each time: it ends as soon as both letters are there. */
static void deadline_two(void)
{
	open_table(2);
	for (unsigned i = 0; i < 2; i++)
		park(0);
	while (skua_load(&table->count, relaxed) < 2)
		mc_assert(park(SKUAI_NO_DEADLINE));
	finish();
}

/* No park at all when both came first; TT,ss: two sleeps, each ended by a token. */
static const char two_outcomes[] = ",nn T,nn T,ns T,sn TT,nn TT,ns TT,sn TT,ss";

int main(int argc, char **argv)
{
	static const struct mc_case cases[] = {
		{ .name = "one", .body = one, .outcomes = "T,n T,s" },
		{ .name = "one_spurious", .body = one, .outcomes = "T,n T,s", .spurious = 2 },
		{ .name = "before", .body = before, .outcomes = "T-,n" },
		{ .name = "two", .body = two, .outcomes = two_outcomes },
		{ .name = "two_spurious", .body = two, .outcomes = two_outcomes, .spurious = 1 },
		{ .name = "deadline", .body = deadline, .outcomes = "T,n T,s -T,n -T,s" },
		{ .name = "deadline_two", .body = deadline_two },
		{ .name = NULL },
	};
	return mc_main(argc, argv, cases);
}
