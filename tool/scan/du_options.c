/* SPDX-License-Identifier: MIT */
/* du_options.c — options of `skua scan --du`, and what they need of the walk */
#include "args.h"
#include "help.h"
#include "scan/scan_command.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void set_scale(struct du_choice *du, uint64_t block, bool is_human)
{
	du->block = block;
	du->is_human = is_human;
	du->unit[0] = 0;
}

int du_take_human(const struct call *call, const struct arg_option *option, void *values,
		  const char *value)
{
	struct scan_choice *choice = values;

	(void)option;
	(void)value;
	for (unsigned i = 0; i < choice->report_count; i++)
		if (strcmp(choice->reports[i]->name, "du") == 0) {
			set_scale(&choice->du, 1, true);
			return ARGS_GO;
		}
	return help_command(call->command);
}

int du_take_bytes(const struct call *call, const struct arg_option *option, void *values,
		  const char *value)
{
	struct scan_choice *choice = values;

	(void)call;
	(void)option;
	(void)value;
	choice->du.is_bytes = true; /* also when another option says in which units */
	set_scale(&choice->du, 1, false);
	return ARGS_GO;
}

int du_take_kibibytes(const struct call *call, const struct arg_option *option, void *values,
		      const char *value)
{
	struct scan_choice *choice = values;

	(void)call;
	(void)option;
	(void)value;
	set_scale(&choice->du, 1024, false);
	return ARGS_GO;
}

/* A size as du reads it: units of any case, but no octal numbers, which would surprise. */
static bool read_du_size(const char *value, uint64_t *size)
{
	size_t digits = strspn(value, "0123456789");
	char text[32];

	if (strlen(value) >= sizeof(text) || (value[0] == '0' && digits > 1))
		return false;
	memcpy(text, value, strlen(value) + 1);
	text[digits] = (char)toupper((unsigned char)text[digits]);
	return scan_read_size(text, size);
}

/* "512", "1K"; a unit alone is printed behind each size: K, KiB, and kB of 1000. */
static bool read_block(struct du_choice *du, const char *value)
{
	size_t length = strlen(value);
	bool is_unit = length && length < sizeof(du->unit) &&
		       strchr("KMGTPE", toupper((unsigned char)*value));
	char with_one[8] = "1";
	uint64_t block;

	if (is_unit)
		memcpy(with_one + 1, value, length + 1);
	if (!read_du_size(is_unit ? with_one : value, &block) || !block)
		return false;
	set_scale(du, block, false);
	if (is_unit) {
		memcpy(du->unit, value, length + 1);
		du->unit[0] = (char)toupper((unsigned char)*value);
		if (strcmp(du->unit, "KB") == 0)
			du->unit[0] = 'k';
	}
	return true;
}

int du_take_block(const struct call *call, const struct arg_option *option, void *values,
		  const char *value)
{
	struct scan_choice *choice = values;

	if (read_block(&choice->du, value))
		return ARGS_GO;
	return args_blame(call, value, "expected bytes, 512, or with a unit: 1K, M, 10KB",
			  "--%s=%s is no size of a block", option->name, text_clean(value, 40).s);
}

/* Where no option says it: what du would take from the environment. */
static void take_environment(struct du_choice *du)
{
	static const char *const names[] = { "DU_BLOCK_SIZE", "BLOCK_SIZE", "BLOCKSIZE" };
	const char *value = NULL;

	for (unsigned i = 0; i < sizeof(names) / sizeof(*names) && !value; i++)
		value = getenv(names[i]);
	if (!value || !read_block(du, value))
		set_scale(du, getenv("POSIXLY_CORRECT") ? 512 : 1024, false);
}

int du_take_threshold(const struct call *call, const struct arg_option *option, void *values,
		      const char *value)
{
	struct scan_choice *choice = values;
	struct du_choice *du = &choice->du;

	du->is_most = *value == '-';
	if (!read_du_size(value + du->is_most, &du->threshold) || (du->is_most && !du->threshold))
		return args_blame(call, value,
				  "expected the least size, 10M, or with a minus the most, -10M",
				  "--%s=%s is no size", option->name, text_clean(value, 40).s);
	return ARGS_GO;
}

/* --inodes asks for a report of its own, but beside --du it changes what du counts. */
static void take_inodes(struct scan_choice *choice)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < choice->report_count; i++) {
		if (strcmp(choice->reports[i]->name, "inodes") == 0)
			choice->du.is_inodes = true;
		else
			choice->reports[kept++] = choice->reports[i];
	}
	choice->report_count = kept;
}

/* In du's words. */
static void warn(const char *what)
{
	fprintf(stderr, "skua scan: warning: %s\n", what);
}

int du_check(const struct call *call, struct scan_choice *choice)
{
	struct du_choice *du = &choice->du;

	for (unsigned i = 0; i < choice->report_count; i++)
		du->is_wanted |= strcmp(choice->reports[i]->name, "du") == 0;
	bool has_own = du->is_all || du->is_summary || du->has_total || du->has_all_links ||
		       du->has_time || du->threshold || du->block;
	if (!du->is_wanted && has_own)
		return args_blame(call, NULL, "add --du",
				  "-a, -s, -b, -c, -k, -l, -t, -B and --time go with --du only");
	if (!du->is_wanted)
		return ARGS_GO;
	take_inodes(choice);
	if (du->is_all && du->is_summary)
		return args_blame(call, NULL, "choose one of them",
				  "-s shows the operands alone, -a everything");
	if (du->is_summary && choice->max_depth != UINT64_MAX && choice->max_depth != 0)
		return args_blame(call, NULL, "choose one of them",
				  "-s is the same as --max-depth=0");
	if (du->is_summary && choice->max_depth == 0)
		warn("summarizing is the same as using --max-depth=0");
	if (du->is_inodes && (choice->is_apparent || du->is_bytes))
		warn("options --apparent-size and -b are ineffective with --inodes");
	return ARGS_GO;
}

void du_plan(struct scan_choice *choice)
{
	struct scan_options *walk = &choice->walk;
	struct du_choice *du = &choice->du;

	if (!du->is_wanted)
		return;
	if (du->is_summary)
		choice->max_depth = 0;
	choice->is_apparent |= du->is_bytes;
	if (!du->block)
		take_environment(du);
	if (du->is_inodes) {
		bool has_b = strchr(du->unit, 'B'); /* of a unit that is left, as du has it */
		set_scale(du, 1, du->is_human);
		snprintf(du->unit, sizeof(du->unit), "%s", has_b ? "B" : "");
	}
	if (du->has_all_links)
		walk->links = SCAN_LINKS_ALL;
	walk->enters_kernel = true;
	walk->is_like_du = true;
	if (du->is_all || du->is_inodes || du->has_time)
		walk->level = SCAN_EVERYTHING;
	else
		walk->level = choice->max_depth ? SCAN_DIRECTORIES : SCAN_TOTALS;
	walk->is_in_du_order = walk->level != SCAN_TOTALS;
}
