/* SPDX-License-Identifier: MIT */
/* run.c — one execution after another: threads as fibers, choices as a trail, states seen once */
#include "run.h"

#include "base/rng.h"
#include "facts.h"
#include "mem.h"
#include "seen.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

/*
 * The program under check runs for real, each of its threads on a stack of its own.  Before every
 * step it comes here (run_point), and one of the threads that can go on is chosen; inside a step it
 * comes here for which message to read (run_choose).  The choices made are the trail.
 *
 * Exhaustive: run with an empty trail, always taking the first way; then change the last choice
 * that has a way left, forget what follows it, and run again from the start; until none has.  At
 * every new scheduling point the state is hashed: one that was met before is not continued, because
 * all that can follow was or will be explored from there.  Histories only grow, so there are no
 * cycles and nothing is lost.
 *
 * Random: the ways are drawn.  About every other execution uses priorities with three changes
 * (Burckhardt, Kothari, Musuvathi, Nagarakatte, "A randomized scheduler with probabilistic
 * guarantees of finding bugs", ASPLOS 2010), which finds bugs of small depth with known
 * probability.
 *
 * Threads are switched with _setjmp and _longjmp; makecontext only makes each stack once.
 */

enum {
	STACK_BYTES = 1 << 16,
	STEPS_MAX = 20000, /* in one execution; a loop that does not end */
	TRAIL_MAX = 20000,
	PRIORITY_CHANGES = 3,
	TIMEOUTS_USUAL = 2,
};

enum fiber_state {
	FIBER_UNUSED,
	FIBER_FRESH,   /* started, has not run */
	FIBER_READY,   /* before a step */
	FIBER_BLOCKED, /* asleep on a word */
	FIBER_DOZING,  /* the same, with a deadline: run before it is woken, its time was up */
	FIBER_JOINING, /* thread 0, until all others ended */
	FIBER_DONE,
};

struct fiber {
	enum fiber_state state;
	void (*body)(void *);
	void *argument;
	uintptr_t blocked_on; /* 0: nothing, or woken */
	bool was_forced;      /* its deadline passed in this round: see find_threads */
	unsigned priority;
	jmp_buf at;   /* where it stands */
	jmp_buf base; /* where a body begins */
	ucontext_t context;
	unsigned char *stack;
};

enum ending {
	ENDING_NONE,
	ENDING_WHOLE,
	ENDING_CUT,
	ENDING_PRUNED,
	ENDING_RESTART,
	ENDING_ERROR,
};

static struct {
	const struct mc_case *mc;
	struct fiber fibers[MC_THREADS_MAX];
	int thread_count, joined_count, current; /* joined: thread 0 knows all they did */
	jmp_buf explorer;
	ucontext_t explorer_context;

	struct choice {
		uint16_t taken, ways;
	} trail[TRAIL_MAX];
	unsigned trail_length, trail_at;

	bool is_random, is_replay;
	bool is_by_priority; /* this execution, of the random ones */
	struct skuai_rng rng;
	unsigned change_at[PRIORITY_CHANGES];

	unsigned steps, preemptions, spurious_left, timeouts_left, failed_allocs_left;
	struct seen states, graphs;
	struct run_result result;
} run;

/* --- choices --- */

unsigned run_choose(unsigned n)
{
	if (n == 1)
		return 0;
	if (n == 0)
		run_limit("the checker found no way to go on");
	if (run.trail_at == run.trail_length) {
		if (run.trail_length == TRAIL_MAX)
			run_limit("the execution has more than %d choices", TRAIL_MAX);
		run.trail[run.trail_length++] = (struct choice){
			.taken = run.is_random ? (uint16_t)skuai_rng_below(&run.rng, n) : 0,
			.ways = (uint16_t)n,
		};
	}
	struct choice *choice = &run.trail[run.trail_at++];
	if (choice->ways != n)
		run_limit("the case is not deterministic: the same choices led elsewhere");
	return choice->taken;
}

/* A choice made elsewhere (a priority), put on the trail so that it can be replayed. */
static unsigned choose_given(unsigned n, unsigned taken)
{
	if (n > 1 && run.trail_at == run.trail_length && run.trail_length < TRAIL_MAX)
		run.trail[run.trail_length++] = (struct choice){ .taken = (uint16_t)taken,
								 .ways = (uint16_t)n };
	return run_choose(n);
}

/* The next untaken way, deepest first; false when there is none. */
static bool backtrack(void)
{
	while (run.trail_length) {
		struct choice *last = &run.trail[run.trail_length - 1];
		if (last->taken + 1 < last->ways) {
			last->taken++;
			return true;
		}
		run.trail_length--;
	}
	return false;
}

const char *run_trail(void)
{
	static char text[10 * TRAIL_MAX];
	size_t used = facts_print(text, sizeof(text));

	for (unsigned i = 0; i < run.trail_at; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%u/%u ",
					 run.trail[i].taken, run.trail[i].ways);
	return text;
}

static bool read_trail(const char *text)
{
	unsigned taken, ways;
	int used;

	text += facts_read(text);
	for (run.trail_length = 0; sscanf(text, "%u/%u %n", &taken, &ways, &used) == 2;
	     text += used) {
		if (run.trail_length == TRAIL_MAX || taken >= ways)
			return false;
		run.trail[run.trail_length++] = (struct choice){ .taken = (uint16_t)taken,
								 .ways = (uint16_t)ways };
	}
	return *text == '\0';
}

/* --- fibers --- */

static _Noreturn void end_execution(enum ending ending)
{
	_longjmp(run.explorer, ending);
}

_Noreturn void run_stop(bool is_limit, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(run.result.error, sizeof(run.result.error), format, arguments);
	va_end(arguments);
	run.result.is_limit = is_limit;
	end_execution(ENDING_ERROR);
}

_Noreturn void run_restart(void)
{
	end_execution(ENDING_RESTART);
}

void mc_prune(void)
{
	end_execution(ENDING_PRUNED);
}

static _Noreturn void resume(int thread)
{
	struct fiber *fiber = &run.fibers[thread];
	bool is_fresh = fiber->state == FIBER_FRESH;

	run.current = thread;
	fiber->state = FIBER_READY;
	_longjmp(is_fresh ? fiber->base : fiber->at, 1);
}

static bool all_others_ended(void)
{
	for (int i = 1; i < run.thread_count; i++)
		if (run.fibers[i].state != FIBER_DONE)
			return false;
	return true;
}

static bool can_go(int thread)
{
	enum fiber_state state = run.fibers[thread].state;

	return state == FIBER_READY || state == FIBER_FRESH ||
	       (state == FIBER_JOINING && all_others_ended());
}

static bool is_asleep(int thread)
{
	return run.fibers[thread].state == FIBER_BLOCKED ||
	       run.fibers[thread].state == FIBER_DOZING;
}

/* " thread 1 thread 3": who sleeps without a deadline; valid until the next. */
static const char *name_blocked(void)
{
	static char text[16 * MC_THREADS_MAX];
	size_t used = 0;

	text[0] = '\0';
	for (int i = 0; i < run.thread_count; i++)
		if (run.fibers[i].state == FIBER_BLOCKED)
			used += (size_t)snprintf(text + used, sizeof(text) - used, " thread %d", i);
	return text;
}

_Noreturn void run_endless(int most, const char *of)
{
	const char *who = name_blocked();

	run_error("more than %d steps%s: a loop that does not end?%s%s", most, of,
		  who[0] ? "  Meanwhile asleep, without a deadline:" : "", who);
}

/* Whom to run, of `count` threads that can; the first is the one that runs now, if it can. */
static unsigned choose_thread(const int *threads, unsigned count)
{
	if (!run.is_by_priority)
		return run_choose(count);
	for (int i = 0; i < PRIORITY_CHANGES; i++)
		if (run.steps == run.change_at[i])
			run.fibers[threads[0]].priority = (unsigned)i; /* below all the others */
	unsigned best = 0;
	for (unsigned i = 1; i < count; i++)
		if (run.fibers[threads[i]].priority > run.fibers[threads[best]].priority)
			best = i;
	return choose_given(count, best);
}

/* A state not met before?  Only asked where new ground begins. */
static void check_state(void)
{
	struct mem_hash state = mem_state();

	for (int i = 0; i < run.thread_count; i++)
		state.low = state.low * 31 + (uint64_t)run.fibers[i].state * 2 +
			    run.fibers[i].was_forced;
	state.high += run.timeouts_left * 4096 + run.spurious_left * 64 + run.failed_allocs_left;
	if (run.mc->preemptions) /* what is left of the bound, and who would not count against it */
		state.high = state.high * 31 + run.preemptions * 8 + (unsigned)run.current;
	if (!seen_add(&run.states, state))
		end_execution(ENDING_CUT);
}

/* Whom to run next: the threads that can go on, then those whose time may be up. */
struct ways {
	int threads[2 * MC_THREADS_MAX];
	unsigned count, free_count; /* behind the first free_count ones, a deadline costs */
};

static void add_dozing(struct ways *ways, bool but_forced)
{
	for (int i = 0; i < run.thread_count; i++)
		if (run.fibers[i].state == FIBER_DOZING &&
		    !(but_forced && run.fibers[i].was_forced))
			ways->threads[ways->count++] = i;
}

/*
 * The threads that can go on, the running one first.  When there are none somebody's time must be
 * up: in rounds, each sleeper's once before any's again, so that a thread that only polls does not
 * keep the others from what it polls for.  Any other deadline that passes costs, lest a loop around
 * a wait never end: while somebody can go on, out of its round, or too soon to see all writes.
 */
static struct ways find_threads(void)
{
	struct ways ways = { .count = 0 };

	if (can_go(run.current))
		ways.threads[ways.count++] = run.current;
	for (int i = 0; i < run.thread_count; i++)
		if (i != run.current && can_go(i))
			ways.threads[ways.count++] = i;
	if (ways.count == 0)
		add_dozing(&ways, true);
	if (ways.count == 0) { /* a new round */
		for (int i = 0; i < run.thread_count; i++)
			run.fibers[i].was_forced = false;
		add_dozing(&ways, true);
	}
	ways.free_count = ways.count;
	if (run.timeouts_left)
		add_dozing(&ways, false);
	return ways;
}

/* Go on with one of the threads that can. */
static void schedule(void)
{
	int self = run.current;
	bool self_can = can_go(self);

	if (++run.steps > STEPS_MAX)
		run_endless(STEPS_MAX, "");
	struct ways ways = find_threads();
	if (ways.count == 0)
		run_error("deadlock: nobody can go on; asleep:%s", name_blocked());
	if (self_can && run.mc->preemptions && run.preemptions == 0)
		ways.count = 1;
	if (!run.is_random && !run.is_replay && run.trail_at == run.trail_length)
		check_state();
	unsigned chosen = choose_thread(ways.threads, ways.count);
	int next = ways.threads[chosen];
	if (run.fibers[next].state == FIBER_DOZING && chosen < ways.free_count) {
		run.fibers[next].was_forced = true;
		mem_settle(next); /* so much time has passed: it sees all that was written */
	} else if (run.fibers[next].state == FIBER_DOZING) {
		run.timeouts_left--;
	}
	if (next == self)
		return;
	if (self_can && run.mc->preemptions)
		run.preemptions--;
	if (_setjmp(run.fibers[self].at) == 0)
		resume(next);
}

void run_point(void)
{
	run.fibers[run.current].state = FIBER_READY;
	schedule();
}

bool run_block(uintptr_t on, bool has_deadline)
{
	struct fiber *self = &run.fibers[run.current];

	self->state = has_deadline ? FIBER_DOZING : FIBER_BLOCKED;
	self->blocked_on = on;
	schedule();
	self->state = FIBER_READY;
	return self->blocked_on == 0;
}

unsigned run_blocked_on(uintptr_t on, int threads[MC_THREADS_MAX])
{
	unsigned count = 0;

	for (int i = 0; i < run.thread_count; i++)
		if (is_asleep(i) && run.fibers[i].blocked_on == on)
			threads[count++] = i;
	return count;
}

void run_unblock(int thread)
{
	run.fibers[thread].state = FIBER_READY;
	run.fibers[thread].blocked_on = 0;
}

/* The bottom frame of every stack: runs one body after another, one per execution. */
static void fiber_main(void)
{
	if (_setjmp(run.fibers[run.current].base) == 0)
		setcontext(&run.explorer_context);
	run.fibers[run.current].body(run.fibers[run.current].argument);
	run.fibers[run.current].state = FIBER_DONE;
	if (run.current == 0) {
		if (!all_others_ended())
			run_error("thread 0 ended before it joined the others");
		end_execution(ENDING_WHOLE);
	}
	schedule();
	abort(); /* an ended thread is never chosen */
}

static void make_stack(int thread)
{
	struct fiber *fiber = &run.fibers[thread];
	volatile bool is_made = false;

	if (fiber->stack)
		return;
	fiber->stack = malloc(STACK_BYTES);
	if (!fiber->stack || getcontext(&fiber->context)) {
		fprintf(stderr, "check: no memory for a stack\n");
		exit(3);
	}
	fiber->context.uc_stack.ss_sp = fiber->stack;
	fiber->context.uc_stack.ss_size = STACK_BYTES;
	fiber->context.uc_link = NULL;
	makecontext(&fiber->context, fiber_main, 0);
	int before = run.current;
	run.current = thread;
	getcontext(&run.explorer_context); /* fiber_main comes back here once */
	if (!is_made) {
		is_made = true;
		setcontext(&fiber->context);
	}
	run.current = before;
}

static void start(int thread, void (*body)(void *), void *argument)
{
	make_stack(thread);
	run.fibers[thread].body = body;
	run.fibers[thread].argument = argument;
	run.fibers[thread].state = FIBER_FRESH;
	run.fibers[thread].was_forced = false;
	run.fibers[thread].priority = PRIORITY_CHANGES + skuai_rng_below(&run.rng, 1000);
}

void mc_start(void (*body)(void *), void *argument)
{
	if (run.current != 0)
		run_error("mc_start: only thread 0 starts threads");
	if (run.thread_count == MC_THREADS_MAX)
		run_limit("the case is too large: more than %d threads", MC_THREADS_MAX);
	mem_thread_start(0, run.thread_count);
	start(run.thread_count++, body, argument);
}

void mc_join(void)
{
	if (run.current != 0)
		run_error("mc_join: only thread 0 joins");
	run.fibers[0].state = FIBER_JOINING;
	schedule();
	run.fibers[0].state = FIBER_READY;
	for (int i = 1; i < run.thread_count; i++)
		mem_thread_join(0, i);
	run.joined_count = run.thread_count;
}

/* --- what the world asks --- */

int run_self(void)
{
	return run.current;
}

int run_thread_count(void)
{
	return run.thread_count;
}

bool run_is_concurrent(void)
{
	return run.thread_count > run.joined_count;
}

const struct mc_case *run_current(void)
{
	return run.mc;
}

static bool take(unsigned *left)
{
	if (*left == 0 || run_choose(2) == 0)
		return false;
	--*left;
	return true;
}

bool run_take_spurious(void)
{
	return take(&run.spurious_left);
}

bool run_take_failed_alloc(void)
{
	return take(&run.failed_allocs_left);
}

/* --- the search --- */

static void thread_zero(void *unused)
{
	(void)unused;
	run.mc->body();
}

static enum ending run_once(void)
{
	/* Fibers come back by _longjmp with how it ended. */
	enum ending ending = (enum ending)_setjmp(run.explorer);

	if (ending != ENDING_NONE)
		return ending;
	mem_reset();
	run.trail_at = run.steps = 0;
	run.thread_count = run.joined_count = 1;
	run.preemptions = (unsigned)run.mc->preemptions;
	run.spurious_left = run.mc->spurious;
	run.timeouts_left = run.mc->timeouts ? run.mc->timeouts : TIMEOUTS_USUAL;
	run.failed_allocs_left = run.mc->failed_allocs;
	run.is_by_priority = run.is_random && skuai_rng_below(&run.rng, 2);
	for (int i = 0; i < PRIORITY_CHANGES; i++)
		run.change_at[i] = 1 + skuai_rng_below(&run.rng, 60);
	start(0, thread_zero, NULL);
	resume(0);
}

static void search(const struct run_limits *limits)
{
	uint64_t most = run.mc->random ? run.mc->random : limits->executions;

	for (uint64_t count = 1;; count++) {
		if (run.is_random)
			run.trail_length = 0;
		enum ending ending = run_once();
		if (ending == ENDING_RESTART) {
			if (!run.is_replay)
				run.trail_length = 0;
			seen_clear(&run.states);
			seen_clear(&run.graphs);
			run.result.executions = run.result.cut = 0;
			count = 0; /* those did not count */
			continue;
		}
		run.result.executions += ending == ENDING_WHOLE;
		run.result.cut += ending == ENDING_CUT;
		if (ending == ENDING_WHOLE)
			seen_add(&run.graphs, mem_graph());
		if (ending == ENDING_ERROR || run.is_replay)
			return;
		run.result.states = run.states.count;
		run.result.graphs = run.graphs.count;
		if (limits->tick && count % 65536 == 0)
			limits->tick(&run.result);
		if (!run.is_random && !backtrack()) {
			run.result.is_complete = run.mc->preemptions == 0;
			return;
		}
		if (most && count >= most)
			return;
	}
}

struct run_result run_case(const struct mc_case *mc, const struct run_limits *limits)
{
	run.mc = mc;
	run.result = (struct run_result){ 0 };
	run.rng.state = limits->seed;
	run.is_random = mc->random != 0 && !limits->replay;
	run.is_replay = limits->replay != NULL;
	run.trail_length = 0;
	facts_reset(); /* a replay goes by what the search had learnt: its text says it */
	if (limits->replay && !read_trail(limits->replay)) {
		snprintf(run.result.error, sizeof(run.result.error),
			 "the replay text is not a trail");
		return run.result;
	}
	search(limits);
	run.result.states = run.states.count;
	run.result.graphs = run.graphs.count;
	seen_clear(&run.states);
	seen_clear(&run.graphs);
	return run.result;
}
