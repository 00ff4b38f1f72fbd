/* SPDX-License-Identifier: MIT */
/* mc_main.c — runs cases from the command line, compares outcomes, prints what a pass guarantees */
#include "mem.h"
#include "run.h"
#include "steps.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
	OUTCOMES_MAX = 256,
	OUTCOME_BYTES = 48
};

static struct {
	char words[OUTCOMES_MAX][OUTCOME_BYTES];
	unsigned count;
} outcomes;

struct options {
	const char *replay_file;
	bool is_quiet, is_list, is_whole;
	struct run_limits limits;
	int first; /* of the case names in argv */
};

void mc_outcome(const char *format, ...)
{
	char word[OUTCOME_BYTES];
	va_list arguments;

	va_start(arguments, format);
	int length = vsnprintf(word, sizeof(word), format, arguments);
	va_end(arguments);
	if (length >= OUTCOME_BYTES)
		run_limit("the case is too large: an outcome of more than %d characters",
			  OUTCOME_BYTES - 1);
	for (unsigned i = 0; i < outcomes.count; i++)
		if (strcmp(outcomes.words[i], word) == 0)
			return;
	if (outcomes.count == OUTCOMES_MAX)
		run_limit("more than %d different outcomes", OUTCOMES_MAX);
	strcpy(outcomes.words[outcomes.count++], word);
}

static bool list_has(const char *list, const char *word)
{
	size_t length = strlen(word);

	for (const char *at = list; (at = strstr(at, word)); at += length)
		if ((at == list || at[-1] == ' ') && (at[length] == ' ' || !at[length]))
			return true;
	return false;
}

static unsigned list_count(const char *list)
{
	unsigned count = 0;

	for (const char *at = list; *at; at++)
		count += *at != ' ' && (at == list || at[-1] == ' ');
	return count;
}

/* No outcome but those that were named; and, when all was explored, each of them. */
static void compare_outcomes(const struct mc_case *mc, struct run_result *result)
{
	if (!mc->outcomes)
		return;
	for (unsigned i = 0; i < outcomes.count; i++)
		if (!list_has(mc->outcomes, outcomes.words[i])) {
			snprintf(result->error, sizeof(result->error),
				 "outcome %s appeared, allowed are only: %s", outcomes.words[i],
				 mc->outcomes);
			return;
		}
	if (result->is_complete && outcomes.count != list_count(mc->outcomes)) {
		size_t used = (size_t)snprintf(
			result->error, sizeof(result->error),
			"of the outcomes %s only these appeared:", mc->outcomes);
		for (unsigned i = 0; i < outcomes.count && used < sizeof(result->error); i++)
			used += (size_t)snprintf(result->error + used, sizeof(result->error) - used,
						 " %s", outcomes.words[i]);
	}
}

static void compare_graphs(const struct mc_case *mc, struct run_result *result)
{
	if (mc->graphs && result->is_complete && result->graphs != mc->graphs)
		snprintf(result->error, sizeof(result->error),
			 "%" PRIu64 " distinct execution graphs, expected %u", result->graphs,
			 mc->graphs);
}

/* The search found no error: is that what the case claims?  If it shows nothing, no verdict. */
static void compare(const struct mc_case *mc, struct run_result *result)
{
	const char *nothing = result->executions == 0 ? "no execution came to its end"
			      : mc->must_fail	      ? "a planted bug was not found"
						      : NULL;

	if (nothing) {
		snprintf(result->error, sizeof(result->error), "%s", nothing);
		result->is_limit = true;
		return;
	}
	compare_outcomes(mc, result);
	if (!result->error[0])
		compare_graphs(mc, result);
}

static bool is_as_claimed(const struct mc_case *mc, const struct run_result *result)
{
	if (mc->says)
		return strstr(result->error, mc->says) && (mc->must_fail || result->is_limit);
	return (result->error[0] != '\0') == mc->must_fail && !result->is_limit;
}

static double seconds_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void show_progress(const struct run_result *result)
{
	fprintf(stderr, "\r    %" PRIu64 " executions, %" PRIu64 " states ", result->executions,
		result->states);
}

static const char *kind_of(const struct mc_case *mc, const struct run_result *result)
{
	if (mc->random)
		return "random";
	if (mc->preemptions)
		return "bounded";
	return result->is_complete || result->error[0] ? "all" : "part";
}

/* Run the trail once more with every step printed, and keep it for --replay. */
static void show_failure(const struct mc_case *mc, const struct run_result *found,
			 const struct options *options)
{
	char *trail = strdup(run_trail()), path[256];
	struct run_limits again = { .replay = trail };

	printf("  %s: %s\n", mc->name, found->error);
	printf("    thread#step  place  operation (T0 is the case's body)\n");
	steps_show(true);
	struct run_result replayed = run_case(mc, &again);
	steps_show(false);
	printf("    => %s\n", replayed.error[0] ? replayed.error : "not reproduced");
	snprintf(path, sizeof(path), "%s.trail", mc->name);
	FILE *file = options->replay_file ? NULL : fopen(path, "w");
	if (file) {
		fprintf(file, "%s\n", trail);
		if (fclose(file) == 0)
			printf("    again: %s--replay %s %s\n", options->is_whole ? "--whole " : "",
			       path, mc->name);
	}
	free(trail);
}

/* True when the case did what it should. */
static bool run_one(struct mc_case unbounded, const struct options *options)
{
	const struct mc_case *mc = &unbounded;
	double began = seconds_now();

	if (options->is_whole)
		unbounded.preemptions = 0;
	outcomes.count = 0;
	struct run_result result = run_case(mc, &options->limits);
	bool was_shown_by_steps = result.error[0] != '\0';
	if (!was_shown_by_steps)
		compare(mc, &result);
	bool is_right = is_as_claimed(mc, &result);
	const char *verdict = result.is_limit ? "refused" : result.error[0] ? "caught" : "ok";
	if (options->limits.tick)
		fprintf(stderr, "\r%60s\r", "");
	printf("%-44s %-7s %9" PRIu64 " executions %9" PRIu64 " states %7" PRIu64
	       " graphs %7.2f s  %s\n",
	       mc->name, kind_of(mc, &result), result.executions + result.cut, result.states,
	       result.graphs, seconds_now() - began, is_right ? verdict : "FAILED");
	if (is_right && result.error[0] && !options->is_quiet)
		printf("    %s\n", result.error);
	if (!is_right && was_shown_by_steps)
		show_failure(mc, &result, options);
	else if (!is_right)
		printf("  %s: %s\n", mc->name,
		       result.error[0] ? result.error : "it did not refuse to judge");
	fflush(stdout);
	return is_right;
}

static int usage(const char *program, int status)
{
	fprintf(status ? stderr : stdout,
		"usage: %s [--list] [--quiet] [--whole] [--seed N] [--replay FILE] [CASE...]\n"
		"Explores the executions of each case and compares them with what it claims.\n"
		"  --list         names of the cases\n"
		"  --quiet        no reasons for planted bugs that were caught\n"
		"  --whole        no bound on switches, whatever the case says (minutes)\n"
		"  --seed N       of random executions (1)\n"
		"  --replay FILE  run one execution again, step by step; name its case too\n"
		"Exit status: 0 all as claimed, 1 not, 2 usage.\n",
		program);
	return status;
}

static bool read_options(int argc, char **argv, struct options *options)
{
	int i = 1;

	for (; i < argc && argv[i][0] == '-'; i++) {
		if (strcmp(argv[i], "--list") == 0)
			options->is_list = true;
		else if (strcmp(argv[i], "--quiet") == 0)
			options->is_quiet = true;
		else if (strcmp(argv[i], "--whole") == 0)
			options->is_whole = true;
		else if (strcmp(argv[i], "--seed") == 0 && i + 1 < argc)
			options->limits.seed = strtoull(argv[++i], NULL, 0);
		else if (strcmp(argv[i], "--replay") == 0 && i + 1 < argc)
			options->replay_file = argv[++i];
		else
			return false;
	}
	options->first = i;
	return true;
}

static const struct mc_case *find_case(const struct mc_case *cases, const char *name)
{
	for (; cases->name; cases++)
		if (strcmp(cases->name, name) == 0)
			return cases;
	fprintf(stderr, "check: there is no case '%s'; --list names them\n", name);
	exit(2);
}

static int replay(const struct mc_case *mc, const struct options *options)
{
	static char text[1 << 18];
	FILE *file = fopen(options->replay_file, "r");
	size_t length = file ? fread(text, 1, sizeof(text) - 1, file) : 0;

	if (!file) {
		perror(options->replay_file);
		return 2;
	}
	fclose(file);
	text[strcspn(text, "\n")] = '\0';
	(void)length;
	struct run_limits limits = { .replay = text };
	struct mc_case copy = *mc;
	if (options->is_whole)
		copy.preemptions = 0;
	steps_show(true);
	struct run_result result = run_case(&copy, &limits);
	printf("    => %s\n", result.error[0] ? result.error : "no error");
	return result.error[0] != '\0';
}

int mc_main(int argc, char **argv, const struct mc_case *cases)
{
	struct options options = { .limits = { .seed = 1 } };
	unsigned wrong = 0, count = 0;

	if (argc > 1 && strcmp(argv[1], "--help") == 0)
		return usage(argv[0], 0);
	if (!read_options(argc, argv, &options))
		return usage(argv[0], 2);
	if (isatty(STDERR_FILENO))
		options.limits.tick = show_progress;
	if (options.replay_file && options.first + 1 == argc)
		return replay(find_case(cases, argv[options.first]), &options);
	if (options.replay_file)
		return usage(argv[0], 2);
	for (const struct mc_case *mc = cases; mc->name; mc++) {
		if (options.is_list) {
			printf("%s\n", mc->name);
			continue;
		}
		bool is_wanted = options.first == argc;
		for (int i = options.first; i < argc; i++)
			is_wanted |= find_case(cases, argv[i]) == mc;
		if (!is_wanted)
			continue;
		count++;
		wrong += !run_one(*mc, &options);
	}
	if (options.is_list)
		return 0;
	printf("%u of %u cases as claimed.\n"
	       "\"all\": every execution of that program, with those counts, under RC11 without load\n"
	       "buffering; seq_cst accesses count as acq_rel (never hides a bug); compilers, time and\n"
	       "fairness are outside; freed memory is never given out again (no ABA by address).\n"
	       "\"bounded\", \"random\" and \"part\" looked at some of them.\n",
	       count - wrong, count);
	return wrong != 0;
}
