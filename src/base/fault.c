/* SPDX-License-Identifier: MIT */
/* fault.c — one table through which any fallible system call can be made to fail */
#include "base/fault.h"

#ifdef SKUA_FAULTS

#include "base/atomic.h"
#include "base/diag.h"

#include <stdlib.h>
#include <string.h>

/*
 * All relaxed: a test arms before the calls it means and reads counts after them; in between each
 * call needs only a number of its own.
 */
static struct fault_point {
	const char *word;
	int usual;		 /* errno when none was asked for */
	_Atomic uint32_t calls;	 /* every call adds */
	_Atomic uint32_t target; /* the call that fails; 0: none.  Written by arm and disarm */
	_Atomic int error;	 /* likewise */
	_Atomic bool for_ever;	 /* likewise */
} fault_points[SKUAI_FAULT_COUNT] = {
#define FAULT_POINT(name, text, error_usual) \
	[SKUAI_FAULT_##name] = { .word = (text), .usual = (error_usual) },
	SKUAI_FAULT_KINDS(FAULT_POINT)
#undef FAULT_POINT
};

int skuai_fault(enum skuai_fault_kind kind)
{
	struct fault_point *point = &fault_points[kind];
	/* order fault.call.1: relaxed, a number of its own is all that is asked */
	uint32_t call = skua_add(&point->calls, 1, relaxed) + 1;
	/* order fault.call.2: relaxed, armed before the calls it means */
	uint32_t target = skua_load(&point->target, relaxed);

	if (target == 0 || call < target)
		return 0;
	/* order fault.call.3: relaxed, as fault.call.2 */
	if (call > target && !skua_load(&point->for_ever, relaxed))
		return 0;
	/* order fault.call.4: relaxed, as fault.call.2 */
	return skua_load(&point->error, relaxed);
}

void skuai_fault_arm(enum skuai_fault_kind kind, uint32_t nth, bool for_ever, int error)
{
	struct fault_point *point = &fault_points[kind];
	/* order fault.arm.1: relaxed, nobody calls while a test arms */
	uint32_t calls = skua_load(&point->calls, relaxed);

	if (error == SKUAI_FAULT_USUAL)
		error = point->usual;
	/* order fault.arm.2: relaxed, before the calls it means */
	skua_store(&point->error, error, relaxed);
	/* order fault.arm.3: relaxed, before the calls it means */
	skua_store(&point->for_ever, for_ever, relaxed);
	/* order fault.arm.4: relaxed, before the calls it means */
	skua_store(&point->target, calls + nth, relaxed);
}

void skuai_fault_disarm(void)
{
	for (int kind = 0; kind < SKUAI_FAULT_COUNT; kind++) {
		/* order fault.disarm.1: relaxed, after the calls it meant */
		skua_store(&fault_points[kind].target, 0, relaxed);
		/* order fault.disarm.2: relaxed, after the calls it counted */
		skua_store(&fault_points[kind].calls, 0, relaxed);
	}
}

uint32_t skuai_fault_calls(enum skuai_fault_kind kind)
{
	/* order fault.calls.1: relaxed, read after the calls it counts */
	return skua_load(&fault_points[kind].calls, relaxed);
}

const char *skuai_fault_word(enum skuai_fault_kind kind)
{
	return fault_points[kind].word;
}

void skuai_fault_arm_text(const char *text)
{
	size_t length = strcspn(text, ":");

	for (int kind = 0; kind < SKUAI_FAULT_COUNT; kind++) {
		const char *word = fault_points[kind].word;
		if (strlen(word) != length || strncmp(word, text, length) != 0)
			continue;
		char *rest;
		unsigned long nth = text[length] ? strtoul(text + length + 1, &rest, 10) : 0;
		if (nth == 0 || nth > UINT32_MAX / 2)
			break;
		bool for_ever = strncmp(rest, ":ever", 5) == 0;
		rest += for_ever ? 5 : 0;
		int error = *rest == ':' ? (int)strtol(rest + 1, &rest, 10) : SKUAI_FAULT_USUAL;
		if (*rest != '\0')
			break;
		skuai_fault_arm((enum skuai_fault_kind)kind, (uint32_t)nth, for_ever, error);
		return;
	}
	skua_bug(
		"SKUA_FAULT: expected kind:n[:ever][:errno], n from 1; kinds are in src/base/fault.h");
}

/* Before main(), so that no call is missed. */
__attribute__((constructor)) static void fault_read_environment(void)
{
	const char *text = getenv("SKUA_FAULT");

	if (text)
		skuai_fault_arm_text(text);
}

#else
typedef int skuai_fault_is_off; /* ISO C asks for a declaration in every file */
#endif
