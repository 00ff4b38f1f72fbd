/* SPDX-License-Identifier: MIT */
/* words.c — a machine report put into words that doctor and tour share */
#include "words.h"

#include "args.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int words_read_machine(const struct call *call, const char *root, struct skua_machine *machine)
{
	static const char *const hint = "expected a folder with copies of /proc and /sys in it";
	struct skua_machine_options options = { .size = sizeof(options), .root = root };
	struct stat status;
	int error;

	if (root && stat(root, &status) != 0)
		return args_blame(call, root, hint, "cannot read the root '%s': %s",
				  text_clean(root, 0).s, strerror(errno));
	if (root && !S_ISDIR(status.st_mode))
		return args_blame(call, root, hint, "cannot read the root '%s': it is not a folder",
				  text_clean(root, 0).s);
	machine->size = sizeof(*machine);
	error = skua_machine_read(machine, &options);
	if (error && root)
		return args_blame(call, root, hint, "cannot read the root '%s': %s",
				  text_clean(root, 0).s, skua_strerror(error));
	if (error) {
		fprintf(stderr, "skua %s: cannot look at this machine: %s\n", call->command->name,
			skua_strerror(error));
		return STATUS_FAULT;
	}
	return ARGS_GO;
}

struct text words_bytes(uint64_t bytes)
{
	static const char *const units[] = { "bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
	struct text words;
	unsigned unit = 0;
	uint64_t whole = bytes;

	while (whole >= 1024 && unit + 1 < sizeof(units) / sizeof(*units)) {
		whole /= 1024;
		unit++;
	}
	if (!bytes)
		snprintf(words.s, sizeof(words.s), "size not told");
	else if (whole << (10 * unit) == bytes)
		snprintf(words.s, sizeof(words.s), "%" PRIu64 " %s", whole, units[unit]);
	else
		snprintf(words.s, sizeof(words.s), "%.1f %s",
			 (double)bytes / (double)(UINT64_C(1) << (10 * unit)), units[unit]);
	return words;
}

const char *words_plural(uint64_t count)
{
	return count == 1 ? "" : "s";
}

double words_quota_cpus(const struct skua_machine *machine)
{
	return (double)machine->quota_us / (double)machine->quota_period_us;
}

struct text words_quota(const struct skua_machine *machine)
{
	struct text words;
	double cpus = words_quota_cpus(machine);

	if (cpus > 0 && cpus < 0.01)
		snprintf(words.s, sizeof(words.s), "less than 0.01 CPUs");
	else if (cpus < 1e6)
		snprintf(words.s, sizeof(words.s), "%.2f CPUs", cpus);
	else
		snprintf(words.s, sizeof(words.s), "%.3g CPUs", cpus);
	return words;
}

struct text words_why(const struct skua_machine *machine)
{
	struct text words;
	const char *env = getenv("SKUA_WORKERS");
	unsigned allowed = machine->cpus_allowed;

	switch (machine->workers_reason) {
	case SKUA_WORKERS_FROM_QUOTA:
		snprintf(words.s, sizeof(words.s),
			 "the cgroup quota of %.32s is less than the %u allowed CPU%s%s",
			 words_quota(machine).s, allowed, words_plural(allowed),
			 machine->quota_us % machine->quota_period_us
				 ? "; rounded up to whole workers"
				 : "");
		return words;
	case SKUA_WORKERS_FROM_ENV:
		snprintf(words.s, sizeof(words.s),
			 "the environment variable SKUA_WORKERS=%.160s says so",
			 env ? text_clean(env, 40).s : "");
		return words;
	case SKUA_WORKERS_FROM_LIMIT:
		snprintf(words.s, sizeof(words.s),
			 "this process may run on %u CPUs, but %u workers are the most skua starts",
			 allowed, (unsigned)SKUA_WORKERS_MAX);
		return words;
	case SKUA_WORKERS_FROM_CPUS:
		break;
	}
	if (allowed == 1)
		snprintf(words.s, sizeof(words.s), "this process may run on one CPU only");
	else
		snprintf(words.s, sizeof(words.s),
			 "one for each of the %u CPUs this process may run on", allowed);
	return words;
}

const struct skua_cache *words_last_cache(const struct skua_machine *machine)
{
	const struct skua_cache *last = NULL;

	for (unsigned i = 0; i < machine->cache_count && i < SKUA_CACHES_MAX; i++) {
		const struct skua_cache *cache = &machine->caches[i];
		if (cache->kind != SKUA_CACHE_INSTRUCTION && (!last || cache->level >= last->level))
			last = cache;
	}
	return last;
}
