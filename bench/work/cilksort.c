/* SPDX-License-Identifier: MIT */
/* cilksort.c — merge sort in four parts with merges that are themselves parallel */
#include "cilksort.h"

#include <skua/fork.h>
#include <stdlib.h>
#include <string.h>

/* Akl and Santoro's merge (1987), as in Cilk 5's example program of this name. */

#define FEW 16 /* numbers that are put in place one by one; arbitrary */

static void insert_all(int32_t *numbers, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		int32_t x = numbers[i];
		size_t at = i;
		for (; at > 0 && numbers[at - 1] > x; at--)
			numbers[at] = numbers[at - 1];
		numbers[at] = x;
	}
}

static int32_t middle_of(int32_t a, int32_t b, int32_t c)
{
	int32_t low = a < b ? a : b, high = a < b ? b : a;

	return c < low ? low : c > high ? high : c;
}

/* Quicksort; a leaf is too small for its bad cases to matter. */
WORK_NOINLINE void cilksort_leaf(int32_t *numbers, size_t count)
{
	while (count > FEW) {
		int32_t pivot = middle_of(numbers[0], numbers[count / 2], numbers[count - 1]);
		size_t left = 0, right = count - 1;

		for (;;) { /* below left nothing is more than the pivot, above right nothing less */
			while (numbers[left] < pivot)
				left++;
			while (numbers[right] > pivot)
				right--;
			if (left >= right)
				break;
			int32_t x = numbers[left];
			numbers[left++] = numbers[right];
			numbers[right--] = x;
		}
		cilksort_leaf(numbers + right + 1, count - right - 1);
		count = right + 1;
	}
	insert_all(numbers, count);
}

WORK_NOINLINE void cilksort_merge_leaf(const int32_t *a, size_t a_count, const int32_t *b,
				       size_t b_count, int32_t *to)
{
	const int32_t *a_end = a + a_count, *b_end = b + b_count;

	while (a < a_end && b < b_end)
		*to++ = *a <= *b ? *a++ : *b++;
	while (a < a_end)
		*to++ = *a++;
	while (b < b_end)
		*to++ = *b++;
}

size_t cilksort_below(const int32_t *numbers, size_t count, int32_t x)
{
	size_t first = 0;

	while (count > 0) {
		size_t half = count / 2;
		if (numbers[first + half] < x) {
			first += half + 1;
			count -= half + 1;
		} else {
			count = half;
		}
	}
	return first;
}

WORK_NOINLINE static void merge_plain(const int32_t *a, size_t a_count, const int32_t *b,
				      size_t b_count, int32_t *to)
{
	if (a_count < b_count) {
		merge_plain(b, b_count, a, a_count, to);
		return;
	}
	if (a_count + b_count <= CILKSORT_MERGE_LEAF) {
		cilksort_merge_leaf(a, a_count, b, b_count, to);
		return;
	}
	size_t x = a_count / 2, y = cilksort_below(b, b_count, a[x]);
	merge_plain(a, x, b, y, to);
	merge_plain(a + x, a_count - x, b + y, b_count - y, to + x + y);
}

WORK_NOINLINE static void sort_plain(int32_t *numbers, int32_t *other, size_t count)
{
	size_t q = count / 4, last = count - 3 * q;

	if (count <= CILKSORT_SORT_LEAF) {
		cilksort_leaf(numbers, count);
		return;
	}
	sort_plain(numbers, other, q);
	sort_plain(numbers + q, other + q, q);
	sort_plain(numbers + 2 * q, other + 2 * q, q);
	sort_plain(numbers + 3 * q, other + 3 * q, last);
	merge_plain(numbers, q, numbers + q, q, other);
	merge_plain(numbers + 2 * q, q, numbers + 3 * q, last, other + 2 * q);
	merge_plain(other, 2 * q, other + 2 * q, q + last, numbers);
}

SKUA_TASK_VOID(merge_task, const int32_t *, a, size_t, a_count, const int32_t *, b, size_t, b_count,
	       int32_t *, to)
{
	if (a_count < b_count) {
		skua_call(merge_task, b, b_count, a, a_count, to);
		return;
	}
	if (a_count + b_count <= CILKSORT_MERGE_LEAF) {
		cilksort_merge_leaf(a, a_count, b, b_count, to);
		return;
	}
	size_t x = a_count / 2, y = cilksort_below(b, b_count, a[x]);
	skua_fork(merge_task, right, a + x, a_count - x, b + y, b_count - y, to + x + y);
	skua_call(merge_task, a, x, b, y, to);
	skua_join(merge_task, right);
}

SKUA_TASK_VOID(sort_task, int32_t *, numbers, int32_t *, other, size_t, count)
{
	size_t q = count / 4, last = count - 3 * q;

	if (count <= CILKSORT_SORT_LEAF) {
		cilksort_leaf(numbers, count);
		return;
	}
	skua_fork(sort_task, fourth, numbers + 3 * q, other + 3 * q, last);
	skua_fork(sort_task, third, numbers + 2 * q, other + 2 * q, q);
	skua_fork(sort_task, second, numbers + q, other + q, q);
	skua_call(sort_task, numbers, other, q);
	skua_join(sort_task, second);
	skua_join(sort_task, third);
	skua_join(sort_task, fourth);
	skua_fork(merge_task, right, numbers + 2 * q, q, numbers + 3 * q, last, other + 2 * q);
	skua_call(merge_task, numbers, q, numbers + q, q, other);
	skua_join(merge_task, right);
	skua_call(merge_task, other, 2 * q, other + 2 * q, q + last, numbers);
}

static void drop(void *data)
{
	struct cilksort *sort = data;

	free(sort->other);
	free(sort->numbers);
	free((void *)sort->given);
	free(sort);
}

/* Two sums that no order changes: a number lost, twice or altered shows in one of them. */
static void add_up(const int32_t *numbers, size_t count, uint64_t *sum, uint64_t *product)
{
	*sum = 0;
	*product = 1;
	for (size_t i = 0; i < count; i++) {
		*sum += (uint64_t)(int64_t)numbers[i];
		*product *= 2 * (uint64_t)(uint32_t)numbers[i] + 0x9e3779b97f4a7c15;
	}
}

static void *prepare(const struct work_problem *problem)
{
	struct cilksort *sort = calloc(1, sizeof(*sort));
	size_t count = problem->size;
	int32_t *given = malloc(count * sizeof(*given));
	uint64_t random = 1;

	if (sort && given) {
		*sort = (struct cilksort){ .count = count,
					   .given = given,
					   .numbers = malloc(count * sizeof(*given)),
					   .other = malloc(count * sizeof(*given)) };
	}
	if (!sort || !given || !sort->numbers || !sort->other) {
		if (sort) {
			sort->given = given;
			drop(sort);
		} else {
			free(given);
		}
		return NULL;
	}
	for (size_t i = 0; i < count; i++) {
		random = random * 6364136223846793005u + 1442695040888963407u;
		given[i] = (int32_t)(uint32_t)(random >> 32);
	}
	add_up(given, count, &sort->sum, &sort->product);
	return sort;
}

static void reset(void *data)
{
	struct cilksort *sort = data;

	memcpy(sort->numbers, sort->given, sort->count * sizeof(*sort->given));
}

static void run_serial(void *data)
{
	struct cilksort *sort = data;

	sort_plain(sort->numbers, sort->other, sort->count);
}

static void run_skua(void *data, struct skua_pool *pool)
{
	struct cilksort *sort = data;

	skua_run(pool, sort_task, sort->numbers, sort->other, sort->count);
}

static bool check(void *data)
{
	struct cilksort *sort = data;
	uint64_t sum, product;

	for (size_t i = 1; i < sort->count; i++) {
		if (sort->numbers[i - 1] > sort->numbers[i])
			return false;
	}
	add_up(sort->numbers, sort->count, &sum, &product);
	return sum == sort->sum && product == sort->product;
}

static const struct work_problem problems[] = {
	{ .name = "20k", .tier = WORK_TEST, .size = 20000 },
	{ .name = "10M", .tier = WORK_QUICK, .size = 10000000 },
	{ .name = NULL },
};

const struct work work_cilksort = {
	.name = "cilksort",
	.role = "merge sort in four parts with merges that are themselves parallel",
	.unit = "numbers",
	.problems = problems,
	.prepare = prepare,
	.reset = reset,
	.serial = run_serial,
	.skua = run_skua,
	.check = check,
	.drop = drop,
};
