/* SPDX-License-Identifier: MIT */
/* test_work_uts.c — the trees of UTS: published counts, and how much stack a deep one takes */
#include "check.h"

#include "../../bench/work/uts.h"

#include <pthread.h>
#include <skua/skua.h>
#include <stdlib.h>
#include <string.h>

#ifndef __has_feature
#define __has_feature(name) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) ||           \
	__has_feature(address_sanitizer) || __has_feature(memory_sanitizer) || \
	!defined(__OPTIMIZE__)
#define HAS_LARGE_FRAMES true /* by the compiler's doing, not ours */
#else
#define HAS_LARGE_FRAMES false
#endif

static const struct work_problem *find_problem(const char *name)
{
	const struct work_problem *problem = work_uts.problems;

	while (problem->name && strcmp(problem->name, name) != 0)
		problem++;
	assert_non_null(problem->name);
	return problem;
}

static void assert_counts(const char *name, struct uts_count wanted)
{
	struct uts *uts = work_uts.prepare(find_problem(name));

	assert_non_null(uts);
	work_uts.reset(uts);
	work_uts.serial(uts);
	assert_int_equal(uts->result.nodes, wanted.nodes);
	assert_int_equal(uts->result.leaves, wanted.leaves);
	assert_int_equal(uts->result.depth, wanted.depth);
	assert_true(work_uts.check(uts));
	assert_int_equal(find_problem(name)->size, wanted.nodes);
	work_uts.drop(uts);
}

/* Seconds; the small trees are of the same kinds. */
static void test_uts_published_trees_have_their_counts(void **state)
{
	(void)state;
	assert_counts("T3", (struct uts_count){ 4112897, 3599034, 1572 });
	if (test_rounds(1) == 1)
		return;
	assert_counts("T1", (struct uts_count){ 4130071, 3305118, 10 });
	assert_counts("T2", (struct uts_count){ 4117769, 2342762, 81 });
	assert_counts("T4", (struct uts_count){ 4132453, 3108986, 134 });
	assert_counts("T5", (struct uts_count){ 4147582, 2181318, 20 });
}

static void test_uts_small_trees_have_their_counts(void **state)
{
	(void)state;
	assert_counts("fixed", (struct uts_count){ 3987, 3232, 5 });
	assert_counts("linear", (struct uts_count){ 1317, 762, 8 });
	assert_counts("cyclic", (struct uts_count){ 4988, 3086, 31 });
	assert_counts("bin", (struct uts_count){ 453, 398, 15 });
	assert_counts("hybrid", (struct uts_count){ 15914, 11966, 73 });
	assert_counts("deep", (struct uts_count){ 92549, 46276, 1005 });
}

static void test_uts_root_and_child_are_hashes(void **state)
{
	struct uts_tree tree = { .kind = UTS_BINOMIAL, .seed = 42, .wide = 3 };
	struct uts_node root = uts_root(&tree), child;
	uint32_t words[SHA1_WORDS + 1] = { 0, 0, 0, 0, 42 }, digest[SHA1_WORDS];

	(void)state;
	sha1_words(digest, words, SHA1_WORDS);
	assert_memory_equal(root.state, digest, sizeof(digest));
	assert_int_equal(uts_children(&tree, &root), 3);
	memcpy(words, digest, sizeof(digest));
	words[SHA1_WORDS] = 2;
	uts_child(&root, 2, &child);
	sha1_words(digest, words, SHA1_WORDS + 1);
	assert_memory_equal(child.state, digest, sizeof(digest));
	assert_int_equal(child.height, 1);
}

/*
 * T3L is 17844 deep and must fit a main thread's 8 MiB.  Here a tree 1005 deep is walked on a stack
 * of its own, and what is no longer as it was filled is what was used.
 */
#define STACK_BYTES ((size_t)16 << 20)
#define MARK	    0xa5

struct walk {
	struct uts *uts;
	struct skua_pool *pool; /* NULL: serially */
};

static void *walk(void *argument)
{
	struct walk *walk = argument;

	work_uts.reset(walk->uts);
	if (walk->pool)
		work_uts.skua(walk->uts, walk->pool);
	else
		work_uts.serial(walk->uts);
	return NULL;
}

static size_t stack_of(const char *name, struct skua_pool *pool)
{
	struct walk one = { .uts = work_uts.prepare(find_problem(name)), .pool = pool };
	unsigned char *stack = aligned_alloc(4096, STACK_BYTES);
	pthread_attr_t attributes;
	pthread_t thread;
	size_t untouched = 0;

	assert_true(one.uts && stack);
	memset(stack, MARK, STACK_BYTES);
	assert_int_equal(pthread_attr_init(&attributes), 0);
	assert_int_equal(pthread_attr_setstack(&attributes, stack, STACK_BYTES), 0);
	assert_int_equal(pthread_create(&thread, &attributes, walk, &one), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	pthread_attr_destroy(&attributes);
	assert_true(work_uts.check(one.uts));
	while (untouched < STACK_BYTES && stack[untouched] == MARK)
		untouched++;
	free(stack);
	work_uts.drop(one.uts);
	return STACK_BYTES - untouched;
}

/* One worker: with more, what it does while it waits for a thief comes on top. */
static void test_uts_deep_tree_needs_little_stack(void **state)
{
	struct skua_pool_options options = { .size = sizeof(options), .workers = 1 };
	struct skua_pool *pool = NULL;
	double levels = 1005 - 31;

	(void)state;
	if (HAS_LARGE_FRAMES)
		skip();
	assert_int_equal(skua_pool_open(&pool, &options), SKUA_OK);
	double serial = (double)stack_of("deep", NULL) - (double)stack_of("cyclic", NULL);
	double skua = (double)stack_of("deep", pool) - (double)stack_of("cyclic", pool);
	skua_pool_close(pool, SKUA_CLOSE_DRAIN);
	printf("bytes of stack for each level: serial %.0f, skua %.0f\n", serial / levels,
	       skua / levels);
	assert_true(serial / levels < 400);
	assert_true(skua / levels < 400); /* 17844 of them are under 7 MiB */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_uts_small_trees_have_their_counts),
		cmocka_unit_test(test_uts_published_trees_have_their_counts),
		cmocka_unit_test(test_uts_root_and_child_are_hashes),
		cmocka_unit_test(test_uts_deep_tree_needs_little_stack),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
