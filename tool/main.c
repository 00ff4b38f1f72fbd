/* SPDX-License-Identifier: MIT */
/* main.c — the `skua` command: finds the subcommand and sees that its output arrived */
#include "args.h"
#include "command.h"
#include "help.h"
#include "output.h"
#include "report.h"
#include "text.h"

#include <skua/skua.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COMMAND_ENTRY(name) &command_##name,
const struct command *const commands[] = { COMMANDS(COMMAND_ENTRY) NULL };
#undef COMMAND_ENTRY

const struct command *command_find(const char *name)
{
	for (const struct command *const *command = commands; *command; command++) {
		if (strcmp((*command)->name, name) == 0)
			return *command;
	}
	return NULL;
}

int command_unknown(const struct call *call, const char *word)
{
	struct nearest nearest = { .word = word };
	char hint[80];

	for (const struct command *const *command = commands; *command; command++)
		nearest_offer(&nearest, (*command)->name);
	if (nearest.best)
		snprintf(hint, sizeof(hint), "did you mean %s?", nearest.best);
	else
		snprintf(hint, sizeof(hint), "'skua help' lists the commands");
	return args_blame(call, word, hint, "there is no command '%s'", text_clean(word, 60).s);
}

static int option_unknown(const struct call *call, const char *word)
{
	struct nearest nearest = { .word = word + strspn(word, "-") };
	char hint[80];

	nearest_offer(&nearest, "help");
	nearest_offer(&nearest, "version");
	if (nearest.best)
		snprintf(hint, sizeof(hint), "did you mean --%s?", nearest.best);
	else
		snprintf(hint, sizeof(hint),
			 "a command comes first, its options after it: try 'skua help'");
	return args_blame(call, word, hint, "there is no option %s", text_clean(word, 60).s);
}

static bool is_option(const char *word, const char *letter, const char *name)
{
	return strcmp(word, letter) == 0 || strcmp(word, name) == 0;
}

static int run(struct call *call)
{
	const char *word = call->argc > 1 ? call->argv[1] : NULL;

	if (!word)
		return help_usage();
	if (is_option(word, "-V", "--version")) {
		if (call->argc > 2)
			return args_blame(call, call->argv[2], NULL, "%s stands alone", word);
		out("skua %s\n", skua_version_text());
		return STATUS_DONE;
	}
	if (is_option(word, "-h", "--help"))
		call->command = &command_help;
	else if (word[0] == '-')
		return option_unknown(call, word);
	else
		call->command = command_find(word);
	if (!call->command)
		return command_unknown(call, word);

	call->operands = calloc((size_t)call->argc, sizeof(*call->operands));
	if (!call->operands) {
		fprintf(stderr, "skua %s: not enough memory to start\n", call->command->name);
		return STATUS_FAULT;
	}
	int status = call->command->run(call);
	free(call->operands);
	return status;
}

int main(int argc, char **argv)
{
	struct call call = { .argc = argc, .argv = argv, .first = 2 };

	output_start();
	report_start();
	int status = run(&call);
	return output_finish(call.command ? call.command->name : NULL, status);
}
