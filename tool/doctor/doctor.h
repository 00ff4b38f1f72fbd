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

/* `root` is NULL for the real machine. */
void doctor_text(const struct skua_machine *machine, const char *root);
void doctor_json(const struct skua_machine *machine, const char *root);

#endif
