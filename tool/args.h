/* SPDX-License-Identifier: MIT */
/* args.h — options by table, and messages that show the guilty word */
#ifndef SKUAT_ARGS_H
#define SKUAT_ARGS_H

#include "command.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum arg_kind {
	ARG_FLAG,   /* bool: true when given */
	ARG_WORD,   /* const char *: the last one given */
	ARG_NUMBER, /* uint64_t: a whole number from least to most */
	ARG_CALL,   /* whatever `take` makes of it, each time; a flag without `value` */
};

/* Written --name, --name=VALUE, --name VALUE, -l, -lVALUE, -l VALUE; flags may be joined: -ab. */
struct arg_option {
	const char *name; /* without dashes; NULL ends a table */
	char letter;	  /* 0: none */
	enum arg_kind kind;
	const char *value; /* what the value is called in help, "DIR"; NULL for a flag */
	bool is_optional;  /* the value, which must then be joined: --name=VALUE */
	const char *role;  /* its line in help */
	uint64_t least, most;
	size_t offset; /* of its variable in the command's own struct */
	/* Of ARG_CALL; `value` is NULL where none was given.  Returns ARGS_GO or a status. */
	int (*take)(const struct call *call, const struct arg_option *option, void *values,
		    const char *value);
};

#define ARGS_GO (-1) /* from args_parse: nothing to complain about, go on */

/*
 * Read the words after the subcommand's name into `values` by the table of call->command; what is
 * not given is left as it was.  Returns ARGS_GO, or the exit status after --help or a complaint.
 */
int args_parse(struct call *call, void *values);

/* Read a whole number in the option's range, or complain; returns ARGS_GO or STATUS_USAGE. */
int args_number(const struct call *call, const struct arg_option *option, const char *value,
		uint64_t *number);

/*
 * Complain on standard error: what is wrong, the command line with the guilty word underlined, and
 * what to try.  `guilty` points into one of call->argv's words; NULL: something is missing at the
 * end.  `hint` may be NULL.  Returns STATUS_USAGE.
 */
__attribute__((format(printf, 4, 5))) int args_blame(const struct call *call, const char *guilty,
						     const char *hint, const char *format, ...);

#endif
