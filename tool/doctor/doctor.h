/* SPDX-License-Identifier: MIT */
/* doctor.h — the two forms of the doctor's report */
#ifndef SKUAT_DOCTOR_H
#define SKUAT_DOCTOR_H

#include <skua/skua.h>

/* What an unreadable part means for the user. */
struct doctor_part {
	enum skua_machine_part part;
	const char *name;	 /* in JSON */
	const char *what;	 /* "could not read ..." */
	const char *consequence; /* what skua did without it */
	const char *remedy;	 /* what to try */
};

/* All parts, ended by an entry without name. */
extern const struct doctor_part doctor_parts[];

/* The file at fault, as far as it is known; else NULL. */
const char *doctor_part_file(const struct skua_machine *machine, const struct doctor_part *part);

/* `cpus` without an array: not known.  `root` is NULL for the real machine. */
void doctor_text(const struct skua_machine *machine, const struct skua_cpus *cpus,
		 const char *root);
void doctor_json(const struct skua_machine *machine, const struct skua_cpus *cpus,
		 const char *root);

/* Which CPUs share what, as a tree: a part of the text. */
void doctor_tree(const struct skua_cpus *cpus);

/* The entries there are in cpus->cpus. */
static inline size_t doctor_cpus(const struct skua_cpus *cpus)
{
	return !cpus->cpus ? 0 : cpus->count < cpus->room ? cpus->count : cpus->room;
}

#endif
