/* SPDX-License-Identifier: MIT */
/* cmd_tour.c — `skua tour`: the machine, workers and thieves, the next steps, on one screen */
#include "args.h"
#include "output.h"
#include "report.h"
#include "tour/deque_show.h"
#include "tour/page_show.h"
#include "tour/picture.h"
#include "tour/pool_show.h"
#include "tour/scan_show.h"
#include "words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PROGRAM_COLUMNS 56 /* "  SKUA_WORKERS=1 " and " tour" fit beside it */

struct tour_options {
	const char *root;
};

static void show_machine(const struct skua_machine *machine)
{
	unsigned allowed = machine->cpus_allowed;
	char some[80] = "";

	if (machine->cpus_online > allowed)
		snprintf(some, sizeof(some), "; this process may use %u of its %u CPUs", allowed,
			 machine->cpus_online);
	report_text(0, "This is the machine it sees (%s%s%s)%s:",
		    machine->cpu_model[0] ? text_clean(machine->cpu_model, 48).s : "",
		    machine->cpu_model[0] ? ", " : "", text_clean(machine->arch, 16).s, some);
	picture_draw(machine);
}

static void show_workers(const struct skua_machine *machine)
{
	report_text(0,
		    "A worker is a thread that runs tasks.  One that has run out takes some from "
		    "another, as a skua takes fish from other birds: that is work stealing.");
	report_text(0, "Here skua starts %u worker%s: %s.", machine->workers,
		    words_plural(machine->workers), words_why(machine).s);
	if (machine->workers_env_ignored)
		report_text(0, "SKUA_WORKERS was ignored: it is not a whole number, 1..%u.",
			    (unsigned)SKUA_WORKERS_MAX);
	if (machine->unreadable)
		report_text(0, "Some of this could not be read: 'skua doctor' says what.");
}

/* Can the path this command was started with be shown, and typed again, as it stands? */
static bool is_plain_path(const char *program)
{
	return program && strchr(program, '/') && strlen(program) <= PROGRAM_COLUMNS &&
	       !strpbrk(program, " '\"$&|;<>()*?[]{}#~`!\\") &&
	       strcmp(text_clean(program, 0).s, program) == 0;
}

/* The steps are aligned, and explained as far as there is room for it. */
static void show_step(const char *step, const char *role, size_t columns)
{
	bool has_room = columns + 4 + strlen("every detail of this report") <= report_width();

	out("  %s%-*s%s%s%s\n", report_paint(stdout, PAINT_LABEL), has_room ? (int)columns : 0,
	    step, report_paint(stdout, PAINT_PLAIN), has_room ? "  " : "", has_room ? role : "");
}

/* With the page's line below there is room for two. */
static void show_steps(const char *program, bool is_short)
{
	char step[PROGRAM_COLUMNS + 32];
	bool is_path = is_plain_path(program);

	if (!is_path)
		program = "skua"; /* installed, then, and found by name */
	size_t columns = strlen("SKUA_WORKERS=1  tour") + strlen(program);

	report_title("Next");
	snprintf(step, sizeof(step), "%s doctor", program);
	if (!is_short)
		show_step(step, "every detail of this report", columns);
	snprintf(step, sizeof(step), "%.*s/examples/02_fork_join",
		 is_path ? (int)(strrchr(program, '/') - program) : 0, program);
	if (is_path && access(step, X_OK) == 0) {
		show_step(step, "fork and join in your own C", columns);
	} else {
		snprintf(step, sizeof(step), "SKUA_WORKERS=1 %s tour", program);
		show_step(step, "ask for one worker", columns);
	}
	snprintf(step, sizeof(step), "%s help", program);
	show_step(step, "all commands", columns);
}

static int tour_run(struct call *call)
{
	struct tour_options options = { 0 };
	struct skua_machine machine;
	struct page_place place = { 0 };
	int status = args_parse(call, &options);

	if (status == ARGS_GO)
		status = words_read_machine(call, options.root, &machine);
	if (status != ARGS_GO)
		return status;
	/* Each complaint takes a line; it stays one screen. */
	bool is_brief = machine.workers_env_ignored || machine.unreadable;
	report_title("Welcome to skua, a work-stealing runtime for C.");
	show_machine(&machine);
	show_workers(&machine);
	status = STATUS_DONE;
	if (!is_brief && machine.cpus_allowed <= 4) /* a picture that needs no line below it */
		out("\n");
	if (!options.root) { /* that is another machine; what runs, runs here */
		page_place_open(&place);
		int shown = pool_show(is_brief, place.trace);
		status = deque_show(machine.cpus_allowed);
		status = shown > status ? shown : status;
		scan_show();
	} else {
		out("\n");
	}
	show_steps(call->argv[0], !options.root);
	if (!options.root)
		page_show(&place);
	page_place_close(&place);
	return status;
}

static const struct arg_option tour_option_table[] = {
	{ .name = "root",
	  .kind = ARG_WORD,
	  .value = "DIR",
	  .role = "show the machine of a copied /proc and /sys",
	  .offset = offsetof(struct tour_options, root) },
	{ .name = NULL },
};

const struct command command_tour = {
	.name = "tour",
	.role = "Meet skua: your machine, workers at work, what to try next",
	.options = tour_option_table,
	.about = "Exit status: 0 shown, 1 jobs or deque failed their check or could not be run,\n"
		 "2 usage, 3 it could not be written.\n"
		 "\n"
		 "The manual is skua-tour(1).\n",
	.run = tour_run,
};
