/* SPDX-License-Identifier: MIT */
/* fuzz_quota.c — the text parsers below the quota, fed anything, held to what they promise */
#include "os/cgroup.h"
#include "os/cpuset.h"

#include <stdlib.h>
#include <string.h>

/*
 * One input goes through every parser, whole and in parts; each is given its own heap copy of
 * exactly its length, so that one byte too far is seen.  A broken promise aborts.
 */
#define PROMISE(claim) ((claim) ? (void)0 : abort())

static char *copy_of(struct skuai_text text)
{
	char *copy = malloc(text.count + 1);

	PROMISE(copy);
	if (text.count)
		memcpy(copy, text.at, text.count);
	return realloc(copy, text.count ? text.count : 1);
}

static bool is_within(struct skuai_text part, struct skuai_text whole)
{
	return part.at >= whole.at && part.at + part.count <= whole.at + whole.count;
}

static void check_limit(enum skuai_limit_result result, struct skuai_limit limit)
{
	if (result == SKUAI_LIMIT_SET)
		PROMISE(limit.quota_us != 0 && limit.period_us != 0);
	else
		PROMISE(limit.quota_us == 0 && limit.period_us == 0);
}

/* A strict order: never both ways, and merging gives the same whatever comes first. */
static void check_order(struct skuai_limit a, struct skuai_limit b)
{
	__extension__ typedef unsigned __int128 wide;
	bool a_first = skuai_limit_is_tighter(a, b), b_first = skuai_limit_is_tighter(b, a);

	PROMISE(!(a_first && b_first));
	PROMISE(!skuai_limit_is_tighter(a, a));
	if (a.quota_us && b.quota_us)
		PROMISE(a_first ==
			((wide)a.quota_us * b.period_us < (wide)b.quota_us * a.period_us));
	else
		PROMISE(a_first == (a.quota_us != 0 && b.quota_us == 0));
}

static void check_limits(struct skuai_text text)
{
	struct skuai_text rest = text;
	struct skuai_text first = skuai_text_cut(&rest, '\n');
	struct skuai_limit whole, line, two, bits = { 0 };

	check_limit(skuai_limit_parse_v2(text, &whole), whole);
	check_limit(skuai_limit_parse_v2(first, &line), line);
	check_limit(skuai_limit_parse_v1(first, rest, &two), two);
	if (text.count >= sizeof(bits)) { /* and limits that no text gives */
		memcpy(&bits, text.at, sizeof(bits));
		if (bits.quota_us == 0 || bits.period_us == 0)
			bits = (struct skuai_limit){ 0 };
	}
	check_order(whole, two);
	check_order(line, bits);
	check_order(two, bits);
}

static void check_list(struct skuai_text text)
{
	struct skuai_cpuset set, again;
	static char list[SKUAI_CPUS_MAX * 6];
	char little[24];
	enum skuai_cpuset_result result = skuai_cpuset_parse(text, &set);

	if (result == SKUAI_CPUSET_GARBLED) {
		PROMISE(skuai_cpuset_count(&set) == 0);
		return;
	}
	skuai_cpuset_format(&set, list, sizeof(list));
	PROMISE(skuai_cpuset_parse((struct skuai_text){ list, strlen(list) }, &again) ==
		SKUAI_CPUSET_WHOLE);
	PROMISE(memcmp(&set, &again, sizeof(set)) == 0);
	skuai_cpuset_format(&set, little, sizeof(little));
	PROMISE(strlen(little) < sizeof(little));
	PROMISE(strcmp(little, list) == 0 || strcmp(little + strlen(little) - 3, "...") == 0);
}

static void check_group(struct skuai_text group, const char *root)
{
	struct skuai_text below;

	if (!skuai_cgroup_below(group, root, &below))
		return;
	PROMISE(below.count == 0 || (is_within(below, group) && below.at[0] == '/'));
	while (below.count)
		PROMISE(!skuai_text_is(skuai_text_cut(&below, '/'), ".."));
}

static void check_files(struct skuai_text text)
{
	struct skuai_cgroup_own own;
	char path[64];

	skuai_cgroup_parse_own(text, &own);
	PROMISE(!own.v1_cpu.at || (is_within(own.v1_cpu, text) && own.v1_cpu.at[0] == '/'));
	PROMISE(!own.v2.at || (is_within(own.v2, text) && own.v2.at[0] == '/'));
	for (struct skuai_text rest = text; rest.count;) {
		struct skuai_text line = skuai_text_cut(&rest, '\n');
		struct skuai_cgroup_mount mount;
		if (!skuai_cgroup_parse_mount(line, &mount))
			continue;
		PROMISE(is_within(mount.root, line) && is_within(mount.point, line));
		if (!skuai_cgroup_unescape(mount.root, path, sizeof(path)))
			continue;
		PROMISE(path[0] == '/' && strlen(path) < sizeof(path));
		PROMISE(strlen(path) <= mount.root.count);
		if (own.v2.at)
			check_group(own.v2, path);
		if (own.v1_cpu.at)
			check_group(own.v1_cpu, path);
	}
	if (skuai_cgroup_unescape(text, path, sizeof(path)))
		check_group(text, path);
}

static void check_shown(struct skuai_text text)
{
	char shown[16];

	skuai_text_show(text, shown, sizeof(shown));
	PROMISE(strlen(shown) == (text.count < sizeof(shown) ? text.count : sizeof(shown) - 1));
	for (size_t i = 0; shown[i]; i++)
		PROMISE(shown[i] >= ' ' && shown[i] <= '~');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct skuai_text given = { (const char *)data, size };
	char *copy = copy_of(given);
	struct skuai_text text = { copy, size };

	check_limits(text);
	check_list(text);
	check_files(text);
	check_shown(text);
	free(copy);
	return 0;
}
