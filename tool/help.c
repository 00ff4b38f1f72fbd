/* SPDX-License-Identifier: MIT */
/* help.c — help texts, made from the tables of commands and options; `skua
 * help` */
#include "help.h"

#include "args.h"
#include "output.h"
#include "report.h"

#include <stdio.h>
#include <string.h>

#define NAME_COLUMNS  18
#define USAGE_COLUMNS 80

/* "--root=DIR" */
static const char *option_form(const struct arg_option *option, char *form, size_t size)
{
	const char *value = option->value ? option->value : "";

	snprintf(form, size, option->is_optional ? "--%s[%s%s]" : "--%s%s%s", option->name,
		 option->value ? "=" : "", value);
	return form;
}

static void show_name(const char *name, const char *role)
{
	out("  %s%-*s%s%s\n", report_paint(stdout, PAINT_LABEL), NAME_COLUMNS, name,
	    report_paint(stdout, PAINT_PLAIN), role);
}

/* "-x, --one-file-system"; a name too long for its column has its role on the
 * next line. */
static void show_option(const struct arg_option *option)
{
	char form[64], name[80];

	option_form(option, form, sizeof(form));
	if (option->letter)
		snprintf(name, sizeof(name), "-%c, %s", option->letter, form);
	else
		snprintf(name, sizeof(name), "%s", form);
	if (strlen(name) < NAME_COLUMNS) {
		show_name(name, option->role);
	} else {
		out("  %s%s%s\n", report_paint(stdout, PAINT_LABEL), name,
		    report_paint(stdout, PAINT_PLAIN));
		show_name("", option->role);
	}
}

/* A word of the usage line, on the next one where it would not fit; the column
 * behind it. */
static int show_usage_word(const char *word, int column, const struct command *command)
{
	int indent = (int)strlen("usage: skua ") + (int)strlen(command->name);

	if (column + 1 + (int)strlen(word) > USAGE_COLUMNS) {
		out("\n%*s", indent, "");
		column = indent;
	}
	out(" %s", word);
	return column + 1 + (int)strlen(word);
}

int help_command(const struct command *command)
{
	const struct arg_option *option;
	char form[64], name[80];
	int column = (int)strlen("usage: skua ") + (int)strlen(command->name);

	out("usage: skua %s", command->name);
	for (option = command->options; option && option->name; option++) {
		snprintf(name, sizeof(name), "[%s]", option_form(option, form, sizeof(form)));
		column = show_usage_word(name, column, command);
	}
	if (command->operands)
		show_usage_word(command->operands, column, command);
	out("\n\n");
	report_text(0, "%s.", command->role);
	out("\n");
	for (option = command->options; option && option->name; option++)
		show_option(option);
	show_name("-h, --help", "show this help");
	if (command->about)
		out("\n%s", command->about);
	return STATUS_DONE;
}

static int help_all(void)
{
	out("usage: skua COMMAND [OPTIONS]\n"
	    "\n"
	    "skua, a work-stealing runtime for C: the command.\n"
	    "\n");
	report_title("Commands");
	for (const struct command *const *command = commands; *command; command++)
		show_name((*command)->name, (*command)->role);
	out("\n");
	report_title("Options");
	show_name("-h, --help", "show this help; after a command, that command's");
	show_name("-V, --version", "show the version");
	out("\n");
	report_title("Exit status");
	out("  0  done\n"
	    "  1  done, but something was skipped or could not be read\n"
	    "  2  the command line was not understood\n"
	    "  3  the job could not be done\n"
	    "\n"
	    "'skua tour' is a good start.  The manual is skua(1).\n");
	return STATUS_DONE;
}

int help_usage(void)
{
	fprintf(stderr, "usage: skua COMMAND [OPTIONS]\n\n");
	for (const struct command *const *command = commands; *command; command++)
		fprintf(stderr, "  %-*s%s\n", NAME_COLUMNS, (*command)->name, (*command)->role);
	fprintf(stderr, "\n'skua tour' is a good start; 'skua help' says more.\n");
	return STATUS_USAGE;
}

static int help_run(struct call *call)
{
	int status = args_parse(call, NULL);
	const struct command *command;

	if (status != ARGS_GO)
		return status;
	if (!call->operand_count)
		return help_all();
	command = command_find(call->operands[0]);
	if (!command)
		return command_unknown(call, call->operands[0]);
	return help_command(command);
}

const struct command command_help = {
	.name = "help",
	.role = "Show what there is, or how a command is used",
	.operands = "[COMMAND]",
	.operands_max = 1,
	.run = help_run,
};
