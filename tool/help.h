/* SPDX-License-Identifier: MIT */
/* help.h — help texts, made from the tables of commands and options */
#ifndef SKUAT_HELP_H
#define SKUAT_HELP_H

#include "command.h"

/* One command's help on standard output; returns STATUS_DONE. */
int help_command(const struct command *command);

/* The short usage on standard error, for a command line without words; returns STATUS_USAGE. */
int help_usage(void);

#endif
