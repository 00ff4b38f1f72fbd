/* SPDX-License-Identifier: MIT */
/* task.h — what SKUA_TASK expands to: typed fork, join, call and run of one task */
#ifndef SKUA_DETAIL_TASK_H
#define SKUA_DETAIL_TASK_H

#include <skua/detail/count.h>
#include <skua/detail/slot.h>

SKUA_BEGIN_C

struct skua_pool;

/* One call of skua_run, on the caller's stack: a place on a worker, or a job for one. */
struct skua_visit {
	struct skua_slot slot; /* the task and its arguments, when it is handed over */
	void *insides[16];
};

/* A place in the pool for the calling thread; NULL: no worker sleeps, hand the slot over. */
SKUA_API struct skua_slot *skua_visit_begin(struct skua_visit *visit, struct skua_pool *pool);
SKUA_API void skua_visit_end(struct skua_visit *visit);

/* Let a worker run `task` with visit->slot, and wait. */
SKUA_API void skua_visit_hand_over(struct skua_visit *visit, skua_slot_task *task);

/* The task behind skua_join_pair's second function. */
struct skua_pair_args {
	void (*run)(struct skua_slot *skua_here, void *argument);
	void *argument;
} __attribute__((may_alias));
SKUA_API void skua_pair_task(struct skua_slot *here, struct skua_slot *slot);

SKUA_END_C

/* --- what only SKUA_CHECKED code does --- */

SKUA_BEGIN_C
SKUA_API void skua_check_thread(const char *task, const struct skua_slot *here);
SKUA_API void skua_check_join(const char *task, const struct skua_slot *here);
SKUA_END_C

#ifdef SKUA_CHECKED
#define SKUA_CHECK_FORK(task, here) skua_check_thread(task, here)
#define SKUA_CHECK_JOIN(task, slot, here)                                                     \
	do {                                                                                  \
		skua_check_join(task, here);                                                  \
		if ((slot) >= (here))                                                         \
			skua_misuse(task, "this fork was joined already");                    \
		if ((slot) + 1 != (here))                                                     \
			skua_misuse(task, "joined before a newer fork of the same function"); \
	} while (0)
#define SKUA_CHECK_RETURN(task, here)                                                 \
	do {                                                                          \
		/* order task.check.1: relaxed, our own store */                      \
		if (skua_atom_load(skua_slot_task *, &(here)->ready, relaxed))        \
			skua_misuse(task, "returned without joining what it forked"); \
	} while (0)
#else
#define SKUA_CHECK_FORK(task, here)	  ((void)0)
#define SKUA_CHECK_JOIN(task, slot, here) ((void)0)
#define SKUA_CHECK_RETURN(task, here)	  ((void)0)
#endif

#ifdef __cplusplus
#define SKUA_STATIC_ASSERT static_assert
#define SKUA_ALIGNOF	   alignof
#else
#define SKUA_STATIC_ASSERT _Static_assert
#define SKUA_ALIGNOF	   _Alignof
#endif

/* One argument of a task in each of the shapes that the functions below need. */
#define SKUA_AS_PARAMETER(type, name) , type name
#define SKUA_AS_FIELD(type, name)     type name;
#define SKUA_AS_FILLED(type, name)    skua_args->name = name;
#define SKUA_AS_LOADED(type, name)    , skua_args->name
#define SKUA_AS_PASSED(type, name)    , name

/* kind(each, result, name, pairs..., end) */
#define SKUA_TASK_BEGIN(kind, ...) kind(SKUA_EACH_OF(__VA_ARGS__), __VA_ARGS__, ~)

/* clang-format off */

/* Types, prototypes, and what does not depend on the result. */
#define SKUA_TASK_COMMON(linkage, each, R, name, ...)                                          \
	struct name##_skua_args {                                                              \
		each(SKUA_AS_FIELD, __VA_ARGS__)                                               \
		char skua_none[1];                                                             \
	} __attribute__((may_alias));                                                          \
	struct name##_skua_forked { struct skua_slot *slot; };                                 \
	SKUA_STATIC_ASSERT(offsetof(struct name##_skua_args, skua_none) <= SKUA_PAYLOAD_BYTES, \
		"the arguments of task " #name " exceed 40 bytes: pass a pointer");            \
	SKUA_STATIC_ASSERT(SKUA_ALIGNOF(struct name##_skua_args) <= 8,                         \
		"an argument of task " #name " is aligned more widely than 8: pass a pointer"); \
	linkage R name(struct skua_slot *skua_here each(SKUA_AS_PARAMETER, __VA_ARGS__));      \
	static void name##_skua_task(struct skua_slot *skua_here, struct skua_slot *skua_slot) \
		__attribute__((unused));                                                       \
	SKUA_INLINE struct name##_skua_forked                                                  \
	name##_skua_fork(struct skua_slot **skua_here each(SKUA_AS_PARAMETER, __VA_ARGS__))    \
	{                                                                                      \
		struct name##_skua_forked skua_forked = { *skua_here };                        \
		struct name##_skua_args *skua_args = SKUA_ARGS_OF(name, *skua_here);           \
		skua_slot_task *skua_task;                                                     \
		SKUA_CHECK_FORK(#name, *skua_here);                                            \
		(void)skua_args;                                                               \
		each(SKUA_AS_FILLED, __VA_ARGS__)                                              \
		SKUA_TASK_ADDRESS(skua_task, name##_skua_task);                                \
		skua_slot_fork(skua_here, skua_task);                                          \
		return skua_forked;                                                            \
	}

#define SKUA_ARGS_OF(name, slot)   ((struct name##_skua_args *)(void *)(slot)->payload)
#define SKUA_RESULT_OF(name, slot) (((struct name##_skua_result *)(void *)(slot)->payload)->value)

/* A task with a result. */
#define SKUA_TASK_WITH(linkage, each, R, name, ...)                                            \
	SKUA_TASK_COMMON(linkage, each, R, name, __VA_ARGS__)                                  \
	struct name##_skua_result { R value; } __attribute__((may_alias));                     \
	SKUA_STATIC_ASSERT(sizeof(R) <= SKUA_PAYLOAD_BYTES,                                    \
		"the result of task " #name " exceeds 40 bytes: write it through a pointer");  \
	SKUA_INLINE R                                                                          \
	name##_skua_call(struct skua_slot *skua_here each(SKUA_AS_PARAMETER, __VA_ARGS__))     \
	{                                                                                      \
		SKUA_RETURN(R, #name, skua_here,                                               \
			    name(skua_here each(SKUA_AS_PASSED, __VA_ARGS__)));                \
	}                                                                                      \
	SKUA_INLINE R name##_skua_load(struct skua_slot *skua_here, struct skua_slot *skua_slot) \
	{                                                                                      \
		struct name##_skua_args *skua_args = SKUA_ARGS_OF(name, skua_slot);            \
		(void)skua_args;                                                               \
		return name##_skua_call(skua_here each(SKUA_AS_LOADED, __VA_ARGS__));          \
	}                                                                                      \
	static void name##_skua_task(struct skua_slot *skua_here, struct skua_slot *skua_slot) \
	{                                                                                      \
		R skua_value = name##_skua_load(skua_here, skua_slot);                         \
		SKUA_RESULT_OF(name, skua_slot) = skua_value;                                  \
	}                                                                                      \
	SKUA_INLINE R name##_skua_join(struct skua_slot **skua_here,                           \
				       struct name##_skua_forked skua_forked)                  \
	{                                                                                      \
		SKUA_CHECK_JOIN(#name, skua_forked.slot, *skua_here);                          \
		if (skua_slot_join(skua_here, skua_forked.slot))                               \
			return SKUA_RESULT_OF(name, skua_forked.slot);                         \
		return name##_skua_load(*skua_here, skua_forked.slot);                         \
	}                                                                                      \
	static inline __attribute__((unused)) R                                                \
	name##_skua_run(struct skua_pool *skua_pool each(SKUA_AS_PARAMETER, __VA_ARGS__))      \
	{                                                                                      \
		struct skua_visit skua_visit;                                                  \
		struct skua_slot *skua_place = skua_visit_begin(&skua_visit, skua_pool);       \
		if (skua_place) {                                                              \
			R skua_value =                                                         \
				name##_skua_call(skua_place each(SKUA_AS_PASSED, __VA_ARGS__)); \
			skua_visit_end(&skua_visit);                                           \
			return skua_value;                                                     \
		}                                                                              \
		struct name##_skua_args *skua_args = SKUA_ARGS_OF(name, &skua_visit.slot);     \
		(void)skua_args;                                                               \
		each(SKUA_AS_FILLED, __VA_ARGS__)                                              \
		skua_visit_hand_over(&skua_visit, name##_skua_task);                           \
		return SKUA_RESULT_OF(name, &skua_visit.slot);                                 \
	}

/* A task without one. */
#define SKUA_TASK_WITHOUT(linkage, each, R, name, ...)                                         \
	SKUA_TASK_COMMON(linkage, each, R, name, __VA_ARGS__)                                  \
	SKUA_INLINE void                                                                       \
	name##_skua_call(struct skua_slot *skua_here each(SKUA_AS_PARAMETER, __VA_ARGS__))     \
	{                                                                                      \
		name(skua_here each(SKUA_AS_PASSED, __VA_ARGS__));                             \
		SKUA_CHECK_RETURN(#name, skua_here);                                           \
	}                                                                                      \
	static void name##_skua_task(struct skua_slot *skua_here, struct skua_slot *skua_slot) \
	{                                                                                      \
		struct name##_skua_args *skua_args = SKUA_ARGS_OF(name, skua_slot);            \
		(void)skua_args;                                                               \
		name##_skua_call(skua_here each(SKUA_AS_LOADED, __VA_ARGS__));                 \
	}                                                                                      \
	SKUA_INLINE void name##_skua_join(struct skua_slot **skua_here,                        \
					  struct name##_skua_forked skua_forked)               \
	{                                                                                      \
		SKUA_CHECK_JOIN(#name, skua_forked.slot, *skua_here);                          \
		if (skua_slot_join(skua_here, skua_forked.slot))                               \
			return;                                                                \
		struct name##_skua_args *skua_args = SKUA_ARGS_OF(name, skua_forked.slot);     \
		(void)skua_args;                                                               \
		name##_skua_call(*skua_here each(SKUA_AS_LOADED, __VA_ARGS__));                \
	}                                                                                      \
	static inline __attribute__((unused)) void                                             \
	name##_skua_run(struct skua_pool *skua_pool each(SKUA_AS_PARAMETER, __VA_ARGS__))      \
	{                                                                                      \
		struct skua_visit skua_visit;                                                  \
		struct skua_slot *skua_place = skua_visit_begin(&skua_visit, skua_pool);       \
		if (skua_place) {                                                              \
			name##_skua_call(skua_place each(SKUA_AS_PASSED, __VA_ARGS__));        \
			skua_visit_end(&skua_visit);                                           \
			return;                                                                \
		}                                                                              \
		struct name##_skua_args *skua_args = SKUA_ARGS_OF(name, &skua_visit.slot);     \
		(void)skua_args;                                                               \
		each(SKUA_AS_FILLED, __VA_ARGS__)                                              \
		skua_visit_hand_over(&skua_visit, name##_skua_task);                           \
	}

#ifdef SKUA_CHECKED
#define SKUA_RETURN(R, text, here, call)                                                       \
	R skua_value = call;                                                                   \
	SKUA_CHECK_RETURN(text, here);                                                         \
	return skua_value
#else
#define SKUA_RETURN(R, text, here, call) return call
#endif

/* The kinds of definition; see fork.h. */
#define SKUA_HERE struct skua_slot *skua_here __attribute__((unused))
#define SKUA_TASK_STATIC(each, R, name, ...)                                                   \
	SKUA_TASK_WITH(static, each, R, name, __VA_ARGS__)                                     \
	static R name(SKUA_HERE each(SKUA_AS_PARAMETER, __VA_ARGS__))
#define SKUA_TASK_VOID_STATIC(each, R, name, ...)                                              \
	SKUA_TASK_WITHOUT(static, each, void, name, __VA_ARGS__)                               \
	static void name(SKUA_HERE each(SKUA_AS_PARAMETER, __VA_ARGS__))
#define SKUA_TASK_EXTERN(each, R, name, ...)                                                   \
	SKUA_TASK_WITH(extern, each, R, name, __VA_ARGS__)                                     \
	struct name##_skua_args
#define SKUA_TASK_VOID_EXTERN(each, R, name, ...)                                              \
	SKUA_TASK_WITHOUT(extern, each, void, name, __VA_ARGS__)                               \
	struct name##_skua_args
#define SKUA_TASK_BODY(each, R, name, ...)                                                     \
	R name(SKUA_HERE each(SKUA_AS_PARAMETER, __VA_ARGS__))

/* clang-format on */

#endif
