/* SPDX-License-Identifier: MIT */
/* test_stream.c — writes past the caches, and the hint for large pages: they change nothing else */
#include "check.h"

#include "os/largepages.h"
#include "os/stream.h"

#include <errno.h>
#include <stdlib.h>

static void test_stream_copies(void **state)
{
	enum {
		MOST = 400
	};
	unsigned char from[MOST + 64], to[MOST + 64];

	(void)state;
	for (unsigned i = 0; i < sizeof(from); i++)
		from[i] = (unsigned char)test_random();
	for (unsigned offset = 0; offset < 32; offset++)
		for (size_t bytes = 0; bytes <= MOST; bytes++) {
			memset(to, 0xee, sizeof(to));
			skuai_stream_copy((char *)to + offset, (char *)from + offset % 7, bytes);
			skuai_stream_end();
			assert_memory_equal(to + offset, from + offset % 7, bytes);
			assert_true(offset == 0 || to[offset - 1] == 0xee);
			assert_int_equal(to[offset + bytes], 0xee);
		}
}

static void test_large_pages_are_a_hint(void **state)
{
	static const size_t sizes[] = {
		0, 1, 4096, ((size_t)4 << 20) - 1, (size_t)4 << 20, ((size_t)9 << 20) + 123
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		unsigned char *memory = malloc(sizes[i] + 3);
		assert_non_null(memory);
		memset(memory, 0x5a, sizes[i] + 3);
		errno = 77;
		skuai_large_pages(memory + 1, sizes[i]);
		assert_int_equal(errno, 77);
		for (size_t at = 0; at < sizes[i] + 3; at += 997)
			assert_int_equal(memory[at], 0x5a);
		free(memory);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stream_copies),
		cmocka_unit_test(test_large_pages_are_a_hint),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
