/* SPDX-License-Identifier: MIT */
/* help.c — help texts, made from the tables of commands and options; `skua help` */
#include "help.h"

#include "args.h"
#include "output.h"
#include "report.h"

#include <stdio.h>
#include <string.h>

#define NAME_COLUMNS 18

/* "--root=DIR" */
static const char *option_form(const struct arg_option *option, char *form, size_t size)
{
	snprintf(form, size, "--%s%s%s", option->name, option->value ? "=" : "",
		 option->value ? option->value : "");
	return form;
}

static void show_name(const char *name, const char *role)
{
	out("  %s%-*s%s%s\n", report_paint(stdout, PAINT_LABEL), NAME_COLUMNS, name,
	    report_paint(stdout, PAINT_PLAIN), role);
}

int help_command(const struct command *command)
{
	const struct arg_option *option;
	char form[64], name[80];

	out("usage: skua %s", command->name);
	for (option = command->options; option && option->name; option++)
		out(" [%s]", option_form(option, form, sizeof(form)));
	out("%s%s\n\n", command->operands ? " " : "", command->operands ? command->operands : "");
	report_text(0, "%s.", command->role);
	out("\n");
	for (option = command->options; option && option->name; option++) {
		option_form(option, form, sizeof(form));
		if (option->letter)
			snprintf(name, sizeof(name), "-%c, %s", option->letter, form);
		else
			snprintf(name, sizeof(name), "%s", form);
		show_name(name, option->role);
	}
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
