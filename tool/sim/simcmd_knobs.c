/* SPDX-License-Identifier: MIT */
/* simcmd_knobs.c — costs, topology, victims and workers' handicaps, as people write them */
#include "args.h"
#include "sim/simcmd.h"
#include "text.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIST_MAX 4096 /* speeds, stalls; arbitrary */

/*
 * Nanoseconds, round figures of a machine of today: what one that is at hand takes is found out
 * with skua bench and --costs.  The queue is what a lock that is handed from core to core takes.
 */
void simcmd_usual_costs(struct sim_config *config)
{
	config->costs = (struct sim_costs){
		.push = 2, .pop = 2, .join = 1, .queue = 100, .wake = 5000, .park = 2000
	};
	for (unsigned i = 0; i < SIM_LEVELS; i++) {
		config->costs.steal[i] = 200;
		config->costs.fail[i] = 50;
	}
	config->topology = (struct sim_topology){ .levels = 1 };
}

/* --- --cost=steal=40/80,push=2 --- */

static const struct cost_word {
	const char *name;
	size_t offset;
	bool is_by_level;
} cost_words[] = {
	{ "push", offsetof(struct sim_costs, push), false },
	{ "pop", offsetof(struct sim_costs, pop), false },
	{ "join", offsetof(struct sim_costs, join), false },
	{ "steal", offsetof(struct sim_costs, steal), true },
	{ "fail", offsetof(struct sim_costs, fail), true },
	{ "serve", offsetof(struct sim_costs, serve), false },
	{ "queue", offsetof(struct sim_costs, queue), false },
	{ "wake", offsetof(struct sim_costs, wake), false },
	{ "park", offsetof(struct sim_costs, park), false },
	{ "message", offsetof(struct sim_costs, message), false },
};

#define COST_WORD_COUNT (sizeof(cost_words) / sizeof(*cost_words))

static int cost_unknown(const struct call *call, const char *word, const char *name)
{
	struct nearest nearest = { .word = name };
	char hint[120] = "expected push, pop, join, steal, fail, serve, queue, wake, park, message";

	for (unsigned i = 0; i < COST_WORD_COUNT; i++)
		nearest_offer(&nearest, cost_words[i].name);
	if (nearest.best)
		snprintf(hint, sizeof(hint), "did you mean %s?", nearest.best);
	return args_blame(call, word, hint, "there is no cost '%s'", text_clean(name, 60).s);
}

/* "40/80/200": for each level one; the last is that of all further ones too. */
static bool read_levels(const char *value, size_t length, const struct cost_word *cost,
			struct sim_costs *costs)
{
	uint64_t *to = (uint64_t *)(void *)((char *)costs + cost->offset);
	unsigned level = 0;

	for (const char *at = value, *end = value + length; at <= end;) {
		const char *slash = memchr(at, '/', (size_t)(end - at));
		size_t part = (size_t)((slash ? slash : end) - at);
		uint64_t number;

		if (level == (cost->is_by_level ? SIM_LEVELS : 1) ||
		    !simcmd_number(at, part, SIM_TICKS_MAX, &number))
			return false;
		for (unsigned i = level; i < (cost->is_by_level ? SIM_LEVELS : 1); i++)
			to[i] = number;
		level++;
		at += part + 1;
	}
	return true;
}

int simcmd_read_costs(const struct call *call, const char *word, struct sim_config *config)
{
	for (const char *at = word; at;) {
		size_t length = strcspn(at, ","), name_length = strcspn(at, "=,");
		const struct cost_word *cost = NULL;
		char name[32];

		snprintf(name, sizeof(name), "%.*s", (int)(name_length < 31 ? name_length : 31),
			 at);
		for (unsigned i = 0; i < COST_WORD_COUNT; i++) {
			if (strcmp(cost_words[i].name, name) == 0)
				cost = &cost_words[i];
		}
		if (!cost)
			return cost_unknown(call, word, name);
		if (name_length == length)
			return args_blame(call, word, "write it as steal=200",
					  "the cost %s has no value", name);
		const char *value = at + name_length + 1;
		if (*value == '-')
			return args_blame(call, word, "a cost is 0 ticks or more",
					  "the cost %s is negative", name);
		if (!read_levels(value, length - name_length - 1, cost, &config->costs))
			return args_blame(call, word,
					  cost->is_by_level
						  ? "expected whole numbers of ticks up to 2^48, "
						    "by distance: 40/80/200"
						  : "expected a whole number of ticks up to 2^48",
					  "the cost %s is not one", name);
		at = at[length] ? at + length + 1 : NULL;
	}
	return ARGS_GO;
}

/* --- --topology, --latency --- */

static const struct topology_word {
	const char *name;
	struct sim_topology topology;
	uint64_t steal[SIM_LEVELS];
} topologies[] = {
	{ "flat", { .levels = 1 }, { 200 } },
	/* hardware threads, a cache, a node, all */
	{ "machine", { .levels = 4, .group = { 2, 8, 64, 0 } }, { 100, 150, 250, 400 } },
	/* a cache, a host, all hosts */
	{ "cluster",
	  { .levels = 3, .group = { 8, 64, 0 }, .latency = { 0, 0, 2000 } },
	  { 150, 250, 250 } },
};

#define TOPOLOGY_COUNT (sizeof(topologies) / sizeof(*topologies))

/* "8:0,64:100,all:2000": groups from the inside out, and a message's time in each. */
static bool read_groups(const char *word, struct sim_topology *topology)
{
	struct sim_topology read = { 0 };

	for (const char *at = word; at;) {
		size_t length = strcspn(at, ","), name = strcspn(at, ":,");
		uint64_t group = 0;
		bool is_all = name == 3 && strncmp(at, "all", 3) == 0;

		if (read.levels == SIM_LEVELS || name == length ||
		    (!is_all && (!simcmd_number(at, name, SIM_WORKERS_MAX, &group) || !group)) ||
		    !simcmd_number(at + name + 1, length - name - 1, SIM_TICKS_MAX,
				   &read.latency[read.levels]))
			return false;
		read.group[read.levels++] = (uint32_t)group;
		if (is_all != !at[length])
			return false;
		at = at[length] ? at + length + 1 : NULL;
	}
	*topology = read;
	return true;
}

static int read_topology_word(const struct call *call, const char *word, struct sim_config *config)
{
	for (unsigned i = 0; i < TOPOLOGY_COUNT; i++) {
		if (strcmp(topologies[i].name, word) != 0)
			continue;
		config->topology = topologies[i].topology;
		for (unsigned level = 0; level < config->topology.levels; level++)
			config->costs.steal[level] = topologies[i].steal[level];
		return ARGS_GO;
	}
	if (read_groups(word, &config->topology))
		return ARGS_GO;
	return args_blame(
		call, word,
		"expected flat, machine, cluster, or groups and ticks: 8:0,64:100,all:2000",
		"there is no topology '%s'", text_clean(word, 60).s);
}

int simcmd_read_topology(const struct call *call, const struct simcmd_options *options,
			 struct sim_config *config)
{
	const char *latency = options->latency;
	uint64_t ticks;
	int status = ARGS_GO;

	if (options->topology)
		status = read_topology_word(call, options->topology, config);
	if (status != ARGS_GO || !latency)
		return status;
	if (*latency == '-' || !simcmd_number(latency, strlen(latency), SIM_TICKS_MAX, &ticks))
		return args_blame(call, latency, "expected a whole number of ticks, 0..2^48",
				  "--latency=%s is out of range", text_clean(latency, 40).s);
	config->topology.latency[config->topology.levels - 1] = ticks;
	return ARGS_GO;
}

/* --- the rest --- */

static int read_victim(const struct call *call, const char *word, struct sim_config *config)
{
	struct nearest nearest = { .word = word };
	char hint[96] = "'skua sim --list' names them";

	for (unsigned i = 0; sim_victim_name(i); i++) {
		nearest_offer(&nearest, sim_victim_name(i));
		if (strcmp(sim_victim_name(i), word) == 0) {
			config->victim = (enum sim_victim)i;
			return ARGS_GO;
		}
	}
	if (nearest.best)
		snprintf(hint, sizeof(hint), "did you mean %s?", nearest.best);
	return args_blame(call, word, hint, "there is no choice of victims '%s'",
			  text_clean(word, 60).s);
}

/* "one", "half", or a fraction. */
static int read_amount(const struct call *call, const char *word, struct sim_config *config)
{
	uint64_t part;

	if (strcmp(word, "one") == 0) {
		config->amount = SIM_AMOUNT_ONE;
	} else if (strcmp(word, "half") == 0) {
		config->amount = SIM_AMOUNT_HALF;
	} else if (simcmd_fraction(word, strlen(word), 1024, 1023, &part) && part) {
		config->amount = SIM_AMOUNT_PART;
		config->part = (uint32_t)part;
	} else {
		return args_blame(call, word, "expected one, half, or a part such as 0.25",
				  "--amount=%s is none", text_clean(word, 40).s);
	}
	return ARGS_GO;
}

/* "2" or "2,3": tries before, and how many lines. */
static int read_lifelines(const struct call *call, const char *word, struct sim_config *config)
{
	size_t length = strcspn(word, ",");
	uint64_t tries, lines = 0;

	if (!simcmd_number(word, length, 1000000, &tries) || !tries ||
	    (word[length] &&
	     (!simcmd_number(word + length + 1, strlen(word + length + 1), SIM_LIFELINES, &lines) ||
	      !lines)))
		return args_blame(call, word, "expected tries, or tries and lines: 2 or 2,10",
				  "--lifelines=%s is out of range", text_clean(word, 40).s);
	config->lifeline_tries = (uint32_t)tries;
	config->lifelines = (uint32_t)lines;
	return ARGS_GO;
}

/* "1,1,0.5": worker i has the i-th, and so on from the beginning. */
static int read_speeds(const struct call *call, const char *word, struct simcmd_plan *plan)
{
	uint32_t count = 0;

	plan->speeds = malloc(LIST_MAX * sizeof(*plan->speeds));
	if (!plan->speeds)
		return simcmd_no_memory();
	for (const char *at = word; at;) {
		size_t length = strcspn(at, ",");
		uint64_t speed;

		if (count == LIST_MAX || !simcmd_fraction(at, length, 1024, 1 << 20, &speed) ||
		    !speed)
			return args_blame(call, word, "expected numbers above 0 such as 1,1,0.5",
					  "--speeds=%s has one that is none",
					  text_clean(word, 40).s);
		plan->speeds[count++] = (uint32_t)speed;
		at = at[length] ? at + length + 1 : NULL;
	}
	plan->base.speeds = plan->speeds;
	plan->base.speed_count = count;
	return ARGS_GO;
}

/* "3@1000+500/2000": FIRST[-LAST]@BEGIN+LENGTH[/PERIOD]. */
static bool read_stall_one(const char *word, size_t length, struct sim_stall *stall)
{
	const char *end = word + length, *at = memchr(word, '@', length);
	const char *plus = at ? memchr(at, '+', (size_t)(end - at)) : NULL;
	const char *slash = plus ? memchr(plus, '/', (size_t)(end - plus)) : NULL;
	const char *dash = at ? memchr(word, '-', (size_t)(at - word)) : NULL;
	uint64_t first, last;

	if (!plus ||
	    !simcmd_number(word, (size_t)((dash ? dash : at) - word), UINT32_MAX - 1, &first))
		return false;
	last = first;
	if (dash && !simcmd_number(dash + 1, (size_t)(at - dash - 1), UINT32_MAX - 1, &last))
		return false;
	stall->first = (uint32_t)first;
	stall->count = (uint32_t)(last - first + 1);
	return last >= first &&
	       simcmd_number(at + 1, (size_t)(plus - at - 1), SIM_TICKS_MAX, &stall->begin) &&
	       simcmd_number(plus + 1, (size_t)((slash ? slash : end) - plus - 1), SIM_TICKS_MAX,
			     &stall->length) &&
	       (!slash ||
		simcmd_number(slash + 1, (size_t)(end - slash - 1), SIM_TICKS_MAX, &stall->period));
}

static int read_stalls(const struct call *call, const char *word, struct simcmd_plan *plan)
{
	uint32_t count = 0;

	plan->stalls = calloc(LIST_MAX, sizeof(*plan->stalls));
	if (!plan->stalls)
		return simcmd_no_memory();
	for (const char *at = word; at;) {
		size_t length = strcspn(at, ",");

		if (count == LIST_MAX || !read_stall_one(at, length, &plan->stalls[count++]))
			return args_blame(
				call, word,
				"expected FIRST[-LAST]@BEGIN+LENGTH[/PERIOD]: 0-3@1000+500/10000",
				"--stall=%s is none", text_clean(word, 40).s);
		at = at[length] ? at + length + 1 : NULL;
	}
	plan->base.stalls = plan->stalls;
	plan->base.stall_count = count;
	return ARGS_GO;
}

/* "50000/100000" */
static int read_quota(const struct call *call, const char *word, struct sim_config *config)
{
	size_t length = strcspn(word, "/");

	if (!word[length] || !simcmd_number(word, length, SIM_TICKS_MAX, &config->quota) ||
	    !simcmd_number(word + length + 1, strlen(word + length + 1), SIM_TICKS_MAX,
			   &config->quota_period) ||
	    !config->quota || config->quota > config->quota_period)
		return args_blame(call, word, "expected ticks of each period: 50000/100000",
				  "--quota=%s is none", text_clean(word, 40).s);
	return ARGS_GO;
}

int simcmd_read_knobs(const struct call *call, const struct simcmd_options *options,
		      struct simcmd_plan *plan)
{
	struct sim_config *config = &plan->base;
	int status = ARGS_GO;

	config->is_urgent_first = options->has_priorities;
	if (options->victim)
		status = read_victim(call, options->victim, config);
	if (status == ARGS_GO && options->amount)
		status = read_amount(call, options->amount, config);
	if (status == ARGS_GO && options->lifelines)
		status = read_lifelines(call, options->lifelines, config);
	if (status == ARGS_GO && options->speeds)
		status = read_speeds(call, options->speeds, plan);
	if (status == ARGS_GO && options->stall)
		status = read_stalls(call, options->stall, plan);
	if (status == ARGS_GO && options->quota)
		status = read_quota(call, options->quota, config);
	if (status == ARGS_GO && options->join) {
		if (strcmp(options->join, "last") != 0 && strcmp(options->join, "owner") != 0)
			return args_blame(call, options->join, "expected last or owner",
					  "--join=%s is none", text_clean(options->join, 40).s);
		config->join = options->join[0] == 'o' ? SIM_JOIN_OWNER : SIM_JOIN_LAST;
	}
	return status;
}
