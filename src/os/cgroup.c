/* SPDX-License-Identifier: MIT */
/* cgroup.c — the text of control-group files: own group, mounts, limits; touches no file */
#include "os/cgroup.h"

#include <limits.h>
#include <string.h>

/* The kernel's own choice when only a quota is written to cpu.max. */
#define LIMIT_PERIOD_DEFAULT "100000"

static enum skuai_limit_result limit_make(struct skuai_text quota_text,
					  struct skuai_text period_text, struct skuai_limit *limit)
{
	uint64_t quota, period;

	if (!skuai_text_number(quota_text, &quota) || !skuai_text_number(period_text, &period))
		return SKUAI_LIMIT_GARBLED;
	if (quota == 0)
		return SKUAI_LIMIT_NONE;
	if (period == 0)
		return SKUAI_LIMIT_GARBLED;
	*limit = (struct skuai_limit){ .quota_us = quota, .period_us = period };
	return SKUAI_LIMIT_SET;
}

enum skuai_limit_result skuai_limit_parse_v2(struct skuai_text max, struct skuai_limit *limit)
{
	struct skuai_text period = skuai_text_trim(max);
	struct skuai_text quota = skuai_text_cut(&period, ' ');
	uint64_t unused;

	*limit = (struct skuai_limit){ 0 };
	if (period.count == 0)
		period = (struct skuai_text){ LIMIT_PERIOD_DEFAULT, strlen(LIMIT_PERIOD_DEFAULT) };
	if (skuai_text_is(quota, "max"))
		return skuai_text_number(period, &unused) ? SKUAI_LIMIT_NONE : SKUAI_LIMIT_GARBLED;
	return limit_make(quota, period, limit);
}

enum skuai_limit_result skuai_limit_parse_v1(struct skuai_text quota, struct skuai_text period,
					     struct skuai_limit *limit)
{
	uint64_t unused;

	*limit = (struct skuai_limit){ 0 };
	quota = skuai_text_trim(quota);
	if (skuai_text_starts(quota, "-")) {
		skuai_text_cut(&quota, '-');
		return skuai_text_number(quota, &unused) ? SKUAI_LIMIT_NONE : SKUAI_LIMIT_GARBLED;
	}
	return limit_make(quota, skuai_text_trim(period), limit);
}

/*
 * a.quota/a.period < b.quota/b.period, where the products of a cross-multiplication need not fit in
 * 64 bits: compare the whole parts; where they are equal, compare the remaining fractions by
 * comparing their inverses the other way round.  That is Euclid's algorithm on both at once, so it
 * ends after fewer than a hundred steps.
 */
bool skuai_limit_is_tighter(struct skuai_limit a, struct skuai_limit b)
{
	if (a.quota_us == 0 || b.quota_us == 0)
		return a.quota_us != 0 && b.quota_us == 0;
	for (;;) {
		uint64_t a_whole = a.quota_us / a.period_us, a_rest = a.quota_us % a.period_us;
		uint64_t b_whole = b.quota_us / b.period_us, b_rest = b.quota_us % b.period_us;
		if (a_whole != b_whole)
			return a_whole < b_whole;
		if (a_rest == 0 || b_rest == 0)
			return a_rest == 0 && b_rest != 0;
		struct skuai_limit inverse = { .quota_us = a.period_us, .period_us = a_rest };
		a = (struct skuai_limit){ .quota_us = b.period_us, .period_us = b_rest };
		b = inverse;
	}
}

/* Is `word` one of the comma-separated words of the list?  "cpuset" does not make "cpu" one. */
static bool cgroup_list_has(struct skuai_text list, const char *word)
{
	while (list.count)
		if (skuai_text_is(skuai_text_cut(&list, ','), word))
			return true;
	return false;
}

void skuai_cgroup_parse_own(struct skuai_text file, struct skuai_cgroup_own *own)
{
	*own = (struct skuai_cgroup_own){ 0 };
	while (file.count) {
		struct skuai_text path = skuai_text_cut(&file, '\n');
		struct skuai_text id = skuai_text_cut(&path, ':');
		struct skuai_text controllers = skuai_text_cut(&path, ':');
		if (!skuai_text_starts(path, "/")) /* a path may itself hold colons */
			continue;
		own->has_lines = true;
		if (!own->v2.at && skuai_text_is(id, "0") && controllers.count == 0)
			own->v2 = path;
		if (!own->v1_cpu.at && cgroup_list_has(controllers, "cpu"))
			own->v1_cpu = path;
	}
}

/*
 *	36 35 98:0 /root /point rw,noatime shared:1 master:2 - cgroup source rw,cpu,cpuacct
 *	id parent dev root point options  optional, any number  type  source super options
 */
bool skuai_cgroup_parse_mount(struct skuai_text line, struct skuai_cgroup_mount *mount)
{
	for (int skipped = 0; skipped < 3; skipped++)
		skuai_text_cut(&line, ' ');
	mount->root = skuai_text_cut(&line, ' ');
	mount->point = skuai_text_cut(&line, ' ');
	while (line.count && !skuai_text_is(skuai_text_cut(&line, ' '), "-"))
		;
	struct skuai_text type = skuai_text_cut(&line, ' ');
	skuai_text_cut(&line, ' '); /* source: any text, but its blanks are escaped */
	mount->is_v2 = skuai_text_is(type, "cgroup2");
	return mount->is_v2 || (skuai_text_is(type, "cgroup") && cgroup_list_has(line, "cpu"));
}

/* The byte that "\ooo" stands for, or -1. */
static int cgroup_octal(struct skuai_text escape)
{
	int value = 0;

	if (escape.count < 4)
		return -1;
	for (size_t i = 1; i < 4; i++) {
		if (escape.at[i] < '0' || escape.at[i] > '7')
			return -1;
		value = value * 8 + (escape.at[i] - '0');
	}
	return value <= UCHAR_MAX ? value : -1;
}

bool skuai_cgroup_unescape(struct skuai_text escaped, char *path, size_t room)
{
	size_t filled = 0;

	while (escaped.count) {
		int byte = escaped.at[0] == '\\' ? cgroup_octal(escaped) : -1;
		size_t used = byte < 0 ? 1 : 4;
		char c = byte < 0 ? escaped.at[0] : (char)byte;
		if (c == '\0' || filled + 1 >= room)
			return false;
		path[filled++] = c;
		escaped.at += used;
		escaped.count -= used;
	}
	path[filled] = '\0';
	return path[0] == '/';
}

bool skuai_cgroup_below(struct skuai_text group, const char *root, struct skuai_text *below)
{
	size_t length = strcmp(root, "/") == 0 ? 0 : strlen(root);
	struct skuai_text rest = group;

	if (group.count && memchr(group.at, '\0', group.count))
		return false;
	while (rest.count)
		if (skuai_text_is(skuai_text_cut(&rest, '/'), ".."))
			return false;
	if (length && !skuai_text_starts(group, root))
		return false;
	rest = (struct skuai_text){ group.at + length, group.count - length };
	if (rest.count && rest.at[0] != '/')
		return false; /* "/ab" is not below "/a" */
	if (skuai_text_is(rest, "/"))
		rest.count = 0;
	*below = rest;
	return true;
}
