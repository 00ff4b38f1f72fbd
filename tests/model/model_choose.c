/* SPDX-License-Identifier: MIT */
/* model_choose.c — which job next: every class is passed over or served, and no job is lost */
#include "mc.h"

#include "base/atomic.h"
#include "os/clock.h"
#include "sched/worker.h"

/*
 * The production choose.c, inject.c, chosen.c, deque.c, idle.c and park.c, around a pool that
 * has no threads: a worker is a thread of the case with a place of its own.  Beside them stands
 * what worker.c and search.c do with them, each function under its name there.
 *
 * A job has a cell that its submitter wrote: who takes the job reads it.  A look at a class
 * that is empty touches two words of each shard, and the checker has room for few words: hints
 * keep a worker from classes in which there was nothing, so a case has jobs in two classes at
 * most.
 */
enum {
	WORKERS = 2,
	JOBS_MAX = 3,
	ROUNDS_MAX = 3,
	FAIRNESS_TICK = 61, /* choose.c's */
};

static struct table {
	struct skua_pool pool;
	struct skuai_worker workers[WORKERS];
	uint64_t storage[WORKERS][16]; /* of their deques */
	struct skua_job jobs[JOBS_MAX];
	struct mc_cell cells[JOBS_MAX];
	unsigned taken[JOBS_MAX];
	unsigned job_count;
} * table;

/* --- worker.c --- */

/* There is but one that sleeps in these cases, number 0. */
static void wake(void)
{
	if (skuai_idle_claim_number(&table->pool.idle, 0))
		skuai_unpark_call(&table->workers[0].park);
}

void skuai_notify(struct skua_pool *pool, struct skuai_worker *self, bool is_urgent)
{
	(void)self;
	if (skuai_idle_needs_wake(&pool->idle, is_urgent))
		wake();
}

void skuai_wake_chosen(struct skua_pool *pool, uint64_t workers)
{
	(void)skuai_idle_needs_wake(&pool->idle, true);
	if (workers & 1)
		wake();
}

/* Rose by itself, or was called meanwhile. */
static void rise(struct skuai_worker *self)
{
	if (!skuai_idle_rise(&self->pool->idle, self->number))
		mc_assert(skuai_park(&self->park, SKUAI_NO_DEADLINE) & SKUAI_PARK_CALL);
}

/* --- a case --- */

static void open_table(void)
{
	table = mc_alloc(sizeof(*table));
	table->pool.count = WORKERS;
	table->pool.workers = table->workers;
	for (unsigned i = 0; i < WORKERS; i++) {
		struct skua_deque_options options = { .size = sizeof(options),
						      .capacity = 16,
						      .storage = table->storage[i] };
		table->workers[i].pool = &table->pool;
		table->workers[i].number = i;
		mc_assert(skua_deque_open(&table->workers[i].deque, &options) == 0);
	}
}

static struct skua_job *new_job(enum skua_priority priority)
{
	unsigned number = table->job_count++;

	mc_write(&table->cells[number], 100 + number);
	table->jobs[number].priority = priority;
	return &table->jobs[number];
}

/* A job of which its submitter, a thread that begins now, has still to write the cell. */
static struct skua_job *coming_job(enum skua_priority priority)
{
	table->jobs[table->job_count].priority = priority;
	return &table->jobs[table->job_count++];
}

static void put(void *job)
{
	unsigned number = (unsigned)((struct skua_job *)job - table->jobs);

	mc_write(&table->cells[number], 100 + number);
	skuai_inject(&table->pool, 0, job);
}

static void put_both(void *first)
{
	put(first);
	put((struct skua_job *)first + 1);
}

static void take(struct skua_job *job)
{
	unsigned number = (unsigned)(job - table->jobs);

	mc_assert(number < table->job_count && ++table->taken[number] == 1);
	mc_assert(mc_read(&table->cells[number]) == 100 + number);
}

/* worker.c: one look; search.c: skuai_find_any, where there is nobody to rob */
static struct skua_job *find(struct skuai_worker *self)
{
	struct skuai_find found;

	if (!skuai_find_job(self, &found) && !skuai_find_injected(self, &found) &&
	    !skuai_find_low(self, &found))
		return NULL;
	take(found.job);
	return found.job;
}

/* Nobody is under way any more: what is left is found, and then the hints say that it is all. */
static void check_end(void)
{
	mc_join();
	for (unsigned left = 0; left < table->job_count; left++)
		for (unsigned i = 0; i < table->job_count; i++)
			if (!table->taken[i]) {
				/* what one keeps for later is in its own deque */
				mc_assert(find(&table->workers[0]) || find(&table->workers[1]));
				break;
			}
	mc_assert(skua_load(&table->pool.urgent, relaxed) == 0);
	mc_assert(skua_load(&table->pool.low, relaxed) == 0);
	mc_assert(skuai_chosen_count(&table->pool.chosen) == 0);
}

static void look(void *worker)
{
	(void)find(worker);
}

static void look_twice(void *worker)
{
	look(worker);
	look(worker);
}

/* --- somebody stands still in the middle of taking --- */

/*
 * With the lock of the urgent ones, or of the normal ones too, before or after it took them
 * out.  The other one finds what is below all the same, and does not wait: a wait for a lock
 * that is never given back is a deadlock.
 */
static void passes_over(void)
{
	struct skuai_inject_shard *shard;

	open_table();
	struct skuai_worker *self = &table->workers[0];
	unsigned turn = mc_choose(5); /* choose.c: find_fairly, or as ever */
	self->tick = turn ? turn * FAIRNESS_TICK - 1 : 0;
	skuai_inject(&table->pool, 0, new_job(SKUA_PRIORITY_URGENT));
	unsigned held = 1 + mc_choose(2); /* classes */
	if (held == 2)
		skuai_inject(&table->pool, 0, new_job(SKUA_PRIORITY_NORMAL));
	for (unsigned i = 0; i < held; i++) {
		shard = &table->pool.inject[i].shards[0];
		mc_assert(skuai_lock_try(&shard->lock));
		if (mc_choose(2))
			skua_exchange(&shard->newest, NULL, acquire);
	}
	struct skua_job *below = new_job(held == 1 ? SKUA_PRIORITY_NORMAL : SKUA_PRIORITY_LOW);
	if (held == 1 && mc_choose(2))
		mc_assert(skua_deque_push(&self->deque, (uint64_t)(uintptr_t)below) == 0);
	else
		skuai_inject(&table->pool, 1, below);
	mc_start(look, self);
	mc_join();
	mc_assert(table->taken[held] == 1 && !table->taken[0]);
}

/* The same for the jobs of some workers. */
static void passes_over_chosen(void)
{
	open_table();
	skuai_chosen_put(&table->pool.chosen, new_job(SKUA_PRIORITY_NORMAL), 2);
	skuai_inject(&table->pool, 0, new_job(SKUA_PRIORITY_NORMAL));
	mc_assert(skuai_lock_try(&table->pool.chosen.lock));
	mc_start(look, &table->workers[0]);
	mc_join();
	mc_assert(table->taken[1] && !table->taken[0]);
}

/* Each of two finds one of two, whichever the other is in the middle of. */
static void each_finds_one(void)
{
	open_table();
	skuai_inject(&table->pool, 0, new_job(SKUA_PRIORITY_URGENT));
	skuai_inject(&table->pool, 0, new_job(SKUA_PRIORITY_NORMAL));
	mc_start(look, &table->workers[0]);
	mc_start(look, &table->workers[1]);
	mc_join();
	mc_assert(table->taken[0] && table->taken[1]);
	check_end();
}

/* --- hints --- */

/* A job is taken between its put and its hint, by one who came because of another. */
static void hints_of(enum skua_priority priority)
{
	open_table();
	struct skua_job *first = coming_job(priority);
	coming_job(priority);
	mc_start(put_both, first);
	mc_start(look_twice, &table->workers[0]);
	check_end();
}

static void hints_urgent(void)
{
	hints_of(SKUA_PRIORITY_URGENT);
}

static void hints_low(void)
{
	hints_of(SKUA_PRIORITY_LOW);
}

static void hints_two_workers(void)
{
	open_table();
	skuai_inject(&table->pool, 0, new_job(SKUA_PRIORITY_URGENT));
	mc_start(put, coming_job(SKUA_PRIORITY_URGENT));
	mc_start(look, &table->workers[0]);
	mc_start(look, &table->workers[1]);
	check_end();
}

/* One takes several normal ones, and keeps the rest for itself. */
static void keeps_the_rest(void)
{
	open_table();
	skuai_inject(&table->pool, 0, new_job(SKUA_PRIORITY_NORMAL));
	skuai_inject(&table->pool, 0, new_job(SKUA_PRIORITY_NORMAL));
	mc_start(put, coming_job(SKUA_PRIORITY_URGENT));
	mc_start(look_twice, &table->workers[0]);
	mc_start(look, &table->workers[1]);
	check_end();
}

/* --- the look before sleep --- */

/* search.c: skuai_is_there_work */
static bool is_there_work(struct skuai_worker *self)
{
	for (unsigned rank = 0; rank < SKUAI_CLASSES; rank++)
		if (skuai_inject_has_any(&self->pool->inject[rank]))
			return true;
	return skua_deque_count(&self->deque) != 0;
}

/*
 * worker.c: skuai_work_until, sleep_listed; for one job, or until it has seen so often that
 * there is something which it does not find: it would go on so until the hint is there.
 */
static void work_or_sleep(void *worker)
{
	struct skuai_worker *self = worker;
	struct skuai_idle *idle = &self->pool->idle;
	bool is_searching = skuai_idle_search(idle, 1);

	for (unsigned round = 0; !find(self); round++) {
		if (round == ROUNDS_MAX)
			break;
		bool is_last = skuai_idle_sleep(idle, self->number, is_searching);
		is_searching = false;
		if (is_last && is_there_work(self)) {
			rise(self);
			is_searching = skuai_idle_search(idle, UINT32_MAX);
			continue;
		}
		if (skuai_park(&self->park, SKUAI_NO_DEADLINE) & SKUAI_PARK_CALL)
			is_searching = true;
	}
	if (is_searching)
		skuai_idle_leave(idle);
}

static void put_and_tell(void *job)
{
	put(job);
	skuai_notify(&table->pool, NULL, true);
}

static void look_against_put(void)
{
	open_table();
	mc_start(put_and_tell, coming_job(mc_choose(2) ? SKUA_PRIORITY_URGENT : SKUA_PRIORITY_LOW));
	mc_start(work_or_sleep, &table->workers[0]);
	check_end();
}

/* --- jobs for some workers --- */

/* submit.c: skuai_post_chosen */
static void put_for_first(void *job)
{
	unsigned number = (unsigned)((struct skua_job *)job - table->jobs);

	mc_write(&table->cells[number], 100 + number);
	skuai_chosen_put(&table->pool.chosen, job, 1);
	skuai_wake_chosen(&table->pool, 1);
}

static bool take_chosen(struct skuai_worker *self)
{
	struct skua_job *job = skuai_chosen_take(&self->pool->chosen, self->number,
						 SKUA_PRIORITY_NORMAL);

	if (job)
		take(job);
	return job != NULL;
}

/* worker.c: as above, where the chosen ones are looked at by everybody, not by the last alone */
static void work_chosen_or_sleep(void *worker)
{
	struct skuai_worker *self = worker;
	struct skuai_idle *idle = &self->pool->idle;

	while (!take_chosen(self)) {
		skuai_idle_sleep(idle, self->number, false);
		if (skuai_chosen_has(&self->pool->chosen, self->number))
			rise(self);
		else if (skuai_park(&self->park, SKUAI_NO_DEADLINE) & SKUAI_PARK_CALL)
			skuai_idle_leave(idle);
	}
}

static void look_for_chosen(void *worker)
{
	take_chosen(worker);
}

/* The hint alone says that there is none; or there is one for another before it in the queue. */
static void chosen_look_against_put(void)
{
	open_table();
	bool has_other = mc_choose(2);
	if (has_other)
		skuai_chosen_put(&table->pool.chosen, new_job(SKUA_PRIORITY_NORMAL), 2);
	mc_start(put_for_first, coming_job(SKUA_PRIORITY_NORMAL));
	mc_start(work_chosen_or_sleep, &table->workers[0]);
	mc_join();
	mc_assert(table->taken[has_other]);
	mc_assert(take_chosen(&table->workers[1]) == has_other);
	check_end();
}

/* One is taken out of the middle or the end while one is put behind it. */
static void chosen_two_takers(void)
{
	open_table();
	skuai_chosen_put(&table->pool.chosen, new_job(SKUA_PRIORITY_NORMAL), 2);
	skuai_chosen_put(&table->pool.chosen, new_job(SKUA_PRIORITY_NORMAL), 1);
	mc_start(put_for_first, coming_job(SKUA_PRIORITY_NORMAL));
	mc_start(look_for_chosen, &table->workers[1]);
	mc_start(look_for_chosen, &table->workers[0]);
	mc_join();
	for (unsigned i = 0; i < WORKERS; i++)
		while (take_chosen(&table->workers[i]))
			;
	mc_assert(table->taken[0] && table->taken[1] && table->taken[2]);
	check_end();
}

int main(int argc, char **argv)
{
	static const struct mc_case cases[] = {
		{ .name = "passes_over", .body = passes_over },
		{ .name = "passes_over_chosen", .body = passes_over_chosen },
		{ .name = "each_finds_one", .body = each_finds_one },
		{ .name = "hints_urgent", .body = hints_urgent },
		{ .name = "hints_low", .body = hints_low },
		{ .name = "hints_two_workers", .body = hints_two_workers, .preemptions = 2 },
		{ .name = "keeps_the_rest", .body = keeps_the_rest, .preemptions = 2 },
		{ .name = "look_against_put", .body = look_against_put },
		{ .name = "chosen_look_against_put", .body = chosen_look_against_put },
		{ .name = "chosen_two_takers", .body = chosen_two_takers },
		{ .name = NULL },
	};
	return mc_main(argc, argv, cases);
}
