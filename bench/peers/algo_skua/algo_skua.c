/* SPDX-License-Identifier: MIT */
/* algo_skua.c — what `skua bench algo` and `loops` time, run as the programs of its peers are */
#include "../algo_peer.h"

#include "../../work/algo_run.h"

#include <skua/fork.h>
#include <skua/pool.h>
#include <skua/skua.h>

static struct skua_pool *pool;
static unsigned workers;

static void stop(int error)
{
	fprintf(stderr, "algo_skua: %s\n", skua_strerror(error));
	exit(3);
}

SKUA_TASK(int, work_algo_case, struct algo_data *, data)
{
	return algo_run(skua_here, data);
}

SKUA_TASK(int, work_loops_shape, struct loops_data *, data)
{
	return loops_run(skua_here, data);
}

static void run_algo(struct algo_data *data)
{
	int error = skua_run(pool, work_algo_case, data);

	if (error)
		stop(error);
}

static void run_loops(struct loops_data *data)
{
	int error = skua_run(pool, work_loops_shape, data);

	if (error)
		stop(error);
}

static void run_threads(struct algo_data *data)
{
	if (!algo_run_threads(data, workers))
		stop(SKUA_EAGAIN);
}

#define OF_SKUA(name, role, n, in, out, group)	{ ALGO_##name, "skua", run_algo },
#define OF_PLAIN(name, role, n, in, out, group) { ALGO_##name, "plain C", algo_plain },

static const struct peer_algo algo[] = { ALGO_CASES(OF_SKUA){ ALGO_COUNT, NULL, NULL } };
static const struct peer_algo algo_serial[] = { ALGO_CASES(OF_PLAIN){ ALGO_COUNT, NULL, NULL } };
static const struct peer_algo algo_threads[] = {
	{ ALGO_reduce, "plain C on plain threads", run_threads },
	{ ALGO_COUNT, NULL, NULL },
};

static const struct peer_loops loops[] = { { "", "skua_for", run_loops }, { NULL, NULL, NULL } };
static const struct peer_loops loops_serial[] = { { "", "plain C", loops_plain },
						  { NULL, NULL, NULL } };
static const struct peer_loops loops_threads[] = { { NULL, NULL, NULL } };

int main(int argc, char **argv)
{
	struct peer_options options = peer_parse(argc, argv);
	struct skua_pool_options wanted = { .size = sizeof(wanted),
					    .workers = (int)options.workers };
	const struct peer peers[] = {
		{ "skua", skua_version_text(), algo, loops },
		{ "serial", skua_version_text(), algo_serial, loops_serial },
		{ "threads", skua_version_text(), algo_threads, loops_threads },
	};
	int error = skua_pool_open(&pool, &wanted);

	if (error)
		stop(error);
	workers = (unsigned)options.workers;
	int status = peer_run(peers, 3, &options);
	skua_pool_close(pool, SKUA_CLOSE_DRAIN);
	return status;
}
