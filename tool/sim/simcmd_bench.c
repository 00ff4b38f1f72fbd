/* SPDX-License-Identifier: MIT */
/* simcmd_bench.c — a run of `skua bench --json`: its times, and the costs it tells */
#include "json_read.h"
#include "sim/simcmd.h"
#include "text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SCHEMA "skua-bench-1"

static bool refuse_at(const struct simcmd_bench *bench, size_t at, const char *why)
{
	struct json_place place = json_place(bench->bytes, bench->size, at);

	fprintf(stderr,
		"skua sim: %s:%u:%u: %s\n"
		"    it should be what 'skua bench --json >FILE' wrote\n",
		text_clean(bench->file, 200).s, place.line, place.column, why);
	return false;
}

static const char *text_of(const struct json_node *object, const char *key)
{
	const struct json_node *node = json_find(object, key);

	return node && node->kind == JSON_TEXT ? node->text : NULL;
}

bool simcmd_bench_read(struct simcmd_bench *bench, const char *file)
{
	struct json_tree *tree = calloc(1, sizeof(*tree));
	struct json_fault fault = { 0 };
	bool is_good = false;

	*bench = (struct simcmd_bench){ .file = file };
	if (!tree) {
		simcmd_no_memory();
		return false;
	}
	bench->bytes = simcmd_read_file(file, &bench->size);
	if (!bench->bytes) {
		free(tree);
		return false;
	}
	if (!json_tree_read(tree, bench->bytes, bench->size, &fault)) {
		refuse_at(bench, fault.at, fault.what);
		free(tree);
		simcmd_bench_drop(bench);
		return false;
	}
	bench->tree = tree;
	const char *schema = text_of(tree->root, "schema");
	bench->kernels = json_find(tree->root, "kernels");
	if (!schema || strcmp(schema, SCHEMA) != 0)
		refuse_at(bench, tree->root->at, "its schema is not " SCHEMA);
	else if (!bench->kernels || bench->kernels->kind != JSON_ARRAY)
		refuse_at(bench, tree->root->at, "it has no array of kernels");
	else
		is_good = true;
	if (!is_good)
		simcmd_bench_drop(bench);
	return is_good;
}

void simcmd_bench_drop(struct simcmd_bench *bench)
{
	if (bench->tree)
		json_tree_drop(bench->tree);
	free(bench->tree);
	free(bench->bytes);
	*bench = (struct simcmd_bench){ 0 };
}

double simcmd_bench_number(const struct json_node *row, const char *key)
{
	const struct json_node *node = row ? json_find(row, key) : NULL;

	return node && node->kind == JSON_NUMBER ? node->number : 0;
}

bool simcmd_bench_is(const struct json_node *row, const char *name, const char *problem,
		     unsigned workers)
{
	const char *own_name = text_of(row, "name"), *own = text_of(row, "problem");

	return own_name && strcmp(own_name, name) == 0 &&
	       (!problem || (own && strcmp(own, problem) == 0)) &&
	       (!workers || (unsigned)simcmd_bench_number(row, "workers") == workers);
}

const struct json_node *simcmd_bench_row(const struct simcmd_bench *bench, const char *name,
					 const char *problem, unsigned workers)
{
	for (const struct json_node *row = bench->kernels->first; row; row = row->next) {
		if (simcmd_bench_is(row, name, problem, workers))
			return row;
	}
	return NULL;
}

double simcmd_bench_figure(const struct json_node *row, const char *name, const char *variant)
{
	const struct json_node *figures = row ? json_find(row, "figures") : NULL;

	if (!figures || figures->kind != JSON_ARRAY)
		return 0;
	for (const struct json_node *figure = figures->first; figure; figure = figure->next) {
		const char *own = text_of(figure, "name"), *of = text_of(figure, "variant");
		double ns = simcmd_bench_number(figure, "median_ns");

		if (own && of && strcmp(own, name) == 0 && strcmp(of, variant) == 0 && ns > 0)
			return ns;
	}
	return 0;
}

/*
 * Of the deque: the asymmetric one, as the pool has it; else the portable one.  With one thread
 * there is no theft from an owner at work, so any number of them will do.
 */
static double of_deque(const struct simcmd_bench *bench, const char *name)
{
	double ns = 0;

	for (const struct json_node *row = bench->kernels->first; row && ns <= 0; row = row->next) {
		if (!simcmd_bench_is(row, "deque", NULL, 0))
			continue;
		ns = simcmd_bench_figure(row, name, "asymmetric");
		if (ns <= 0)
			ns = simcmd_bench_figure(row, name, "portable");
	}
	return ns;
}

/* What a fork and its join cost more than a call, for each call of fib; 0: not known. */
static double of_fork(const struct simcmd_bench *bench)
{
	const struct json_node *row = simcmd_bench_row(bench, "fib", NULL, 1);
	double tasks = simcmd_bench_number(row, "tasks"),
	       rounds = simcmd_bench_number(row, "rounds");
	double calls = simcmd_bench_figure(row, "two_calls", "serial");
	double own = 1e9 * simcmd_bench_number(row, "seconds");

	return tasks > 0 && rounds > 0 && calls > 0 && own > calls
		       ? (own - calls) / (tasks / rounds)
		       : 0;
}

/* A cost that is known takes the place of the usual one. */
static void put(uint64_t *cost, double ns, double ticks)
{
	if (ns > 0 && ns * ticks < (double)SIM_TICKS_MAX)
		*cost = (uint64_t)(ns * ticks + 0.5);
}

void simcmd_bench_costs(const struct simcmd_bench *bench, double ticks, struct sim_costs *costs)
{
	double fork = of_fork(bench), pair = of_deque(bench, "pair");
	const struct json_node *latency = simcmd_bench_row(bench, "latency", NULL, 0);
	/*
	 * A fork is handed over by its owner, who was asked: as long as a job takes to a worker
	 * that looks for one.  A theft from a deque whose owner is not asked is thirty times that.
	 */
	double handed = simcmd_bench_figure(latency, "searching_p50", "skua");
	double steal = handed > 0 ? handed : of_deque(bench, "steal_busy");
	double empty = of_deque(bench, "steal_empty");

	put(&costs->push, fork > 0 ? 0.5 * fork : 0.5 * pair, ticks);
	put(&costs->pop, fork > 0 ? 0.25 * fork : 0.5 * pair, ticks);
	put(&costs->join, 0.25 * fork, ticks);
	put(&costs->wake, simcmd_bench_figure(latency, "parked_p50", "skua"), ticks);
	for (unsigned i = 0; i < SIM_LEVELS; i++) {
		put(&costs->steal[i], steal, ticks);
		put(&costs->fail[i], empty, ticks);
	}
}
