/* SPDX-License-Identifier: MIT */
/* 09_reducers.c — tasks add to sums, lists and histograms without a lock, and lease memory */
#include <skua/skua.h>
#include <stdio.h>
#include <string.h>

#define LIMIT 20000 /* numbers below it are looked at */

/* A type of our own: the number that takes the longest to come down to 1, the first of several. */
struct record {
	int number, steps;
};

static struct record better(struct record a, struct record b)
{
	if (a.steps != b.steps)
		return a.steps > b.steps ? a : b;
	return a.number < b.number ? a : b;
}

SKUA_REDUCER(longest, struct record, ((struct record){ LIMIT, -1 }), better);

struct results {
	struct skua_sum_int64 steps;
	struct longest longest;
	struct skua_list palindromes;	  /* of int */
	struct skua_histogram last_digit; /* of the number of steps */
	struct skua_local scratch;	  /* room for a number's digits */
};

static int steps_to_one(int number)
{
	int steps = 0;

	for (int64_t n = number; n != 1; steps++)
		n = n % 2 ? 3 * n + 1 : n / 2;
	return steps;
}

static bool is_palindrome(int number, char *scratch)
{
	int length = snprintf(scratch, 16, "%d", number);

	for (int i = 0; i < length / 2; i++)
		if (scratch[i] != scratch[length - 1 - i])
			return false;
	return true;
}

SKUA_TASK(int, look_at, struct results *, r, int, begin, int, end)
{
	int error = SKUA_OK;

	if (end - begin > 100) {
		skua_fork(look_at, left, r, begin, (begin + end) / 2);
		error = skua_call(look_at, r, (begin + end) / 2, end);
		int left_error = skua_join(look_at, left);
		return error ? error : left_error;
	}
	/* Both are this task's alone, whatever else its worker runs while it waits. */
	char *scratch = skua_local_lease(&r->scratch);
	uint64_t *digits = skua_histogram_lease(&r->last_digit);
	for (int n = begin; n < end && scratch && digits && !error; n++) {
		int steps = steps_to_one(n);
		digits[steps % 10]++;
		error = skua_sum_int64_add(&r->steps, steps);
		if (!error)
			error = longest_add(&r->longest, (struct record){ n, steps });
		if (!error && is_palindrome(n, scratch))
			error = skua_list_add(&r->palindromes, &n);
	}
	if (!scratch || !digits)
		error = SKUA_ENOMEM;
	if (scratch)
		skua_local_return(&r->scratch, scratch);
	if (digits)
		skua_histogram_return(&r->last_digit, digits);
	return error;
}

/* All of them in the default pool. */
static int open_all(struct results *r)
{
	struct skua_local_options options = { .size = sizeof(options), .bytes = 16 };
	int error = skua_sum_int64_open(&r->steps, NULL);

	error = error ? error : longest_open(&r->longest, NULL);
	error = error ? error : skua_list_open(&r->palindromes, NULL, sizeof(int));
	error = error ? error : skua_histogram_open(&r->last_digit, NULL, 10);
	return error ? error : skua_local_open(&r->scratch, &options);
}

int main(void)
{
	struct results r;
	int64_t sum = 0, plain_sum = 0;
	struct record longest = { 0, 0 }, plain_longest = { LIMIT, -1 };
	size_t palindromes = 0;
	uint64_t digits[10] = { 0 };

	memset(&r, 0, sizeof(r)); /* what was never opened can be closed */
	int error = open_all(&r);
	error = error ? error : skua_run(NULL, look_at, &r, 1, LIMIT);
	error = error ? error : skua_sum_int64_total(&r.steps, &sum);
	error = error ? error : longest_total(&r.longest, &longest);
	error = error ? error : skua_list_count(&r.palindromes, &palindromes);
	error = error ? error : skua_histogram_total(&r.last_digit, digits, 10);
	if (error)
		fprintf(stderr, "09_reducers: %s\n", skua_strerror(error));
	skua_sum_int64_close(&r.steps);
	longest_close(&r.longest);
	skua_list_close(&r.palindromes);
	skua_histogram_close(&r.last_digit);
	skua_local_close(&r.scratch);
	if (error)
		return 1;

	for (int n = 1; n < LIMIT; n++) {
		plain_sum += steps_to_one(n);
		plain_longest = better(plain_longest, (struct record){ n, steps_to_one(n) });
		digits[steps_to_one(n) % 10]--;
	}
	printf("%lld steps for all below %d, %d for %d; %zu palindromes\n", (long long)sum, LIMIT,
	       longest.steps, longest.number, palindromes);
	for (int i = 0; i < 10; i++)
		if (digits[i] != 0)
			return 1;
	return sum == plain_sum && longest.number == plain_longest.number && palindromes == 298 ? 0
												: 1;
}
