/* SPDX-License-Identifier: MIT */
/* search.c — where a worker looks for work, and whom it robs how */
#include "base/atomic.h"
#include "os/clock.h"
#include "sched/tracing.h"
#include "trace/probes.h"

/*
 * After the jobs of choose.c, other workers.  At another worker it takes what is
 * shared; if nothing is, it asks, and goes on looking; if nobody answers within PATIENCE, it takes
 * by force.  An owner pays for being asked (some 50 ns) and for being robbed by force (some us), so
 * a worker is asked less often when what it gave was not worth it: a program that forks tiny tasks
 * for a microsecond now and then must not be slowed down by those who would help.
 */
#define ANSWER_NS	 5000  /* an owner that forks at all answers sooner */
#define PATIENCE_NS	 50000 /* an owner that has not answered by then is busy otherwise */
#define GIVE_UP_NS	 200000
#define FORCE_SPACING_NS 20000	 /* over the pool: each interrupts every running thread */
#define WORTHWHILE_NS	 3000	 /* a theft costs about one */
#define SEEN_MOST_NS	 1000000 /* longer may be an accident: a thief that lost its processor */
#define HOPE		 32	 /* a larger task than usual counts for one in so many */
#define DESPAIR		 512	 /* a smaller one for one in so many */
#define ASK_GAP_LEAST_NS 1000
#define ASK_GAP_MOST_NS	 64000
#define LOOP_GAP_NS	 4000 /* the next loop is shared with one without being asked */
#define STOLEN_AT_A_TIME 16
#define DULL_HAULS	 32 /* in a row, and the thief looks less often */
#define ASK_MOST	 8

static bool steal_jobs(struct skuai_worker *self, struct skuai_worker *victim,
		       struct skuai_find *find, int64_t now)
{
	uint64_t elements[STOLEN_AT_A_TIME];
	struct skua_job *jobs[STOLEN_AT_A_TIME] = { NULL };
	size_t most = self->pool->options.amount == SKUA_AMOUNT_HALF ? STOLEN_AT_A_TIME : 1;
	size_t count = 0;

	if (skua_deque_steal_half(&victim->deque, elements, most, &count) != SKUA_TAKE_GOT)
		return false;
	for (size_t i = 0; i < count; i++)
		jobs[i] = skuai_job_of(elements[i]);
	skuai_count(&self->counters.stolen_jobs, count);
	SKUAI_PROBE3(steal, self->number, victim->number, count);
	find->job = jobs[0];
	find->victim = victim;
	find->origin = SKUAI_TRACE_OF_DEQUE;
	skuai_keep_jobs(self, jobs, (unsigned)count);
	skuai_trace_steal(self, victim, (unsigned)count);
	self->haul_ns = now;
	return true;
}

static bool take_by_force(struct skuai_worker *self, struct skuai_worker *victim,
			  struct skuai_find *find, int64_t now)
{
	struct skua_pool *pool = self->pool;
	/* order search.force.1: relaxed, a time; .2 decides who goes */
	int64_t last = skua_load(&pool->forced_ns, relaxed);

	/* order search.force.2: relaxed, only spaces forced steals out */
	if (now - last < FORCE_SPACING_NS ||
	    !skua_cas(&pool->forced_ns, &last, now, relaxed, relaxed))
		return false;
	if (!skuai_forks_revoke(&victim->forks, self->number, &find->theft))
		return false;
	skuai_count(&self->counters.steals_forced, 1);
	return true;
}

/* Whom we asked last has not answered since.  If it has, its line is left alone from then on. */
static bool is_unanswered(struct skuai_worker *self)
{
	if (self->is_asking)
		self->is_asking = skuai_forks_is_asked(&self->asked->forks) &&
				  skuai_forks_answers(&self->asked->forks) == self->asked_answers;
	return self->is_asking;
}

/* Nobody shares: ask one after the other, and wait a while for each answer. */
static void ask(struct skuai_worker *self, struct skuai_worker *victim, int64_t now)
{
	/* order search.ask.1: relaxed, an estimate; first, for the owner does not need that line */
	if (now < skua_load(&victim->ask_ns, relaxed))
		return;
	if (is_unanswered(self) &&
	    (now - self->asked_ns < ANSWER_NS ||
	     (now - self->asked_ns < GIVE_UP_NS && skuai_forks_has_private(&self->asked->forks))))
		return; /* its turn */
	/* order search.busy.1: relaxed, a hint */
	if (!skua_load(&victim->is_busy, relaxed))
		return;
	if (!skuai_forks_is_asked(&victim->forks)) {
		skuai_forks_ask(&victim->forks, self->ask_for);
		skuai_count(&self->counters.asked, 1);
	}
	self->asked = victim;
	self->is_asking = true;
	self->asked_ns = now;
	self->asked_answers = skuai_forks_answers(&victim->forks);
}

/* The next loop of the same program is mostly where the last one was: its lines are on their way
 * while we steal.  If it is not, somebody's line has moved in vain: a fetch may be of nowhere. */
static void fetch_loop(const struct skuai_worker *self)
{
	skuai_fetch(self->loop);
	skuai_fetch_to_write(self->loop_home);
}

static bool steal_fork(struct skuai_worker *self, struct skuai_worker *victim,
		       struct skuai_find *find, int64_t now)
{
	find->victim = victim;
	if (self->was_loop && skuai_forks_has_shared(&victim->forks))
		fetch_loop(self);
	bool is_stolen = skuai_forks_steal(&victim->forks, self->number, &find->theft);
	skuai_keep_apart(self, victim, now);
	if (is_stolen)
		return true;
	if (victim == self->asked && now - self->asked_ns > PATIENCE_NS &&
	    self->pool->has_membarrier && is_unanswered(self) &&
	    skuai_forks_has_private(&victim->forks) && take_by_force(self, victim, find, now))
		return true;
	ask(self, victim, now);
	return false;
}

static bool rob(struct skuai_worker *self, struct skuai_worker *victim, unsigned allowed,
		struct skuai_find *find, int64_t now)
{
	if (allowed & SKUAI_ALLOW_JOBS && skua_deque_count(&victim->deque) &&
	    steal_jobs(self, victim, find, now))
		return true;
	if (allowed & SKUAI_ALLOW_FORKS && steal_fork(self, victim, find, now)) {
		skuai_victims_count(self, victim);
		skuai_trace_steal(self, victim, 1);
		return true;
	}
	skuai_count(&self->counters.failed, 1);
	return false;
}

bool skuai_find_any(struct skuai_worker *self, unsigned allowed, struct skua_slot *child,
		    struct skuai_find *find)
{
	struct skua_pool *pool = self->pool;
	int64_t now = skuai_clock_ns();
	int thief = child ? skuai_forks_thief(child) : -1;

	*find = (struct skuai_find){ 0 };
	/* Whoever has our child has what we wait for: help there first (leapfrogging). */
	if (thief >= 0 && rob(self, &pool->workers[thief], SKUAI_ALLOW_FORKS, find, now))
		return true;
	if (allowed & SKUAI_ALLOW_JOBS &&
	    (skuai_find_ahead(self, find) || skuai_find_injected(self, find))) {
		self->dull_hauls = 0; /* somebody outside may wait for it, and send the next */
		return true;
	}
	if (!(allowed & (SKUAI_ALLOW_FORKS | SKUAI_ALLOW_JOBS)))
		return false;
	unsigned start = skuai_victims_start(self);
	for (unsigned i = 0; i + 1 < pool->count; i++) {
		unsigned number = skuai_victims_at(self, start, i);
		if ((int)number == thief)
			continue;
		if (rob(self, &pool->workers[number], allowed, find, now)) {
			self->next_victim = number;
			return true;
		}
	}
	return allowed & SKUAI_ALLOW_JOBS && skuai_find_low(self, find);
}

bool skuai_is_there_work(struct skuai_worker *self, unsigned allowed)
{
	struct skua_pool *pool = self->pool;

	if (allowed & SKUAI_ALLOW_JOBS)
		for (unsigned rank = 0; rank < SKUAI_CLASSES; rank++)
			if (skuai_inject_has_any(&pool->inject[rank]))
				return true;
	for (unsigned i = 0; i < pool->count; i++) {
		struct skuai_worker *worker = &pool->workers[i];
		if (allowed & SKUAI_ALLOW_JOBS && skua_deque_count(&worker->deque))
			return true;
		if (allowed & SKUAI_ALLOW_FORKS && skuai_forks_has_shared(&worker->forks))
			return true;
	}
	return false;
}

bool skuai_is_anybody_busy(struct skua_pool *pool)
{
	for (unsigned i = 0; i < pool->count; i++)
		/* order search.busy.2: relaxed, a hint */
		if (skua_load(&pool->workers[i].is_busy, relaxed))
			return true;
	return false;
}

/* How many tasks to ask for: the smaller they are, the more, since each request costs alike. */
static unsigned next_amount(const struct skuai_worker *self, int64_t ran_ns)
{
	if (ran_ns >= WORTHWHILE_NS || self->pool->options.amount == SKUA_AMOUNT_ONE)
		return 1;
	return self->ask_for < ASK_MOST ? 2 * self->ask_for : ASK_MOST;
}

/* Everything here is an estimate that several thieves may write: a lost update does not matter. */
void skuai_judge_theft(struct skuai_worker *self, struct skuai_worker *victim, int64_t ran_ns,
		       int64_t now)
{
	/* order search.judge.1: relaxed, an estimate; so are all the others of .1 to .5 */
	int64_t worth = skua_load(&victim->worth_ns, relaxed), gap = 0;
	int64_t seen = ran_ns < SEEN_MOST_NS ? ran_ns : SEEN_MOST_NS;

	/* Quick to hope and slow to despair: a hundred small tasks may come between two large. */
	worth += (seen - worth) / (seen > worth ? HOPE : DESPAIR) - (seen < worth);
	skua_store(&victim->worth_ns, worth, relaxed); /* order search.judge.2: relaxed, see .1 */
	if (worth >= WORTHWHILE_NS) {
		self->was_useful = true;
		self->dull_hauls = 0;
		self->ask_for = next_amount(self, ran_ns);
	} else {
		/* order search.judge.3: relaxed, see .1 */
		gap = 2 * skua_load(&victim->ask_gap_ns, relaxed);
		if (gap < ASK_GAP_LEAST_NS)
			gap = ASK_GAP_LEAST_NS;
		if (gap > ASK_GAP_MOST_NS)
			gap = ASK_GAP_MOST_NS;
		self->ask_for = 1;
	}
	skua_store(&victim->ask_gap_ns, gap, relaxed); /* order search.judge.4: relaxed, see .1 */
	if (self->was_loop && self->pool->count == 2 && gap < LOOP_GAP_NS)
		gap = LOOP_GAP_NS;
	skua_store(&victim->ask_ns, now + gap, relaxed); /* order search.judge.5: relaxed, see .1 */
}

bool skuai_is_bored(struct skuai_worker *self, int64_t now)
{
	if (self->haul_ns) {
		self->dull_hauls = now - self->haul_ns < WORTHWHILE_NS ? self->dull_hauls + 1 : 0;
		self->haul_ns = 0;
	}
	return self->dull_hauls >= DULL_HAULS;
}

bool skuai_is_promising(struct skuai_worker *self, int64_t now)
{
	return !skuai_is_crowded(self->pool) && self->asked && now - self->asked_ns < GIVE_UP_NS &&
	       /* order search.promise.1: relaxed, an estimate */
	       skua_load(&self->asked->worth_ns, relaxed) >= WORTHWHILE_NS &&
	       skuai_forks_has_private(&self->asked->forks);
}

bool skuai_should_force(struct skuai_worker *self, int64_t now)
{
	return self->pool->has_membarrier && is_unanswered(self) &&
	       now - self->asked_ns <= GIVE_UP_NS && skuai_forks_has_private(&self->asked->forks);
}
