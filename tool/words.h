/* SPDX-License-Identifier: MIT */
/* words.h — a machine report put into words that doctor and tour share */
#ifndef SKUAT_WORDS_H
#define SKUAT_WORDS_H

#include "command.h"
#include "text.h"

#include <skua/skua.h>

/*
 * Read the machine, from `root` when it is not NULL.  Returns ARGS_GO, or the exit status after a
 * complaint.
 */
int words_read_machine(const struct call *call, const char *root, struct skua_machine *machine);

/* "512 KiB", "32 MiB"; "size not told" for 0. */
struct text words_bytes(uint64_t bytes);

/* "s", or "" for one thing. */
const char *words_plural(uint64_t count);

static inline bool words_has_quota(const struct skua_machine *machine)
{
	return machine->quota_period_us != 0;
}

/* The tightest quota in CPUs, 1.5; only where there is one. */
double words_quota_cpus(const struct skua_machine *machine);

/* "1.50 CPUs" */
struct text words_quota(const struct skua_machine *machine);

/* Why that many workers: one plain clause, without a full stop. */
struct text words_why(const struct skua_machine *machine);

/* The outermost cache that data goes through, or NULL when none was reported. */
const struct skua_cache *words_last_cache(const struct skua_machine *machine);

#endif
