/* SPDX-License-Identifier: MIT */
/* model_evring.c — the production ring of events: a copy has no mixture of two, and counts right */
#include "mc.h"

#include "base/atomic.h"
#include "trace/evring.h"

#include <stdio.h>

/*
 * The main thread owns a ring of two and puts events into it whose two words tell the same number;
 * another copies.  Whatever the copier keeps must be whole, in order, and the number it says.
 */
enum {
	SIZE = 2
};

static struct table {
	struct skuai_evring ring;
	struct skuai_event events[SIZE];
	char got[16];
} * table;

static void copier(void *unused)
{
	struct skuai_trace_record records[SIZE];
	uint64_t from, count = skuai_evring_copy(&table->ring, 0, records, &from);

	(void)unused;
	for (uint64_t i = 0; i < count; i++) {
		mc_assert(records[i].ticks == from + i + 1);
		mc_assert(records[i].argument == from + i + 1);
	}
	snprintf(table->got, sizeof(table->got), "%u@%u", (unsigned)count, (unsigned)from);
}

static void puts_and_copies(unsigned count)
{
	table = mc_alloc(sizeof(*table));
	table->ring.mask = SIZE - 1;
	table->ring.events = table->events;
	mc_start(copier, NULL);
	for (uint64_t n = 1; n <= count; n++)
		skuai_evring_put(&table->ring, n, n);
	mc_join();
	mc_outcome("%s", table->got);
}

static void one(void)
{
	puts_and_copies(1);
}

static void three(void)
{
	puts_and_copies(3);
}

static void four(void)
{
	puts_and_copies(4);
}

int main(int argc, char **argv)
{
	static const struct mc_case cases[] = {
		{ .name = "one", .body = one, .outcomes = "0@0 1@0" },
		{ .name = "three", .body = three, .outcomes = NULL },
		{ .name = "four", .body = four, .outcomes = NULL },
		{ .name = NULL },
	};
	return mc_main(argc, argv, cases);
}
