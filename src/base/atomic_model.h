/* SPDX-License-Identifier: MIT */
/* atomic_model.h — the model back end of atomic.h: each access becomes a call to a hook */
#ifndef SKUAI_BASE_ATOMIC_MODEL_H
#define SKUAI_BASE_ATOMIC_MODEL_H

/*
 * The hooks below are not part of the library: whoever runs it under a model defines them, decides
 * which thread goes next before it acts, and performs the access (or answers with an older value).
 *
 * Values travel as uint64_t whatever their type.  Only the low `size` bytes count; a hook must
 * ignore the rest (a negative int arrives sign-extended) and may return anything there.
 */

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where an access stands in the source, for traces: "deque.c:120: skua_load(&d->top, acquire)". */
struct skuai_site {
	const char *file;
	const char *text;
	int line;
};

enum skuai_rmw {
	SKUAI_RMW_EXCHANGE,
	SKUAI_RMW_ADD,
	SKUAI_RMW_SUB,
	SKUAI_RMW_OR,
	SKUAI_RMW_AND,
};

struct skuai_cas {
	uint64_t expected; /* in: what to compare with; out, when it fails: what was read */
	uint64_t desired;
	memory_order order, order_failed;
	bool is_weak; /* may fail though equal */
};

uint64_t skuai_model_load(const volatile void *object, size_t size, memory_order order,
			  const struct skuai_site *site);
void skuai_model_store(volatile void *object, size_t size, uint64_t value, memory_order order,
		       const struct skuai_site *site);
uint64_t skuai_model_rmw(enum skuai_rmw op, volatile void *object, size_t size, uint64_t value,
			 memory_order order, const struct skuai_site *site);
bool skuai_model_cas(volatile void *object, size_t size, struct skuai_cas *cas,
		     const struct skuai_site *site);
void skuai_model_fence(memory_order order, const struct skuai_site *site);

#define SKUAI_SITE(what) (&(const struct skuai_site){ __FILE__, what, __LINE__ })

/* The object's type without _Atomic: what a load of it yields. */
#define SKUAI_VALUE(object) __typeof__((void)0, *(object))

#define skua_load(object, order)                                                                  \
	((SKUAI_VALUE(object))skuai_model_load((object), sizeof(*(object)), memory_order_##order, \
					       SKUAI_SITE("skua_load(" #object ", " #order ")")))
#define skua_store(object, value, order)                                                       \
	skuai_model_store((object), sizeof(*(object)), (uint64_t)(SKUAI_VALUE(object))(value), \
			  memory_order_##order,                                                \
			  SKUAI_SITE("skua_store(" #object ", " #value ", " #order ")"))

#define SKUAI_RMW(op, name, object, value, order)                                         \
	((SKUAI_VALUE(object))skuai_model_rmw(                                            \
		op, (object), sizeof(*(object)), (uint64_t)(value), memory_order_##order, \
		SKUAI_SITE(name "(" #object ", " #value ", " #order ")")))
#define skua_exchange(object, value, order) \
	SKUAI_RMW(SKUAI_RMW_EXCHANGE, "skua_exchange", object, value, order)
#define skua_add(object, value, order) SKUAI_RMW(SKUAI_RMW_ADD, "skua_add", object, value, order)
#define skua_sub(object, value, order) SKUAI_RMW(SKUAI_RMW_SUB, "skua_sub", object, value, order)
#define skua_or(object, value, order)  SKUAI_RMW(SKUAI_RMW_OR, "skua_or", object, value, order)
#define skua_and(object, value, order) SKUAI_RMW(SKUAI_RMW_AND, "skua_and", object, value, order)

#define SKUAI_CAS(name, weak, object, wanted, value, success, failure)                       \
	__extension__({                                                                      \
		struct skuai_cas skuai_cas_ = {                                              \
			.expected = (uint64_t) * (wanted),                                   \
			.desired = (uint64_t)(SKUAI_VALUE(object))(value),                   \
			.order = memory_order_##success,                                     \
			.order_failed = memory_order_##failure,                              \
			.is_weak = weak,                                                     \
		};                                                                           \
		bool skuai_done_ = skuai_model_cas((object), sizeof(*(object)), &skuai_cas_, \
						   SKUAI_SITE(name "(" #object ", " #wanted  \
								   ", " #value ", " #success \
								   ", " #failure ")"));      \
		if (!skuai_done_)                                                            \
			*(wanted) = (SKUAI_VALUE(object))skuai_cas_.expected;                \
		skuai_done_;                                                                 \
	})
#define skua_cas(object, expected, desired, order, order_failed) \
	SKUAI_CAS("skua_cas", false, object, expected, desired, order, order_failed)
#define skua_cas_weak(object, expected, desired, order, order_failed) \
	SKUAI_CAS("skua_cas_weak", true, object, expected, desired, order, order_failed)

#define skua_fence(object, order)                                \
	((void)(object), skuai_model_fence(memory_order_##order, \
					   SKUAI_SITE("skua_fence(" #object ", " #order ")")))

#endif
