/* SPDX-License-Identifier: MIT */
/* deque.h — a work-stealing deque: the owner pushes and pops one end, anybody steals the other */
#ifndef SKUA_DEQUE_H
#define SKUA_DEQUE_H

#include <skua/detail/export.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

SKUA_BEGIN_C

/*
 *	steal <- [ oldest ... newest ] <-> push, pop
 *
 * One thread owns the deque and alone may push and pop; any thread may steal, the owner too.  Every
 * element pushed is handed out exactly once.  Elements are 8 bytes: a pointer, or any trivially
 * copyable type of that size through SKUA_DEQUE_OF.
 */

/** How a pop or steal ended. */
enum skua_take {
	SKUA_TAKE_EMPTY = 0, /* nothing there */
	SKUA_TAKE_GOT = 1,   /* *element is yours */
	/*
	 * Another thread was faster, there may be more: not the same as empty.  In an asymmetric
	 * deque also when the system took membarrier away: do not retry for ever.
	 */
	SKUA_TAKE_RETRY = 2,
};

/** Which side pays for the fence between pop and steal. */
enum skua_deque_fence {
	SKUA_FENCE_PORTABLE,   /* a full fence in every pop; steals are cheap */
	SKUA_FENCE_ASYMMETRIC, /* no fence in pop; a steal of something calls membarrier(2) */
};

struct skua_deque_options {
	size_t size;	 /* sizeof(struct skua_deque_options) */
	size_t capacity; /* elements, rounded up to a power of two; 0: 256.  It doubles when full */
	bool is_bounded; /* never grow: a push into a full deque is SKUA_EFULL */
	enum skua_deque_fence fence;
	/* Room for the elements, capacity * 8 bytes, 8-aligned, capacity a power of two; the deque
	 * is then bounded and never allocates.  NULL: the heap. */
	void *storage;
};

/** Its insides are src/sched/deque.c's.  64-aligned, as the type asks for: on the
 * stack, static or from aligned_alloc, not malloc.  Must not move while open. */
struct skua_deque {
	unsigned char insides[256] __attribute__((aligned(64)));
};

/**
 * Make a deque; the calling thread becomes its owner.
 *
 * Thread    any
 * Memory    capacity * 8 bytes and a header from the heap, or none with storage
 * Ordering  hand the deque to other threads as you would any memory
 * Fails     SKUA_EINVAL: NULL or not 64-aligned, wrong size, capacity above 2^40, storage not
 *           aligned or its capacity not a power of two; SKUA_ENOMEM; SKUA_ENOTSUP, SKUA_EPERM:
 *           SKUA_FENCE_ASYMMETRIC asked for and not to be had.  *deque is then untouched.
 * Cost      an allocation, all of it written once; the first asymmetric one of a process registers
 *           it with the kernel
 * See       examples/01_deque.c, man skua_deque
 */
SKUA_API int skua_deque_open(struct skua_deque *deque, const struct skua_deque_options *options);

/**
 * Give its memory back.  Elements still inside are forgotten: they are the caller's.
 *
 * Thread    the last one using it
 * Memory    all freed, buffers kept from earlier growth too
 * Ordering  after every other thread's last call, by the caller's own means
 * Fails     never; NULL is fine
 * Cost      a few frees
 * See       examples/01_deque.c
 */
SKUA_API void skua_deque_close(struct skua_deque *deque);

/**
 * Put an element at the newest end.
 *
 * Thread    the owner
 * Memory    doubles when full, unless bounded; the old buffer is kept until close
 * Ordering  what the owner did before is visible to whoever gets the element
 * Fails     SKUA_EFULL: bounded and full; SKUA_ENOMEM: could not grow.  The element stays the
 *           caller's, the deque as it was.
 * Cost      two stores; no fence, no atomic read-modify-write
 * See       examples/01_deque.c, docs/design/deque.md
 */
SKUA_API int skua_deque_push(struct skua_deque *deque, uint64_t element);

/**
 * Take the newest element: SKUA_TAKE_GOT or SKUA_TAKE_EMPTY.
 *
 * Thread    the owner
 * Memory    none
 * Ordering  none needed: the owner pushed it
 * Fails     never; *element is written only with SKUA_TAKE_GOT
 * Cost      asymmetric: loads and stores; portable: a full fence.  The last element: one CAS
 * See       examples/01_deque.c, docs/design/deque.md
 */
SKUA_API enum skua_take skua_deque_pop(struct skua_deque *deque, uint64_t *element);

/**
 * Take the oldest element: SKUA_TAKE_GOT, SKUA_TAKE_EMPTY or SKUA_TAKE_RETRY.
 *
 * Thread    any
 * Memory    none
 * Ordering  what the owner did before the push is visible after SKUA_TAKE_GOT
 * Fails     never; *element is written only with SKUA_TAKE_GOT.  SKUA_TAKE_EMPTY may be old news
 *           for a thread that has not passed a full fence since the push.
 * Cost      an empty deque: two loads.  Else one CAS, and a full fence (portable) or a
 *           membarrier(2)
 * See       examples/01_deque.c, docs/design/deque.md
 */
SKUA_API enum skua_take skua_deque_steal(struct skua_deque *deque, uint64_t *element);

/**
 * Take up to half of the elements, the oldest first, and no more than `most`, into elements[].
 *
 * Each is claimed on its own: an owner that pops meanwhile never sees one taken twice.
 *
 * Thread    any
 * Memory    none
 * Ordering  as skua_deque_steal
 * Fails     never.  *count is how many were taken: at least 1 with SKUA_TAKE_GOT, else 0
 * Cost      that many steals
 * See       docs/design/deque.md
 */
SKUA_API enum skua_take skua_deque_steal_half(struct skua_deque *deque, uint64_t *elements,
					      size_t most, size_t *count);

/**
 * How many elements; exact for the owner while nobody steals, else a number of a moment ago.
 *
 * Thread    any
 * Memory    none
 * Ordering  none: never decide "nothing to do" from it, that is what a steal is for
 * Fails     never
 * Cost      two loads
 * See       docs/design/deque.md
 */
SKUA_API size_t skua_deque_count(const struct skua_deque *deque);

/**
 * Bytes of heap it holds, buffers kept from earlier growth included; 0 with caller's storage.
 *
 * Thread    the owner
 * Memory    none
 * Ordering  none
 * Fails     never
 * Cost      a walk over at most 40 buffers
 * See       docs/design/deque.md
 */
SKUA_API size_t skua_deque_memory(const struct skua_deque *deque);

/**
 * The calling thread is the owner from now on; the old owner must be done with it.
 *
 * Checked builds stop a push or pop by any other thread with a message; release builds do not look.
 *
 * Thread    the new owner, ordered after the old one's last call by the caller's own means
 * Memory    none
 * Ordering  none
 * Fails     never
 * Cost      a store
 * See       docs/design/deque.md
 */
SKUA_API void skua_deque_adopt(struct skua_deque *deque);

/**
 * Does this deque spare the owner its fence?  True: asymmetric, false: portable.
 *
 * Thread    any
 * Memory    none
 * Ordering  none
 * Fails     never
 * Cost      a load
 * See       skua bench deque
 */
SKUA_API bool skua_deque_is_asymmetric(const struct skua_deque *deque);

/*
 * SKUA_DEQUE_OF(jobs, struct job *) declares struct jobs with jobs_open, jobs_close, jobs_push,
 * jobs_pop and jobs_steal, typed: a wrong element type is a compile error.
 */
#define SKUA_DEQUE_OF(name, type)                                                               \
	struct name {                                                                           \
		struct skua_deque deque;                                                        \
	};                                                                                      \
	typedef char name##_element_is_8_bytes[sizeof(type) == 8 ? 1 : -1];                     \
	static inline int name##_open(struct name *d, const struct skua_deque_options *options) \
	{                                                                                       \
		return skua_deque_open(&d->deque, options);                                     \
	}                                                                                       \
	static inline void name##_close(struct name *d)                                         \
	{                                                                                       \
		skua_deque_close(&d->deque);                                                    \
	}                                                                                       \
	static inline int name##_push(struct name *d, type element)                             \
	{                                                                                       \
		uint64_t bits;                                                                  \
		memcpy(&bits, &element, sizeof(bits));                                          \
		return skua_deque_push(&d->deque, bits);                                        \
	}                                                                                       \
	static inline enum skua_take name##_pop(struct name *d, type *element)                  \
	{                                                                                       \
		uint64_t bits;                                                                  \
		enum skua_take take = skua_deque_pop(&d->deque, &bits);                         \
		if (take == SKUA_TAKE_GOT)                                                      \
			memcpy(element, &bits, sizeof(bits));                                   \
		return take;                                                                    \
	}                                                                                       \
	static inline enum skua_take name##_steal(struct name *d, type *element)                \
	{                                                                                       \
		uint64_t bits;                                                                  \
		enum skua_take take = skua_deque_steal(&d->deque, &bits);                       \
		if (take == SKUA_TAKE_GOT)                                                      \
			memcpy(element, &bits, sizeof(bits));                                   \
		return take;                                                                    \
	}                                                                                       \
	struct name

SKUA_END_C

#endif
