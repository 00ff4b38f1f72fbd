/* SPDX-License-Identifier: MIT */
/* model_mutants_park.c — sleeping as others broke it: a lost wake-up is a deadlock, and caught */
#include "mc.h"

#include "base/atomic.h"
#include "os/clock.h"
#include "os/wait.h"

/*
 * A worker that finds nothing announces that it will sleep, looks once more, and sleeps.  A
 * producer makes work, looks for sleepers, and wakes.  Store then load of another word on both
 * sides: a full fence on both, or both may miss each other (R20).  Each flaw is one line left out.
 */
enum flaw {
	SOUND,
	NO_ANNOUNCEMENT,   /* S003-e: the producer sees no sleeper */
	NO_SECOND_LOOK,	   /* R19: work made between the look and the announcement */
	NO_WORKER_FENCE,   /* R20 */
	NO_PRODUCER_FENCE, /* R20 */
	NO_FENCES,	   /* S001-d: "only a hint, may be relaxed" */
	ACQ_REL_FENCES,	   /* release and acquire never order a store before a load */
	WORD_READ_LATE,	   /* the word to sleep on is read after the second look */
	WAKE_BEFORE_WORD,  /* the word is changed after the wake: it may be missed, and slept on */
	RETURN_IS_WORK,	   /* R27: a wait that returned for no reason taken for a wake */
	STOP_UNANNOUNCED,  /* S003-g, S001-a: the stop flag is set, nobody is woken */
};

static struct table {
	_Atomic uint32_t work, sleepers, stop, word;
	enum flaw flaw;
	unsigned done;
} * table;

static bool is(enum flaw flaw)
{
	return table->flaw == flaw;
}

static void fence(enum flaw missing)
{
	if (is(ACQ_REL_FENCES))
		skua_fence(&table->sleepers, acq_rel);
	else if (!is(NO_FENCES) && !is(missing))
		skua_fence(&table->sleepers, seq_cst);
}

static bool has_work(void)
{
	return skua_load(&table->work, acquire) || skua_load(&table->stop, acquire);
}

static void worker(void *unused)
{
	(void)unused;
	while (!has_work()) {
		uint32_t seen = skua_load(&table->word, acquire);
		if (!is(NO_ANNOUNCEMENT))
			(void)skua_add(&table->sleepers, 1, relaxed);
		fence(NO_WORKER_FENCE);
		bool must_sleep = is(NO_SECOND_LOOK) || !has_work();
		if (is(WORD_READ_LATE))
			seen = skua_load(&table->word, acquire);
		if (must_sleep)
			skuai_wait(&table->word, seen, SKUAI_NO_DEADLINE);
		if (!is(NO_ANNOUNCEMENT))
			(void)skua_sub(&table->sleepers, 1, relaxed);
		if (is(RETURN_IS_WORK) && must_sleep) {
			mc_assert(skua_load(&table->word, acquire) != seen);
			break;
		}
	}
	table->done++;
}

static void wake(void)
{
	fence(NO_PRODUCER_FENCE);
	if (skua_load(&table->sleepers, relaxed) == 0)
		return;
	if (!is(WAKE_BEFORE_WORD))
		(void)skua_add(&table->word, 1, release);
	skuai_wake(&table->word, SKUAI_WAKE_ALL);
	if (is(WAKE_BEFORE_WORD))
		(void)skua_add(&table->word, 1, release);
}

static void play(enum flaw flaw, unsigned workers, bool is_stop)
{
	table = mc_alloc(sizeof(*table));
	table->flaw = flaw;
	for (unsigned i = 0; i < workers; i++)
		mc_start(worker, NULL);
	if (is_stop)
		skua_store(&table->stop, 1, release);
	else
		skua_store(&table->work, 1, release);
	if (!is(STOP_UNANNOUNCED))
		wake();
	mc_join();
	mc_assert(table->done == workers);
}

/* X(name, flaw, claim, workers, by a stop) */
#define CAUGHT .must_fail = true
#define PASSES .must_fail = false
#define MUTANTS(X)                                                    \
	X(sound_one_worker, SOUND, PASSES, 1, false)                  \
	X(s003e_no_announcement, NO_ANNOUNCEMENT, CAUGHT, 1, false)   \
	X(r19_no_second_look, NO_SECOND_LOOK, CAUGHT, 1, false)       \
	X(r20_no_worker_fence, NO_WORKER_FENCE, CAUGHT, 1, false)     \
	X(r20_no_producer_fence, NO_PRODUCER_FENCE, CAUGHT, 1, false) \
	X(s001d_no_fences, NO_FENCES, CAUGHT, 1, false)               \
	X(r20_acq_rel_fences, ACQ_REL_FENCES, CAUGHT, 1, false)       \
	X(word_read_late, WORD_READ_LATE, CAUGHT, 1, false)           \
	X(wake_before_word, WAKE_BEFORE_WORD, CAUGHT, 1, false)       \
	X(sound_stop, SOUND, PASSES, 1, true)                         \
	X(s003g_stop_unannounced, STOP_UNANNOUNCED, CAUGHT, 1, true)  \
	X(sound_two_workers, SOUND, PASSES, 2, false)                 \
	X(r20_no_worker_fence_two, NO_WORKER_FENCE, CAUGHT, 2, false) \
	X(r20_no_producer_fence_two, NO_PRODUCER_FENCE, CAUGHT, 2, false)

#define BODY(name, flaw, claim, ...)     \
	static void name(void)           \
	{                                \
		play(flaw, __VA_ARGS__); \
	}
MUTANTS(BODY)
BODY(sound_spurious, SOUND, , 1, false)
BODY(r27_return_is_work, RETURN_IS_WORK, , 1, false)

/* clang-format off */
#define CASE(title, flaw, claim, ...) { .name = #title, .body = title, claim },

int main(int argc, char **argv)
{
	static const struct mc_case cases[] = {
		MUTANTS(CASE)
		{ .name = "sound_spurious", .body = sound_spurious, .spurious = 2 },
		{ .name = "r27_return_is_work", .body = r27_return_is_work, .spurious = 1, CAUGHT },
		{ .name = NULL },
	};
	/* clang-format on */
	return mc_main(argc, argv, cases);
}
