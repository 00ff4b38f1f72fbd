/* SPDX-License-Identifier: MIT */
/* du_options.c — options of `skua scan --du`, and what they need of the walk */
#include "args.h"
#include "help.h"
#include "scan/scan_command.h"

#include <string.h>

int du_take_human(const struct call *call, const struct arg_option *option, void *values,
		  const char *value)
{
	struct scan_choice *choice = values;

	(void)option;
	(void)value;
	for (unsigned i = 0; i < choice->report_count; i++)
		choice->du.is_human |= strcmp(choice->reports[i]->name, "du") == 0;
	return choice->du.is_human ? ARGS_GO : help_command(call->command);
}

int du_take_block(const struct call *call, const struct arg_option *option, void *values,
		  const char *value)
{
	struct scan_choice *choice = values;
	char with_one[16];
	bool is_unit = *value && strchr("kKMGTPE", *value) && strlen(value) < sizeof(with_one) - 2;

	snprintf(with_one, sizeof(with_one), "1%s", is_unit ? value : "");
	if (!scan_read_size(is_unit ? with_one : value, &choice->du.block) || !choice->du.block)
		return args_blame(call, value, "expected bytes, 512, or with a unit: 1K, M, 10KB",
				  "--%s=%s is no size of a block", option->name,
				  text_clean(value, 40).s);
	choice->du.unit = is_unit && !value[1] ? (*value == 'k' ? 'K' : *value) : 0;
	choice->du.is_kibibytes = choice->du.is_human = false; /* the last one counts */
	return ARGS_GO;
}

int du_take_threshold(const struct call *call, const struct arg_option *option, void *values,
		      const char *value)
{
	struct scan_choice *choice = values;
	struct du_choice *du = &choice->du;

	du->is_most = *value == '-';
	if (!scan_read_size(value + du->is_most, &du->threshold) || (du->is_most && !du->threshold))
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

int du_check(const struct call *call, struct scan_choice *choice)
{
	struct du_choice *du = &choice->du;

	for (unsigned i = 0; i < choice->report_count; i++)
		du->is_wanted |= strcmp(choice->reports[i]->name, "du") == 0;
	bool has_own = du->is_all || du->is_summary || du->is_bytes || du->is_kibibytes ||
		       du->has_total || du->has_all_links || du->has_time || du->threshold ||
		       du->block;
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
	if (du->is_bytes) {
		choice->is_apparent = true;
		du->block = du->block ? du->block : 1;
	}
	if (du->is_kibibytes || !du->block)
		du->block = 1024;
	if (du->is_inodes) {
		du->block = 1;
		du->unit = 0;
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
