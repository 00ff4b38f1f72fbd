/* SPDX-License-Identifier: MIT */
/* 29_trace.c — what the workers did when: trace a part of a program, with marks of its own */
#include <skua/skua.h>
#include <stdio.h>
#include <string.h>

#define FILE_NAME "29_trace.skt"

static uint32_t leaf_name;

SKUA_TASK(long, sum, long, from, long, to)
{
	if (to - from <= 100000) {
		long all = 0;
		skua_trace_span_begin(leaf_name);
		for (long i = from; i < to; i++)
			all += i % 7;
		skua_trace_span_end(leaf_name);
		return all;
	}
	long middle = from + (to - from) / 2;
	skua_fork(sum, upper, middle, to);
	long lower = skua_call(sum, from, middle);
	return skua_join(sum, upper) + lower;
}

/* A trace begins with eight letters that say what it is. */
static int is_trace(const char *path)
{
	char letters[8] = "";
	FILE *file = fopen(path, "rb");

	if (!file)
		return 0;
	size_t count = fread(letters, 1, sizeof(letters), file);
	fclose(file);
	return count == sizeof(letters) && memcmp(letters, "SKUATRC\n", sizeof(letters)) == 0;
}

int main(void)
{
	struct skua_trace_options options = { .size = sizeof(options), .path = FILE_NAME };
	struct skua_pool *pool;
	char why[256];

	if (skua_pool_open(&pool, NULL) != SKUA_OK)
		return 1;
	leaf_name = skua_trace_name("leaf");
	uint32_t phase = skua_trace_name("phase");

	/* Of all that the program does, only this is of interest. */
	int error = skua_trace_begin(pool, &options);
	if (error && error != SKUA_EBUSY) /* SKUA_TRACE=file: it is traced already */
		fprintf(stderr, "29_trace: %s\n", skua_strerror(error));
	for (uint64_t i = 1; i <= 3; i++) {
		skua_trace_mark(phase, i);
		if (skua_run(pool, sum, 0, 10000000) != 29999994)
			return 1;
	}
	/* The last 5 ms, while it runs: for when something took longer than it should. */
	error = skua_trace_write(pool, "29_trace_last.skt", 5000000);
	if (!error)
		error = skua_trace_end(pool);
	if (error && skua_trace_error(why, sizeof(why)))
		fprintf(stderr, "29_trace: %s\n", why);
	skua_pool_close(pool, SKUA_CLOSE_DRAIN);
	printf("now: skua trace summary " FILE_NAME "\n");
	int is_right = error || (is_trace(FILE_NAME) && is_trace("29_trace_last.skt"));
	remove("29_trace_last.skt");
	remove(FILE_NAME); /* this is only an example */
	return is_right ? 0 : 1;
}
