/* SPDX-License-Identifier: MIT */
/* simcmd_profile.c — a work/span profile as a dag with that work and that span */
#include "sim/simcmd.h"
#include "text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Of a program's shape a profile tells the work, the span and how many forks there were; of all
 * programs that have those, this is the most even one.  A chain of steps as long as the span, and
 * beside each step as many tasks as there is parallelism to spare, none longer than a step.  They
 * may begin with the step beside them, and nobody waits for them but the end.
 */
#define STEPS_MOST 2000	   /* of the chain */
#define NODES_MOST 2000000 /* of all; both arbitrary */

struct profile_text {
	uint64_t work_ns, span_ns, forks;
};

/* "work             12.345 ms  ...": the number behind a label at the beginning of a line. */
static bool find_line(const char *text, const char *label, double *number, char unit[3])
{
	size_t length = strlen(label);

	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		char *end = NULL;
		if (strncmp(line, label, length) != 0 || line[length] != ' ')
			continue;
		*number = strtod(line + length, &end);
		if (end == line + length)
			continue;
		(void)sscanf(end, " %2s", unit); /* none: it is a count */
		return true;
	}
	return false;
}

static bool read_time(const char *text, const char *label, uint64_t *ns)
{
	char unit[3] = "";
	double number = 0, scale;

	if (!find_line(text, label, &number, unit))
		return false;
	scale = strcmp(unit, "s") == 0	  ? 1e9
		: strcmp(unit, "ms") == 0 ? 1e6
		: strcmp(unit, "us") == 0 ? 1e3
					  : 0;
	if (!(number >= 0 && number * scale < 1e17) || scale < 1)
		return false;
	*ns = (uint64_t)(number * scale + 0.5);
	return true;
}

static bool parse(const char *path, const char *text, struct profile_text *profile)
{
	char unit[3] = "";
	double forks = 0;

	if (!read_time(text, "work", &profile->work_ns) ||
	    !read_time(text, "span", &profile->span_ns) || !profile->work_ns || !profile->span_ns) {
		fprintf(stderr,
			"skua sim: %s is no profile: it has no lines with work and span\n"
			"    SKUA_PROFILE=1 SKUA_WORKERS=1 PROGRAM 2>FILE writes one\n",
			text_clean(path, 200).s);
		return false;
	}
	if (profile->span_ns > profile->work_ns)
		profile->span_ns = profile->work_ns;
	profile->forks = find_line(text, "forks", &forks, unit) && forks > 0 && forks < 1e18
				 ? (uint64_t)forks
				 : 0;
	return true;
}

/* A part of a whole that is divided evenly: the i-th of n. */
static uint64_t part_of(uint64_t whole, uint64_t i, uint64_t n)
{
	return whole / n + (i < whole % n);
}

static bool make_dag(const struct profile_text *profile, struct simcmd_plan *plan)
{
	struct simcmd_dag dag = { 0 };
	uint64_t rest = profile->work_ns - profile->span_ns;
	uint64_t beside = (rest + profile->span_ns - 1) / profile->span_ns, steps;

	if (beside > NODES_MOST / 2)
		beside = NODES_MOST /
			 2; /* then each is longer than its step, and the span is, too */
	steps = beside ? profile->forks / beside : 1;
	steps = steps < 1 ? 1 : steps > STEPS_MOST ? STEPS_MOST : steps;
	if (beside && steps > NODES_MOST / beside)
		steps = NODES_MOST / beside;
	if (steps > profile->span_ns)
		steps = profile->span_ns;
	uint32_t step = simcmd_dag_node(&dag, 0);
	for (uint64_t i = 0; i < steps; i++) {
		uint32_t begin = step;
		for (uint64_t k = 0; k < beside; k++)
			simcmd_dag_edge(&dag, begin,
					simcmd_dag_node(&dag, part_of(rest, i * beside + k,
								      steps * beside)));
		step = simcmd_dag_node(&dag, part_of(profile->span_ns, i, steps));
		simcmd_dag_edge(&dag, begin, step);
	}
	return simcmd_dag_finish(&dag, plan);
}

bool simcmd_profile_file(const char *path, struct simcmd_plan *plan)
{
	struct profile_text profile;
	size_t size;
	char *bytes = simcmd_read_file(path, &size);
	char *text = bytes ? malloc(size + 1) : NULL;
	bool is_good = false;

	if (text) {
		memcpy(text, bytes, size);
		for (size_t i = 0; i < size; i++)
			text[i] = text[i] ? text[i] : ' ';
		text[size] = 0;
		is_good = parse(path, text, &profile) && make_dag(&profile, plan);
	} else if (bytes) {
		simcmd_no_memory();
	}
	free(text);
	free(bytes);
	if (!is_good)
		return false;
	plan->base.model = SIM_TASKS;
	plan->load.unit = "ns";
	snprintf(plan->load.name, sizeof(plan->load.name), "profile");
	snprintf(plan->load.about, sizeof(plan->load.about),
		 "even work with the work and the span of a profile");
	return true;
}
