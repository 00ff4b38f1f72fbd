/* SPDX-License-Identifier: MIT */
/* 10_graph.c — a task graph: edges from what tasks read and write, a loop, run again and again */
#include <skua/skua.h>
#include <stdio.h>
#include <string.h>

#define BLOCKS 16
#define CELLS  256 /* of a block */
#define ROD    (BLOCKS * CELLS)

/* Heat on a rod: the mean of each cell's neighbours, from one array to the other and back. */
static double rod[2][ROD];

struct sweep {
	unsigned from, block; /* array to read, block to write in the other */
};

static int smooth(struct skua_slot *skua_here, void *argument)
{
	const struct sweep *sweep = argument;
	const double *old = rod[sweep->from];
	double *new = rod[!sweep->from];

	(void)skua_here;
	for (unsigned i = sweep->block * CELLS; i < (sweep->block + 1) * CELLS; i++)
		new[i] = i == 0 || i == ROD - 1 ? old[i] : (old[i - 1] + old[i + 1]) / 2;
	return 0; /* anything else would stop the run, and come back from it */
}

static int start(struct skua_slot *skua_here, void *argument)
{
	(void)skua_here;
	*(unsigned *)argument = 0;
	return 0;
}

static int begin(struct skua_slot *skua_here, void *argument)
{
	(void)skua_here;
	++*(unsigned *)argument;
	return 0;
}

/* Which edge to take: 0 the first one, once more; 1 the second, done. */
static int is_settled(struct skua_slot *skua_here, void *argument)
{
	double most = 0;

	(void)skua_here, (void)argument;
	for (unsigned i = 0; i < ROD; i++) {
		double change = rod[0][i] - rod[1][i];
		most = change > most ? change : -change > most ? -change : most;
	}
	return most < 0.05;
}

/* start -> begin -> 16 tasks -> 16 tasks -> settled? -> begin again, or the end */
static int build(struct skua_graph *graph, struct sweep sweeps[2][BLOCKS], unsigned *rounds)
{
	skua_node in, first, settled, task[2][BLOCKS];
	int error = skua_graph_task(graph, &in, start, rounds, "start");

	error = error ? error : skua_graph_task(graph, &first, begin, rounds, "begin");
	error = error ? error : skua_graph_edge(graph, in, first); /* the way into the loop */
	error = error ? error : skua_graph_condition(graph, &settled, is_settled, NULL, "settled?");
	for (unsigned s = 0; s < 2; s++)
		for (unsigned b = 0; b < BLOCKS && !error; b++) {
			sweeps[s][b] = (struct sweep){ s, b };
			error = skua_graph_task(graph, &task[s][b], smooth, &sweeps[s][b], NULL);
			/* Who waits for whom: the blocks it reads, and the one it writes. */
			for (unsigned k = b ? b - 1 : 0; k <= b + 1 && k < BLOCKS && !error; k++)
				error = skua_graph_touch(graph, task[s][b], &rod[s][k * CELLS],
							 SKUA_READS);
			if (!error)
				error = skua_graph_touch(graph, task[s][b], &rod[!s][b * CELLS],
							 SKUA_WRITES);
		}
	for (unsigned b = 0; b < BLOCKS && !error; b++) {
		error = skua_graph_edge(graph, first, task[0][b]);
		error = error ? error : skua_graph_edge(graph, task[1][b], settled);
	}
	return error ? error : skua_graph_edge(graph, settled, first);
}

int main(int count, char **words)
{
	static double serial[2][ROD];
	struct sweep sweeps[2][BLOCKS];
	struct skua_graph *graph = NULL;
	unsigned rounds, right = 0;
	int error = skua_graph_open(&graph, NULL);

	error = error ? error : build(graph, sweeps, &rounds);
	if (!error && count > 1 && strcmp(words[1], "--dot") == 0)
		error = skua_graph_dot(graph, stdout); /* a picture: 10_graph --dot | dot -Tsvg */
	for (unsigned run = 0; run < 3 && !error; run++) { /* built once, run three times */
		memset(rod, 0, sizeof(rod));
		rod[0][0] = rod[1][0] = 100 * (run + 1);
		memcpy(serial, rod, sizeof(serial));
		error = skua_graph_run(graph, SKUA_FOREVER);
		for (unsigned s = 0; s < 2 * rounds; s++)
			for (unsigned i = 1; i < ROD - 1; i++)
				serial[!(s % 2)][i] =
					(serial[s % 2][i - 1] + serial[s % 2][i + 1]) / 2;
		right += rounds > 0 && memcmp(rod, serial, sizeof(rod)) == 0;
		fprintf(stderr, "run %u settled after %u rounds\n", run + 1, rounds);
	}
	if (error)
		fprintf(stderr, "10_graph: %s\n", skua_strerror(error));
	skua_graph_close(graph);
	skua_pool_close(NULL, SKUA_CLOSE_DRAIN);
	return right == 3 ? 0 : 1;
}
