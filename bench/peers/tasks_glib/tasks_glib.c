/* SPDX-License-Identifier: MIT */
/* tasks_glib.c — GLib: an exclusive GThreadPool, fed by one of its threads or from outside */
#include "../tasks_peer.h"

#include <glib.h>

/*
 * GThreadPool has no wait: the last task signals.  A task that waited for another would hold its
 * thread, and with one thread forever, so there is no round trip inside.
 */
struct batch {
	gint left; /* tasks that have not run */
	bool is_done;
	GMutex lock; /* of is_done */
	GCond done;
	long result; /* of a round trip */
};

struct order {
	enum {
		EMPTY,
		SPAWN,
		ANSWER
	} kind;
	long number; /* SPAWN: how many; ANSWER: what to answer */
	struct batch *batch;
};

static GThreadPool *pool;

static void push_all(struct order *task, long n)
{
	for (long i = 0; i < n; i++)
		g_thread_pool_push(pool, task, NULL);
}

static void work(gpointer data, gpointer unused)
{
	static struct order empty; /* of the batch that is spawned inside: one at a time */
	struct order *order = (struct order *)data;
	struct batch *batch = order->batch;

	(void)unused;
	if (order->kind == SPAWN) {
		empty.kind = EMPTY;
		empty.batch = batch;
		push_all(&empty, order->number);
		return;
	}
	if (order->kind == ANSWER)
		batch->result = order->number;
	peer_ran();
	if (g_atomic_int_dec_and_test(&batch->left)) {
		g_mutex_lock(&batch->lock);
		batch->is_done = true;
		g_cond_signal(&batch->done);
		g_mutex_unlock(&batch->lock);
	}
}

static void await(struct batch *batch)
{
	g_mutex_lock(&batch->lock);
	while (!batch->is_done)
		g_cond_wait(&batch->done, &batch->lock);
	g_mutex_unlock(&batch->lock);
}

static double spawn(long n, bool is_inside)
{
	struct batch batch = { .left = (gint)n };
	struct order empty = { EMPTY, 0, &batch }, spawner = { SPAWN, n, &batch };
	double start = peer_clock_ns();

	if (is_inside)
		g_thread_pool_push(pool, &spawner, NULL);
	else
		push_all(&empty, n);
	await(&batch);
	double ns = peer_clock_ns() - start;
	return peer_ran_count() == n ? ns : -1;
}

static double spawn_inside(long n)
{
	return spawn(n, true);
}

static double spawn_outside(long n)
{
	return spawn(n, false);
}

static double round_trip_outside(long n)
{
	long sum = 0;
	double start = peer_clock_ns();

	for (long i = 1; i <= n; i++) {
		struct batch batch = { .left = 1 };
		struct order answer = { ANSWER, i, &batch };
		g_thread_pool_push(pool, &answer, NULL);
		await(&batch);
		sum += batch.result;
	}
	double ns = peer_clock_ns() - start;
	return peer_ran_count() == n && sum == n * (n + 1) / 2 ? ns : -1;
}

int main(int argc, char **argv)
{
	static const struct peer_case cases[] = {
		{ "spawn_inside", "g_thread_pool_push by a thread of the pool, the last signals",
		  spawn_inside, 1 },
		{ "spawn_outside", "g_thread_pool_push, the last signals", spawn_outside, 1 },
		{ "round_trip_outside", "g_thread_pool_push and g_cond_wait", round_trip_outside,
		  10 },
	};
	struct peer_options options = peer_parse(argc, argv);
	char version[32];

	pool = g_thread_pool_new(work, NULL, (gint)options.workers, TRUE, NULL);
	if (!pool || options.tasks > G_MAXINT)
		return 3;
	snprintf(version, sizeof(version), "%u.%u.%u", glib_major_version, glib_minor_version,
		 glib_micro_version);
	int status = peer_run("GLib", version, &options, cases, sizeof(cases) / sizeof(cases[0]));
	g_thread_pool_free(pool, FALSE, TRUE);
	return status;
}
