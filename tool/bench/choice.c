/* SPDX-License-Identifier: MIT */
/* choice.c — which kernels to run, at which sizes, as named on the command line */
#include "bench/choice.h"

#include "args.h"
#include "output.h"
#include "text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KERNEL_ENTRY(name) &kernel_##name,
static const struct kernel *const kernels[] = { KERNELS(KERNEL_ENTRY) };
#undef KERNEL_ENTRY
#define WORK_ENTRY(name) &work_##name,
static const struct work *const works[] = { WORKS(WORK_ENTRY) };
#undef WORK_ENTRY

#define KERNEL_COUNT (sizeof(kernels) / sizeof(kernels[0]))
#define WORK_COUNT   (sizeof(works) / sizeof(works[0]))

/* The programs first: they are what most come for. */
bool choice_kernel(unsigned i, struct choice *choice)
{
	*choice = (struct choice){ 0 };
	if (i < WORK_COUNT) {
		choice->work = works[i];
		choice->problem = works[i]->problems;
		return true;
	}
	if (i - WORK_COUNT < KERNEL_COUNT)
		choice->kernel = kernels[i - WORK_COUNT];
	return choice->kernel != NULL;
}

const char *choice_name(const struct choice *choice)
{
	return choice->kernel ? choice->kernel->name : choice->work->name;
}

const char *choice_role(const struct choice *choice)
{
	return choice->kernel ? choice->kernel->role : choice->work->role;
}

static int kernel_unknown(const struct call *call, const char *word, const char *name)
{
	struct nearest nearest = { .word = name };
	struct choice choice;
	char hint[80];

	for (unsigned i = 0; choice_kernel(i, &choice); i++)
		nearest_offer(&nearest, choice_name(&choice));
	if (nearest.best)
		snprintf(hint, sizeof(hint), "did you mean %s?", nearest.best);
	else
		snprintf(hint, sizeof(hint), "'skua bench --list' names the kernels");
	return args_blame(call, word, hint, "there is no kernel '%s'", text_clean(name, 60).s);
}

static int problem_unknown(const struct call *call, const char *word, const struct choice *choice,
			   const char *name)
{
	char hint[160] = "it has one size only; leave the : out";
	size_t length = 0;

	if (choice->work) {
		length += (size_t)snprintf(hint, sizeof(hint), "it has");
		for (const struct work_problem *p = choice->work->problems; p->name; p++)
			length += (size_t)snprintf(hint + length, sizeof(hint) - length, " %s",
						   p->name);
	}
	return args_blame(call, word, hint, "kernel %s has no size '%s'", choice_name(choice),
			  text_clean(name, 60).s);
}

/* Room for one more. */
struct list {
	struct choice *choices;
	unsigned count, room;
};

static bool append(struct list *list, const struct choice *choice)
{
	if (list->count == list->room) {
		unsigned room = list->room ? 2 * list->room : 32;
		struct choice *more = realloc(list->choices, room * sizeof(*more));
		if (!more)
			return false;
		list->choices = more;
		list->room = room;
	}
	list->choices[list->count++] = *choice;
	return true;
}

/* All sizes of a kernel from the quick ones up to a tier. */
static bool append_tiers(struct list *list, struct choice choice, enum work_tier most)
{
	if (choice.kernel)
		return append(list, &choice);
	for (; choice.problem->name; choice.problem++) {
		enum work_tier tier = choice.problem->tier;
		if (tier != WORK_TEST && tier <= most && !append(list, &choice))
			return false;
	}
	return true;
}

static const struct work_problem *find_problem(const struct work *work, const char *name)
{
	const struct work_problem *problem = work->problems;

	while (problem->name && strcmp(problem->name, name) != 0)
		problem++;
	return problem->name ? problem : NULL;
}

/* "uts" or "uts:T3"; ARGS_GO, or the exit status. */
static int append_named(const struct call *call, const char *word, enum work_tier most,
			struct list *list)
{
	struct choice choice;
	char name[64];
	const char *colon = strchr(word, ':');
	unsigned i = 0;

	snprintf(name, sizeof(name), "%.*s", colon ? (int)(colon - word) : 63, word);
	while (choice_kernel(i, &choice) && strcmp(choice_name(&choice), name) != 0)
		i++;
	if (!choice_kernel(i, &choice))
		return kernel_unknown(call, word, colon ? name : word);
	if (!colon)
		return append_tiers(list, choice, most) ? ARGS_GO : STATUS_FAULT;
	choice.problem = choice.work ? find_problem(choice.work, colon + 1) : NULL;
	if (!choice.problem)
		return problem_unknown(call, word, &choice, colon + 1);
	return append(list, &choice) ? ARGS_GO : STATUS_FAULT;
}

struct choice *choose(const struct call *call, bool is_large, unsigned *count, int *status)
{
	struct list list = { 0 };
	struct choice choice;

	*status = ARGS_GO;
	for (int i = 0; i < call->operand_count && *status == ARGS_GO; i++)
		*status = append_named(call, call->operands[i], is_large ? WORK_LARGE : WORK_USUAL,
				       &list);
	for (unsigned i = 0; !call->operand_count && choice_kernel(i, &choice); i++) {
		if (!append_tiers(&list, choice, is_large ? WORK_LARGE : WORK_QUICK))
			*status = STATUS_FAULT;
	}
	if (*status == STATUS_FAULT)
		fprintf(stderr, "skua bench: not enough memory for the list of kernels\n");
	*count = list.count;
	if (*status == ARGS_GO)
		return list.choices;
	free(list.choices);
	return NULL;
}

static void list_tier(const struct work *work, enum work_tier tier, const char *when)
{
	const char *before = when;

	for (const struct work_problem *p = work->problems; p->name; p++) {
		if (p->tier != tier)
			continue;
		out("%s%s%s", before, before == when ? ": " : " ", p->name);
		before = "";
	}
}

void choice_list(void)
{
	struct choice choice;

	for (unsigned i = 0; choice_kernel(i, &choice); i++) {
		out("%-12s%s\n", choice_name(&choice), choice_role(&choice));
		if (!choice.work)
			continue;
		list_tier(choice.work, WORK_QUICK, "            sizes");
		list_tier(choice.work, WORK_USUAL, "; named");
		list_tier(choice.work, WORK_LARGE, "; --large");
		list_tier(choice.work, WORK_TEST, "\n            small");
		out("\n");
	}
}
