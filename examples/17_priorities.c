/* SPDX-License-Identifier: MIT */
/* 17_priorities.c — an urgent job passes ten thousand low ones; low ones move all the same */
#include <pthread.h>
#include <skua/skua.h>
#include <stdio.h>

#define LOW    10000
#define NORMAL 100
#define TURN   61 /* every so many looks a worker takes one out of turn, of four kinds by turns */

static struct skua_pool *pool; /* of one worker, so that there is an order to look at */
static unsigned begun;	       /* only that worker writes it */
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

static struct racer {
	struct skua_job job;
	unsigned place;
} low[LOW], normal[NORMAL], urgent, patient, again;

static void run_racer(struct skua_slot *skua_here, void *argument)
{
	(void)skua_here;
	((struct racer *)argument)->place = ++begun;
}

static int enter(struct racer *racer, enum skua_priority priority)
{
	racer->job = (struct skua_job)SKUA_JOB(run_racer, racer);
	racer->job.priority = priority;
	return skua_submit(pool, &racer->job);
}

/* The urgent one comes last of all. */
static int enter_all(void)
{
	int error = SKUA_OK;

	for (unsigned i = 0; i < LOW && !error; i++)
		error = enter(&low[i], SKUA_PRIORITY_LOW);
	for (unsigned i = 0; i < NORMAL && !error; i++)
		error = enter(&normal[i], SKUA_PRIORITY_NORMAL);
	return error ? error : enter(&urgent, SKUA_PRIORITY_URGENT);
}

/* A normal job that is there again as soon as it has run, until the low one had its turn. */
static void submit_again(struct skua_job *job, int error)
{
	if (!error && !patient.place)
		skua_submit(pool, job);
}

static int enter_crowd(void)
{
	int error = enter(&patient, SKUA_PRIORITY_LOW);

	again.job = (struct skua_job)SKUA_JOB(run_racer, &again);
	again.job.finish = submit_again;
	return error ? error : skua_submit(pool, &again.job);
}

static void wait_at_gate(struct skua_slot *skua_here, void *argument)
{
	(void)skua_here;
	pthread_mutex_lock(argument); /* not a wait of skua: its worker begins nothing meanwhile */
	pthread_mutex_unlock(argument);
}

/* Submit while the worker stands at the gate; then let it run everything, and close the pool. */
static int race(int (*submit)(void))
{
	struct skua_pool_options options = { .size = sizeof(options), .workers = 1 };
	struct skua_job keeper = SKUA_JOB(wait_at_gate, &gate);
	int error = skua_pool_open(&pool, &options);

	begun = 0;
	if (error)
		return error;
	pthread_mutex_lock(&gate);
	error = skua_submit(pool, &keeper);
	error = error ? error : submit();
	pthread_mutex_unlock(&gate);
	skua_pool_close(pool, SKUA_CLOSE_DRAIN);
	return error;
}

int main(void)
{
	unsigned last = 0;
	int error = race(enter_all);

	for (unsigned i = 0; i < NORMAL; i++)
		last = normal[i].place > last ? normal[i].place : last;
	printf("of %u jobs the urgent one, submitted last, was number %u\n", begun, urgent.place);
	printf("the %d normal ones were through at %u, before nearly all of the low ones\n", NORMAL,
	       last);
	bool is_right = begun == LOW + NORMAL + 1 && urgent.place <= 3 && last <= NORMAL + 5;

	error = error ? error : race(enter_crowd);
	printf("a low one among ever new normal ones was number %u\n", patient.place);
	if (error)
		fprintf(stderr, "17_priorities: %s\n", skua_strerror(error));
	return !error && is_right && patient.place <= 4 * TURN + 1 ? 0 : 1;
}
