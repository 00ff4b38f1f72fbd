/* SPDX-License-Identifier: MIT */
/* check.h — what every test uses: cmocka, seeds, scratch folders, child processes */
#ifndef SKUA_TESTS_CHECK_H
#define SKUA_TESTS_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
/* cmocka.h wants the four headers above to come first */
#include <cmocka.h>

/*
 * Seeds.  A random test draws from test_seed(): SKUA_TEST_SEED in the environment, or the clock.
 * It is printed when first asked for, so that a red run can be replayed:
 *
 *	SKUA_TEST_SEED=0x1234 build/...
 */
uint64_t test_seed(void);
uint64_t
test_random(void); /* the next number of the sequence test_seed() starts; main thread only */

/* How often to repeat: usual, or usual * SKUA_TEST_SCALE (make test-long sets 100). */
uint64_t test_rounds(uint64_t usual);

/* A scratch folder of this process, removed at its exit.  A child of fork() has that of its parent
 * if there is one already, and leaves it alone.  Ask before the fork: _exit() removes nothing. */
const char *test_folder(void);

/* Write bytes to folder/path, making the folders between; fails the test when it cannot. */
void test_write(const char *folder, const char *path, const void *bytes, size_t count);
void test_write_text(const char *folder, const char *path, const char *text);

/* Remove folder/path with all below it, if there. */
void test_remove(const char *folder, const char *path);

/* Bytes of stack that body(argument) touches in a thread; 0: no telling, as under a sanitizer. */
size_t test_stack_used(void *(*body)(void *), void *argument);

/* What became of a child process: exit status, or 128 + signal. */
int test_in_child(void (*body)(void *), void *argument);

/* The same; what it wrote to standard error goes to text, cut at size. */
int test_in_child_stderr(void (*body)(void *), void *argument, char *text, size_t size);

#endif
