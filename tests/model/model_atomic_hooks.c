/* SPDX-License-Identifier: MIT */
/* model_atomic_hooks.c — the model back end hands every access to a hook, with order and place */
#include "check.h"

#include "base/atomic.h"

#include <string.h>

/*
 * The hooks of this test perform the access at once and write down what they were told.  Values are
 * cut to the object's size here, as base/atomic_model.h asks of every hook.
 */
static struct {
	int calls;
	memory_order order, order_failed;
	struct skuai_site site;
	size_t size;
} last;

static uint64_t cut(uint64_t value, size_t size)
{
	return size == 8 ? value : value & (((uint64_t)1 << (8 * size)) - 1);
}

static uint64_t get(const volatile void *object, size_t size)
{
	uint64_t value = 0;

	memcpy(&value, (const void *)object, size);
	return value;
}

static void put(volatile void *object, size_t size, uint64_t value)
{
	memcpy((void *)object, &value, size);
}

static void note(memory_order order, size_t size, const struct skuai_site *site)
{
	last.calls++;
	last.order = order;
	last.size = size;
	last.site = *site;
}

uint64_t skuai_model_load(const volatile void *object, size_t size, memory_order order,
			  const struct skuai_site *site)
{
	note(order, size, site);
	return get(object, size) |
	       (size < 8 ? (uint64_t)0xdead << 48 : 0); /* junk above: allowed */
}

void skuai_model_store(volatile void *object, size_t size, uint64_t value, memory_order order,
		       const struct skuai_site *site)
{
	note(order, size, site);
	put(object, size, value);
}

uint64_t skuai_model_rmw(enum skuai_rmw op, volatile void *object, size_t size, uint64_t value,
			 memory_order order, const struct skuai_site *site)
{
	uint64_t old = get(object, size);

	note(order, size, site);
	put(object, size,
	    op == SKUAI_RMW_ADD	  ? old + value
	    : op == SKUAI_RMW_SUB ? old - value
	    : op == SKUAI_RMW_OR  ? (old | value)
	    : op == SKUAI_RMW_AND ? (old & value)
				  : value);
	return old;
}

bool skuai_model_cas(volatile void *object, size_t size, struct skuai_cas *cas,
		     const struct skuai_site *site)
{
	uint64_t old = get(object, size);

	note(cas->order, size, site);
	last.order_failed = cas->order_failed;
	if (cas->is_weak || old != cut(cas->expected, size)) { /* a weak one here always fails */
		cas->expected = old;
		return false;
	}
	put(object, size, cas->desired);
	return true;
}

void skuai_model_fence(memory_order order, const struct skuai_site *site)
{
	note(order, 0, site);
}

void skuai_model_light_fence(void)
{
}

#define assert_noted(wanted_order, wanted_size, wanted_text)                     \
	do {                                                                     \
		assert_int_equal(last.order, memory_order_##wanted_order);       \
		assert_int_equal(last.size, wanted_size);                        \
		assert_string_equal(last.site.text, wanted_text);                \
		assert_int_equal(last.site.line, __LINE__ - 1);                  \
		assert_non_null(strstr(last.site.file, "model_atomic_hooks.c")); \
	} while (0)

static void model_atomic_hooks_see_order_size_and_place(void **state)
{
	_Atomic int64_t wide = 1;
	_Atomic int32_t narrow = -5;
	_Atomic(const char *) text = "a";

	(void)state;
	assert_int_equal(skua_load(&wide, acquire), 1);
	assert_noted(acquire, 8, "skua_load(&wide, acquire)");
	assert_int_equal(skua_load(&narrow, relaxed), -5);
	assert_noted(relaxed, 4, "skua_load(&narrow, relaxed)");
	skua_store(&narrow, -7, release);
	assert_noted(release, 4, "skua_store(&narrow, -7, release)");
	assert_int_equal(skua_exchange(&narrow, 3, acq_rel), -7);
	assert_noted(acq_rel, 4, "skua_exchange(&narrow, 3, acq_rel)");
	assert_string_equal(skua_exchange(&text, "b", seq_cst), "a");
	assert_noted(seq_cst, sizeof(char *), "skua_exchange(&text, \"b\", seq_cst)");
	skua_fence(&wide, seq_cst);
	assert_noted(seq_cst, 0, "skua_fence(&wide, seq_cst)");
	assert_int_equal(last.calls, 6);
}

static void model_atomic_hooks_compute_like_the_native_ones(void **state)
{
	_Atomic int32_t n = 3;
	int32_t expected = -1;

	(void)state;
	assert_int_equal(skua_add(&n, -10, relaxed), 3);
	assert_int_equal(skua_sub(&n, 1, relaxed), -7);
	assert_int_equal(skua_load(&n, relaxed), -8);
	assert_int_equal(skua_and(&n, 0xff, relaxed), -8);
	assert_int_equal(skua_or(&n, 1, relaxed), 0xf8);
	assert_false(skua_cas(&n, &expected, 5, acq_rel, acquire));
	assert_int_equal(expected, 0xf9);
	assert_int_equal(last.order_failed, memory_order_acquire);
	assert_true(skua_cas(&n, &expected, -5, acq_rel, relaxed));
	expected = -5;
	assert_false(skua_cas_weak(&n, &expected, 6, acq_rel, relaxed));
	assert_true(skua_cas(&n, &expected, 6, acq_rel, relaxed)); /* negative survives the trip */
	assert_int_equal(skua_load(&n, relaxed), 6);
}

static void model_atomic_hooks_keep_every_type_whole(void **state)
{
	enum colour {
		RED,
		GREEN = 200
	};
	_Atomic bool flag = false;
	_Atomic uint8_t byte = 0;
	_Atomic(enum colour) colour = RED;
	bool was = true;
	uint8_t seen[2] = { 7, 9 }, *at = seen;

	(void)state;
	assert_false(skua_load(&flag, relaxed)); /* the hook leaves junk above the byte */
	assert_false(skua_exchange(&flag, 4, relaxed));
	assert_int_equal(get(&flag, 1), 1); /* converted as a native exchange would */
	assert_true(skua_cas(&flag, &was, false, relaxed, relaxed));
	assert_int_equal(skua_sub(&byte, 1, relaxed), 0);
	assert_int_equal(skua_load(&byte, relaxed), 255);
	assert_false(skua_cas(&byte, at++, 1, relaxed, relaxed));
	assert_ptr_equal(at, seen + 1); /* evaluated once */
	assert_int_equal(seen[0], 255);
	assert_int_equal(seen[1], 9);
	skua_store(&colour, GREEN, relaxed);
	assert_int_equal(skua_load(&colour, relaxed), GREEN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(model_atomic_hooks_see_order_size_and_place),
		cmocka_unit_test(model_atomic_hooks_keep_every_type_whole),
		cmocka_unit_test(model_atomic_hooks_compute_like_the_native_ones),
	};
	return cmocka_run_group_tests_name("atomic_hooks", tests, NULL, NULL);
}
