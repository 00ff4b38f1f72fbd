/* SPDX-License-Identifier: MIT */
/* model_mutants.c — deques as others broke them: each must be caught where the sound one passes */
#include "mc.h"

#include "base/atomic.h"

/*
 * One small Chase-Lev deque, and flaws to switch on, each a bug that was published or shipped
 * (docs/design/deque.md names them).  A flaw is run on a program on which the sound deque passes
 * exhaustively: then, and only then, its death says something about the checker.
 */
enum flaw {
	SOUND,
	NO_FULL_TEST,		/* push overwrites the oldest element of a full buffer */
	NO_FENCES,		/* nothing between "lower bottom" and "read top", nor in steal */
	NO_POP_FENCE,		/* only the thief has a fence */
	NO_STEAL_FENCE,		/* only the owner has one */
	ACCESSES_NOT_FENCES,	/* seq_cst store, acquire loads: orders nothing across two words */
	UNSIGNED_INDICES,	/* pop of an empty deque compares with 2^64 - 1 */
	RETRY_IS_A_TASK,	/* a lost race is run like an element */
	STEAL_TAKES_FIRST,	/* steal empties the slot, then asks whether it was its own */
	STALE_TAKES_FIRST,	/* and what a slow thief empties may be a later element's */
	POP_TAKES_FIRST,	/* so does pop, with the last element */
	TAKE_FROM_PLAIN_SLOTS,	/* and the slots are not atomic */
	PLAIN_SLOTS,		/* read before the CAS, rightly, but not atomic */
	ARRAY_STORE_RELAXED,	/* the grown buffer is published before its slots */
	ARRAY_LOAD_RELAXED,	/* or met without acquiring them */
	ARRAY_LOAD_AFTER_FENCE, /* a fence before the load is no acquire */
	PUSH_INTO_OLD_ARRAY,	/* push goes on with the buffer from before it grew */
	SLOT_AFTER_CAS,		/* the owner may have written it again by then */
	INDEX_BEFORE_SLOT,	/* bottom is raised, then the slot is written */
	PUSH_RELAXED,		/* in that order, but nothing says so */
	ONE_CAS_FOR_HALF,	/* several elements claimed at once; the owner pops one of them */
	BATCH_KEEPS_ARRAY,	/* bottom read anew for each element, the buffer not */
	THREE_BIT_INDICES,	/* top comes round to what a slow thief remembers */
	FIVE_BIT_INDICES,	/* not in this program: sound here */
	HALF_ONE_BY_ONE,	/* sound */
	BATCH_READS_ARRAY,	/* sound */
};

enum way {
	BOUNDED,   /* a push into a full deque is refused */
	GROWING,   /* it doubles instead */
	PAIRED,	   /* bounded; each push but the last is followed by a pop */
	POP_FIRST, /* bounded; it begins with a pop of nothing */
};

struct program {
	unsigned capacity, pushes, pops, thieves, steals;
	enum way way;
};

enum {
	ELEMENTS_MAX = 12,
	ROOM = 8,
	RETRY_TASK = 99,
};

struct array {
	uint64_t mask;
	_Atomic uint64_t slots[ROOM];
	struct mc_cell plain[ROOM];
};

static struct table {
	_Atomic uint64_t top, bottom;
	_Atomic(struct array *) array;
	struct mc_cell
		cells[ELEMENTS_MAX]; /* what an element stands for: written before its push */
	unsigned taken[ELEMENTS_MAX];
	struct program program;
	enum flaw flaw;
} * table;

enum take {
	EMPTY,
	GOT,
	RETRY,
};

static bool is(enum flaw flaw)
{
	return table->flaw == flaw;
}

/* --- indices, which may be narrow --- */

static unsigned unused_bits(void)
{
	return is(THREE_BIT_INDICES) ? 61 : is(FIVE_BIT_INDICES) ? 59 : 0;
}

static uint64_t after(uint64_t index, int64_t by)
{
	return (index + (uint64_t)by) << unused_bits() >> unused_bits();
}

static int64_t count_of(uint64_t top, uint64_t bottom)
{
	return (int64_t)((bottom - top) << unused_bits()) >> unused_bits();
}

/* --- slots --- */

static bool is_plain(void)
{
	return is(PLAIN_SLOTS) || is(TAKE_FROM_PLAIN_SLOTS);
}

static void put(struct array *array, uint64_t index, uint64_t element)
{
	if (is_plain())
		mc_write(&array->plain[index & array->mask], element);
	else
		skua_store(&array->slots[index & array->mask], element, relaxed);
}

static uint64_t get(struct array *array, uint64_t index, bool takes_first)
{
	if (takes_first && !is_plain())
		return skua_exchange(&array->slots[index & array->mask], 0, acq_rel);
	if (!is_plain())
		return skua_load(&array->slots[index & array->mask], relaxed);
	uint64_t element = mc_read(&array->plain[index & array->mask]);
	if (takes_first)
		mc_write(&array->plain[index & array->mask], 0);
	return element;
}

/* --- the owner --- */

static struct array *grow(struct array *old, uint64_t top, uint64_t bottom)
{
	struct array *grown = mc_alloc(sizeof(*grown));

	grown->mask = 2 * old->mask + 1;
	for (uint64_t i = top; i < bottom; i++)
		put(grown, i, get(old, i, false));
	if (is(ARRAY_STORE_RELAXED))
		skua_store(&table->array, grown, relaxed);
	else
		skua_store(&table->array, grown, release);
	return is(PUSH_INTO_OLD_ARRAY) ? old : grown;
}

static bool push(uint64_t element)
{
	uint64_t bottom = skua_load(&table->bottom, relaxed);
	uint64_t top = skua_load(&table->top, acquire);
	struct array *array = skua_load(&table->array, relaxed);

	if (count_of(top, bottom) > (int64_t)array->mask && !is(NO_FULL_TEST)) {
		if (table->program.way != GROWING)
			return false;
		array = grow(array, top, bottom);
	}
	if (is(INDEX_BEFORE_SLOT))
		skua_store(&table->bottom, after(bottom, 1), release);
	put(array, bottom, element);
	if (is(PUSH_RELAXED))
		skua_store(&table->bottom, after(bottom, 1), relaxed);
	else
		skua_store(&table->bottom, after(bottom, 1), release);
	return true;
}

static uint64_t lower_bottom_read_top(uint64_t bottom)
{
	if (is(ACCESSES_NOT_FENCES)) {
		skua_store(&table->bottom, bottom, seq_cst);
		return skua_load(&table->top, acquire);
	}
	skua_store(&table->bottom, bottom, release);
	if (!is(NO_FENCES) && !is(NO_POP_FENCE))
		skua_fence(&table->top, seq_cst);
	return skua_load(&table->top, relaxed);
}

static enum take pop(uint64_t *element)
{
	uint64_t bottom = after(skua_load(&table->bottom, relaxed), -1);
	uint64_t top = lower_bottom_read_top(bottom);
	bool is_empty = is(UNSIGNED_INDICES) ? top > bottom : count_of(top, bottom) < 0;

	if (is_empty) {
		skua_store(&table->bottom, after(bottom, 1), release);
		return EMPTY;
	}
	*element = get(skua_load(&table->array, relaxed), bottom,
		       is(POP_TAKES_FIRST) || is(TAKE_FROM_PLAIN_SLOTS));
	if (top != bottom)
		return GOT;
	bool is_ours = skua_cas(&table->top, &top, after(top, 1), acq_rel, relaxed);
	skua_store(&table->bottom, after(bottom, 1), release);
	return is_ours ? GOT : EMPTY;
}

/* --- thieves --- */

static uint64_t read_bottom_after_top(void)
{
	if (!is(NO_FENCES) && !is(NO_STEAL_FENCE) && !is(ACCESSES_NOT_FENCES))
		skua_fence(&table->top, seq_cst);
	return skua_load(&table->bottom, acquire);
}

static struct array *read_array(void)
{
	if (is(ARRAY_LOAD_AFTER_FENCE))
		skua_fence(&table->array, seq_cst);
	if (is(ARRAY_LOAD_AFTER_FENCE) || is(ARRAY_LOAD_RELAXED))
		return skua_load(&table->array, relaxed);
	return skua_load(&table->array, acquire);
}

static enum take steal(uint64_t *element)
{
	uint64_t top = skua_load(&table->top, acquire);
	uint64_t bottom = read_bottom_after_top();
	bool takes_first = is(STEAL_TAKES_FIRST) || is(STALE_TAKES_FIRST) ||
			   is(TAKE_FROM_PLAIN_SLOTS);

	if (count_of(top, bottom) <= 0)
		return EMPTY;
	struct array *array = read_array();
	uint64_t index = top;
	if (!is(SLOT_AFTER_CAS))
		*element = get(array, index, takes_first);
	if (is(STALE_TAKES_FIRST)) {
		/* Just this: element i + 1 is pushed at index i.  S004-a itself is not asked. */
		mc_assert(*element == 0 || *element == index + 1);
		if (*element == 0)
			mc_prune();
	}
	if (!skua_cas(&table->top, &top, after(top, 1), acq_rel, relaxed)) {
		if (is(STALE_TAKES_FIRST))
			mc_prune();
		return RETRY;
	}
	if (is(SLOT_AFTER_CAS))
		*element = get(array, index, takes_first);
	return GOT;
}

/* Up to half of them; with one CAS for all, or one for each. */
static unsigned steal_half(uint64_t *elements)
{
	uint64_t top = skua_load(&table->top, acquire);
	uint64_t bottom = read_bottom_after_top();
	int64_t half = (count_of(top, bottom) + 1) / 2;
	unsigned got = 0;

	if (is(HALF_ONE_BY_ONE)) {
		while (got < half && steal(&elements[got]) == GOT)
			got++;
		return got;
	}
	for (int64_t i = 0; i < half; i++)
		elements[i] = get(read_array(), top + (uint64_t)i, false);
	if (half <= 0 || !skua_cas(&table->top, &top, after(top, half), acq_rel, relaxed))
		return 0;
	return (unsigned)half;
}

/* As many as there are, each with its own CAS; which buffer they are read from is the point. */
static unsigned steal_batch(uint64_t *elements)
{
	uint64_t top = skua_load(&table->top, acquire);
	struct array *array = NULL;
	unsigned got = 0;

	while (got < table->program.pushes && count_of(top, read_bottom_after_top()) > 0) {
		if (!array || is(BATCH_READS_ARRAY))
			array = read_array();
		elements[got] = get(array, top, false);
		if (!skua_cas(&table->top, &top, after(top, 1), acq_rel, relaxed))
			break;
		top = after(top, 1);
		got++;
	}
	return got;
}

/* --- the programs, and what they claim --- */

static void take(uint64_t element)
{
	mc_assert(element >= 1 && element <= table->program.pushes);
	mc_assert(mc_read(&table->cells[element]) == 100 + element);
	mc_assert(++table->taken[element] == 1);
}

static void thief(void *unused)
{
	(void)unused;
	for (unsigned i = 0; i < table->program.steals; i++) {
		uint64_t elements[ELEMENTS_MAX] = { RETRY_TASK };
		unsigned count = 0;
		if (is(ONE_CAS_FOR_HALF) || is(HALF_ONE_BY_ONE)) {
			count = steal_half(elements);
		} else if (is(BATCH_KEEPS_ARRAY) || is(BATCH_READS_ARRAY)) {
			count = steal_batch(elements);
		} else {
			enum take taken = steal(elements);
			count = taken == GOT || (taken == RETRY && is(RETRY_IS_A_TASK));
			if (taken == RETRY)
				elements[0] = RETRY_TASK;
		}
		for (unsigned j = 0; j < count; j++)
			take(elements[j]);
	}
}

static bool pop_one(void)
{
	uint64_t element;
	bool has_got = pop(&element) == GOT;

	if (has_got)
		take(element);
	return has_got;
}

static void play(enum flaw flaw, struct program program)
{
	table = mc_alloc(sizeof(*table));
	table->program = program;
	table->flaw = flaw;
	struct array *array = mc_alloc(sizeof(*array));
	array->mask = program.capacity - 1;
	skua_store(&table->array, array, relaxed);
	for (unsigned i = 0; i < program.thieves; i++)
		mc_start(thief, NULL);
	if (program.way == POP_FIRST)
		pop_one();
	for (unsigned i = 1; i <= program.pushes; i++) {
		mc_write(&table->cells[i], 100 + i);
		if (!push(i))
			take(i); /* refused: still ours */
		if (program.way == PAIRED && i < program.pushes)
			pop_one();
	}
	for (unsigned i = 0; i < program.pops; i++)
		pop_one();
	mc_join();
	while (pop_one())
		;
	for (unsigned i = 1; i <= program.pushes; i++)
		mc_assert(table->taken[i] == 1);
}

/*
 * X(name, flaw, PASSES or CAUGHT, { capacity, pushes, pops, thieves, steals, way })
 * S003-a is flaw a of the third of the articles we read, R4 the fourth known trap, and so on.
 */
#define CAUGHT .must_fail = true
#define PASSES .must_fail = false
#define MUTANTS(X)                                                                                \
	X(sound_owner_alone, SOUND, PASSES, { 2, 3, 3, 0, 0, POP_FIRST })                         \
	X(s003a_s004e_no_full_test, NO_FULL_TEST, CAUGHT, { 2, 3, 3, 0, 0, BOUNDED })             \
	X(s003c_r3_unsigned_pop, UNSIGNED_INDICES, CAUGHT, { 2, 3, 3, 0, 0, POP_FIRST })          \
	X(sound_grows_alone, SOUND, PASSES, { 2, 3, 3, 0, 0, GROWING })                           \
	X(r2_push_into_old_array, PUSH_INTO_OLD_ARRAY, CAUGHT, { 2, 3, 3, 0, 0, GROWING })        \
	X(sound_thief_twice, SOUND, PASSES, { 4, 2, 2, 1, 2, BOUNDED })                           \
	X(s003b_no_fences, NO_FENCES, CAUGHT, { 4, 2, 2, 1, 2, BOUNDED })                         \
	X(r6_index_before_slot, INDEX_BEFORE_SLOT, CAUGHT, { 4, 2, 2, 1, 2, BOUNDED })            \
	X(r6_push_relaxed, PUSH_RELAXED, CAUGHT, { 4, 2, 2, 1, 2, BOUNDED })                      \
	X(sound_two_thieves, SOUND, PASSES, { 4, 2, 2, 2, 1, BOUNDED })                           \
	X(r4_no_pop_fence, NO_POP_FENCE, CAUGHT, { 4, 2, 2, 2, 1, BOUNDED })                      \
	X(r4_no_steal_fence, NO_STEAL_FENCE, CAUGHT, { 4, 2, 2, 2, 1, BOUNDED })                  \
	X(s004f_accesses_not_fences, ACCESSES_NOT_FENCES, CAUGHT, { 4, 2, 2, 2, 1, BOUNDED })     \
	X(s003d_retry_is_a_task, RETRY_IS_A_TASK, CAUGHT, { 4, 2, 2, 2, 1, BOUNDED })             \
	X(s004a_steal_takes_first, STEAL_TAKES_FIRST, CAUGHT, { 4, 2, 0, 2, 1, BOUNDED })         \
	X(sound_thieves_only, SOUND, PASSES, { 4, 2, 0, 2, 1, BOUNDED })                          \
	X(sound_last_element, SOUND, PASSES, { 4, 1, 1, 1, 1, BOUNDED })                          \
	X(s004b_pop_takes_first, POP_TAKES_FIRST, CAUGHT, { 4, 1, 1, 1, 1, BOUNDED })             \
	X(s004c_take_from_plain_slots, TAKE_FROM_PLAIN_SLOTS, CAUGHT, { 4, 1, 1, 1, 1, BOUNDED }) \
	X(sound_wraps, SOUND, PASSES, { 2, 4, 0, 1, 1, BOUNDED })                                 \
	X(r5_slot_after_cas, SLOT_AFTER_CAS, CAUGHT, { 2, 4, 0, 1, 1, BOUNDED })                  \
	X(sound_wraps_two_thieves, SOUND, PASSES, { 2, 3, 0, 2, 1, BOUNDED })                     \
	X(s004d_stale_thief_takes_first, STALE_TAKES_FIRST, CAUGHT, { 2, 3, 0, 2, 1, BOUNDED })   \
	X(r11_plain_slots, PLAIN_SLOTS, CAUGHT, { 2, 3, 0, 2, 1, BOUNDED })                       \
	X(sound_grows, SOUND, PASSES, { 2, 3, 0, 1, 2, GROWING })                                 \
	X(r1_array_store_relaxed, ARRAY_STORE_RELAXED, CAUGHT, { 2, 3, 0, 1, 2, GROWING })        \
	X(r1_array_load_relaxed, ARRAY_LOAD_RELAXED, CAUGHT, { 2, 3, 0, 1, 2, GROWING })          \
	X(r1_array_load_after_fence, ARRAY_LOAD_AFTER_FENCE, CAUGHT, { 2, 3, 0, 1, 2, GROWING })  \
	X(sound_half, HALF_ONE_BY_ONE, PASSES, { 4, 3, 2, 1, 1, BOUNDED })                        \
	X(r7_one_cas_for_half, ONE_CAS_FOR_HALF, CAUGHT, { 4, 3, 2, 1, 1, BOUNDED })              \
	X(sound_batch, BATCH_READS_ARRAY, PASSES, { 2, 3, 0, 1, 1, GROWING })                     \
	X(r8_batch_keeps_array, BATCH_KEEPS_ARRAY, CAUGHT, { 2, 3, 0, 1, 1, GROWING })            \
	X(sound_five_bits, FIVE_BIT_INDICES, PASSES, { 2, 9, 0, 1, 1, PAIRED })                   \
	X(r9_three_bits, THREE_BIT_INDICES, CAUGHT, { 2, 9, 0, 1, 1, PAIRED })

#define BODY(name, flaw, claim, ...)                     \
	static void name(void)                           \
	{                                                \
		play(flaw, (struct program)__VA_ARGS__); \
	}
MUTANTS(BODY)

/* clang-format off */
#define CASE(title, flaw, claim, ...) { .name = #title, .body = title, claim },

int main(int argc, char **argv)
{
	static const struct mc_case cases[] = {
		MUTANTS(CASE)
		{ .name = NULL },
	};
	/* clang-format on */
	return mc_main(argc, argv, cases);
}
