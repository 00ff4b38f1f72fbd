/* SPDX-License-Identifier: MIT */
/* command.h — what a subcommand is, the one list of them, and the exit statuses they share */
#ifndef SKUAT_COMMAND_H
#define SKUAT_COMMAND_H

/*
 * The one list, in the order `skua help` shows it.  To add a subcommand, add its name here and
 * define `const struct command command_NAME` in tool/NAME/cmd_NAME.c.
 */
#define COMMANDS(X) \
	X(tour) X(scan) X(bench) X(race) X(sim) X(trace) X(view) X(top) X(doctor) X(help)

enum {
	STATUS_DONE = 0,
	STATUS_PARTLY = 1, /* done, but something was skipped or could not be read */
	STATUS_USAGE = 2,  /* the command line is not one we understand */
	STATUS_FAULT = 3,  /* the job could not be done */
};

struct arg_option; /* args.h */

/* One run of a subcommand. */
struct call {
	const struct command *command; /* NULL until its name was understood */
	int argc;
	char **argv;	       /* the whole command line, never changed; argv[0] is skua itself */
	int first;	       /* the first word after the subcommand's name */
	const char **operands; /* room for argc words; filled by args_parse */
	int operand_count;
};

struct command {
	const char *name;
	const char *role;		  /* its line in `skua help` */
	const struct arg_option *options; /* ended by an entry without name; NULL: none */
	const char *operands;		  /* as in the usage line, "[COMMAND]"; NULL: none */
	int operands_min, operands_max;
	const char *about; /* the rest of its help, after the options */
	int (*run)(struct call *call);
};

#define COMMAND_DECLARE(name) extern const struct command command_##name;
COMMANDS(COMMAND_DECLARE)
#undef COMMAND_DECLARE

/* All of them, ended by NULL, and the one with a name or NULL. */
extern const struct command *const commands[];
const struct command *command_find(const char *name);

/* Complain about a word that should be a subcommand's name; returns STATUS_USAGE. */
int command_unknown(const struct call *call, const char *word);

#endif
