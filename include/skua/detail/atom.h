/* SPDX-License-Identifier: MIT */
/* atom.h — the few atomic words that a fork touches, in C and C++ alike */
#ifndef SKUA_DETAIL_ATOM_H
#define SKUA_DETAIL_ATOM_H

/*
 * src/base/atomic.h is the library's own layer for atomics; it needs C11's _Atomic, which C++ has
 * not.  The inlined part of a fork needs a relaxed load, a store, and a compiler fence.  Names and
 * meaning are those of base/atomic.h, and so is the back end where one is asked for: the builds
 * that check this code (model, chaos, tsan) include base/atomic.h before anything else.
 */

#ifdef __cplusplus
#define SKUA_ATOM(type) type
#else
#define SKUA_ATOM(type) _Atomic(type)
#endif

#ifdef SKUA_ATOMS_OF_HOUSE

#define skua_atom_load(type, object, order)	    skua_load(object, order)
#define skua_atom_store(type, object, value, order) skua_store(object, value, order)
#define skua_atom_light_fence(object)		    skua_light_fence(object)

#else

#define SKUA_ATOM_relaxed __ATOMIC_RELAXED
#define SKUA_ATOM_acquire __ATOMIC_ACQUIRE
#define SKUA_ATOM_release __ATOMIC_RELEASE

#define skua_atom_load(type, object, order) \
	__atomic_load_n((type *)(void *)(object), SKUA_ATOM_##order)
#define skua_atom_store(type, object, value, order) \
	__atomic_store_n((type *)(void *)(object), (value), SKUA_ATOM_##order)
#define skua_atom_light_fence(object) ((void)(object), __atomic_signal_fence(__ATOMIC_SEQ_CST))

#endif

#endif
