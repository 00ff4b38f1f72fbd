/* SPDX-License-Identifier: MIT */
/* kernel_deque.c — what a push, a pop and a steal cost, beside an array stack */
#include "bench/kernel.h"
#include "bench/plain_stack.h"

#include <pthread.h>
#include <sched.h>
#include <skua/skua.h>
#include <stdlib.h>

/*
 * Every cell is one row in one variant.  A round measures each cell once; the elements of every
 * measurement are numbered from 1, and count and sum of those that came out must be those of what
 * went in.  A thief ends when it takes a 0, of which the owner pushes one for each in the end: no
 * flag, no atomics but the deque's own.
 */
#define PAIRS	  20000 /* per measurement: long against the clock, short against a tick */
#define STEALS	  2000
#define GROWN	  ((size_t)1 << 15)
#define BELOW	  8  /* elements under a pair, so that it is not the last one; any small number */
#define PATIENCE  64 /* empty looks before a thief gives way; arbitrary */
#define THIEF_MAX 255

#define ROUNDS	     31 /* odd, so that the median is a measurement; under ten seconds in all */
#define ROUNDS_QUICK 11

enum variant {
	PLAIN,
	PORTABLE,
	ASYMMETRIC,
	VARIANTS
};
static const char *const variant_names[VARIANTS] = { "plain", "portable", "asymmetric" };

/* What came out, to be held against what went in. */
struct tally {
	uint64_t count, sum;
};

struct trial {
	enum variant variant;
	unsigned thieves;
	struct bench_result *result;
	double ns; /* the answer: for one */
};

static void tally_add(struct tally *tally, uint64_t element)
{
	tally->count++;
	tally->sum += element;
}

/* n elements numbered from 1 went in and these came out: all, and none twice? */
static void check(struct trial *trial, uint64_t n, struct tally out)
{
	trial->result->tasks += n;
	if (out.count != n || out.sum != n * (n + 1) / 2)
		trial->result->check = false;
}

static bool open_deque(struct trial *trial, struct skua_deque *deque, size_t capacity)
{
	struct skua_deque_options options = {
		.size = sizeof(options),
		.capacity = capacity,
		.fence = trial->variant == PORTABLE ? SKUA_FENCE_PORTABLE : SKUA_FENCE_ASYMMETRIC,
	};
	int error = skua_deque_open(deque, &options);

	if (error)
		trial->result->failed = skua_strerror(error);
	return !error;
}

/* --- the owner alone --- */

static double plain_pairs(struct plain_stack *stack, struct tally *out)
{
	uint64_t element;
	int64_t start = sample_clock_ns();

	for (uint64_t i = 1; i <= PAIRS; i++) {
		plain_push(stack, i);
		if (plain_pop(stack, &element))
			tally_add(out, element);
	}
	return (double)(sample_clock_ns() - start) / PAIRS;
}

static double deque_pairs(struct skua_deque *deque, struct tally *out)
{
	uint64_t element;
	int64_t start = sample_clock_ns();

	for (uint64_t i = 1; i <= PAIRS; i++) {
		skua_deque_push(deque, i);
		if (skua_deque_pop(deque, &element) == SKUA_TAKE_GOT)
			tally_add(out, element);
	}
	return (double)(sample_clock_ns() - start) / PAIRS;
}

static bool pairs_over(struct trial *trial, unsigned below)
{
	struct tally out = { 0 };

	if (trial->variant == PLAIN) {
		uint64_t slots[256];
		struct plain_stack stack = { .count = below, .capacity = 256, .slots = slots };
		trial->ns = plain_pairs(&stack, &out);
	} else {
		struct skua_deque deque;
		if (!open_deque(trial, &deque, 256))
			return false;
		for (unsigned i = 0; i < below; i++)
			skua_deque_push(&deque, 0);
		trial->ns = deque_pairs(&deque, &out);
		skua_deque_close(&deque);
	}
	check(trial, PAIRS, out);
	return true;
}

static bool pair(struct trial *trial)
{
	return pairs_over(trial, BELOW);
}

static bool pair_last(struct trial *trial)
{
	return pairs_over(trial, 0);
}

static bool push_into(struct trial *trial, size_t capacity)
{
	struct skua_deque deque;
	struct tally out = { 0 };
	uint64_t element;

	if (!open_deque(trial, &deque, capacity))
		return false;
	int64_t start = sample_clock_ns();
	for (uint64_t i = 1; i <= GROWN; i++)
		skua_deque_push(&deque, i);
	trial->ns = (double)(sample_clock_ns() - start) / (double)GROWN;
	while (skua_deque_pop(&deque, &element) == SKUA_TAKE_GOT)
		tally_add(&out, element);
	skua_deque_close(&deque);
	check(trial, GROWN, out);
	return true;
}

static bool push_growing(struct trial *trial)
{
	return push_into(trial, 1);
}

static bool push_with_room(struct trial *trial)
{
	return push_into(trial, GROWN);
}

/* --- with thieves --- */

/* All start together, or none when the system has not enough threads. */
struct start_line {
	pthread_mutex_t gate; /* closed until all are there */
	bool is_off;	      /* under the gate */
	pthread_barrier_t line;
};

struct thief {
	struct skua_deque *deque;
	struct start_line *start;
	pthread_t thread;
	uint64_t most; /* ends after so many, or at a 0 */
	struct tally out;
	double ns; /* for one */
};

static void *be_thief(void *argument)
{
	struct thief *thief = argument;
	struct tally out = { 0 };
	uint64_t element;
	unsigned misses = 0;

	pthread_mutex_lock(&thief->start->gate);
	bool is_off = thief->start->is_off;
	pthread_mutex_unlock(&thief->start->gate);
	if (is_off)
		return NULL;
	pthread_barrier_wait(&thief->start->line);
	int64_t start = sample_clock_ns();
	while (out.count < thief->most) {
		if (skua_deque_steal(thief->deque, &element) == SKUA_TAKE_GOT) {
			if (element == 0)
				break;
			tally_add(&out, element);
		} else if (++misses % PATIENCE == 0) {
			sched_yield();
		}
	}
	thief->ns = (double)(sample_clock_ns() - start) / (double)(out.count ? out.count : 1);
	thief->out = out;
	return NULL;
}

/* Start them; they wait at the line for the owner. */
static bool start_thieves(struct trial *trial, struct thief *thieves, struct thief example)
{
	struct start_line *start = example.start;
	unsigned count = trial->thieves, started = 0;

	pthread_mutex_init(&start->gate, NULL);
	pthread_barrier_init(&start->line, NULL, count + 1);
	pthread_mutex_lock(&start->gate);
	for (; started < count; started++) {
		thieves[started] = example;
		if (pthread_create(&thieves[started].thread, NULL, be_thief, &thieves[started]))
			break;
	}
	start->is_off = started < count;
	pthread_mutex_unlock(&start->gate);
	if (!start->is_off)
		return true;
	while (started)
		pthread_join(thieves[--started].thread, NULL);
	pthread_barrier_destroy(&start->line);
	pthread_mutex_destroy(&start->gate);
	trial->result->failed = "the system has no more threads to give; try --workers=1";
	return false;
}

static void join_thieves(struct trial *trial, struct thief *thieves, struct start_line *start,
			 struct tally *out)
{
	for (unsigned i = 0; i < trial->thieves; i++) {
		pthread_join(thieves[i].thread, NULL);
		out->count += thieves[i].out.count;
		out->sum += thieves[i].out.sum;
		trial->result->steals += thieves[i].out.count;
	}
	pthread_barrier_destroy(&start->line);
	pthread_mutex_destroy(&start->gate);
}

static bool pair_robbed(struct trial *trial)
{
	struct thief thieves[THIEF_MAX] = { 0 };
	struct start_line start;
	struct skua_deque deque;
	struct tally out = { 0 };
	uint64_t element;

	if (!open_deque(trial, &deque, 256))
		return false;
	struct thief example = { .deque = &deque, .start = &start, .most = UINT64_MAX };
	if (!start_thieves(trial, thieves, example)) {
		skua_deque_close(&deque);
		return false;
	}
	pthread_barrier_wait(&start.line);
	trial->ns = deque_pairs(&deque, &out);
	while (skua_deque_pop(&deque, &element) == SKUA_TAKE_GOT)
		tally_add(&out, element);
	for (unsigned i = 0; i < trial->thieves; i++)
		skua_deque_push(&deque, 0);
	join_thieves(trial, thieves, &start, &out);
	skua_deque_close(&deque);
	check(trial, PAIRS, out);
	return true;
}

/* One thief takes elements that lie there, while the owner works at the other end. */
static bool steal_busy(struct trial *trial)
{
	struct thief thief = { 0 };
	struct start_line start;
	struct skua_deque deque;
	struct tally out = { 0 };
	uint64_t element;

	if (!open_deque(trial, &deque, 4096))
		return false;
	for (uint64_t i = 1; i <= STEALS; i++)
		skua_deque_push(&deque, i);
	struct thief example = { .deque = &deque, .start = &start, .most = STEALS };
	if (!start_thieves(trial, &thief, example)) {
		skua_deque_close(&deque);
		return false;
	}
	pthread_barrier_wait(&start.line);
	while (skua_deque_count(&deque) > 0) {
		for (int i = 0; i < 16; i++) {
			skua_deque_push(&deque, UINT64_MAX);
			skua_deque_pop(&deque, &element);
		}
	}
	join_thieves(trial, &thief, &start, &out);
	skua_deque_close(&deque);
	check(trial, STEALS, out);
	trial->ns = thief.ns;
	return true;
}

/* The same by the only thread there is. */
static bool steal_alone(struct trial *trial)
{
	struct skua_deque deque;
	struct tally out = { 0 };
	uint64_t element;

	if (!open_deque(trial, &deque, STEALS))
		return false;
	for (uint64_t i = 1; i <= STEALS; i++)
		skua_deque_push(&deque, i);
	int64_t start = sample_clock_ns();
	while (skua_deque_steal(&deque, &element) == SKUA_TAKE_GOT)
		tally_add(&out, element);
	trial->ns = (double)(sample_clock_ns() - start) / STEALS;
	skua_deque_close(&deque);
	check(trial, STEALS, out);
	trial->result->steals += out.count;
	return true;
}

static bool steal_empty(struct trial *trial)
{
	struct skua_deque deque;
	uint64_t element;
	unsigned got = 0;

	if (!open_deque(trial, &deque, 1))
		return false;
	int64_t start = sample_clock_ns();
	for (unsigned i = 0; i < STEALS; i++)
		got += skua_deque_steal(&deque, &element) != SKUA_TAKE_EMPTY;
	trial->ns = (double)(sample_clock_ns() - start) / STEALS;
	skua_deque_close(&deque);
	if (got)
		trial->result->check = false;
	return true;
}

/* --- the table --- */

#define ONE_THIEF 1
#define ALL_MORE  2 /* as many thieves as workers allow, where that is more than one */

static const struct row {
	const char *name, *role;
	bool (*measure)(struct trial *trial);
	bool has_plain;
	unsigned thieves; /* 0, ONE_THIEF or ALL_MORE */
} rows[] = {
	{ "pair", "push + pop, others below", pair, true, 0 },
	{ "pair_last", "push + pop, the only one", pair_last, true, 0 },
	{ "pair_one_thief", "the same, 1 thief", pair_robbed, false, ONE_THIEF },
	{ "pair_all_thieves", "the same, all thieves", pair_robbed, false, ALL_MORE },
	{ "steal_alone", "steal, owner asleep", steal_alone, false, 0 },
	{ "steal_busy", "steal, owner at work", steal_busy, false, ONE_THIEF },
	{ "steal_empty", "steal, nothing there", steal_empty, false, 0 },
	{ "push", "push, room for all", push_with_room, false, 0 },
	{ "push_growing", "push, growing from 1", push_growing, false, 0 },
};

struct cell {
	const struct row *row;
	struct trial trial;
	struct figure *figure;
};

/* The cells to measure, with their figures; those that cannot be get an empty figure. */
static unsigned make_cells(struct bench_result *result, bool has_asymmetric, struct cell *cells)
{
	unsigned count = 0, thieves = result->workers - 1;

	for (size_t r = 0; r < sizeof(rows) / sizeof(rows[0]); r++) {
		for (int variant = PLAIN; variant < VARIANTS; variant++) {
			if ((variant == PLAIN && !rows[r].has_plain) || rows[r].thieves > thieves)
				continue;
			struct figure *figure = &result->figures[result->figure_count++];
			figure->name = rows[r].name;
			figure->variant = variant_names[variant];
			figure->role = rows[r].role;
			if (variant == ASYMMETRIC && !has_asymmetric)
				continue;
			cells[count++] = (struct cell){
				.row = &rows[r],
				.figure = figure,
				.trial = { .variant = (enum variant)variant,
					   .thieves = rows[r].thieves == ALL_MORE ? thieves
										  : rows[r].thieves,
					   .result = result },
			};
		}
	}
	return count;
}

static bool run(const struct bench_plan *plan, unsigned workers, struct bench_result *result)
{
	struct cell cells[FIGURES_MAX];
	struct trial probe = { .variant = ASYMMETRIC, .result = result };
	struct skua_deque deque;

	result->unit = "push+pop pairs";
	result->size = PAIRS;
	result->rounds = plan->repeat ? plan->repeat : plan->is_quick ? ROUNDS_QUICK : ROUNDS;
	result->workers = workers ? workers : 3;
	if (result->workers > THIEF_MAX + 1)
		result->workers = THIEF_MAX + 1;
	bool has_asymmetric = open_deque(&probe, &deque, 1);
	if (has_asymmetric)
		skua_deque_close(&deque);
	else
		result->skipped = "the asymmetric deque: this system offers no membarrier(2)";
	unsigned count = make_cells(result, has_asymmetric, cells);
	enum variant best = has_asymmetric ? ASYMMETRIC : PORTABLE;

	plan->progress("deque", 0, result->rounds);
	for (unsigned round = 0; round < result->rounds; round++) {
		for (unsigned i = 0; i < count; i++) {
			struct trial *trial = &cells[i].trial;
			if (!cells[i].row->measure(trial))
				return false;
			sample_add(&cells[i].figure->ns, trial->ns);
			if (cells[i].row->measure != pair)
				continue;
			if (trial->variant == PLAIN)
				sample_add(&result->serial, trial->ns * PAIRS * 1e-9);
			else if (trial->variant == best)
				sample_add(&result->own, trial->ns * PAIRS * 1e-9);
		}
		plan->progress("deque", round + 1, result->rounds);
	}
	return true;
}

const struct kernel kernel_deque = {
	.name = "deque",
	.role = "push, pop and steal of the deque itself, against an array stack",
	.run = run,
};
