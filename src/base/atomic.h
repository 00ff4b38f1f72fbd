/* SPDX-License-Identifier: MIT */
/* atomic.h — every atomic operation of the project, with its order visible at the call */
#ifndef SKUAI_BASE_ATOMIC_H
#define SKUAI_BASE_ATOMIC_H

/*
 * The only file that touches <stdatomic.h> (tools/lint_layers.py).  A call names its order as a
 * word, one of relaxed, acquire, release, acq_rel, seq_cst:
 *
 *	t = skua_load(&d->top, acquire);
 *	skua_store(&d->bottom, b, release);
 *	old = skua_exchange(&w->flag, 1, acq_rel);
 *	ok = skua_cas(&d->top, &t, t + 1, seq_cst, relaxed);    _weak may fail without cause
 *	old = skua_add(&n, 1, relaxed);                         also _sub, _or, _and
 *	skua_fence(&d->top, seq_cst);
 *	skua_light_fence(&d->top);                              its partner calls skuai_membarrier
 *
 * and carries an `order` comment saying why that order is enough (tools/lint_orders.py).
 *
 * A fence names the object through which it meets its partner: for the hardware and the language
 * that is only a comment, but it is what makes the fence understandable to ThreadSanitizer.
 *
 * One back end is chosen per build, the code above it never changes:
 *
 *   native  <stdatomic.h>, nothing added; the default
 *   tsan    fences also tell TSan "release/acquire on this object"; under -fsanitize=thread
 *   chaos   a seeded random yield or delay may come before each access; SKUA_ATOMICS_CHAOS
 *   model   each access is a call to a hook of base/atomic_model.h; SKUA_ATOMICS_MODEL
 *
 * House rule: where a store must come before a later load of another word, write a seq_cst FENCE,
 * not seq_cst accesses: fences are what the model checker treats exactly.
 */

#include <stdatomic.h>

#if defined(__SANITIZE_THREAD__)
#define SKUAI_ATOMICS_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define SKUAI_ATOMICS_TSAN 1
#endif
#endif

#ifdef SKUA_ATOMICS_MODEL
#include "base/atomic_model.h"
#else

#ifdef SKUA_ATOMICS_CHAOS
#include "base/chaos.h"
#define SKUAI_ATOMIC_POINT() skuai_chaos_point()
#else
#define SKUAI_ATOMIC_POINT() ((void)0)
#endif

#define skua_load(object, order) \
	(SKUAI_ATOMIC_POINT(), atomic_load_explicit((object), memory_order_##order))
#define skua_store(object, value, order) \
	(SKUAI_ATOMIC_POINT(), atomic_store_explicit((object), (value), memory_order_##order))
#define skua_exchange(object, value, order) \
	(SKUAI_ATOMIC_POINT(), atomic_exchange_explicit((object), (value), memory_order_##order))
#define skua_cas(object, expected, desired, order, order_failed)                              \
	(SKUAI_ATOMIC_POINT(), atomic_compare_exchange_strong_explicit(                       \
				       (object), (expected), (desired), memory_order_##order, \
				       memory_order_##order_failed))
#define skua_cas_weak(object, expected, desired, order, order_failed)           \
	(SKUAI_ATOMIC_POINT(),                                                  \
	 atomic_compare_exchange_weak_explicit((object), (expected), (desired), \
					       memory_order_##order, memory_order_##order_failed))
#define skua_add(object, value, order) \
	(SKUAI_ATOMIC_POINT(), atomic_fetch_add_explicit((object), (value), memory_order_##order))
#define skua_sub(object, value, order) \
	(SKUAI_ATOMIC_POINT(), atomic_fetch_sub_explicit((object), (value), memory_order_##order))
#define skua_or(object, value, order) \
	(SKUAI_ATOMIC_POINT(), atomic_fetch_or_explicit((object), (value), memory_order_##order))
#define skua_and(object, value, order) \
	(SKUAI_ATOMIC_POINT(), atomic_fetch_and_explicit((object), (value), memory_order_##order))

#ifdef SKUAI_ATOMICS_TSAN
#include <sanitizer/tsan_interface.h>

/*
 * TSan does not model fences: it would call correct fence-only code a race.  Telling it "everything
 * before is released through this object" and "everything released through it is acquired" is a
 * little stronger than the fence (it does not ask that the store after it be the one read), so a
 * race through the named object can be missed here; the model checker is exact about those.
 */
#if !defined(__clang__)
#pragma GCC diagnostic push
/* "fence not supported": that is why this function exists */
#pragma GCC diagnostic ignored "-Wtsan"
#endif
static inline void skuai_tsan_fence(const volatile void *object, memory_order order)
{
	void *name = (void *)object; /* only the address counts; nothing is written */

	if (order != memory_order_release)
		__tsan_acquire(name);
	atomic_thread_fence(order);
	if (order != memory_order_acquire)
		__tsan_release(name);
}
#if !defined(__clang__)
#pragma GCC diagnostic pop
#endif
#define skua_fence(object, order) \
	(SKUAI_ATOMIC_POINT(), skuai_tsan_fence((object), memory_order_##order))
#else
#define skua_fence(object, order) \
	(SKUAI_ATOMIC_POINT(), (void)(object), atomic_thread_fence(memory_order_##order))
#endif

#define skua_light_fence(object) \
	(SKUAI_ATOMIC_POINT(), (void)(object), atomic_signal_fence(memory_order_seq_cst))

#endif /* not model */

#endif
