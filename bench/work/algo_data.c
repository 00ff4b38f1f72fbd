/* SPDX-License-Identifier: MIT */
/* algo_data.c — the arrays of `skua bench algo`, plain programs for them, and what must come out */
#include "algo_data.h"

#include <stdlib.h>

#define STRING_ROOM 24 /* bytes; of 6 to 21 letters */

static const struct {
	const char *name, *role;
	uint64_t n;
	size_t in_bytes, out_bytes;
	const char *group; /* the problem it belongs to, beside those that have all */
} cases[] = {
#define ALGO_ROW(name, role, n, in, out, group) { #name, role, n, in, out, group },
	ALGO_CASES(ALGO_ROW)
#undef ALGO_ROW
};

const struct work_problem algo_problems[] = {
	{ .name = "3000", .tier = WORK_TEST, .size = 3000 },
	{ .name = "1M", .tier = WORK_QUICK, .size = ALGO_FULL / 10 },
	{ .name = "loop", .tier = WORK_USUAL, .size = ALGO_FULL },
	{ .name = "scan", .tier = WORK_USUAL, .size = ALGO_FULL },
	{ .name = "sort", .tier = WORK_USUAL, .size = ALGO_FULL },
	{ .name = NULL },
};

const char *algo_name(uint32_t which)
{
	return cases[which].name;
}

const char *algo_role(uint32_t which)
{
	return cases[which].role;
}

static bool is_sort(uint32_t which)
{
	return strcmp(cases[which].group, "sort") == 0;
}

/* --- what goes in --- */

static uint64_t next_random(uint64_t *state)
{
	uint64_t x = *state += 0x9e3779b97f4a7c15u; /* splitmix64 */

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

/* The letters lie behind the pointers, in another order than these. */
static void make_strings(char **strings, uint64_t n, uint64_t *random)
{
	char *letters = (char *)(strings + n);

	for (uint64_t i = 0; i < n; i++) {
		uint64_t length = 6 + next_random(random) % 16;
		strings[i] = letters + i * STRING_ROOM;
		for (uint64_t k = 0; k < length; k++)
			strings[i][k] = (char)('a' + next_random(random) % 26);
		strings[i][length] = '\0';
	}
	for (uint64_t i = n; i > 1; i--) {
		uint64_t j = next_random(random) % i;
		char *other = strings[j];
		strings[j] = strings[i - 1];
		strings[i - 1] = other;
	}
}

static void make_floats(float *floats, uint64_t n, uint64_t *random)
{
	for (uint64_t i = 0; i < n; i++)
		floats[i] = (float)(next_random(random) % 3) - 1;
}

static void make_words(const struct algo_data *data, uint64_t *random)
{
	uint64_t *words = data->input;
	double *doubles = data->input;

	for (uint64_t i = 0; i < data->n; i++) {
		uint64_t x = next_random(random);
		if (data->which == ALGO_for)
			doubles[i] = (double)(x % 1024);
		else if (data->which == ALGO_sortdbl)
			doubles[i] = (double)(int64_t)x / (double)(1 + x % 1000);
		else
			words[i] = data->which == ALGO_scan ? x % 1000000 : x;
	}
}

static uint32_t number_at(const struct algo_data *data, uint64_t i, uint64_t *random)
{
	uint32_t x = (uint32_t)(next_random(random) >> 32);

	switch (data->which) {
	case ALGO_uneven:
		return (uint32_t)i + 1;
	case ALGO_sorted:
		return (uint32_t)(i * (UINT32_MAX / data->n));
	case ALGO_find: /* after three quarters, and some beyond */
		return i > data->n / 4 * 3 && x % 16 == 0 ? x | 1 : x & ~(uint32_t)1;
	default:
		return x;
	}
}

static void make_input(const struct algo_data *data)
{
	uint64_t random = data->which;
	uint32_t *numbers = data->input;

	switch (data->which) {
	case ALGO_reduce:
	case ALGO_reduces:
		make_floats(data->input, data->which == ALGO_reduce ? data->n : ALGO_SHORT,
			    &random);
		break;
	case ALGO_strings:
		make_strings(data->input, data->n, &random);
		break;
	case ALGO_for:
	case ALGO_scan:
	case ALGO_sort64:
	case ALGO_sortdbl:
		make_words(data, &random);
		break;
	default:
		for (uint64_t i = 0; i < data->n; i++)
			numbers[i] = number_at(data, i, &random);
		if (data->which == ALGO_find)
			numbers[data->n / 4 * 3] |= 1;
	}
}

/* --- plain programs --- */

/* Eight bits at a time, the lowest first; an even number of passes, so it ends where it began. */
#define PLAIN_RADIX(name, type, key)                                                 \
	static void name(type *from, type *to, uint64_t n)                           \
	{                                                                            \
		for (unsigned shift = 0; shift < 8 * sizeof(type); shift += 8) {     \
			uint64_t places[256] = { 0 }, sum = 0;                       \
			for (uint64_t i = 0; i < n; i++)                             \
				places[key(from[i]) >> shift & 255]++;               \
			for (unsigned k = 0; k < 256; k++) {                         \
				uint64_t count = places[k];                          \
				places[k] = sum;                                     \
				sum += count;                                        \
			}                                                            \
			for (uint64_t i = 0; i < n; i++)                             \
				to[places[key(from[i]) >> shift & 255]++] = from[i]; \
			type *other = from;                                          \
			from = to;                                                   \
			to = other;                                                  \
		}                                                                    \
	}

#define SAME_KEY(x) (x)
/* Of the bits of a double: in the order of the numbers. */
#define DOUBLE_KEY(x) ((x) ^ ((uint64_t)((int64_t)(x) >> 63) | (uint64_t)1 << 63))

PLAIN_RADIX(plain_sort32, uint32_t, SAME_KEY)
PLAIN_RADIX(plain_sort64, uint64_t, SAME_KEY)
PLAIN_RADIX(plain_sortdbl, uint64_t, DOUBLE_KEY)

static int by_letters(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void plain_sort(const struct algo_data *data)
{
	switch (data->which) {
	case ALGO_sort32:
	case ALGO_sorted:
		plain_sort32(data->output, data->spare, data->n);
		break;
	case ALGO_sort64:
		plain_sort64(data->output, data->spare, data->n);
		break;
	case ALGO_sortdbl:
		plain_sortdbl(data->output, data->spare, data->n);
		break;
	default:
		qsort(data->output, data->n, sizeof(char *), by_letters);
	}
}

/* A function of its own: it is not to know how many there are. */
static WORK_NOINLINE float plain_sum(const float *x, uint64_t n)
{
	return algo_sum(x, n);
}

static uint64_t plain_reduces(const struct algo_data *data)
{
	int64_t all = 0;

	for (uint64_t k = 0; k < data->n / ALGO_SHORT; k++) {
		all += (int64_t)plain_sum(data->input, ALGO_SHORT);
		WORK_AGAIN();
	}
	return (uint64_t)all;
}

__attribute__((aligned(64))) uint64_t algo_steps(uint32_t item)
{
	uint64_t x = item, steps = 0;

	for (; x != 1; steps++) {
		uint64_t is_odd = -(x % 2); /* all bits, or none */
		x = (is_odd & (3 * x + 1)) | (~is_odd & x / 2);
	}
	return steps;
}

static uint64_t plain_uneven(const uint32_t *items, uint64_t n)
{
	uint64_t steps = 0;

	for (uint64_t i = 0; i < n; i++)
		steps += algo_steps(items[i]);
	return steps;
}

static void plain_histo(const uint32_t *x, uint64_t n, uint64_t *bins)
{
	for (uint64_t i = 0; i < n; i++)
		bins[algo_bin(x[i])]++;
}

static void plain_scan(const uint64_t *x, uint64_t *to, uint64_t n)
{
	uint64_t sum = 0;

	for (uint64_t i = 0; i < n; i++)
		to[i] = sum += x[i];
}

static uint64_t plain_filter(const uint32_t *x, uint32_t *to, uint64_t n)
{
	uint64_t kept = 0;

	for (uint64_t i = 0; i < n; i++) {
		to[kept] = x[i]; /* always: what is not kept is written over */
		kept += algo_is_kept(x[i]);
	}
	return kept;
}

static uint64_t plain_find(const uint32_t *x, uint64_t n)
{
	uint64_t i = 0;

	while (i < n && !algo_is_wanted(x[i]))
		i++;
	return i;
}

void algo_plain(struct algo_data *data)
{
	switch (data->which) {
	case ALGO_for:
		algo_scale(data->output, data->n);
		break;
	case ALGO_reduce:
		data->value = (uint64_t)(int64_t)plain_sum(data->input, data->n);
		break;
	case ALGO_reduces:
		data->value = plain_reduces(data);
		break;
	case ALGO_uneven:
		data->value = plain_uneven(data->input, data->n);
		break;
	case ALGO_histo:
		plain_histo(data->input, data->n, data->output);
		break;
	case ALGO_scan:
		plain_scan(data->input, data->output, data->n);
		break;
	case ALGO_filter:
		data->value = plain_filter(data->input, data->output, data->n);
		break;
	case ALGO_find:
		data->value = plain_find(data->input, data->n);
		break;
	default:
		plain_sort(data);
	}
}

/* --- what comes out --- */

static uint64_t mix(uint64_t digest, uint64_t word)
{
	return (digest ^ word) * 0x9fb21c651e98df25u + (digest >> 29);
}

static uint64_t digest_strings(uint64_t digest, char *const *strings, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		for (const char *letter = strings[i]; *letter; letter++)
			digest = mix(digest, (unsigned char)*letter);
	return digest;
}

/* How many elements the output has that count. */
static uint64_t output_count(const struct algo_data *data)
{
	if (data->which == ALGO_filter)
		return data->value < data->n ? data->value : data->n;
	if (data->which == ALGO_histo)
		return ALGO_BINS;
	return cases[data->which].out_bytes ? data->n : 0;
}

static uint64_t digest_of(const struct algo_data *data)
{
	uint64_t digest = mix(data->which + 1, data->value), count = output_count(data);
	const unsigned char *bytes = data->output;

	if (data->which == ALGO_strings)
		return digest_strings(digest, data->output, count);
	for (uint64_t i = 0; i < count; i++) {
		uint64_t word = 0;
		size_t size = cases[data->which].out_bytes;
		memcpy(&word, bytes + i * size, size == 4 ? 4 : 8);
		digest = mix(digest, word);
	}
	return digest;
}

bool algo_is_right(const struct algo_data *data)
{
	return digest_of(data) == data->answer;
}

void algo_reset(struct algo_data *data)
{
	size_t bytes = cases[data->which].out_bytes * data->n;
	bool is_in_place = is_sort(data->which) || data->which == ALGO_for;

	data->value = is_in_place ? 0 : UINT64_MAX;
	if (data->which == ALGO_scan || data->which == ALGO_histo)
		data->value = 0;
	if (is_in_place)
		memcpy(data->output, data->input, bytes);
	else if (data->which == ALGO_histo)
		memset(data->output, 0, ALGO_BINS * sizeof(uint64_t));
	else
		memset(data->output, 0xff, bytes);
}

/* --- sets --- */

static void close_case(struct algo_data *data)
{
	free(data->input);
	free(data->output);
	free(data->spare);
}

static bool open_case(struct algo_data *data, uint32_t which, uint64_t size)
{
	uint64_t n = cases[which].n * size / ALGO_FULL, given = n, made = n;
	size_t in_bytes = cases[which].in_bytes, out_bytes = cases[which].out_bytes;

	*data = (struct algo_data){ .which = which, .n = n };
	if (which == ALGO_reduces) {
		given = ALGO_SHORT;
		data->n = n / ALGO_SHORT * ALGO_SHORT;
	}
	if (which == ALGO_strings)
		in_bytes += STRING_ROOM;
	if (which == ALGO_histo)
		made = ALGO_BINS;
	data->input = malloc(given * in_bytes + 1); /* never of nothing */
	data->output = malloc(made * out_bytes + 1);
	data->spare = calloc(is_sort(which) ? n * out_bytes + 1 : 1, 1);
	if (!data->input || !data->output || !data->spare) {
		close_case(data);
		return false;
	}
	make_input(data);
	algo_reset(data);
	algo_plain(data);
	data->answer = digest_of(data);
	algo_reset(data);
	return true;
}

bool algo_set_open(struct algo_set *set, const struct work_problem *problem)
{
	bool is_group = problem->tier == WORK_USUAL;

	set->count = 0;
	for (unsigned i = 0; i < ALGO_COUNT; i++) {
		if (is_group && strcmp(cases[i].group, problem->name) != 0)
			continue;
		if (!open_case(&set->cases[set->count], i, problem->size)) {
			algo_set_close(set);
			return false;
		}
		set->count++;
	}
	return true;
}

void algo_set_close(struct algo_set *set)
{
	while (set->count)
		close_case(&set->cases[--set->count]);
}

struct algo_set *algo_set_new(const char *problem)
{
	const struct work_problem *found = algo_problems;
	struct algo_set *set = malloc(sizeof(*set));

	while (found->name && strcmp(found->name, problem) != 0)
		found++;
	if (set && found->name && algo_set_open(set, found))
		return set;
	free(set);
	return NULL;
}

void algo_set_free(struct algo_set *set)
{
	algo_set_close(set);
	free(set);
}

unsigned algo_set_count(const struct algo_set *set)
{
	return set->count;
}

struct algo_data *algo_set_at(struct algo_set *set, unsigned i)
{
	return &set->cases[i];
}
