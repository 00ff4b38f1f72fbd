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

/* This thread relies on another's skuai_membarrier from here on. */
void skuai_model_light_fence(void);

/* Lives until the block around the access ends: a hook that keeps it makes a copy. */
#define SKUAI_SITE(what) (&(const struct skuai_site){ __FILE__, what, __LINE__ })

/* The object's type without _Atomic: what a load of it yields. */
#define SKUAI_VALUE(object) __typeof__((void)0, *(object))

/* The low `size` bytes: a bool must not see junk above its byte. */
static inline uint64_t skuai_model_low(uint64_t bits, size_t size)
{
	return size < sizeof(bits) ? bits & (((uint64_t)1 << (8 * size)) - 1) : bits;
}

/* From a hook's bits to the object's value; from a value, in the object's type, to bits. */
#define SKUAI_FROM_BITS(object, bits) \
	((SKUAI_VALUE(object))skuai_model_low((bits), sizeof(*(object))))
#define SKUAI_TO_BITS(object, value) ((uint64_t)(SKUAI_VALUE(object))(value))

#define skua_load(object, order)                                                            \
	SKUAI_FROM_BITS(object,                                                             \
			skuai_model_load((object), sizeof(*(object)), memory_order_##order, \
					 SKUAI_SITE("skua_load(" #object ", " #order ")")))
#define skua_store(object, value, order)                                             \
	skuai_model_store((object), sizeof(*(object)), SKUAI_TO_BITS(object, value), \
			  memory_order_##order,                                      \
			  SKUAI_SITE("skua_store(" #object ", " #value ", " #order ")"))

#define SKUAI_RMW(op, object, bits, order, what)                                         \
	SKUAI_FROM_BITS(object, skuai_model_rmw(op, (object), sizeof(*(object)), (bits), \
						memory_order_##order, SKUAI_SITE(what)))
#define skua_exchange(object, value, order)                                        \
	SKUAI_RMW(SKUAI_RMW_EXCHANGE, object, SKUAI_TO_BITS(object, value), order, \
		  "skua_exchange(" #object ", " #value ", " #order ")")
#define skua_add(object, value, order)                             \
	SKUAI_RMW(SKUAI_RMW_ADD, object, (uint64_t)(value), order, \
		  "skua_add(" #object ", " #value ", " #order ")")
#define skua_sub(object, value, order)                             \
	SKUAI_RMW(SKUAI_RMW_SUB, object, (uint64_t)(value), order, \
		  "skua_sub(" #object ", " #value ", " #order ")")
#define skua_or(object, value, order)                             \
	SKUAI_RMW(SKUAI_RMW_OR, object, (uint64_t)(value), order, \
		  "skua_or(" #object ", " #value ", " #order ")")
#define skua_and(object, value, order)                             \
	SKUAI_RMW(SKUAI_RMW_AND, object, (uint64_t)(value), order, \
		  "skua_and(" #object ", " #value ", " #order ")")

#define SKUAI_CAS(weak, object, wanted, value, success, failure, what)                       \
	__extension__({                                                                      \
		__typeof__(wanted) skuai_wanted_ = (wanted);                                 \
		struct skuai_cas skuai_cas_ = {                                              \
			.expected = (uint64_t)*skuai_wanted_,                                \
			.desired = SKUAI_TO_BITS(object, value),                             \
			.order = memory_order_##success,                                     \
			.order_failed = memory_order_##failure,                              \
			.is_weak = weak,                                                     \
		};                                                                           \
		bool skuai_done_ = skuai_model_cas((object), sizeof(*(object)), &skuai_cas_, \
						   SKUAI_SITE(what));                        \
		if (!skuai_done_)                                                            \
			*skuai_wanted_ = SKUAI_FROM_BITS(object, skuai_cas_.expected);       \
		skuai_done_;                                                                 \
	})
#define skua_cas(object, expected, desired, order, order_failed)                                  \
	SKUAI_CAS(false, object, expected, desired, order, order_failed,                          \
		  "skua_cas(" #object ", " #expected ", " #desired ", " #order ", " #order_failed \
		  ")")
#define skua_cas_weak(object, expected, desired, order, order_failed)               \
	SKUAI_CAS(true, object, expected, desired, order, order_failed,             \
		  "skua_cas_weak(" #object ", " #expected ", " #desired ", " #order \
		  ", " #order_failed ")")

#define skua_fence(object, order)                                \
	((void)(object), skuai_model_fence(memory_order_##order, \
					   SKUAI_SITE("skua_fence(" #object ", " #order ")")))
#define skua_light_fence(object) ((void)(object), skuai_model_light_fence())

#endif
