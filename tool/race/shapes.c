/* SPDX-License-Identifier: MIT */
/* shapes.c — the shapes of work that pools are raced with */
#include "race/shapes.h"

#include <string.h>
#include <time.h>

#define US 750 /* units in about a microsecond at 3 GHz */

/* --- what a job does --- */

/* x -> A x + C modulo 2^64, the constants of Knuth's MMIX. */
#define A 6364136223846793005u
#define C 1442695040888963407u

uint64_t shape_compute(uint64_t seed, uint32_t units)
{
	uint64_t x = seed;

	for (uint32_t i = 0; i < units; i++)
		x = A * x + C;
	return x;
}

/* Two steps are one of another congruence: its factor is a a, its addend a c + c. */
uint64_t shape_foretell(uint64_t seed, uint32_t units)
{
	uint64_t x = seed, a = A, c = C;

	for (; units; units >>= 1) {
		if (units & 1)
			x = a * x + c;
		c = a * c + c;
		a = a * a;
	}
	return x;
}

static void sleep_ns(int64_t ns)
{
	struct timespec time = { ns / 1000000000, ns % 1000000000 };

	nanosleep(&time, NULL); /* a signal may end it early */
}

void shape_perform(struct shape_job *job, int worker)
{
	int64_t pause_ns = job->field->shape->pause_ns;
	uint32_t before = pause_ns ? job->units / 2 : job->units;
	uint64_t value = shape_compute(job->seed, before);

	if (pause_ns) {
		sleep_ns(pause_ns);
		value = shape_compute(value, job->units - before);
	}
	job->value = value;
	job->worker = worker;
	job->runs++;
}

static void run_plain(struct rival_worker *here, void *argument)
{
	shape_perform(argument, here->index);
}

/* The first one submits all others: they wait where it runs, until somebody fetches them. */
static void run_bag(struct rival_worker *here, void *argument)
{
	struct shape_job *job = argument;
	const struct field *field = job->field;

	shape_perform(job, here->index);
	for (uint32_t i = 1; job == field->jobs && i < field->count; i++)
		rival_submit(here, (struct rival_job){ run_bag, &field->jobs[i] });
}

static void submit_branch(struct rival_worker *here, struct shape_job *job, uint32_t size);

/* What is behind it in the array is its branch; two children share that, unevenly. */
static void run_tree(struct rival_worker *here, void *argument)
{
	struct shape_job *job = argument;
	uint32_t left, rest = job->size - 1;

	shape_perform(job, here->index);
	left = (uint32_t)((job->value >> 32) % (rest + 1));
	submit_branch(here, job + 1, left);
	submit_branch(here, job + 1 + left, rest - left);
}

static void submit_branch(struct rival_worker *here, struct shape_job *job, uint32_t size)
{
	if (!size)
		return;
	job->size = size;
	rival_submit(here, (struct rival_job){ run_tree, job });
}

/* --- how large each job is, where they differ --- */

/* The k-th largest has a k-th of the largest; mixed.  100 us on average. */
static void deal_skewed(struct field *field, uint64_t *random)
{
	uint32_t count = field->count;
	double harmonic = 0;

	for (uint32_t i = 1; i <= count; i++)
		harmonic += 1.0 / i;
	for (uint32_t i = 0; i < count; i++) {
		double units = 100.0 * US * count / harmonic / (i + 1);
		uint32_t other = (uint32_t)(race_random(random) % (i + 1));
		field->jobs[i].units = field->jobs[other].units;
		field->jobs[other].units = (uint32_t)units;
	}
}

/* One in 500 has 5 ms, 500 times as much: half of the work is in very few. */
static void deal_long_tail(struct field *field, uint64_t *random)
{
	uint32_t longs = (field->count + 499) / 500;

	while (longs) {
		struct shape_job *job = &field->jobs[race_random(random) % field->count];
		longs -= job->units < 5000 * US;
		job->units = 5000 * US;
	}
}

/* --- the shapes: serially, some 20 to 50 ms each --- */

static const struct shape uniform = {
	.name = "uniform",
	.role = "jobs of one size, 20 us, from outside",
	.jobs = 2000,
	.is_clocked = true,
	.run = run_plain,
	.units = 20 * US,
};

static const struct shape skewed = {
	.name = "skewed",
	.role = "few jobs have most of the work; all submitted by one job",
	.jobs = 400,
	.is_clocked = true,
	.is_from_first = true,
	.run = run_bag,
	.deal = deal_skewed,
};

static const struct shape tree = {
	.name = "tree",
	.role = "each job, 2 us, submits two branches of uneven size",
	.jobs = 20000,
	.is_clocked = true,
	.is_from_first = true,
	.run = run_tree,
	.units = 2 * US,
};

static const struct shape tiny = {
	.name = "tiny",
	.role = "jobs of 0.1 us; all submitted by one job",
	.jobs = 100000,
	.is_from_first = true,
	.run = run_bag,
	.units = US / 10,
};

static const struct shape bursty = {
	.name = "bursty",
	.role = "bursts of 50 jobs of 10 us, 300 us of rest between them",
	.jobs = 2000,
	.is_clocked = true,
	.burst = 50,
	.run = run_plain,
	.units = 10 * US,
};

static const struct shape long_tail = {
	.name = "long-tail",
	.role = "one job in 500 has 5 ms, the others 10 us, from outside",
	.jobs = 2000,
	.is_clocked = true,
	.run = run_plain,
	.units = 10 * US,
	.deal = deal_long_tail,
};

static const struct shape ioish = {
	.name = "io-ish",
	.role = "jobs compute 20 us, sleep 150 us, compute 20 us",
	.jobs = 200,
	.is_clocked = true,
	.pause_ns = 150000,
	.run = run_plain,
	.units = 40 * US,
};

const struct shape *const shapes[] = { &uniform, &skewed,    &tree,  &tiny,
				       &bursty,	 &long_tail, &ioish, NULL };

const struct shape *shape_find(const char *name)
{
	for (const struct shape *const *shape = shapes; *shape; shape++) {
		if (strcmp((*shape)->name, name) == 0)
			return *shape;
	}
	return NULL;
}
