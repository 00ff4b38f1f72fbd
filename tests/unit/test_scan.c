/* SPDX-License-Identifier: MIT */
/* test_scan.c — prefix sums against a plain loop: operators, sizes, workers, bits, refusals */
#include "unit/test_pool.h"

#include "base/fault.h"

#include <skua/scan.h>

static const int worker_counts[] = { 1, 2, 3, 8, 64 };
#define WORKER_COUNTS 5

static const size_t sizes[] = { 0, 1, 2, 3, 7, 100, 1001, 4096, 65537, 300001 };
#define SIZES 10

/* --- operators --- */

SKUA_SCAN(add, uint64_t, sum, next)
{
	*sum += *next;
}

SKUA_SCAN(add_double, double, sum, next)
{
	*sum += *next;
}

/* Not commutative: x becomes a * x + b, one after the other. */
struct affine {
	uint32_t a, b;
};

static void affine_then(struct affine *first, const struct affine *next)
{
	first->a *= next->a;
	first->b = first->b * next->a + next->b;
}

SKUA_SCAN(then, struct affine, sum, next)
{
	affine_then(sum, next);
}

/* Large, without leaves, with an argument: every part is an affine map of its own. */
#define WIDE 25
struct wide {
	struct affine part[WIDE];
};

static void wide_combine(void *into, const void *next, void *argument)
{
	struct wide *sum = into;
	const struct wide *more = next;

	for (unsigned i = 0; i < WIDE; i++)
		affine_then(&sum->part[i], &more->part[i]);
	if (argument)
		skua_add((_Atomic uint64_t *)argument, 1, relaxed);
}

static const struct skua_scan_op wide_op = { .bytes = sizeof(struct wide),
					     .combine = wide_combine };

/* One of some hundred takes long: whoever has the token lets the others wait. */
SKUA_SCAN(bumpy, uint64_t, sum, next)
{
	*sum += *next;
	if (*next % 509 == 0)
		spin_for(20000);
}

/* --- the oracle --- */

/* What came before an element, or it with it; the same for all operators. */
static void plain_scan(const struct skua_scan_op *op, const char *in, char *out, size_t count,
		       const struct skua_scan_options *options)
{
	char sum[256] = { 0 };
	bool is_begun = options->is_exclusive || options->initial;

	if (options->initial)
		memcpy(sum, options->initial, op->bytes);
	for (size_t i = 0; i < count; i++) {
		if (options->is_exclusive)
			memcpy(out + i * op->bytes, sum, op->bytes);
		if (is_begun)
			op->combine(sum, in + i * op->bytes, NULL);
		else
			memcpy(sum, in + i * op->bytes, op->bytes);
		is_begun = true;
		if (!options->is_exclusive)
			memcpy(out + i * op->bytes, sum, op->bytes);
	}
}

static void *random_bytes(size_t bytes)
{
	uint64_t *words = malloc(bytes + 8);

	assert_non_null(words);
	for (size_t i = 0; i <= bytes / 8; i++)
		words[i] = test_random();
	return words;
}

/* All kinds of one scan over these elements, each against the oracle. */
static void check_kinds(struct skua_pool *pool, const struct skua_scan_op *op, const void *in,
			size_t count)
{
	size_t bytes = count * op->bytes;
	char *expected = malloc(bytes + 1), *out = malloc(bytes + 1);
	char first[256], total[256];

	assert_true(expected && out);
	memset(first, 3, sizeof(first));
	for (unsigned kind = 0; kind < 16; kind++) {
		struct skua_scan_options options = { .size = sizeof(options),
						     .is_exclusive = kind & 1,
						     .is_stable = kind & 2,
						     .initial = kind & 4 ? first : NULL,
						     .total = total };
		memset(total, 0, sizeof(total));
		if (kind & 8)
			memcpy(out, in, bytes);
		plain_scan(op, in, expected, count, &options);
		assert_int_equal(
			skua_array_scan(pool, kind & 8 ? out : in, out, count, op, &options),
			SKUA_OK);
		assert_memory_equal(expected, out, bytes);
		if (count && !(kind & 1))
			assert_memory_equal(total, expected + bytes - op->bytes, op->bytes);
	}
	free(expected);
	free(out);
}

static void test_scan_is_the_plain_loop(void **state)
{
	(void)state;
	WATCH(60);
	for (unsigned w = 0; w < WORKER_COUNTS; w++) {
		struct skua_pool *pool = pool_of(worker_counts[w]);
		for (unsigned s = 0; s < SIZES; s++) {
			size_t count = sizes[s] / (worker_counts[w] > 8 || SLOW_BUILD ? 8 : 1);
			void *in = random_bytes(count * sizeof(uint64_t));
			check_kinds(pool, &add, in, count);
			check_kinds(pool, &then, in, count);
			free(in);
		}
		pool_end(pool);
	}
	UNWATCH();
}

static void test_scan_of_large_elements_without_leaves(void **state)
{
	(void)state;
	WATCH(60);
	for (unsigned w = 0; w < WORKER_COUNTS; w++) {
		struct skua_pool *pool = pool_of(worker_counts[w]);
		for (size_t count = 1; count < 4000; count = count * 3 + 1) {
			void *in = random_bytes(count * sizeof(struct wide));
			check_kinds(pool, &wide_op, in, count);
			free(in);
		}
		pool_end(pool);
	}
	UNWATCH();
}

static void test_scan_with_uneven_costs(void **state)
{
	(void)state;
	WATCH(60);
	for (unsigned w = 0; w < WORKER_COUNTS; w++) {
		struct skua_pool *pool = pool_of(worker_counts[w]);
		size_t count = worker_counts[w] > 8 ? 3000 : 20000;
		uint64_t *in = random_bytes(count * sizeof(*in)), *out = malloc(count * 8), sum = 0;
		assert_non_null(out);
		assert_int_equal(skua_scan(pool, in, out, count, bumpy, NULL), SKUA_OK);
		for (size_t i = 0; i < count; i++)
			assert_int_equal(out[i], sum += in[i]);
		free(in);
		free(out);
		pool_end(pool);
	}
	UNWATCH();
}

/* Ones everywhere but at the end, then nothing: a token that goes far, and one that does not. */
static void test_scan_of_special_inputs(void **state)
{
	static uint64_t in[50000], out[50000];
	struct skua_pool *pool = pool_of(3);

	(void)state;
	for (unsigned kind = 0; kind < 4; kind++) {
		uint64_t sum = 0;
		for (uint64_t i = 0; i < 50000; i++)
			in[i] = kind == 0 ? 0 : kind == 1 ? i : kind == 2 ? 50000 - i : i % 2;
		assert_int_equal(skua_scan(pool, in, out, 50000, add, NULL), SKUA_OK);
		for (size_t i = 0; i < 50000; i++)
			assert_int_equal(out[i], sum += in[i]);
	}
	pool_end(pool);
}

/* --- to the bit --- */

static void test_scan_stable_is_the_same_to_the_bit(void **state)
{
	const struct skua_scan_op plain = { .bytes = 8, .combine = add_double.combine };
	struct skua_pool *pools[WORKER_COUNTS];

	(void)state;
	WATCH(60);
	for (unsigned w = 0; w < WORKER_COUNTS; w++)
		pools[w] = pool_of(worker_counts[w]);
	for (unsigned s = 1; s < SIZES; s++) {
		size_t count = sizes[s] / (SLOW_BUILD ? 4 : 1) + 1, bytes = count * sizeof(double);
		double *in = malloc(bytes), *expected = malloc(bytes), *out = malloc(bytes);
		assert_true(in && expected && out);
		for (size_t i = 0; i < count; i++)
			in[i] = (double)test_random() * (i % 3 ? 1e-9 : -1e9);
		for (unsigned kind = 0; kind < 4; kind++) {
			struct skua_scan_options options = { .size = sizeof(options),
							     .is_stable = true,
							     .is_exclusive = kind & 1,
							     .initial = kind & 2 ? in : NULL };
			/* The loops of the macro and those of the library add in the same order. */
			skua_scan(pools[0], in, expected, count, plain, &options);
			for (unsigned w = 0; w < WORKER_COUNTS; w++) {
				memset(out, 0, bytes);
				skua_scan(pools[w], in, out, count, add_double, &options);
				assert_memory_equal(expected, out, bytes);
			}
		}
		free(in);
		free(expected);
		free(out);
	}
	for (unsigned w = 0; w < WORKER_COUNTS; w++)
		pool_end(pools[w]);
	UNWATCH();
}

/* --- in a task --- */

SKUA_TASK(int, scan_here, uint64_t *, data, size_t, count)
{
	return skua_scan(skua_here, data, data, count, add, NULL);
}

static void test_scan_in_a_task(void **state)
{
	struct skua_pool *pool = pool_of(3);
	size_t count = 200000;
	uint64_t *data = malloc(count * sizeof(*data));

	(void)state;
	assert_non_null(data);
	for (size_t i = 0; i < count; i++)
		data[i] = 1;
	assert_int_equal(skua_run(pool, scan_here, data, count), SKUA_OK);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(data[i], i + 1);
	free(data);
	pool_end(pool);
}

/* One worker: each element is combined once, so it is one pass. */
static void test_scan_alone_is_one_pass(void **state)
{
	struct skua_pool *pool = pool_of(1);
	size_t count = 2000;
	struct wide *data = random_bytes(count * sizeof(*data));
	_Atomic uint64_t calls = 0;
	struct skua_scan_options options = { .size = sizeof(options), .argument = &calls };

	(void)state;
	assert_int_equal(skua_scan(pool, data, data, count, wide_op, &options), SKUA_OK);
	assert_int_equal(skua_load(&calls, relaxed), count - 1);
	free(data);
	pool_end(pool);
}

/* --- refusals --- */

static void test_scan_refuses(void **state)
{
	uint64_t in[4] = { 1, 2, 3, 4 }, out[4] = { 9, 9, 9, 9 };
	struct skua_scan_options options = { .size = sizeof(options) };
	struct skua_scan_op op = add;

	(void)state;
	assert_int_equal(skua_array_scan(NULL, in, out, 4, NULL, NULL), SKUA_EINVAL);
	assert_int_equal(skua_scan(NULL, NULL, out, 4, add, NULL), SKUA_EINVAL);
	assert_int_equal(skua_scan(NULL, in, NULL, 4, add, NULL), SKUA_EINVAL);
	assert_int_equal(skua_scan(NULL, in, in + 1, 3, add, NULL), SKUA_EINVAL);
	assert_int_equal(skua_scan(NULL, in + 1, in, 3, add, NULL), SKUA_EINVAL);
	assert_int_equal(skua_scan(NULL, in, out, SIZE_MAX / 4, add, NULL), SKUA_EINVAL);
	op.bytes = 0;
	assert_int_equal(skua_scan(NULL, in, out, 4, op, NULL), SKUA_EINVAL);
	op = add;
	op.combine = NULL;
	assert_int_equal(skua_scan(NULL, in, out, 4, op, NULL), SKUA_EINVAL);
	op = add;
	op.scan = NULL;
	assert_int_equal(skua_scan(NULL, in, out, 4, op, NULL), SKUA_EINVAL);
	options.size = 1;
	assert_int_equal(skua_scan(NULL, in, out, 4, add, &options), SKUA_EINVAL);
	options.size = sizeof(options);
	options.priority = (enum skua_priority)7;
	assert_int_equal(skua_scan(NULL, in, out, 4, add, &options), SKUA_EINVAL);
	for (unsigned i = 0; i < 4; i++)
		assert_true(in[i] == i + 1 && out[i] == 9);
	assert_int_equal(skua_scan(NULL, NULL, NULL, 0, add, NULL), SKUA_OK);
	assert_int_equal(skua_scan(NULL, in, in + 2, 2, add, NULL), SKUA_OK); /* side by side */
	assert_int_equal(in[3], 3);
}

static void test_scan_without_memory(void **state)
{
	(void)state;
#ifdef SKUA_FAULTS
	struct skua_pool *pool = pool_of(3);
	size_t count = 100000, wides = 1000;
	uint64_t *in = random_bytes(count * 8), *out = malloc(count * 8);
	struct wide *large = random_bytes(wides * sizeof(*large));
	struct wide *result = calloc(wides, sizeof(*result));

	assert_true(in && out && result);
	for (uint32_t nth = 1; nth < 6; nth++) {
		uint64_t sum = 0;
		skuai_fault_arm(SKUAI_FAULT_MALLOC, nth, true, SKUAI_FAULT_USUAL);
		int error = skua_scan(pool, in, out, count, add, NULL);
		int refused = skua_scan(pool, large, result, wides, wide_op, NULL);
		skuai_fault_disarm();
		assert_int_equal(error, SKUA_OK);
		for (size_t i = 0; i < count; i++)
			assert_int_equal(out[i], sum += in[i]);
		assert_true(refused == SKUA_OK || nth < 5);
		if (nth == 1) {
			assert_int_equal(refused, SKUA_ENOMEM);
			assert_int_equal(result[0].part[0].a, 0);
		}
		memset(result, 0, wides * sizeof(*result));
	}
	free(in);
	free(out);
	free(large);
	free(result);
	pool_end(pool);
#endif
}

/* First there are no threads for it, then there are. */
static void test_scan_in_the_default_pool(void **state)
{
	uint64_t *data = calloc(100000, sizeof(*data));

	(void)state;
	assert_non_null(data);
	for (unsigned round = 0; round < 2; round++) {
		memset(data, 0, 100000 * sizeof(*data));
		data[0] = 1;
#ifdef SKUA_FAULTS
		if (round == 0)
			skuai_fault_arm(SKUAI_FAULT_THREAD, 1, true, SKUAI_FAULT_USUAL);
#endif
		int error = skua_scan(NULL, data, data, 100000, add, NULL);
#ifdef SKUA_FAULTS
		skuai_fault_disarm();
#endif
		assert_int_equal(error, SKUA_OK);
		for (size_t i = 0; i < 100000; i++)
			assert_int_equal(data[i], 1);
	}
	free(data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_scan_is_the_plain_loop),
		cmocka_unit_test(test_scan_of_large_elements_without_leaves),
		cmocka_unit_test(test_scan_with_uneven_costs),
		cmocka_unit_test(test_scan_of_special_inputs),
		cmocka_unit_test(test_scan_stable_is_the_same_to_the_bit),
		cmocka_unit_test(test_scan_in_a_task),
		cmocka_unit_test(test_scan_alone_is_one_pass),
		cmocka_unit_test(test_scan_refuses),
		cmocka_unit_test(test_scan_without_memory),
		cmocka_unit_test(test_scan_in_the_default_pool),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
