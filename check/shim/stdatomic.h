/* SPDX-License-Identifier: MIT */
/* stdatomic.h — the compiler's own, with its functions turned into calls to the model checker */
#ifndef SKUA_CHECK_SHIM_STDATOMIC_H
#define SKUA_CHECK_SHIM_STDATOMIC_H

/*
 * With -Icheck/shim before everything else, code that says #include <stdatomic.h> runs under the
 * checker as it stands; check/README.md shows how.  Objects of up to 8 bytes: integers, pointers,
 * bool, atomic_flag.
 *
 * Not seen, because no function is called: x++, x += 1, x = 1 and plain reads of an _Atomic object.
 * atomic_fetch_xor and arithmetic on atomic pointers are not offered.  atomic_init counts as a
 * relaxed store.
 */
#pragma GCC system_header /* #include_next is a GNU extension; clang has it too */
#include_next <stdatomic.h>

#include "base/atomic_model.h"

#undef atomic_init
#undef atomic_load
#undef atomic_load_explicit
#undef atomic_store
#undef atomic_store_explicit
#undef atomic_exchange
#undef atomic_exchange_explicit
#undef atomic_compare_exchange_strong
#undef atomic_compare_exchange_strong_explicit
#undef atomic_compare_exchange_weak
#undef atomic_compare_exchange_weak_explicit
#undef atomic_fetch_add
#undef atomic_fetch_add_explicit
#undef atomic_fetch_sub
#undef atomic_fetch_sub_explicit
#undef atomic_fetch_or
#undef atomic_fetch_or_explicit
#undef atomic_fetch_and
#undef atomic_fetch_and_explicit
#undef atomic_fetch_xor
#undef atomic_fetch_xor_explicit
#undef atomic_thread_fence
#undef atomic_flag_test_and_set
#undef atomic_flag_test_and_set_explicit
#undef atomic_flag_clear
#undef atomic_flag_clear_explicit

/* Statement expressions: a value that is not used draws no warning. */
#define SHIM_LOAD(object, order, what)                                                             \
	__extension__({                                                                            \
		SKUAI_VALUE(object)                                                                \
		shim_value_ = SKUAI_FROM_BITS(                                                     \
			object,                                                                    \
			skuai_model_load((object), sizeof(*(object)), (order), SKUAI_SITE(what))); \
		shim_value_;                                                                       \
	})
#define SHIM_STORE(object, value, order, what)                                                \
	skuai_model_store((object), sizeof(*(object)), SKUAI_TO_BITS(object, value), (order), \
			  SKUAI_SITE(what))
#define SHIM_RMW(op, object, value, order, what)                                                   \
	__extension__({                                                                            \
		SKUAI_VALUE(object)                                                                \
		shim_value_ = SKUAI_FROM_BITS(                                                     \
			object,                                                                    \
			skuai_model_rmw(SKUAI_RMW_##op, (object), sizeof(*(object)),               \
					SKUAI_TO_BITS(object, value), (order), SKUAI_SITE(what))); \
		shim_value_;                                                                       \
	})
#define SHIM_CAS(weak, object, wanted, value, success, failure, what)                      \
	__extension__({                                                                    \
		__typeof__(wanted) shim_wanted_ = (wanted);                                \
		struct skuai_cas shim_cas_ = { .expected = (uint64_t)*shim_wanted_,        \
					       .desired = SKUAI_TO_BITS(object, value),    \
					       .order = (success),                         \
					       .order_failed = (failure),                  \
					       .is_weak = (weak) };                        \
		bool shim_done_ = skuai_model_cas((object), sizeof(*(object)), &shim_cas_, \
						  SKUAI_SITE(what));                       \
		if (!shim_done_)                                                           \
			*shim_wanted_ = SKUAI_FROM_BITS(object, shim_cas_.expected);       \
		shim_done_;                                                                \
	})

#define atomic_init(object, value) \
	SHIM_STORE(object, value, memory_order_relaxed, "atomic_init(" #object ", " #value ")")

#define atomic_load_explicit(object, order) \
	SHIM_LOAD(object, order, "atomic_load(" #object ", " #order ")")
#define atomic_load(object) atomic_load_explicit(object, memory_order_seq_cst)

#define atomic_store_explicit(object, value, order) \
	SHIM_STORE(object, value, order, "atomic_store(" #object ", " #value ", " #order ")")
#define atomic_store(object, value) atomic_store_explicit(object, value, memory_order_seq_cst)

#define atomic_exchange_explicit(object, value, order) \
	SHIM_RMW(EXCHANGE, object, value, order,       \
		 "atomic_exchange(" #object ", " #value ", " #order ")")
#define atomic_exchange(object, value) atomic_exchange_explicit(object, value, memory_order_seq_cst)

#define atomic_fetch_add_explicit(object, value, order) \
	SHIM_RMW(ADD, object, value, order, "atomic_fetch_add(" #object ", " #value ", " #order ")")
#define atomic_fetch_add(object, value) \
	atomic_fetch_add_explicit(object, value, memory_order_seq_cst)

#define atomic_fetch_sub_explicit(object, value, order) \
	SHIM_RMW(SUB, object, value, order, "atomic_fetch_sub(" #object ", " #value ", " #order ")")
#define atomic_fetch_sub(object, value) \
	atomic_fetch_sub_explicit(object, value, memory_order_seq_cst)

#define atomic_fetch_or_explicit(object, value, order) \
	SHIM_RMW(OR, object, value, order, "atomic_fetch_or(" #object ", " #value ", " #order ")")
#define atomic_fetch_or(object, value) atomic_fetch_or_explicit(object, value, memory_order_seq_cst)

#define atomic_fetch_and_explicit(object, value, order) \
	SHIM_RMW(AND, object, value, order, "atomic_fetch_and(" #object ", " #value ", " #order ")")
#define atomic_fetch_and(object, value) \
	atomic_fetch_and_explicit(object, value, memory_order_seq_cst)

#define atomic_compare_exchange_strong_explicit(object, expected, desired, success, failure) \
	SHIM_CAS(false, object, expected, desired, success, failure,                         \
		 "atomic_compare_exchange_strong(" #object ", " #expected ", " #desired      \
		 ", " #success ", " #failure ")")
#define atomic_compare_exchange_strong(object, expected, desired)                                \
	atomic_compare_exchange_strong_explicit(object, expected, desired, memory_order_seq_cst, \
						memory_order_seq_cst)

#define atomic_compare_exchange_weak_explicit(object, expected, desired, success, failure) \
	SHIM_CAS(true, object, expected, desired, success, failure,                        \
		 "atomic_compare_exchange_weak(" #object ", " #expected ", " #desired      \
		 ", " #success ", " #failure ")")
#define atomic_compare_exchange_weak(object, expected, desired)                                \
	atomic_compare_exchange_weak_explicit(object, expected, desired, memory_order_seq_cst, \
					      memory_order_seq_cst)

#define atomic_thread_fence(order) \
	skuai_model_fence((order), SKUAI_SITE("atomic_thread_fence(" #order ")"))

/* One byte: set or not. */
#define atomic_flag_test_and_set_explicit(flag, order)                                           \
	(skuai_model_low(                                                                        \
		 skuai_model_rmw(SKUAI_RMW_EXCHANGE, (flag), 1, 1, (order),                      \
				 SKUAI_SITE("atomic_flag_test_and_set(" #flag ", " #order ")")), \
		 1) != 0)
#define atomic_flag_test_and_set(flag) atomic_flag_test_and_set_explicit(flag, memory_order_seq_cst)
#define atomic_flag_clear_explicit(flag, order)  \
	skuai_model_store((flag), 1, 0, (order), \
			  SKUAI_SITE("atomic_flag_clear(" #flag ", " #order ")"))
#define atomic_flag_clear(flag) atomic_flag_clear_explicit(flag, memory_order_seq_cst)

#endif
