/* SPDX-License-Identifier: MIT */
/* race_choice.c — which shapes, rivals and numbers of workers, as named on the command line */
#include "args.h"
#include "output.h"
#include "race/race.h"
#include "text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct rival *const rivals[] = {
#define RIVAL_ENTRY(name) &rival_##name,
	RIVALS(RIVAL_ENTRY)
#undef RIVAL_ENTRY
};

#define RIVAL_COUNT (sizeof(rivals) / sizeof(rivals[0]))

_Static_assert(RIVAL_COUNT <= RACE_RIVALS_MAX, "a plan has room for all of them");

static const struct rival *find_rival(const char *name)
{
	for (unsigned i = 0; i < RIVAL_COUNT; i++) {
		if (strcmp(rivals[i]->name, name) == 0)
			return rivals[i];
	}
	return NULL;
}

static void write_hint(char *hint, size_t size, const struct nearest *nearest, const char *what)
{
	if (nearest->best)
		snprintf(hint, size, "did you mean %s?", nearest->best);
	else
		snprintf(hint, size, "'skua race --list' names the %s", what);
}

static int rival_unknown(const struct call *call, const char *word, const char *name)
{
	struct nearest nearest = { .word = name };
	char hint[96];

	for (unsigned i = 0; i < RIVAL_COUNT; i++)
		nearest_offer(&nearest, rivals[i]->name);
	write_hint(hint, sizeof(hint), &nearest, "rivals");
	return args_blame(call, word, hint, "there is no rival '%s'", text_clean(name, 60).s);
}

int race_read_rivals(const struct call *call, const char *word, struct race_plan *plan)
{
	char name[64];

	for (unsigned i = 0; !word && i < RIVAL_COUNT; i++)
		plan->rivals[plan->rival_count++] = rivals[i];
	for (const char *at = word; at;) {
		size_t length = strcspn(at, ",");
		snprintf(name, sizeof(name), "%.*s", (int)(length < 63 ? length : 63), at);
		const struct rival *rival = find_rival(name);
		if (!rival)
			return rival_unknown(call, word, name);
		if (plan->rival_count == RACE_RIVALS_MAX)
			return args_blame(call, word, "at most 16 at a time",
					  "--rivals has too many names");
		plan->rivals[plan->rival_count++] = rival;
		at = at[length] ? at + length + 1 : NULL;
	}
	return ARGS_GO;
}

/* "2", or "1,2,16" */
int race_read_workers(const struct call *call, const char *word, struct race_plan *plan)
{
	char hint[80];

	for (const char *at = word; at;) {
		size_t digits = strspn(at, "0123456789");
		unsigned long n = digits && digits <= 4 ? strtoul(at, NULL, 10) : 0;

		if (n < 1 || n > RACE_WORKERS_MAX || (at[digits] && at[digits] != ',')) {
			snprintf(hint, sizeof(hint),
				 "expected a whole number, 1..%u, or several: 1,2,4",
				 RACE_WORKERS_MAX);
			return args_blame(call, word, hint, "--workers=%s is out of range",
					  text_clean(word, 40).s);
		}
		if (plan->counts == RACE_COUNTS_MAX)
			return args_blame(call, word, "at most 16 at a time",
					  "--workers has too many numbers");
		plan->workers[plan->counts++] = (unsigned)n;
		at = at[digits] ? at + digits + 1 : NULL;
	}
	return ARGS_GO;
}

int race_read_shapes(const struct call *call, const struct shape **chosen, unsigned *count)
{
	*count = 0;
	for (unsigned i = 0; !call->operand_count && shapes[i]; i++)
		chosen[(*count)++] = shapes[i];
	for (int i = 0; i < call->operand_count; i++) {
		const char *word = call->operands[i];
		const struct shape *shape = shape_find(word);
		struct nearest nearest = { .word = word };
		char hint[96];

		for (unsigned j = 0; !shape && shapes[j]; j++)
			nearest_offer(&nearest, shapes[j]->name);
		write_hint(hint, sizeof(hint), &nearest, "shapes");
		if (!shape)
			return args_blame(call, word, hint, "there is no shape '%s'",
					  text_clean(word, 60).s);
		chosen[(*count)++] = shape;
	}
	return ARGS_GO;
}

void race_list(void)
{
	out("shapes\n");
	for (unsigned i = 0; shapes[i]; i++)
		out("  %-18s%s\n", shapes[i]->name, shapes[i]->role);
	out("rivals\n");
	for (unsigned i = 0; i < RIVAL_COUNT; i++)
		out("  %-18s%s\n", rivals[i]->name, rivals[i]->role);
}
