/* SPDX-License-Identifier: MIT */
/* test_group_by.c — groups of records by key: ascending, in order, all there, for any workers */
#include "unit/test_pool.h"

#include "base/fault.h"

#include <skua/pack.h>

static const int worker_counts[] = { 1, 2, 3, 8, 64 };
#define WORKER_COUNTS 5

static const size_t sizes[] = { 0, 1, 2, 3, 100, 8193, 65537, 200001 };
#define SIZES 8

struct record {
	uint32_t more;
	uint64_t key;
};

SKUA_GROUP_KEY(key_of, struct record, record)
{
	return record->key;
}

static uint64_t plain_key(const void *record, void *argument)
{
	return ((const struct record *)record)->key ^ *(uint64_t *)argument;
}

static const struct skua_group_key plain_key_of = { .bytes = sizeof(struct record),
						    .key = plain_key };

/* Few; all the same; all different and falling; bits far apart; random; 11 bits; 12 of the top. */
#define INPUTS 7

static struct record *new_records(unsigned input, size_t count)
{
	struct record *records = calloc(count + 1, sizeof(*records));

	assert_non_null(records);
	for (size_t i = 0; i < count; i++) {
		uint64_t random = test_random();
		records[i].key = input == 0   ? random % 100 + 1000000
				 : input == 1 ? UINT64_MAX
				 : input == 2 ? count - i
				 : input == 3 ? random & 0x8000400020001001u
				 : input == 4 ? random
				 : input == 5 ? random % 2048 << 3
					      : random % 4096 << 52;
	}
	return records;
}

/* Keys ascend, each record is in the group of its key and there once, in order: nothing else is. */
static void check_groups(const struct skua_groups *groups, const struct record *records,
			 size_t count, uint64_t mask)
{
	assert_int_equal(groups->start[groups->count], count);
	if (count)
		assert_int_equal(groups->start[0], 0);
	bool *is_seen = calloc(count + 1, sizeof(bool));
	assert_non_null(is_seen);
	for (size_t g = 0; g < groups->count; g++) {
		assert_true(groups->start[g] < groups->start[g + 1]);
		if (g)
			assert_true(groups->keys[g - 1] < groups->keys[g]);
		for (size_t i = groups->start[g]; i < groups->start[g + 1]; i++) {
			size_t record = groups->order[i];
			assert_true(record < count && !is_seen[record]);
			is_seen[record] = true;
			assert_true((records[record].key ^ mask) == groups->keys[g]);
			if (i > groups->start[g])
				assert_true(groups->order[i - 1] < record);
		}
	}
	free(is_seen);
}

static void test_group_by_finds_all(void **state)
{
	(void)state;
	WATCH(60);
	for (unsigned w = 0; w < WORKER_COUNTS; w++) {
		struct skua_pool *pool = pool_of(worker_counts[w]);
		for (unsigned s = 0; s < SIZES; s++)
			for (unsigned input = 0; input < INPUTS; input++) {
				size_t count = sizes[s] / (worker_counts[w] > 8 ? 4 : 1) /
					       (SLOW_BUILD ? 4 : 1);
				struct record *records = new_records(input, count);
				struct skua_groups groups;
				uint64_t mask = s % 2 ? 0xff00ff : 0;
				int error = s % 2 ? skua_group_by(pool, records, count,
								  plain_key_of, &mask, &groups,
								  NULL)
						  : skua_group_by(pool, records, count, key_of,
								  NULL, &groups, NULL);
				assert_int_equal(error, SKUA_OK);
				check_groups(&groups, records, count, mask);
				skua_groups_free(&groups);
				assert_null(groups.order);
				skua_groups_free(&groups);
				free(records);
			}
		pool_end(pool);
	}
	skua_groups_free(NULL);
	UNWATCH();
}

static void test_group_by_refuses(void **state)
{
	struct record records[2] = { { 0, 1 }, { 0, 2 } };
	struct skua_groups groups = { .count = 77 };
	struct skua_pack_options options = { .size = 3 };
	struct skua_group_key key = key_of;

	(void)state;
	assert_int_equal(skua_array_group_by(NULL, records, 2, NULL, NULL, &groups, NULL),
			 SKUA_EINVAL);
	assert_int_equal(skua_group_by(NULL, NULL, 2, key, NULL, &groups, NULL), SKUA_EINVAL);
	assert_int_equal(skua_group_by(NULL, records, 2, key, NULL, NULL, NULL), SKUA_EINVAL);
	assert_int_equal(skua_group_by(NULL, records, SIZE_MAX / 2, key, NULL, &groups, NULL),
			 SKUA_EINVAL);
	assert_int_equal(skua_group_by(NULL, records, 2, key, NULL, &groups, &options),
			 SKUA_EINVAL);
	key.bytes = 0;
	assert_int_equal(skua_group_by(NULL, records, 2, key, NULL, &groups, NULL), SKUA_EINVAL);
	key = key_of;
	key.key = NULL;
	assert_int_equal(skua_group_by(NULL, records, 2, key, NULL, &groups, NULL), SKUA_EINVAL);
	assert_int_equal(groups.count, 77);
}

static void test_group_by_without_memory(void **state)
{
	(void)state;
#ifdef SKUA_FAULTS
	struct skua_pool *pool = pool_of(2);
	size_t count = 20000;

	for (unsigned input = 0; input < INPUTS; input++) {
		struct record *records = new_records(input, count);
		struct skua_groups groups = { .count = 77 };
		uint32_t nth = 0;
		int error;
		do {
			skuai_fault_arm(SKUAI_FAULT_MALLOC, ++nth, true, SKUAI_FAULT_USUAL);
			error = skua_group_by(pool, records, count, key_of, NULL, &groups, NULL);
			skuai_fault_disarm();
			assert_true(error == SKUA_OK || error == SKUA_ENOMEM);
			assert_true(error == SKUA_OK || groups.count == 77);
		} while (error);
		assert_int_equal(nth, 7); /* six things it cannot do without */
		check_groups(&groups, records, count, 0);
		skua_groups_free(&groups);
		free(records);
	}
	pool_end(pool);
#endif
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_group_by_finds_all),
		cmocka_unit_test(test_group_by_refuses),
		cmocka_unit_test(test_group_by_without_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
