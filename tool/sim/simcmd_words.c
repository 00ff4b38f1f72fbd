/* SPDX-License-Identifier: MIT */
/* simcmd_words.c — numbers, lists of workers and names of schedulers, as people write them */
#include "args.h"
#include "output.h"
#include "sim/simcmd.h"
#include "text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static bool multiply(uint64_t *number, uint64_t by, uint64_t most)
{
	if (by && *number > most / by)
		return false;
	*number *= by;
	return true;
}

/* Digits; the bytes they take. */
static size_t read_digits(const char *word, size_t length, uint64_t most, uint64_t *number)
{
	size_t i = 0;

	*number = 0;
	for (; i < length && word[i] >= '0' && word[i] <= '9'; i++) {
		uint64_t digit = (uint64_t)(word[i] - '0');
		if (!multiply(number, 10, most) || *number > most - digit)
			return 0;
		*number += digit;
	}
	return i;
}

bool simcmd_number(const char *word, size_t length, uint64_t most, uint64_t *number)
{
	uint64_t base, exponent;
	size_t at = read_digits(word, length, most, &base);

	if (!at)
		return false;
	*number = base;
	if (at == length)
		return true;
	char mark = word[at++];
	if (at == length && (mark == 'k' || mark == 'M' || mark == 'G'))
		return multiply(number,
				mark == 'k'   ? 1000
				: mark == 'M' ? 1000000
					      : 1000000000,
				most);
	if ((mark != 'e' && mark != '^') ||
	    read_digits(word + at, length - at, 64, &exponent) != length - at || at == length)
		return false;
	if (mark == '^')
		*number = 1;
	for (uint64_t i = 0; i < exponent; i++) {
		if (!multiply(number, mark == 'e' ? 10 : base, most))
			return false;
	}
	return true;
}

bool simcmd_fraction(const char *word, size_t length, uint64_t whole, uint64_t most,
		     uint64_t *number)
{
	uint64_t left, digits = 0, scale = 1;
	const char *point = memchr(word, '.', length);
	size_t before = point ? (size_t)(point - word) : length;

	if (read_digits(word, before, 1000000000, &left) != before || (!before && length < 2))
		return false;
	for (size_t i = before + 1; i < length; i++) {
		if (word[i] < '0' || word[i] > '9' || scale >= 1000000000)
			return false;
		digits = 10 * digits + (uint64_t)(word[i] - '0');
		scale *= 10;
	}
	if (point && before + 1 == length)
		return false;
	*number = left * whole + (digits * whole + scale / 2) / scale;
	return *number <= most;
}

/* --- numbers of workers --- */

static int workers_wrong(const struct call *call, const char *word, const char *why)
{
	char hint[120];

	snprintf(hint, sizeof(hint), "expected 1..%u: 64, 1,2,4, 1..10^6 by tens, or 1..1024x4",
		 SIM_WORKERS_MAX);
	return args_blame(call, word, hint, "--workers=%s %s", text_clean(word, 40).s, why);
}

/* One more than there is room for is only counted: the list is too long. */
static void add_count(struct simcmd_plan *plan, uint64_t count)
{
	if (plan->count_count < SIMCMD_COUNTS_MAX)
		plan->counts[plan->count_count] = (uint32_t)count;
	plan->count_count++;
}

static bool is_power_of_ten(uint64_t number)
{
	while (number % 10 == 0)
		number /= 10;
	return number == 1;
}

/* "1..10^6": by tens if both ends are powers of ten, else by twos; "x4" behind it says by what. */
static bool read_span(const char *word, size_t length, const char *dots, struct simcmd_plan *plan)
{
	const char *last = dots + 2, *end = word + length;
	const char *by = memchr(last, 'x', (size_t)(end - last));
	uint64_t low, high, factor;

	if (!simcmd_number(word, (size_t)(dots - word), SIM_WORKERS_MAX, &low) ||
	    !simcmd_number(last, (size_t)((by ? by : end) - last), SIM_WORKERS_MAX, &high) ||
	    low < 1 || high < low)
		return false;
	factor = is_power_of_ten(low) && is_power_of_ten(high) ? 10 : 2;
	if (by && (!simcmd_number(by + 1, (size_t)(end - by - 1), 1000, &factor) || factor < 2))
		return false;
	for (uint64_t count = low; count < high; count *= factor)
		add_count(plan, count);
	add_count(plan, high);
	return true;
}

int simcmd_read_workers(const struct call *call, const char *word, struct simcmd_plan *plan)
{
	plan->count_count = 0;
	for (const char *at = word; at;) {
		size_t length = strcspn(at, ",");
		const char *dots = strstr(at, "..");
		uint64_t count = 0;

		if (dots && dots < at + length) {
			if (!read_span(at, length, dots, plan))
				return workers_wrong(call, word, "has a span that is none");
		} else if (!simcmd_number(at, length, SIM_WORKERS_MAX, &count) || count < 1) {
			return workers_wrong(call, word, "is out of range");
		} else {
			add_count(plan, count);
		}
		if (plan->count_count > SIMCMD_COUNTS_MAX)
			return workers_wrong(call, word, "has more than 64 numbers");
		at = at[length] ? at + length + 1 : NULL;
	}
	return ARGS_GO;
}

/* --- schedulers --- */

static void set_one(struct sim_config *config)
{
	config->amount = SIM_AMOUNT_ONE;
}

static void set_half(struct sim_config *config)
{
	config->amount = SIM_AMOUNT_HALF;
}

static void set_nearest(struct sim_config *config)
{
	config->victim = SIM_VICTIM_NEAREST;
}

static void set_urgent(struct sim_config *config)
{
	config->is_urgent_first = true;
}

static void set_lifelines(struct sim_config *config)
{
	if (!config->lifeline_tries)
		config->lifeline_tries = 2;
}

static void set_two(struct sim_config *config)
{
	config->sharing = SIM_SHARING_TWO;
}

static void set_threshold(struct sim_config *config)
{
	config->sharing = SIM_SHARING_THRESHOLD;
}

static const struct simcmd_variant variants[] = {
	{ "central", "one queue for all, which serves one taker at a time", SIM_CENTRAL, NULL },
	{ "sharing", "a new task is sent to a random worker, nobody steals", SIM_SHARING, NULL },
	{ "static", "all is dealt out beforehand in equal parts", SIM_STATIC, NULL },
	{ "steal", "work stealing, as --victim and --amount say", SIM_STEAL, NULL },
	{ "skua", "work stealing as our pool does it, with sleeping workers", SIM_SKUA, NULL },
	{ "steal-one", "the same as steal; a thief takes one task", SIM_STEAL, set_one },
	{ "steal-half", "the same; half of the victim's", SIM_STEAL, set_half },
	{ "steal-near", "the same; near victims first", SIM_STEAL, set_nearest },
	{ "steal-urgent", "the same; urgent tasks first, low ones last", SIM_STEAL, set_urgent },
	{ "lifelines", "the same; after two tries it asks its neighbours, and waits", SIM_STEAL,
	  set_lifelines },
	{ "sharing-two", "the same as sharing; to the shorter queue of two", SIM_SHARING, set_two },
	{ "sharing-some", "the same; only what is above a threshold is sent", SIM_SHARING,
	  set_threshold },
};

#define VARIANT_COUNT (sizeof(variants) / sizeof(*variants))

_Static_assert(VARIANT_COUNT <= SIMCMD_VARIANTS_MAX, "a plan has room for all of them");

const struct simcmd_variant *simcmd_variant(unsigned i)
{
	return i < VARIANT_COUNT ? &variants[i] : NULL;
}

const struct simcmd_variant *simcmd_find_variant(const char *name)
{
	for (unsigned i = 0; i < VARIANT_COUNT; i++) {
		if (strcmp(variants[i].name, name) == 0)
			return &variants[i];
	}
	return NULL;
}

int simcmd_read_variants(const struct call *call, const char *word, struct simcmd_plan *plan)
{
	char name[64], hint[96] = "'skua sim --list' names the schedulers";

	plan->variant_count = 0;
	for (const char *at = word; at;) {
		size_t length = strcspn(at, ",");
		struct nearest nearest = { .word = name };

		snprintf(name, sizeof(name), "%.*s", (int)(length < 63 ? length : 63), at);
		const struct simcmd_variant *variant = simcmd_find_variant(name);
		for (unsigned i = 0; !variant && i < VARIANT_COUNT; i++)
			nearest_offer(&nearest, variants[i].name);
		if (nearest.best)
			snprintf(hint, sizeof(hint), "did you mean %s?", nearest.best);
		if (!variant)
			return args_blame(call, word, hint, "there is no scheduler '%s'",
					  text_clean(name, 60).s);
		if (plan->variant_count == SIMCMD_VARIANTS_MAX)
			return args_blame(call, word, "at most 16 at a time",
					  "--scheduler has too many names");
		plan->variants[plan->variant_count++] = variant;
		at = at[length] ? at + length + 1 : NULL;
	}
	return ARGS_GO;
}

void simcmd_list(void)
{
	simcmd_list_loads();
	out("schedulers\n");
	for (unsigned i = 0; i < VARIANT_COUNT; i++)
		out("  %-14s%s\n", variants[i].name, variants[i].role);
	out("victims, for --victim\n ");
	for (unsigned i = 0; sim_victim_name(i); i++)
		out(" %s", sim_victim_name(i));
	out("\nlaws of a loop's costs, as in loop:heavy\n ");
	for (unsigned i = 0; sim_law_name(i); i++)
		out(" %s", sim_law_name(i));
	out("\n");
}
