/* SPDX-License-Identifier: MIT */
/* 14_article_scheduler.c — the scheduler of the textbooks on our deque: submit, run, priorities */
#include <pthread.h>
#include <sched.h>
#include <skua/skua.h>
#include <stdio.h>

/*
 * Work stealing as the articles draw it.  Each process has a deque of tasks.  It pushes and pops
 * the newest end of its own; one that has nothing steals the oldest task of another.  The variant
 * with priorities has a deque for each rank, and takes the most urgent task that anybody has.
 * A pool of skua does more: above all it sleeps when there is nothing to do.  This one looks again.
 */
#define PROCESSES 4
#define RANKS	  3 /* 0 is the most urgent; without priorities every task has it */

struct task {
	unsigned rank, runs;
};

SKUA_DEQUE_OF(deque, struct task *);

static struct process {
	struct deque deques[RANKS];
	pthread_t thread;
} processes[PROCESSES];

static unsigned count, ranks; /* processes and ranks of this run */
static size_t left;	      /* tasks that have not run */
static pthread_mutex_t left_lock = PTHREAD_MUTEX_INITIALIZER;

static void work(struct task *task, struct process *process);

/* Give a task to a process.  Only its owner may: itself, or before it runs who opened it. */
static void submit(struct task *task, struct process *process)
{
	if (deque_push(&process->deques[task->rank], task) != SKUA_OK)
		work(task, process); /* no memory to grow: then now */
}

/* Its newest task of a rank, else the oldest of another process, from the next one on. */
static struct task *take_of_rank(struct process *process, unsigned rank)
{
	struct task *task = NULL;
	enum skua_take result;

	if (deque_pop(&process->deques[rank], &task) == SKUA_TAKE_GOT)
		return task;
	for (unsigned i = 1; i < count; i++) {
		struct process *victim = &processes[((size_t)(process - processes) + i) % count];
		do /* retry: somebody else got that one, there may be more */
			result = deque_steal(&victim->deques[rank], &task);
		while (result == SKUA_TAKE_RETRY);
		if (result == SKUA_TAKE_GOT)
			return task;
	}
	return NULL;
}

/* All there is to priorities: everybody's urgent tasks first, then the next rank. */
static struct task *take(struct process *process)
{
	struct task *task = NULL;

	for (unsigned rank = 0; rank < ranks && !task; rank++)
		task = take_of_rank(process, rank);
	return task;
}

static size_t lower_left(size_t by)
{
	pthread_mutex_lock(&left_lock);
	size_t now = left -= by;
	pthread_mutex_unlock(&left_lock);
	return now;
}

/* What a process does until every task has run. */
static void run(struct process *process)
{
	for (unsigned rank = 0; rank < ranks; rank++)
		skua_deque_adopt(&process->deques[rank].deque); /* ours to push and pop */
	while (lower_left(0) > 0) {
		struct task *task = take(process);
		if (task)
			work(task, process);
		else
			sched_yield();
	}
}

static void *run_thread(void *process)
{
	run(process);
	return NULL;
}

/* --- a job: trees of tasks; task i submits its children, 2i + ROOTS and the next --- */

#define TASKS 20000
#define ROOTS 8

static struct task tasks[TASKS];
static unsigned last_rank; /* that the only process ran */
static bool is_out_of_order;

static void work(struct task *task, struct process *process)
{
	size_t child = (size_t)(task - tasks) * 2 + ROOTS;

	task->runs++; /* plain: nobody else has it */
	for (volatile unsigned spin = 0; spin < 1000; spin++)
		continue;
	for (size_t i = child; i < child + 2 && i < TASKS; i++)
		submit(&tasks[i], process);
	if (count == 1) { /* no child is more urgent than its parent, so ranks only rise */
		is_out_of_order |= task->rank < last_rank;
		last_rank = task->rank;
	}
	lower_left(1);
}

/* True: every task ran once. */
static bool is_right(unsigned process_count, unsigned rank_count)
{
	unsigned started = 1, once = 0;

	count = process_count, ranks = rank_count, left = TASKS;
	for (unsigned i = 0; i < count * ranks; i++)
		if (deque_open(&processes[i / ranks].deques[i % ranks], NULL) != SKUA_OK)
			return false;
	for (size_t i = 0; i < TASKS; i++)
		tasks[i] = (struct task){ .rank = (unsigned)(i * ranks / TASKS) };
	for (size_t i = 0; i < ROOTS; i++)
		submit(&tasks[i], &processes[0]); /* the others must steal */
	while (started < count &&
	       !pthread_create(&processes[started].thread, NULL, run_thread, &processes[started]))
		started++; /* fewer will do */
	run(&processes[0]);
	for (unsigned i = 1; i < started; i++)
		pthread_join(processes[i].thread, NULL);
	for (unsigned i = 0; i < count * ranks; i++)
		deque_close(&processes[i / ranks].deques[i % ranks]);
	for (size_t i = 0; i < TASKS; i++)
		once += tasks[i].runs == 1;
	printf("processes %u, ranks %u: %u of %d tasks ran once\n", started, ranks, once, TASKS);
	return once == TASKS;
}

int main(void)
{
	bool is_fine = is_right(PROCESSES, 1); /* the plain scheduler */
	is_fine &= is_right(PROCESSES, RANKS); /* with priorities */
	is_fine &= is_right(1, RANKS);	       /* alone, where their order can be seen */
	if (is_out_of_order)
		puts("a task ran before a more urgent one");
	return is_fine && !is_out_of_order ? 0 : 1;
}
