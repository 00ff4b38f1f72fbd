/* SPDX-License-Identifier: MIT */
/* scan_workers.h — how many workers a scan has, and by which rule */
#ifndef SKUAT_SCAN_SCAN_WORKERS_H
#define SKUAT_SCAN_SCAN_WORKERS_H

/* What decided; of several the last one that applies. */
enum workers_rule {
	WORKERS_CPUS,	   /* as many as a pool without options has */
	WORKERS_NETWORK,   /* every look is a message: four for each of those, at most 64 */
	WORKERS_SPINNING,  /* one: its disk turns */
	WORKERS_ASKED,	   /* --workers or SKUA_WORKERS say so */
	WORKERS_FOLLOWING, /* one: with -L things are charged where they are met first */
	WORKERS_FILES,	   /* fewer: not enough files may be open */
};

struct scan;

/* Look at the operands; the rule goes to scan->workers_rule. */
unsigned workers_choose(struct scan *scan);

/* The number that a place is worth, of WORKERS_CPUS, NETWORK or SPINNING. */
unsigned workers_fit(enum workers_rule place, unsigned cpus);

/* "cpus", as JSON has it; and a clause for people. */
const char *workers_rule_name(enum workers_rule rule);
const char *workers_rule_words(enum workers_rule rule);

#endif
