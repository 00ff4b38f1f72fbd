/* SPDX-License-Identifier: MIT */
/* 11_executor.c — a sorting library that knows nothing of pools, lent one through five fields */
#include <skua/executor.h>
#include <skua/skua.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- the library: of skua it uses the struct, and not one function --- */

typedef int compare_fn(const void *a, const void *b, void *context);

struct sorting {
	char *from, *to; /* sorted runs are read here, longer ones are written there */
	size_t count, size, run;
	compare_fn *compare;
	void *context;
	struct tally { /* one for each slot: no other step writes it, so it needs no lock */
		size_t compared;
		char rest_of_the_line[56];
	} * tallies;
};

static size_t lesser(size_t a, size_t b)
{
	return a < b ? a : b;
}

static void sort_run(void *argument, size_t index, unsigned slot)
{
	struct sorting *s = argument;
	size_t first = index * s->run, n = lesser(s->run, s->count - first);

	(void)slot;
	qsort_r(s->from + first * s->size, n, s->size, s->compare, s->context);
}

/* Two neighbouring runs of s->from become one of s->to. */
static void merge_runs(void *argument, size_t index, unsigned slot)
{
	struct sorting *s = argument;
	size_t first = index * 2 * s->run, end = lesser(first + 2 * s->run, s->count);
	size_t left = first, middle = lesser(first + s->run, s->count), right = middle;

	for (size_t i = first; i < end; i++) {
		int is_left = left < middle;
		if (is_left && right < end) {
			s->tallies[slot].compared++;
			is_left = s->compare(s->from + left * s->size, s->from + right * s->size,
					     s->context) <= 0;
		}
		size_t taken = is_left ? left++ : right++;
		memcpy(s->to + i * s->size, s->from + taken * s->size, s->size);
	}
}

/* As qsort_r, on whatever the caller lends.  0, or negative; *compared: comparisons in merges. */
static int lent_qsort(const struct skua_executor *lent, void *base, size_t count, size_t size,
		      compare_fn *compare, void *context, size_t *compared)
{
	if (lent->abi != SKUA_EXECUTOR_ABI)
		return -1;
	unsigned width = lent->width(lent->self);
	size_t run = count / (4 * (size_t)width) + 1;
	struct tally *tallies = calloc(width, sizeof(*tallies));
	char *room = malloc(count * size + 1);
	struct sorting s = { base, room, count, size, run, compare, context, tallies };
	int error = room && tallies ? 0 : -1;

	if (!error)
		error = lent->bulk(lent->self, (count + run - 1) / run, sort_run, &s);
	for (; !error && s.run < count; s.run *= 2) {
		error = lent->bulk(lent->self, (count + 2 * s.run - 1) / (2 * s.run), merge_runs,
				   &s);
		char *swap = s.from;
		s.from = s.to;
		s.to = swap;
	}
	if (!error && s.from != base)
		memcpy(base, s.from, count * size);
	*compared = 0;
	for (unsigned i = 0; !error && i < width; i++)
		*compared += tallies[i].compared;
	free(room);
	free(tallies);
	return error;
}

/* --- the program: it has a pool, and lends it --- */

#define COUNT 200000

static int by_digits(const void *a, const void *b, void *context)
{
	unsigned modulus = *(unsigned *)context;
	unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;

	if (x % modulus != y % modulus)
		return x % modulus < y % modulus ? -1 : 1;
	return (x > y) - (x < y);
}

static int is_right(const char *name, const struct skua_executor *lent)
{
	static unsigned sorted[COUNT], wanted[COUNT];
	unsigned modulus = 1000, random = 1;
	size_t compared;

	for (size_t i = 0; i < COUNT; i++)
		sorted[i] = wanted[i] = (random = random * 1664525 + 1013904223) >> 8;
	int error = lent_qsort(lent, sorted, COUNT, sizeof(*sorted), by_digits, &modulus,
			       &compared);
	if (error) {
		fprintf(stderr, "11_executor: %s: error %d\n", name, error);
		return 0;
	}
	qsort_r(wanted, COUNT, sizeof(*wanted), by_digits, &modulus);
	int is_same = memcmp(sorted, wanted, sizeof(wanted)) == 0;
	printf("%-6s width %u: %s, %zu comparisons in merges\n", name, lent->width(lent->self),
	       is_same ? "sorted" : "WRONG", compared);
	return is_same;
}

int main(void)
{
	struct skua_executor serial =
		skua_serial_executor(); /* no pool: for tests of the library */
	struct skua_executor pool = skua_pool_executor(NULL); /* the default pool */

	return is_right("serial", &serial) && is_right("pool", &pool) ? 0 : 1;
}
