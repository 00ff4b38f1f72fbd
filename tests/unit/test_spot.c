/* SPDX-License-Identifier: MIT */
/* test_spot.c — a walk tells where it is when it is asked, once for each question */
#include "base/atomic.h"
#include "check.h"
#include "scan/spot.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static struct scan_dir *new_dir(struct scan_dir *parent, const char *name)
{
	struct scan_dir *dir = calloc(1, sizeof(*dir) + strlen(name) + 1);

	assert_non_null(dir);
	memcpy(dir->name, name, strlen(name) + 1);
	dir->name_length = (uint16_t)strlen(name);
	dir->parent = parent;
	return dir;
}

static void test_spot_is_told_only_when_asked(void **state)
{
	struct spot spot = { 0 };
	char text[SPOT_BYTES] = "none";
	struct scan_dir *top = new_dir(NULL, "/t"), *one = new_dir(top, "one");

	(void)state;
	assert_false(spot_is_asked(&spot));
	spot_tell(&spot, top);
	spot_look(&spot, text);
	assert_string_equal(text, "none");
	assert_true(spot_is_asked(&spot));
	spot_look(&spot, text); /* nobody told yet */
	assert_string_equal(text, "none");
	spot_tell(&spot, one);
	assert_false(spot_is_asked(&spot));
	spot_tell(&spot, top); /* that question has its answer */
	spot_look(&spot, text);
	assert_string_equal(text, "/t/one");
	spot_tell(&spot, top);
	spot_look(&spot, text);
	assert_string_equal(text, "/t");
	free(one);
	free(top);
}

static void test_spot_long_path_ends_in_dots(void **state)
{
	struct spot spot = { 0 };
	char name[256], text[SPOT_BYTES] = "";
	struct scan_dir *dirs[4] = { NULL };

	(void)state;
	memset(name, 'n', 255);
	name[255] = 0;
	for (unsigned i = 0; i < 4; i++)
		dirs[i] = new_dir(i ? dirs[i - 1] : NULL, name);
	spot_look(&spot, text);
	spot_tell(&spot, dirs[3]);
	spot_look(&spot, text);
	assert_int_equal(strlen(text), SPOT_BYTES - 1);
	assert_string_equal(text + SPOT_BYTES - 1 - 6, "nnn...");
	for (unsigned i = 0; i < 4; i++)
		free(dirs[i]);
}

static void test_spot_path_that_just_fits_is_whole(void **state)
{
	char name[SPOT_BYTES + 4], text[SPOT_BYTES];

	(void)state;
	for (size_t length = SPOT_BYTES - 2; length < SPOT_BYTES + 3; length++) {
		struct spot spot = { 0 };
		memset(name, 'n', length);
		name[length] = 0;
		struct scan_dir *dir = new_dir(NULL, name);
		spot_look(&spot, text);
		spot_tell(&spot, dir);
		spot_look(&spot, text);
		bool is_whole = length < SPOT_BYTES;
		assert_int_equal(strlen(text), is_whole ? length : SPOT_BYTES - 1);
		assert_int_equal(strspn(text, "n"), is_whole ? length : SPOT_BYTES - 4);
		free(dir);
	}
}

/* Each says only its own letter: two of them in a text would be a race. */
struct teller {
	struct spot *spot;
	_Atomic bool *is_over;
	char letter;
};

static void *tell_on(void *argument)
{
	struct teller *teller = argument;
	char name[201];

	memset(name, teller->letter, 200);
	name[200] = 0;
	struct scan_dir *dir = new_dir(NULL, name);
	while (!skua_load(teller->is_over, relaxed))
		if (spot_is_asked(teller->spot))
			spot_tell(teller->spot, dir);
	free(dir);
	return NULL;
}

static void test_spot_text_is_of_one_teller(void **state)
{
	struct spot spot = { 0 };
	_Atomic bool is_over = false;
	struct teller tellers[] = { { &spot, &is_over, 'a' }, { &spot, &is_over, 'b' } };
	pthread_t threads[2];
	char text[SPOT_BYTES];

	(void)state;
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, tell_on, &tellers[i]), 0);
	for (uint64_t told = 0; told < test_rounds(2000);) {
		text[0] = 0;
		spot_look(&spot, text);
		if (!text[0])
			continue;
		assert_int_equal(strlen(text), 200);
		assert_int_equal(strspn(text, text[0] == 'a' ? "a" : "b"), 200);
		told++;
	}
	skua_store(&is_over, true, relaxed);
	for (unsigned i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_spot_is_told_only_when_asked),
		cmocka_unit_test(test_spot_long_path_ends_in_dots),
		cmocka_unit_test(test_spot_path_that_just_fits_is_whole),
		cmocka_unit_test(test_spot_text_is_of_one_teller),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
