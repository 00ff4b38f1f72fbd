/* SPDX-License-Identifier: MIT */
/* test_shelf.c — the shelf of worker-local storage on one thread: order, counts, mistakes */
#include "check.h"

#include "sched/shelf.h"

static void test_shelf_lends_what_came_last(void **state)
{
	struct skuai_shelf shelf = { 0 };
	struct skuai_item items[3] = { { 0 } };

	(void)state;
	assert_null(skuai_shelf_take(&shelf));
	assert_false(skuai_shelf_is_out(&shelf));
	for (unsigned i = 0; i < 3; i++)
		skuai_shelf_add(&shelf, &items[i]);
	assert_true(skuai_shelf_is_out(&shelf));
	for (unsigned i = 0; i < 3; i++)
		assert_true(skuai_shelf_put(&shelf, &items[i]));
	assert_false(skuai_shelf_is_out(&shelf));
	for (unsigned i = 3; i-- > 0;)
		assert_ptr_equal(skuai_shelf_take(&shelf), &items[i]);
	assert_null(skuai_shelf_take(&shelf));
}

/* The owner's own come first; then all that others gave back, the last one first. */
static void test_shelf_gets_back_from_others(void **state)
{
	struct skuai_shelf shelf = { 0 };
	struct skuai_item items[3] = { { 0 } };

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		skuai_shelf_add(&shelf, &items[i]);
	assert_true(skuai_shelf_put_back(&items[0]));
	assert_true(skuai_shelf_put_back(&items[1]));
	assert_true(skuai_shelf_is_out(&shelf));
	assert_true(skuai_shelf_put(&shelf, &items[2]));
	assert_false(skuai_shelf_is_out(&shelf));
	assert_ptr_equal(skuai_shelf_take(&shelf), &items[2]);
	assert_ptr_equal(skuai_shelf_take(&shelf), &items[1]);
	assert_ptr_equal(skuai_shelf_take(&shelf), &items[0]);
	assert_null(skuai_shelf_take(&shelf));
	assert_true(skuai_shelf_is_out(&shelf));
}

static void test_shelf_refuses_what_it_has(void **state)
{
	struct skuai_shelf shelf = { 0 };
	struct skuai_item items[2] = { { 0 } };

	(void)state;
	skuai_shelf_add(&shelf, &items[0]);
	skuai_shelf_add(&shelf, &items[1]);
	assert_true(skuai_shelf_put(&shelf, &items[0]));
	assert_false(skuai_shelf_put(&shelf, &items[0]));
	assert_false(skuai_shelf_put_back(&items[0]));
	assert_true(skuai_shelf_put_back(&items[1]));
	assert_false(skuai_shelf_put_back(&items[1]));
	assert_false(skuai_shelf_put(&shelf, &items[1]));
	assert_false(skuai_shelf_is_out(&shelf));
	assert_ptr_equal(skuai_shelf_take(&shelf), &items[0]);
	assert_ptr_equal(skuai_shelf_take(&shelf), &items[1]);
	assert_null(skuai_shelf_take(&shelf));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shelf_lends_what_came_last),
		cmocka_unit_test(test_shelf_gets_back_from_others),
		cmocka_unit_test(test_shelf_refuses_what_it_has),
	};
	return cmocka_run_group_tests_name("shelf", tests, NULL, NULL);
}
