/* SPDX-License-Identifier: MIT */
/* scan_choice.c — values of scan's options: sizes, ages, types, and which
 * reports are wanted */
#include "args.h"
#include "scan/scan_command.h"
#include "text.h"

#include <string.h>

#define REPORT_ENTRY(name) &scan_report_##name,
static const struct scan_report *const all_reports[] = { SCAN_REPORTS(REPORT_ENTRY) NULL };
#undef REPORT_ENTRY

static void want_report(struct scan_choice *choice, const char *name)
{
	for (unsigned i = 0; i < choice->report_count; i++)
		if (strcmp(choice->reports[i]->name, name) == 0)
			return;
	for (const struct scan_report *const *report = all_reports; *report; report++)
		if (strcmp((*report)->name, name) == 0 && choice->report_count < SCAN_REPORTS_MAX)
			choice->reports[choice->report_count++] = *report;
}

int scan_take_report(const struct call *call, const struct arg_option *option, void *values,
		     const char *value)
{
	uint64_t number;

	if (value) {
		int status = args_number(call, option, value, &number);
		if (status != ARGS_GO)
			return status;
		memcpy((char *)values + option->offset, &number, sizeof(number));
	}
	want_report(values, option->name);
	return ARGS_GO;
}

int scan_take_html(const struct call *call, const struct arg_option *option, void *values,
		   const char *value)
{
	struct scan_choice *choice = values;

	(void)call;
	choice->html_file = value;
	want_report(values, option->name);
	return ARGS_GO;
}

int scan_take_exclude(const struct call *call, const struct arg_option *option, void *values,
		      const char *value)
{
	struct scan_choice *choice = values;

	(void)call;
	(void)option;
	choice->excludes[choice->filter.exclude_count++] = value;
	return ARGS_GO;
}

int scan_take_links(const struct call *call, const struct arg_option *option, void *values,
		    const char *value)
{
	static const char *const names[] = { [SCAN_LINKS_ONCE] = "once",
					     [SCAN_LINKS_SUBTREE] = "subtree",
					     [SCAN_LINKS_ALL] = "all" };
	struct scan_choice *choice = values;

	for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (strcmp(names[i], value) == 0) {
			choice->walk.links = (enum scan_links)i;
			return ARGS_GO;
		}
	}
	return args_blame(call, value, "expected once, subtree or all", "--%s=%s is no policy",
			  option->name, text_clean(value, 40).s);
}

int scan_take_types(const struct call *call, const struct arg_option *option, void *values,
		    const char *value)
{
	static const char letters[] = "flod"; /* in the order of enum scan_type */
	struct scan_choice *choice = values;

	choice->filter.types = 0;
	for (const char *at = value;; at += 2) {
		const char *letter = *at ? strchr(letters, *at) : NULL;
		if (!letter || (at[1] && at[1] != ','))
			return args_blame(call, value,
					  "expected letters with commas between them: f file, "
					  "l symbolic link, o other, d directory",
					  "--%s=%s is no list of types", option->name,
					  text_clean(value, 40).s);
		choice->filter.types |= 1u << (letter - letters);
		if (!at[1])
			return ARGS_GO;
	}
}

int scan_take_size(const struct call *call, const struct arg_option *option, void *values,
		   const char *value)
{
	uint64_t bytes;

	if (!scan_read_size(value, &bytes))
		return args_blame(
			call, value,
			"expected a whole number of bytes, or with K, M, G, T behind it: 10M",
			"--%s=%s is no size", option->name, text_clean(value, 40).s);
	memcpy((char *)values + option->offset, &bytes, sizeof(bytes));
	return ARGS_GO;
}

int scan_take_age(const struct call *call, const struct arg_option *option, void *values,
		  const char *value)
{
	const struct scan_choice *choice = values;
	int64_t moment;

	if (!scan_read_age(value, choice->now, &moment))
		return args_blame(
			call, value,
			"expected a number with s, m, h, d, w or y behind it: 90s, 1h, 7d",
			"--%s=%s is no age", option->name, text_clean(value, 40).s);
	memcpy((char *)values + option->offset, &moment, sizeof(moment));
	return ARGS_GO;
}

int scan_take_recent(const struct call *call, const struct arg_option *option, void *values,
		     const char *value)
{
	int status = scan_take_age(call, option, values, value);

	if (status == ARGS_GO)
		want_report(values, option->name);
	return status;
}
