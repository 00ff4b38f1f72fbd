/* SPDX-License-Identifier: MIT */
/* scan_workers.c — how many workers a scan has, and by which rule */
#include "scan/scan_workers.h"

#include "scan/handle.h"
#include "scan/kernfs.h"
#include "scan/spinning.h"

#include <fcntl.h>
#include <unistd.h>

#define NETWORK_EACH 4 /* for each CPU: they wait for answers, not for each other */
#define NETWORK_MOST 64

/*
 * One slow operand decides for all.  A disk that turns goes first: there more workers than one may
 * halve the speed, elsewhere one worker only fails to double it.
 */
static enum workers_rule place_of(const struct scan_options *options)
{
	enum workers_rule place = WORKERS_CPUS;

	for (unsigned i = 0; i < options->path_count && place != WORKERS_SPINNING; i++) {
		int fd = open(options->paths[i], O_PATH | O_CLOEXEC);
		if (fd < 0)
			continue;
		if (spinning_is_below(fd))
			place = WORKERS_SPINNING;
		else if (kernfs_is_remote(fd))
			place = WORKERS_NETWORK;
		close(fd);
	}
	return place;
}

unsigned workers_fit(enum workers_rule place, unsigned cpus)
{
	if (place == WORKERS_SPINNING)
		return 1;
	if (place != WORKERS_NETWORK || cpus >= NETWORK_MOST)
		return cpus ? cpus : 1;
	return cpus * NETWORK_EACH < NETWORK_MOST ? cpus * NETWORK_EACH : NETWORK_MOST;
}

unsigned workers_choose(struct scan *scan)
{
	struct skua_machine machine = { .size = sizeof(machine) };
	unsigned wanted = (unsigned)scan->options.workers;

	scan->workers_rule = WORKERS_ASKED;
	if (wanted == 0) {
		wanted = skua_machine_read(&machine, NULL) == SKUA_OK ? machine.workers : 1;
		if (machine.workers_reason != SKUA_WORKERS_FROM_ENV) {
			scan->workers_rule = place_of(&scan->options);
			wanted = workers_fit(scan->workers_rule, wanted);
		}
	}
	if (scan->options.is_following) {
		scan->workers_rule = WORKERS_FOLLOWING;
		wanted = 1;
	}
	unsigned most = handle_limit(scan, wanted);
	if (most < wanted)
		scan->workers_rule = WORKERS_FILES;
	return most;
}

static const struct {
	const char *name, *words;
} rules[] = {
	[WORKERS_CPUS] = { "cpus", "as many as the machine is good for" },
	[WORKERS_NETWORK] = { "network", "4 for each CPU, at most 64: it is across a network" },
	[WORKERS_SPINNING] = { "spinning", "1, because the disk turns" },
	[WORKERS_ASKED] = { "asked", "as many as asked for" },
	[WORKERS_FOLLOWING] = { "following", "1, because links are followed" },
	[WORKERS_FILES] = { "files", "as many as can have their files open" },
};

const char *workers_rule_name(enum workers_rule rule)
{
	return rules[rule].name;
}

const char *workers_rule_words(enum workers_rule rule)
{
	return rules[rule].words;
}
