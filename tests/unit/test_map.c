/* SPDX-License-Identifier: MIT */
/* test_map.c — map, transform, fill: against a plain loop, in place, overlapping, of any size */
#include "unit/test_pool.h"

#include "base/fault.h"

#include <skua/map.h>

static const int worker_counts[] = { 1, 2, 3, 8, 64 };
#define WIDTHS (sizeof(worker_counts) / sizeof(worker_counts[0]))
#define LENGTH 20011

static const size_t lengths[] = { 0, 1, 2, 3, 100, 1001, LENGTH };
#define LENGTHS (sizeof(lengths) / sizeof(lengths[0]))

/* --- map --- */

struct wide {
	uint64_t square;
	uint32_t from;
	char pad[9];
};

SKUA_MAP(square, uint32_t, in, struct wide, out, const uint32_t *, add)
{
	out->square = (uint64_t)*in * *in + *add;
	out->from = *in;
}

SKUA_MAP(negate, uint32_t, in, uint32_t, out, const void *, none)
{
	(void)none;
	*out = ~*in;
}

static void expect_squares(struct skua_pool *pool, const uint32_t *in, struct wide *out, size_t n)
{
	static const uint32_t add = 3;
	size_t i = 0;

	memset(out, 0, (n + 1) * sizeof(*out));
	int error = skua_map(pool, in, sizeof(*in), out, sizeof(*out), n, square, &add, NULL);
	while (i < n && out[i].square == (uint64_t)in[i] * in[i] + 3 && out[i].from == in[i])
		i++;
	if (error || i < n || out[n].square != 0)
		fail_msg("%u workers, %zu: error %d, element %zu", skua_pool_workers(pool), n,
			 error, i);
}

static void test_map_as_a_plain_loop(void **state)
{
	static uint32_t in[LENGTH], out[LENGTH];
	static struct wide squares[LENGTH + 1];

	(void)state;
	for (size_t i = 0; i < LENGTH; i++)
		in[i] = (uint32_t)test_random();
	for (unsigned w = 0; w < WIDTHS; w++) {
		WATCH(60);
		struct skua_pool *pool = pool_of(worker_counts[w]);
		for (unsigned l = 0; l < LENGTHS; l++) {
			size_t n = lengths[l];
			expect_squares(pool, in, squares, n);
			/* to another array, then that in place: as it was */
			assert_int_equal(skua_map(pool, in, 4, out, 4, n, negate, NULL, NULL),
					 SKUA_OK);
			if (n)
				assert_int_equal(out[n - 1], ~in[n - 1]);
			assert_int_equal(skua_map(pool, out, 4, out, 4, n, negate, NULL, NULL),
					 SKUA_OK);
			assert_memory_equal(in, out, n * sizeof(*in));
		}
		pool_end(pool);
	}
}

static int refuse_13(struct skua_slot *skua_here, const void *in, void *out, uint64_t count,
		     void *argument)
{
	(void)skua_here, (void)out, (void)argument;
	for (uint64_t i = 0; i < count; i++)
		if (((const uint32_t *)in)[i] == 13)
			return -1313;
	return 0;
}

static void test_map_error_stops_it(void **state)
{
	static uint32_t in[LENGTH], out[LENGTH];
	struct skua_reach reach;
	struct skua_loop_options options = { .size = sizeof(options), .reach = &reach };

	(void)state;
	in[5000] = 13;
	for (unsigned w = 0; w < WIDTHS; w++) {
		WATCH(60);
		struct skua_pool *pool = pool_of(worker_counts[w]);
		assert_int_equal(skua_map(pool, in, 4, out, 4, LENGTH, refuse_13, NULL, &options),
				 -1313);
		assert_true(reach.first <= 5000 && reach.count < LENGTH);
		options.deadline = 1;
		assert_int_equal(skua_map(pool, in, 4, out, 4, LENGTH, refuse_13, NULL, &options),
				 SKUA_ETIMEDOUT);
		assert_int_equal(reach.count, 0);
		options.deadline = 0;
		pool_end(pool);
	}
}

static void test_map_refuses(void **state)
{
	static uint32_t x[100];
	struct skua_loop_options bad = { 0 };
	struct {
		const void *in;
		size_t in_bytes;
		void *out;
		size_t out_bytes, count;
		skua_map_body *body;
	} wrong[] = {
		{ x, 4, x + 1, 4, 50, negate },	      { x + 1, 4, x, 4, 50, negate },
		{ x, 4, x + 49, 4, 50, negate },      { x, 4, x, 8, 50, negate },
		{ x, 8, x, 4, 50, negate },	      { NULL, 4, x, 4, 50, negate },
		{ x, 4, NULL, 4, 50, negate },	      { x, 0, x + 50, 4, 50, negate },
		{ x, 4, x + 50, 0, 50, negate },      { x, 4, x + 50, 4, 50, NULL },
		{ x, 4, x, 4, SIZE_MAX / 4, negate }, { x, SIZE_MAX, x + 50, 4, 2, negate },
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		if (skua_map(NULL, wrong[i].in, wrong[i].in_bytes, wrong[i].out, wrong[i].out_bytes,
			     wrong[i].count, wrong[i].body, NULL, NULL) != SKUA_EINVAL)
			fail_msg("row %u was not refused", i);
	assert_int_equal(skua_map(NULL, x, 4, x + 50, 4, 50, negate, NULL, &bad), SKUA_EINVAL);
	for (unsigned i = 0; i < 100; i++)
		assert_int_equal(x[i], 0);
	assert_int_equal(skua_map(NULL, NULL, 4, NULL, 4, 0, negate, NULL, NULL), SKUA_OK);
	assert_int_equal(skua_map(NULL, x, 4, x + 50, 4, 50, negate, NULL, NULL), SKUA_OK);
	assert_int_equal(x[49], 0);
	assert_int_equal(x[50], UINT32_MAX);
}

/* --- transform --- */

struct odd {
	char bytes[7];
};

SKUA_TRANSFORM(turn, struct odd, odd, const char *, by)
{
	for (unsigned i = 0; i < 7; i++)
		odd->bytes[i] = (char)(odd->bytes[i] ^ *by);
}

static void test_map_transform_in_place(void **state)
{
	static struct odd items[LENGTH + 1];

	(void)state;
	for (unsigned w = 0; w < WIDTHS; w++) {
		WATCH(60);
		struct skua_pool *pool = pool_of(worker_counts[w]);
		for (unsigned l = 0; l < LENGTHS; l++) {
			size_t n = lengths[l], wrong = 0;
			memset(items, 1, sizeof(items));
			assert_int_equal(skua_transform(pool, items, n, 7, turn, "\x70", NULL),
					 SKUA_OK);
			for (size_t i = 0; i < (n + 1) * 7; i++)
				wrong += ((char *)items)[i] != (i < n * 7 ? 0x71 : 1);
			assert_int_equal(wrong, 0);
		}
		pool_end(pool);
	}
}

static void test_map_transform_refuses(void **state)
{
	struct odd item = { "before" };
	struct skua_loop_options bad = { 0 };

	(void)state;
	assert_int_equal(skua_transform(NULL, NULL, 1, 7, turn, "x", NULL), SKUA_EINVAL);
	assert_int_equal(skua_transform(NULL, &item, 1, 0, turn, "x", NULL), SKUA_EINVAL);
	assert_int_equal(skua_transform(NULL, &item, SIZE_MAX, 7, turn, "x", NULL), SKUA_EINVAL);
	assert_int_equal(skua_transform(NULL, &item, 1, 7, NULL, "x", NULL), SKUA_EINVAL);
	assert_int_equal(skua_transform(NULL, &item, 1, 7, turn, "x", &bad), SKUA_EINVAL);
	assert_string_equal(item.bytes, "before");
	assert_int_equal(skua_transform(NULL, NULL, 0, 7, turn, "x", NULL), SKUA_OK);
}

/* --- fill --- */

#define ROOM 120000 /* bytes */

/* All of it, and nothing beside it. */
static void expect_filled(struct skua_pool *pool, char *room, size_t bytes, size_t count,
			  const char *value)
{
	size_t flaw = 0;

	memset(room, 0x33, ROOM);
	assert_int_equal(skua_fill(pool, room + 3, count, bytes, value, NULL), SKUA_OK);
	while (flaw < ROOM) {
		bool is_beside = flaw < 3 || flaw >= 3 + count * bytes;
		char right = is_beside ? 0x33 : value[(flaw - 3) % bytes];
		if (room[flaw] != right)
			break;
		flaw++;
	}
	if (flaw < ROOM)
		fail_msg("%u workers, %zu of %zu bytes: wrong at %zu", skua_pool_workers(pool),
			 count, bytes, flaw);
}

static void test_map_fill(void **state)
{
	static const size_t sizes[] = { 1, 2, 3, 4, 7, 8, 16, 24, 100, 4096, 4097, 8192, 30001 };
	static char room[ROOM], value[30001];

	(void)state;
	for (unsigned w = 0; w < WIDTHS; w++) {
		WATCH(60);
		struct skua_pool *pool = pool_of(worker_counts[w]);
		for (unsigned s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
			size_t most = (ROOM - 10) / sizes[s];
			for (size_t i = 0; i < sizes[s]; i++)
				value[i] = (char)test_random();
			expect_filled(pool, room, sizes[s], most, value);
			expect_filled(pool, room, sizes[s], test_random() % most, value);
			expect_filled(pool, room, sizes[s], 0, value);
			memset(value, 0x77, sizes[s]); /* equal bytes, and the last not quite */
			expect_filled(pool, room, sizes[s], most, value);
			value[sizes[s] - 1] = 0x76;
			expect_filled(pool, room, sizes[s], most, value);
		}
		pool_end(pool);
	}
}

/* More than caches hold, at an odd place: each element is as the one before it. */
static void test_map_fill_of_a_large_array(void **state)
{
	static const size_t sizes[] = { 1, 7, 8, 1000 };
	size_t room = (size_t)36 << 20;
	char *memory = calloc(1, room), value[1000];

	(void)state;
	assert_non_null(memory);
	WATCH(60);
	struct skua_pool *pool = pool_of(3);
	for (unsigned s = 0; s < 4; s++) {
		size_t bytes = sizes[s], count = (room - 2) / bytes;
		for (size_t i = 0; i < bytes; i++)
			value[i] = (char)(test_random() | 1);
		memory[0] = memory[1 + count * bytes] = 0;
		assert_int_equal(skua_fill(pool, memory + 1, count, bytes, value, NULL), SKUA_OK);
		assert_memory_equal(memory + 1, value, bytes);
		assert_int_equal(memcmp(memory + 1, memory + 1 + bytes, (count - 1) * bytes), 0);
		assert_true(memory[0] == 0 && memory[1 + count * bytes] == 0);
	}
	pool_end(pool);
	free(memory);
}

/* The value may be an element, small or large; not a piece of two. */
static void test_map_fill_with_an_element(void **state)
{
	static char room[ROOM];
	static const size_t sizes[] = { 4, 8192 };

	(void)state;
	WATCH(60);
	struct skua_pool *pool = pool_of(3);
	for (unsigned s = 0; s < 2; s++) {
		size_t bytes = sizes[s], count = ROOM / bytes, third = bytes * (count / 3);
		for (size_t i = 0; i < count * bytes; i++)
			room[i] = (char)(i / bytes + i % bytes % 7);
		char second = room[third + 1];
		assert_int_equal(skua_fill(pool, room, count, bytes, room + third + 1, NULL),
				 SKUA_EINVAL);
		assert_int_equal(skua_fill(pool, room + bytes, count - 1, bytes, room + 1, NULL),
				 SKUA_EINVAL);
		assert_int_equal(room[2 * bytes], 2); /* nothing was changed */
		assert_int_equal(skua_fill(pool, room, count, bytes, room + third, NULL), SKUA_OK);
		for (size_t i = 0; i < count; i++)
			assert_true(room[i * bytes + 1] == second &&
				    memcmp(room + i * bytes, room + third, bytes) == 0);
		/* just before and just behind the array */
		assert_int_equal(skua_fill(pool, room + bytes, 2, bytes, room, NULL), SKUA_OK);
		assert_int_equal(skua_fill(pool, room, 2, bytes, room + 2 * bytes, NULL), SKUA_OK);
	}
	pool_end(pool);
}

static void test_map_fill_refuses(void **state)
{
	int x[4] = { 1, 2, 3, 4 }, value = 9;
	struct skua_loop_options bad = { 0 };

	(void)state;
	assert_int_equal(skua_fill(NULL, NULL, 4, 4, &value, NULL), SKUA_EINVAL);
	assert_int_equal(skua_fill(NULL, x, 4, 4, NULL, NULL), SKUA_EINVAL);
	assert_int_equal(skua_fill(NULL, x, 4, 0, &value, NULL), SKUA_EINVAL);
	assert_int_equal(skua_fill(NULL, x, SIZE_MAX / 2, 4, &value, NULL), SKUA_EINVAL);
	assert_int_equal(skua_fill(NULL, x, 4, 4, &value, &bad), SKUA_EINVAL);
	assert_int_equal(x[0] + x[3], 5);
	assert_int_equal(skua_fill(NULL, NULL, 0, 4, &value, NULL), SKUA_OK);
}

static void test_map_without_a_pool(void **state)
{
	(void)state;
#ifdef SKUA_FAULTS
	static uint32_t in[LENGTH];
	static struct wide squares[LENGTH + 1];
	static char room[ROOM];

	WATCH(20);
	skuai_fault_arm(SKUAI_FAULT_THREAD, 1, true, SKUAI_FAULT_USUAL);
	expect_squares(NULL, in, squares, LENGTH);
	expect_filled(NULL, room, 3, 30000, "abc");
	skuai_fault_disarm();
#else
	skip();
#endif
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_map_as_a_plain_loop),
		cmocka_unit_test(test_map_error_stops_it),
		cmocka_unit_test(test_map_transform_in_place),
		cmocka_unit_test(test_map_transform_refuses),
		cmocka_unit_test(test_map_fill),
		cmocka_unit_test(test_map_fill_of_a_large_array),
		cmocka_unit_test(test_map_fill_with_an_element),
		cmocka_unit_test(test_map_fill_refuses),
		cmocka_unit_test(test_map_without_a_pool),
		cmocka_unit_test(test_map_refuses), /* opens the default pool */
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
