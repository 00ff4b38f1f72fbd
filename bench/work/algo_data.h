/* SPDX-License-Identifier: MIT */
/* algo_data.h — the arrays of `skua bench algo`, plain programs for them, and what must come out */
#ifndef SKUA_WORK_ALGO_DATA_H
#define SKUA_WORK_ALGO_DATA_H

#include "work.h"

#include <stddef.h>
#include <string.h>

/*
 * No runtime in here: the programs of bench/peers/algo link this file too, so that all have the
 * same arrays and the same judge.  Numbers are such that every order of adding gives the same sum,
 * to the last bit.
 *
 *	name, elements at full size, bytes of one that goes in and of one that comes out, group
 */
#define ALGO_CASES(X)                                                                \
	X(for, "for: a x + b, doubles", 10000000, 8, 8, "loop")                      \
	X(reduce, "reduce, floats", 100000000, 4, 0, "loop")                         \
	X(reduces, "reduce, 10000 floats each", 100000000, 4, 0, "loop")             \
	X(uneven, "reduce, uneven items", 1000000, 4, 0, "loop")                     \
	X(histo, "histogram, 256 bins", 10000000, 4, 8, "loop")                      \
	X(scan, "scan, inclusive, int64", 10000000, 8, 8, "scan")                    \
	X(filter, "filter, every second", 10000000, 4, 4, "scan")                    \
	X(find, "find first", 10000000, 4, 0, "scan")                                \
	X(sort32, "sort, uint32", 10000000, 4, 4, "sort")                            \
	X(sort64, "sort, uint64", 10000000, 8, 8, "sort")                            \
	X(sortdbl, "sort, doubles", 10000000, 8, 8, "sort")                          \
	X(strings, "sort, strings", 1000000, sizeof(char *), sizeof(char *), "sort") \
	X(sorted, "sort, uint32 in order", 10000000, 4, 4, "sort")

#define ALGO_NAME(name, role, n, in, out, group) ALGO_##name,
enum algo_case {
	ALGO_CASES(ALGO_NAME) ALGO_COUNT
};
#undef ALGO_NAME

#define ALGO_FULL   10000000 /* the size of a problem whose cases have as many elements as listed */
#define ALGO_SHORT  10000    /* floats of each of many reductions */
#define ALGO_BINS   256
#define ALGO_FACTOR 0.5 /* of the loop */
#define ALGO_PLUS   3.0

/* Field for field known to algo_rayon/src/main.rs too. */
struct algo_data {
	uint32_t which;	 /* enum algo_case */
	uint64_t n;	 /* elements */
	void *input;	 /* made once, stays as it is */
	void *output;	 /* what is made of it, or, for sorts and the loop, what is worked on */
	void *spare;	 /* as large; of the plain sorts */
	uint64_t value;	 /* a sum, the number of elements kept, the index found */
	uint64_t answer; /* digest of value and output of the plain program */
};

struct algo_set {
	unsigned count;
	struct algo_data cases[ALGO_COUNT];
};

#ifdef __cplusplus
extern "C" {
#endif

extern const struct work_problem algo_problems[];

const char *algo_name(uint32_t which);
const char *algo_role(uint32_t which);

/* The cases of a problem, with their arrays.  False: not enough memory, nothing was made. */
bool algo_set_open(struct algo_set *set, const struct work_problem *problem);
void algo_set_close(struct algo_set *set);

/* Before each run: the output as it must be, the value wrong. */
void algo_reset(struct algo_data *data);

/* The plain program. */
void algo_plain(struct algo_data *data);

bool algo_is_right(const struct algo_data *data);

/*
 * How often 3 x + 1, or half of it, until 1: from none to some hundred times.  Called by all, rayon
 * too: compilers differ in what they make of it.  Without a branch but that of the loop, or the
 * same code takes 139 to 209 ns, depending on what the processor has learned of those around it.
 */
uint64_t algo_steps(uint32_t item);

/* The same for those who know no C: by the problem's name; NULL: there is none, or no memory. */
struct algo_set *algo_set_new(const char *problem);
void algo_set_free(struct algo_set *set);
unsigned algo_set_count(const struct algo_set *set);
struct algo_data *algo_set_at(struct algo_set *set, unsigned i);

#ifdef __cplusplus
}
#endif

/* --- leaves --- */

/* As many as a register of the plain processor has; compilers differ in what they make of loops. */
typedef float algo_floats __attribute__((vector_size(16), aligned(4), may_alias));
typedef double algo_doubles __attribute__((vector_size(16), aligned(8), may_alias));

static inline void algo_scale(double *x, uint64_t count)
{
	uint64_t i = 0;

	for (; i + 8 <= count; i += 8) {
		algo_doubles *two = (algo_doubles *)(x + i);
		two[0] = two[0] * ALGO_FACTOR + ALGO_PLUS;
		two[1] = two[1] * ALGO_FACTOR + ALGO_PLUS;
		two[2] = two[2] * ALGO_FACTOR + ALGO_PLUS;
		two[3] = two[3] * ALGO_FACTOR + ALGO_PLUS;
	}
	for (; i < count; i++)
		x[i] = x[i] * ALGO_FACTOR + ALGO_PLUS;
}

/* Sixteen sums side by side: one would wait for each addition. */
static inline float algo_sum(const float *x, uint64_t count)
{
	algo_floats a = { 0 }, b = { 0 }, c = { 0 }, d = { 0 };
	float sum = 0;
	uint64_t i = 0;

	for (; i + 16 <= count; i += 16) {
		const algo_floats *four = (const algo_floats *)(x + i);
		a += four[0];
		b += four[1];
		c += four[2];
		d += four[3];
	}
	for (; i < count; i++)
		sum += x[i];
	a = (a + b) + (c + d);
	return sum + ((a[0] + a[1]) + (a[2] + a[3]));
}

static inline bool algo_is_kept(uint32_t x)
{
	return x >> 31;
}

static inline bool algo_is_wanted(uint32_t x)
{
	return x % 2;
}

static inline uint32_t algo_bin(uint32_t x)
{
	return x >> 24;
}

#endif
