/* SPDX-License-Identifier: MIT */
/* option_table.c — a command with every kind of option, to test the parser and the JSON writer */
#include "args.h"
#include "json.h"
#include "output.h"
#include "report.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct probe_options {
	bool is_all, is_brief;
	const char *word;
	uint64_t number;
};

static const struct arg_option probe_option_table[] = {
	{ .name = "all",
	  .letter = 'a',
	  .role = "a flag",
	  .offset = offsetof(struct probe_options, is_all) },
	{ .name = "brief",
	  .letter = 'b',
	  .role = "a flag",
	  .offset = offsetof(struct probe_options, is_brief) },
	{ .name = "word",
	  .letter = 'w',
	  .kind = ARG_WORD,
	  .value = "WORD",
	  .role = "a word",
	  .offset = offsetof(struct probe_options, word) },
	{ .name = "number",
	  .letter = 'n',
	  .kind = ARG_NUMBER,
	  .value = "N",
	  .role = "a number",
	  .least = 1,
	  .most = 256,
	  .offset = offsetof(struct probe_options, number) },
	{ .name = NULL },
};

static int probe_run(struct call *call)
{
	struct probe_options options = { .number = 7 };
	struct json json = { 0 };
	int status = args_parse(call, &options);

	if (status != ARGS_GO)
		return status;
	json_object(&json, NULL);
	json_yes(&json, "all", options.is_all);
	json_yes(&json, "brief", options.is_brief);
	json_text(&json, "word", options.word);
	json_count(&json, "number", options.number);
	json_array(&json, "operands");
	for (int i = 0; i < call->operand_count; i++)
		json_text(&json, NULL, call->operands[i]);
	json_close(&json);
	json_object(&json, "no keys");
	json_close(&json);
	json_array(&json, "no values");
	json_close(&json);
	json_array(&json, "numbers");
	json_count(&json, NULL, UINT64_MAX);
	json_known(&json, NULL, 0);
	json_real(&json, NULL, 0.1);
	json_real(&json, NULL, 1.0 / 3.0);
	json_real(&json, NULL, 18446744073709551615.0);
	json_close(&json);
	json_close(&json);
	return STATUS_DONE;
}

static const struct command probe = {
	.name = "probe",
	.role = "Try the parser",
	.options = probe_option_table,
	.operands = "FILE [FILE]",
	.operands_min = 1,
	.operands_max = 2,
	.run = probe_run,
};

/* What main.c gives the other files of the command. */
const struct command *const commands[] = { &probe, NULL };

const struct command *command_find(const char *name)
{
	return strcmp(name, probe.name) == 0 ? &probe : NULL;
}

int command_unknown(const struct call *call, const char *word)
{
	return args_blame(call, word, NULL, "there is no such command");
}

int main(int argc, char **argv)
{
	const char *operands[64];
	struct call call = {
		.command = &probe, .argc = argc, .argv = argv, .first = 2, .operands = operands
	};

	output_start();
	report_start();
	/* A file opened later must not become standard output because that was closed. */
	const char *late = getenv("PROBE_FILE");
	int fd = late ? open(late, O_WRONLY | O_CREAT | O_TRUNC, 0600) : 3;
	if (fd < 0)
		return STATUS_FAULT;
	return output_finish("probe", argc > 64 ? STATUS_USAGE : probe.run(&call));
}
