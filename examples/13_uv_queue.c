/* SPDX-License-Identifier: MIT */
/* 13_uv_queue.c — uv_queue_work on a pool: work on workers, its end on the loop; needs libuv */
#include <skua/executor.h>
#include <skua/skua.h>
#include <stdio.h>
#include <uv.h>

/*
 * libuv runs uv_queue_work on four threads of its own.  The same pattern on a lent executor: post
 * the work; the worker lists it as done and calls uv_async_send, the one call of libuv that any
 * thread may make; the loop then calls `after` for all that are listed, for several sends may be
 * one wake-up.
 */
struct lent_queue {
	struct skua_executor executor;
	uv_async_t async;
	uv_mutex_t lock;
	struct lent_work *done; /* under the lock */
	size_t pending;		/* the loop's: not yet after */
};

struct lent_work {
	void (*work)(struct lent_work *);  /* on a worker */
	void (*after)(struct lent_work *); /* on the loop's thread */
	struct lent_queue *queue;
	struct lent_work *next;
};

static void call_after(uv_async_t *async)
{
	struct lent_queue *queue = async->data;

	uv_mutex_lock(&queue->lock);
	struct lent_work *done = queue->done;
	queue->done = NULL;
	uv_mutex_unlock(&queue->lock);
	while (done) {
		struct lent_work *work = done;
		done = work->next; /* first: after may free it, or queue it again */
		queue->pending--;
		work->after(work);
	}
	if (queue->pending == 0)
		uv_unref((uv_handle_t *)async); /* nothing to come: the loop may end */
}

static void run_work(void *argument)
{
	struct lent_work *work = argument;
	struct lent_queue *queue = work->queue;

	work->work(work);
	uv_mutex_lock(&queue->lock);
	work->next = queue->done;
	queue->done = work;
	uv_async_send(&queue->async); /* inside: the loop closes the handle after it had the lock */
	uv_mutex_unlock(&queue->lock);
}

/* From the loop's thread, as uv_queue_work.  0, or negative: neither function will be called. */
static int lent_queue_work(struct lent_queue *queue, struct lent_work *work)
{
	work->queue = queue;
	int error = queue->executor.post(queue->executor.self, run_work, work);
	if (!error && queue->pending++ == 0)
		uv_ref((uv_handle_t *)&queue->async);
	return error;
}

/* --- a program that uses it: chains of steps, each queued by the end of the one before --- */

#define CHAINS 20
#define STEPS  50

struct chain {
	struct lent_work work; /* first: a pointer to it is one to the chain */
	uint64_t value;
	unsigned steps;
	bool is_failed;
	uv_thread_t loop_thread;
};

static void next_value(struct lent_work *work)
{
	struct chain *chain = (struct chain *)work;

	for (unsigned i = 0; i < 1000; i++)
		chain->value = chain->value * 6364136223846793005u + 1442695040888963407u;
}

static void next_step(struct lent_work *work)
{
	struct chain *chain = (struct chain *)work;
	uv_thread_t here = uv_thread_self();

	chain->is_failed |= !uv_thread_equal(&here, &chain->loop_thread);
	if (++chain->steps < STEPS)
		chain->is_failed |= lent_queue_work(work->queue, work) != SKUA_OK;
}

int main(void)
{
	static struct chain chains[CHAINS];
	struct lent_queue queue = { .executor = skua_pool_executor(NULL) };
	uv_loop_t *loop = uv_default_loop();
	unsigned right = 0;

	if (!loop || uv_mutex_init(&queue.lock) || uv_async_init(loop, &queue.async, call_after)) {
		fprintf(stderr, "13_uv_queue: no loop\n");
		return 1;
	}
	queue.async.data = &queue;
	uv_unref((uv_handle_t *)&queue.async);
	for (unsigned i = 0; i < CHAINS; i++) {
		chains[i] = (struct chain){ .work = { .work = next_value, .after = next_step },
					    .value = i,
					    .loop_thread = uv_thread_self() };
		chains[i].is_failed = lent_queue_work(&queue, &chains[i].work) != SKUA_OK;
	}
	uv_run(loop, UV_RUN_DEFAULT); /* until nothing is pending */
	for (unsigned i = 0; i < CHAINS; i++) {
		struct chain alone = { .value = i };
		for (unsigned step = 0; step < STEPS; step++)
			next_value(&alone.work);
		right += !chains[i].is_failed && chains[i].steps == STEPS &&
			 chains[i].value == alone.value;
	}
	uv_close((uv_handle_t *)&queue.async, NULL);
	uv_run(loop, UV_RUN_DEFAULT); /* the closing itself */
	uv_mutex_destroy(&queue.lock);
	uv_loop_close(loop);
	printf("libuv %s, %u workers: %u of %d chains right\n", uv_version_string(),
	       queue.executor.width(queue.executor.self), right, CHAINS);
	return right == CHAINS ? 0 : 1;
}
