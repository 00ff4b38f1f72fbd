/* SPDX-License-Identifier: MIT */
/* model_forks.c — the production stack of forks: every execution of small programs of its users */
#include "mc.h"

#include "base/atomic.h"
#include "os/clock.h"
#include "sched/forks.h"
#include "sched/park.h"

/*
 * The owner is thread 0.  Each thread does what its script says, letter by letter:
 *
 *	owner   f  fork the next task            thief   s  steal, and run what was got
 *		j  join the newest                       a  ask the owner to share; m: three
 *		F  the same, and share the oldest        r  revoke: forced steal, and run it
 *		A  arm: its next fork shares
 *		t  claim what skuai_forks_top says       l  look, without a claim
 *		T  claim who stole what it waits for
 *		!  start the thieves (once)
 *
 * Forks are numbered from 1.  Each has a task function, arguments and a result of its own, in plain
 * cells: whoever runs a task claims that it is the right one, not run before, with the arguments
 * of this very fork; a read that is not ordered behind the write is a data race.  The owner claims
 * the right result.  What it ran itself it scribbles over, as forks in that task would.
 *
 * At the end every task ran once, nothing is left shared, and a request that was not answered yet
 * is by the next fork: one that was lost fails there.  The outcomes of a case are the threads that
 * ran its forks, in order, what `notes` says, and `+` when a request was left: exactly those
 * happen, so nothing that a case is about is missing.
 */
struct program {
	const char *owner, *thieves[3];
	const char
		*meanwhile; /* what the owner does first, on top, when it must wait for a thief */
	bool is_sleeper;    /* it then sleeps; else executions in which it is not done are left */
};

enum {
	SLOTS = 6,
	FORKS_MAX = 8,
	RESULT = 1000
};

static struct table {
	struct skuai_forks forks;
	struct skua_slot slots[SLOTS];
	struct skuai_park park;
	struct skua_slot *here;	 /* the owner's */
	unsigned numbers[SLOTS]; /* the owner's: which fork is in a slot */
	unsigned count;		 /* the owner's: forks so far */
	bool is_waiting;	 /* the owner's: for a thief, so not here */
	unsigned runs[FORKS_MAX];
	char runners[FORKS_MAX]; /* '0': the owner */
	char notes[2];		 /* the owner's: z, it has slept; k, it knew its thief */
	struct program program;
} * table;

static struct mc_cell *cell_of(struct skua_slot *slot, unsigned i)
{
	return (struct mc_cell *)(void *)&slot->payload[i];
}

/* --- tasks: one function for each fork --- */

static void run_task(unsigned number, struct skua_slot *slot)
{
	mc_assert(mc_read(cell_of(slot, 0)) == number);
	mc_assert(mc_read(cell_of(slot, 1)) == 10 * number);
	mc_assert(++table->runs[number] == 1);
	table->runners[number - 1] = (char)('0' + mc_self());
	mc_write(cell_of(slot, 0), RESULT + number);
}

#define TASK(number)                                                              \
	static void task_##number(struct skua_slot *here, struct skua_slot *slot) \
	{                                                                         \
		(void)here;                                                       \
		run_task(number, slot);                                           \
	}
TASK(1)
TASK(2)
TASK(3)
TASK(4)
TASK(5)
TASK(6)
TASK(7)
static skua_slot_task *const tasks[FORKS_MAX] = { NULL,	  task_1, task_2, task_3,
						  task_4, task_5, task_6, task_7 };

/* --- the owner --- */

static void play_owner(const char *script);

void skua_fork_slow(struct skua_slot *slot)
{
	skuai_forks_fork(&table->forks, slot, false);
}

/*
 * Whoever is not done when it should be is waited for to the end: then it must be.  Executions in
 * which it gets done between two looks are those in which the first look came later.
 */
static void wait_for(struct skua_slot *slot)
{
	for (unsigned looks = 1; !skuai_forks_is_done(slot); looks++) {
		if (table->program.is_sleeper && skuai_forks_wait(slot)) {
			skuai_park(&table->park, SKUAI_NO_DEADLINE);
			table->notes[0] = 'z';
		} else if (!table->program.is_sleeper || looks == 2) {
			mc_join();
			mc_assert(skuai_forks_is_done(slot));
		}
	}
}

bool skua_join_slow(struct skua_slot *slot)
{
	unsigned shared;

	if (!skuai_forks_is_gone(slot) && !skuai_forks_join(&table->forks, slot, &shared))
		return false;
	if (table->program.meanwhile && !table->is_waiting) {
		table->is_waiting = true;
		table->here = slot + 1;
		play_owner(table->program.meanwhile);
		mc_assert(table->here == slot + 1);
		table->here = slot;
		table->is_waiting = false;
	}
	wait_for(slot);
	mc_assert(mc_read(cell_of(slot, 0)) == RESULT + table->numbers[slot - table->slots]);
	skuai_forks_joined(&table->forks, slot);
	return true;
}

/* slowpath.c: skuai_fork_given. */
static void fork_given(struct skua_slot **here, skua_slot_task *task)
{
	struct skua_slot *slot = (*here)++;

	skuai_forks_fill(slot, task);
	skuai_forks_fork(&table->forks, slot, true);
}

static void fork_next(bool is_given)
{
	struct skua_slot *slot = table->here;
	unsigned number = ++table->count;

	table->numbers[slot - table->slots] = number;
	mc_write(cell_of(slot, 0), number);
	mc_write(cell_of(slot, 1), 10 * number);
	if (is_given)
		fork_given(&table->here, tasks[number]);
	else
		skua_slot_fork(&table->here, tasks[number]);
}

static void join_newest(void)
{
	struct skua_slot *slot = table->here - 1;
	unsigned number = table->numbers[slot - table->slots];

	if (!skua_slot_join(&table->here, slot))
		tasks[number](table->here, slot);
	mc_assert(table->here == slot);
	mc_assert(mc_read(cell_of(slot, 0)) == RESULT + number);
	mc_assert(table->runs[number] == 1);
	mc_write(cell_of(slot, 0), 0);
	mc_write(cell_of(slot, 1), 0);
}

static void claim_thief(struct skua_slot *slot)
{
	int thief = skuai_forks_thief(slot);

	mc_assert(thief >= -1 && thief != 0 && thief <= 3);
	mc_assert(thief == -1 || table->program.thieves[thief - 1]);
	if (thief != -1)
		table->notes[0] = 'k';
}

static void thief(void *script);

static void play_owner(const char *script)
{
	for (; *script; script++) {
		if (*script == 'f' || *script == 'F')
			fork_next(*script == 'F');
		else if (*script == 'j')
			join_newest();
		else if (*script == 'A')
			skuai_forks_arm(&table->forks);
		else if (*script == 't')
			mc_assert(skuai_forks_top(&table->forks) == table->here);
		else if (*script == 'T')
			claim_thief(table->here - 1);
		for (unsigned i = 0; *script == '!' && i < 3 && table->program.thieves[i]; i++)
			mc_start(thief, (void *)table->program.thieves[i]);
	}
}

/* --- thieves --- */

static void run_stolen(const struct skuai_theft *theft)
{
	theft->task(NULL, theft->slot);
	if (skuai_forks_done(theft->slot))
		skuai_unpark(&table->park);
}

static void thief(void *script)
{
	struct skuai_forks *forks = &table->forks;
	struct skuai_theft theft;

	for (const char *at = script; *at; at++) {
		if (*at == 's' && skuai_forks_steal(forks, (unsigned)mc_self(), &theft))
			run_stolen(&theft);
		if (*at == 'r' && skuai_forks_revoke(forks, (unsigned)mc_self(), &theft))
			run_stolen(&theft);
		if (*at == 'a')
			skuai_forks_ask(forks, 1);
		if (*at == 'm')
			skuai_forks_ask(forks, 3);
		if (*at == 'l')
			(void)(skuai_forks_has_shared(forks) || skuai_forks_has_private(forks));
	}
}

/* --- one execution --- */

/* Nobody else is there any more: who asked in vain is heard by the next fork. */
static void claim_next_fork_answers(void)
{
	struct skuai_forks *forks = &table->forks;
	bool is_asked = skuai_forks_is_asked(forks);

	fork_next(false);
	mc_assert(!skuai_forks_is_asked(forks));
	mc_assert(skuai_forks_has_shared(forks) == is_asked);
	mc_assert(skuai_forks_has_private(forks) == !is_asked);
	join_newest();
}

static void play(struct program program)
{
	table = mc_alloc(sizeof(*table));
	table->program = program;
	table->here = table->slots;
	skuai_forks_open(&table->forks, table->slots, SLOTS);
	play_owner(program.owner);
	mc_join();
	mc_assert(table->here == table->slots);
	mc_assert(!skuai_forks_has_shared(&table->forks));
	mc_outcome("%s%s%s", table->runners, table->notes,
		   skuai_forks_is_asked(&table->forks) ? "+" : "");
	claim_next_fork_answers();
	mc_assert(skuai_forks_top(&table->forks) == table->slots);
	mc_assert(!skuai_forks_has_shared(&table->forks));
	mc_assert(!skuai_forks_has_private(&table->forks));
	for (unsigned i = 1; i <= table->count; i++)
		mc_assert(table->runs[i] == 1);
}

/* X(id, who may run which, what the checker may do besides (.random = 0: nothing), the program) */
#define PROGRAMS(X)                                                                                \
	X(steal_fork, "0 1", .random = 0, .owner = "!Afj", .thieves = { "s" })                     \
	X(steal_join, "0 1", .random = 0, .owner = "Af!j", .thieves = { "s" })                     \
	X(steal_last_two_thieves, "0 1 2", .random = 0, .owner = "Af!j", .thieves = { "s", "s" })  \
	X(steal_twice, "00 10 11", .random = 0, .owner = "AfAf!jj", .thieves = { "ss" })           \
	X(steal_two_thieves, "00 10 12 20 21", .random = 0, .owner = "AfAf!jj",                    \
	  .thieves = { "s", "s" })                                                                 \
	X(reclaim_two_thieves, "000 100 120 200 210", .random = 0, .owner = "AfAfAf!jjj",          \
	  .thieves = { "s", "s" })                                                                 \
	X(reclaim_weak, "000 100", .spurious = 1, .owner = "AfAfAf!jjj", .thieves = { "s" })       \
	X(share_full, "00000 10000", .random = 0, .owner = "ffffAf!jjjjj", .thieves = { "s" })     \
	X(ask_fork, "00 00+", .random = 0, .owner = "!ffjj", .thieves = { "a" })                   \
	X(ask_join, "00 00+", .random = 0, .owner = "ff!jj", .thieves = { "a" })                   \
	X(ask_late, "00 00+", .random = 0, .owner = "f!Afjj", .thieves = { "a" })                  \
	X(ask_two, "0 0+", .random = 0, .owner = "!fj", .thieves = { "a", "a" })                   \
	X(ask_steal, "00 00+ 10", .random = 0, .owner = "f!fjj", .thieves = { "as" })              \
	X(ask_many, "00000 00000+ 10000 11000", .random = 0, .owner = "ffff!fjjjjj",               \
	  .thieves = { "mss" })                                                                    \
	X(reclaim_asked, "000 000+ 100 100+", .random = 0, .owner = "AfAfAf!jjj",                  \
	  .thieves = { "as" })                                                                     \
	X(give_steal, "0 1", .random = 0, .owner = "!Fj", .thieves = { "s" })                      \
	X(give_two_thieves, "0 1 2", .random = 0, .owner = "!Fj", .thieves = { "s", "s" })         \
	X(give_revoke, "0 1", .random = 0, .owner = "!Fj", .thieves = { "r" })                     \
	X(give_asked, "0 0+ 1 1+", .random = 0, .owner = "!Fj", .thieves = { "as" })               \
	X(give_oldest, "00 10", .random = 0, .owner = "f!Fjj", .thieves = { "s" })                 \
	X(give_one, "00 10", .random = 0, .owner = "FF!jj", .thieves = { "ss" })                   \
	X(give_next, "00 10 11", .random = 0, .owner = "F!Fjj", .thieves = { "ss" })               \
	X(give_reuse, "00 01 10 11", .random = 0, .owner = "!FjFj", .thieves = { "ss" })           \
	X(give_reuse_revoke, "00 01 02 10 12 20 21", .random = 0, .owner = "!FjFj",                \
	  .thieves = { "s", "r" })                                                                 \
	X(revoke_join, "0 1", .random = 0, .owner = "f!j", .thieves = { "r" })                     \
	X(revoke_fork, "0 1", .random = 0, .owner = "!fj", .thieves = { "r" })                     \
	X(revoke_slips, "00 10", .random = 0, .owner = "f!fjj", .thieves = { "r" })                \
	X(revoke_twice, "00 10 11", .random = 0, .owner = "ff!jj", .thieves = { "rr" })            \
	X(revoke_slow, "00 10", .random = 0, .owner = "f!Afjj", .thieves = { "r" })                \
	X(revoke_steal, "00 20 21", .random = 0, .owner = "fAf!jj", .thieves = { "r", "s" })       \
	X(revoke_reclaimed, "000 100 110", .random = 0, .owner = "AfAfAf!jjj",                     \
	  .thieves = { "sr" })                                                                     \
	X(revoke_two_thieves, "0 1 2", .random = 0, .owner = "f!j", .thieves = { "r", "r" })       \
	X(revoke_ask, "0+ 1+", .random = 0, .owner = "f!j", .thieves = { "r", "a" })               \
	X(reuse_steal, "00 01 10", .random = 0, .owner = "Af!jAfj", .thieves = { "s" })            \
	X(reuse_steal_two_thieves, "00 01 02 10 12 20 21", .random = 0, .owner = "Af!jAfj",        \
	  .thieves = { "s", "s" })                                                                 \
	X(reuse_ask, "00 00+ 01", .random = 0, .owner = "f!jfj", .thieves = { "as" })              \
	X(reuse_revoke, "00 01 10", .random = 0, .owner = "f!jfj", .thieves = { "r" })             \
	X(reuse_revoke_steal, "00 02 10 12", .random = 0, .owner = "Af!jfj",                       \
	  .thieves = { "s", "r" })                                                                 \
	X(done_stolen, "0 1 1z", .spurious = 1, .owner = "Af!j", .thieves = { "s" },               \
	  .is_sleeper = true)                                                                      \
	X(done_revoked, "0 1 1z", .random = 0, .owner = "f!j", .thieves = { "r" },                 \
	  .is_sleeper = true)                                                                      \
	X(done_reuse, "00 01 10 11 01z 10z 11z", .random = 0, .owner = "Af!jAfj",                  \
	  .thieves = { "ss" }, .is_sleeper = true)                                                 \
	X(done_thief_is_known, "0 1 1k", .random = 0, .owner = "Af!j", .thieves = { "s" },         \
	  .meanwhile = "T")                                                                        \
	X(wait_fork, "0 10 12", .random = 0, .owner = "Af!j", .thieves = { "s", "r" },             \
	  .meanwhile = "fj")                                                                       \
	X(wait_share, "0 10 11", .random = 0, .owner = "Af!j", .thieves = { "ss" },                \
	  .meanwhile = "Afj")                                                                      \
	X(top_steal, "00 100", .random = 0, .owner = "tAft!fttjtjt", .thieves = { "s" },           \
	  .meanwhile = "tftjt")                                                                    \
	X(top_revoke, "0 1", .random = 0, .owner = "f!ttjt", .thieves = { "r" }, .meanwhile = "t") \
	X(look, "0 1", .random = 0, .owner = "!Afj", .thieves = { "sl" })

/* Larger ones, within a bound; `--whole` takes the bound away (minutes). */
#define LARGE_PROGRAMS(X)                                                                   \
	X(large_reclaim_three_thieves, NULL, .preemptions = 1, .owner = "AfAfAf!jjj",       \
	  .thieves = { "s", "s", "s" })                                                     \
	X(large_ask_two, NULL, .preemptions = 2, .owner = "!ffjj", .thieves = { "a", "a" }) \
	X(large_revoke_two_thieves, NULL, .preemptions = 2, .owner = "ff!jj",               \
	  .thieves = { "r", "r" })                                                          \
	X(large_wait, NULL, .preemptions = 2, .owner = "fAf!jj", .thieves = { "s", "r" },   \
	  .meanwhile = "fj", .is_sleeper = true)                                            \
	X(large_all, NULL, .preemptions = 1, .owner = "fAf!jfjj", .thieves = { "as", "r", "s" })

#define BODY(id, runners, world, ...)                  \
	static void id(void)                           \
	{                                              \
		play((struct program){ __VA_ARGS__ }); \
	}
PROGRAMS(BODY)
LARGE_PROGRAMS(BODY)

#define CASE(id, runners, world, ...) { .name = #id, .body = id, .outcomes = runners, world },
int main(int argc, char **argv)
{
	static const struct mc_case cases[] = {
		/* clang-format off */
		PROGRAMS(CASE)
		LARGE_PROGRAMS(CASE)
		{ .name = NULL },
		/* clang-format on */
	};
	return mc_main(argc, argv, cases);
}
