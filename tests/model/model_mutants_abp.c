/* SPDX-License-Identifier: MIT */
/* model_mutants_abp.c — the older deque whose index goes back to zero: ABA without a tag */
#include "mc.h"

#include "base/atomic.h"

/*
 * Arora, Blumofe, Plaxton, "Thread scheduling for multiprogrammed multiprocessors" (SPAA 1998).
 * An owner that takes the last element resets both indices to 0.  A thief that read top = 0 and the
 * element, and then slept, finds top = 0 again: its CAS succeeds, an old element is handed out
 * twice and a new one is lost (S002-a).  A tag beside top that counts the resets makes it fail.
 */
struct age {
	uint32_t top, tag;
};

static struct table {
	_Atomic uint64_t age; /* top, tag << 32 */
	_Atomic uint64_t bottom;
	_Atomic uint64_t slots[4];
	unsigned taken[4];
	bool has_tag;
} * table;

enum {
	PUSHES = 2
};

static uint64_t packed(struct age age)
{
	return age.top | (uint64_t)age.tag << 32;
}

static struct age unpacked(uint64_t bits)
{
	return (struct age){ .top = (uint32_t)bits, .tag = (uint32_t)(bits >> 32) };
}

static void take(uint64_t element)
{
	mc_assert(element >= 1 && element <= PUSHES);
	mc_assert(++table->taken[element] == 1);
}

static void push(uint64_t element)
{
	uint64_t bottom = skua_load(&table->bottom, relaxed);

	skua_store(&table->slots[bottom], element, relaxed);
	skua_store(&table->bottom, bottom + 1, release);
}

static bool pop(void)
{
	uint64_t bottom = skua_load(&table->bottom, relaxed);

	if (bottom == 0)
		return false;
	skua_store(&table->bottom, --bottom, release);
	skua_fence(&table->age, seq_cst);
	uint64_t element = skua_load(&table->slots[bottom], relaxed);
	uint64_t old = skua_load(&table->age, relaxed);
	struct age age = unpacked(old);
	if (bottom > age.top) {
		take(element);
		return true;
	}
	/* Empty, or the last one: begin again at 0. */
	bool is_last = bottom == age.top;
	uint64_t reset = packed((struct age){ .tag = table->has_tag ? age.tag + 1 : 0 });
	skua_store(&table->bottom, 0, release);
	if (is_last && skua_cas(&table->age, &old, reset, acq_rel, relaxed)) {
		take(element);
		return true;
	}
	skua_store(&table->age, reset, release);
	return false;
}

static void steal(void *unused)
{
	(void)unused;
	uint64_t old = skua_load(&table->age, acquire);
	struct age age = unpacked(old);
	skua_fence(&table->age, seq_cst);
	if (skua_load(&table->bottom, acquire) <= age.top)
		return;
	uint64_t element = skua_load(&table->slots[age.top], relaxed);
	age.top++;
	if (skua_cas(&table->age, &old, packed(age), acq_rel, relaxed))
		take(element);
}

static void play(bool has_tag)
{
	table = mc_alloc(sizeof(*table));
	table->has_tag = has_tag;
	mc_start(steal, NULL);
	for (uint64_t i = 1; i <= PUSHES; i++) {
		push(i);
		pop();
	}
	mc_join();
	while (pop())
		;
	for (unsigned i = 1; i <= PUSHES; i++)
		mc_assert(table->taken[i] == 1);
}

static void tagged(void)
{
	play(true);
}

static void untagged(void)
{
	play(false);
}

int main(int argc, char **argv)
{
	static const struct mc_case cases[] = {
		{ .name = "sound_abp_tagged", .body = tagged },
		{ .name = "s002a_abp_untagged", .body = untagged, .must_fail = true },
		{ .name = NULL },
	};
	return mc_main(argc, argv, cases);
}
