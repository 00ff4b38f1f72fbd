/* SPDX-License-Identifier: MIT */
/* args.c — options by table */
#include "args.h"

#include "help.h"
#include "text.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Where the parser stands: words before `at` are done. */
struct reader {
	struct call *call;
	char *values;
	int at;
};

static const struct arg_option help_option = { .name = "help", .letter = 'h' };

/* By name, or by letter when name is NULL. */
static const struct arg_option *find_option(const struct command *command, const char *name,
					    size_t length, char letter)
{
	const struct arg_option *option = command->options;

	for (; option && option->name; option++) {
		if (name ? strlen(option->name) == length && !strncmp(option->name, name, length)
			 : option->letter && option->letter == letter)
			return option;
	}
	if (name ? length == 4 && !strncmp(name, "help", 4) : letter == 'h')
		return &help_option;
	return NULL;
}

static int blame_unknown(const struct call *call, const char *word)
{
	size_t length = strcspn(word, "=");
	char given[64], hint[160];
	const char *bare = word + strspn(word, "-");
	struct nearest nearest = { .word = given };
	const struct arg_option *option = call->command->options;

	snprintf(given, sizeof(given), "%.*s", (int)(length - (size_t)(bare - word)), bare);
	for (; option && option->name; option++)
		nearest_offer(&nearest, option->name);
	nearest_offer(&nearest, "help");
	if (nearest.best)
		snprintf(hint, sizeof(hint), "did you mean --%s?", nearest.best);
	else
		snprintf(hint, sizeof(hint), "'skua help %s' lists its options",
			 call->command->name);
	return args_blame(call, word, hint, "there is no option %s", text_clean(word, 60).s);
}

/* A whole number in decimal digits alone; no sign, no blanks. */
static bool read_number(const char *s, uint64_t *number)
{
	uint64_t n = 0;

	if (!s || !*s)
		return false;
	for (; *s; s++) {
		if (*s < '0' || *s > '9')
			return false;
		unsigned digit = (unsigned)(*s - '0');
		if (n > (UINT64_MAX - digit) / 10)
			return false;
		n = 10 * n + digit;
	}
	*number = n;
	return true;
}

int args_number(const struct call *call, const struct arg_option *option, const char *value,
		uint64_t *number)
{
	char hint[96];
	uint64_t read;

	snprintf(hint, sizeof(hint), "expected a whole number, %" PRIu64 "..%" PRIu64,
		 option->least, option->most);
	if (!read_number(value, &read))
		return args_blame(call, value, hint, "--%s=%s is not a number in range",
				  option->name, text_clean(value, 40).s);
	if (read < option->least || read > option->most)
		return args_blame(call, value, hint, "--%s=%s is out of range", option->name,
				  text_clean(value, 40).s);
	*number = read;
	return ARGS_GO;
}

static int store(const struct reader *reader, const struct arg_option *option, const char *value)
{
	void *variable = reader->values + option->offset;
	uint64_t number;
	int status;

	switch (option->kind) {
	case ARG_FLAG:
		memcpy(variable, &(bool){ true }, sizeof(bool));
		break;
	case ARG_WORD:
		memcpy(variable, &value, sizeof(value));
		break;
	case ARG_NUMBER:
		status = args_number(reader->call, option, value, &number);
		if (status != ARGS_GO)
			return status;
		memcpy(variable, &number, sizeof(number));
		break;
	case ARG_CALL:
		return option->take(reader->call, option, reader->values, value);
	}
	return ARGS_GO;
}

/* `value` is what was joined to the option by = or to its letter, NULL when
 * nothing was. */
static int take_option(struct reader *reader, const struct arg_option *option, const char *value)
{
	struct call *call = reader->call;
	const char *word = call->argv[reader->at];
	char hint[160];

	if (option->value && !option->is_optional && !value) {
		if (reader->at + 1 == call->argc) {
			snprintf(hint, sizeof(hint), "expected --%s=%s", option->name,
				 option->value);
			return args_blame(call, word, hint, "--%s needs a value", option->name);
		}
		value = call->argv[++reader->at];
	}
	return store(reader, option, value);
}

static int read_long(struct reader *reader)
{
	const struct call *call = reader->call;
	const char *word = call->argv[reader->at];
	size_t length = strcspn(word + 2, "=");
	const char *value = word[2 + length] ? word + 2 + length + 1 : NULL;
	const struct arg_option *option = find_option(call->command, word + 2, length, 0);
	char hint[160];

	if (!option)
		return blame_unknown(call, word);
	if (!option->value && value) {
		snprintf(hint, sizeof(hint), "write --%s alone", option->name);
		return args_blame(call, word, hint, "--%s takes no value", option->name);
	}
	if (option == &help_option)
		return help_command(call->command);
	return take_option(reader, option, value);
}

static int read_letters(struct reader *reader)
{
	const struct call *call = reader->call;
	const char *word = call->argv[reader->at];

	for (const char *letter = word + 1; *letter; letter++) {
		const struct arg_option *option = find_option(call->command, NULL, 0, *letter);
		int status;

		if (!option)
			return blame_unknown(call, word);
		if (option == &help_option)
			return help_command(call->command);
		if (option->value && (!option->is_optional || letter[1]))
			return take_option(reader, option, letter[1] ? letter + 1 : NULL);
		status = store(reader, option, NULL);
		if (status != ARGS_GO)
			return status;
	}
	return ARGS_GO;
}

static int take_operand(struct call *call, const char *word)
{
	char hint[160];

	if (call->operand_count == call->command->operands_max) {
		snprintf(hint, sizeof(hint), "'skua help %s' shows how it is used",
			 call->command->name);
		return args_blame(call, word, hint, "there is one argument too many: %s",
				  text_clean(word, 60).s);
	}
	call->operands[call->operand_count++] = word;
	return ARGS_GO;
}

int args_parse(struct call *call, void *values)
{
	struct reader reader = { .call = call, .values = values, .at = call->first };
	bool is_ended = false; /* by -- : all that follows are operands */
	char hint[160];

	for (; reader.at < call->argc; reader.at++) {
		const char *word = call->argv[reader.at];
		int status = ARGS_GO;

		if (is_ended || word[0] != '-' || !word[1])
			status = take_operand(call, word);
		else if (word[1] != '-')
			status = read_letters(&reader);
		else if (word[2])
			status = read_long(&reader);
		else
			is_ended = true;
		if (status != ARGS_GO)
			return status;
	}
	if (call->operand_count < call->command->operands_min) {
		snprintf(hint, sizeof(hint), "expected %s", call->command->operands);
		return args_blame(call, NULL, hint, "an argument is missing");
	}
	return ARGS_GO;
}
