/* SPDX-License-Identifier: MIT */
/* test_traces.c — a pool is traced: by the program, by SKUA_TRACE; what the file holds then */
#include "unit/test_pool.h"

#include "base/diag.h"
#include "trace/tracefile.h"

#include <errno.h>
#include <sys/stat.h>
#include <sys/wait.h>

/* Sanitizers do not survive threads in the child of a program with threads: test_pool_fork.c. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define NO_THREADS_IN_CHILD 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer) || \
	__has_feature(thread_sanitizer)
#define NO_THREADS_IN_CHILD 1
#endif
#endif

/* --- a file, taken apart --- */

#define RINGS_MOST 16

struct loaded {
	unsigned char *bytes;
	size_t size;
	struct skuai_trace_header header;
	struct {
		struct skuai_trace_ring head;
		const struct skuai_trace_record *records;
		uint64_t count;
	} rings[RINGS_MOST];
	char names[4097][64];
	const char *facts;
};

static bool read_whole(const char *path, struct loaded *file)
{
	FILE *stream = fopen(path, "rb");

	if (!stream)
		return false;
	fseek(stream, 0, SEEK_END);
	file->size = (size_t)ftell(stream);
	rewind(stream);
	file->bytes = malloc(file->size + 1);
	assert_int_equal(fread(file->bytes, 1, file->size, stream), file->size);
	fclose(stream);
	return true;
}

static void load_names(struct loaded *file, const unsigned char *at, uint64_t bytes)
{
	while (bytes) {
		struct skuai_trace_name name;
		memcpy(&name, at, sizeof(name));
		assert_true(name.number > 0 && name.number <= 4096);
		snprintf(file->names[name.number], 64, "%.*s", (int)name.bytes, at + sizeof(name));
		uint64_t step = sizeof(name) + (name.bytes + 7) / 8 * 8;
		assert_true(step <= bytes);
		at += step;
		bytes -= step;
	}
}

static void load_ring(struct loaded *file, uint32_t number, const unsigned char *at, uint64_t bytes)
{
	assert_true(number < file->header.workers && number < RINGS_MOST);
	memcpy(&file->rings[number].head, at, sizeof(struct skuai_trace_ring));
	file->rings[number].records = (const void *)(at + sizeof(struct skuai_trace_ring));
	file->rings[number].count = (bytes - sizeof(struct skuai_trace_ring)) / 16;
	assert_true(file->rings[number].head.written - file->rings[number].head.dropped ==
		    file->rings[number].count);
}

/* Everything in it has its place, and it has its end. */
static struct loaded *load(const char *path)
{
	struct loaded *file = calloc(1, sizeof(*file));
	bool has_end = false;

	if (!read_whole(path, file))
		fail_msg("no file %s", path);
	memcpy(&file->header, file->bytes, sizeof(file->header));
	assert_memory_equal(file->header.magic, SKUAI_TRACE_MAGIC, 8);
	assert_int_equal(file->header.version, SKUAI_TRACE_VERSION);
	for (size_t at = file->header.bytes; at < file->size;) {
		struct skuai_trace_section section;
		memcpy(&section, file->bytes + at, sizeof(section));
		at += sizeof(section);
		assert_false(has_end);
		assert_true(section.bytes % 8 == 0 && section.bytes <= file->size - at);
		has_end = section.kind == SKUAI_TRACE_END;
		if (section.kind == SKUAI_TRACE_NAMES)
			load_names(file, file->bytes + at, section.bytes);
		else if (section.kind == SKUAI_TRACE_RING)
			load_ring(file, section.number, file->bytes + at, section.bytes);
		else if (section.kind == SKUAI_TRACE_FACTS)
			file->facts = (const char *)file->bytes + at;
		at += section.bytes;
	}
	assert_true(has_end);
	assert_non_null(file->facts);
	return file;
}

static void unload(struct loaded *file)
{
	free(file->bytes);
	free(file);
}

static uint64_t count_of(const struct loaded *file, enum skuai_trace_kind kind, const char *name)
{
	uint64_t count = 0;

	for (unsigned r = 0; r < RINGS_MOST; r++)
		for (uint64_t i = 0; i < file->rings[r].count; i++) {
			const struct skuai_trace_record *record = &file->rings[r].records[i];
			count += record->kind == kind &&
				 (!name || strcmp(file->names[record->argument], name) == 0);
		}
	return count;
}

/* What ends has begun, but for what began before the trace; the clock does not go back. */
static void expect_nested(const struct loaded *file, bool is_from_start)
{
	for (unsigned r = 0; r < RINGS_MOST; r++) {
		uint8_t open[256];
		unsigned depth = 0;
		uint64_t before = 0;
		for (uint64_t i = 0; i < file->rings[r].count; i++) {
			const struct skuai_trace_record *record = &file->rings[r].records[i];
			uint8_t kind = record->kind;
			assert_true(record->ticks >= before);
			assert_true(record->ticks >= file->header.start_ticks &&
				    record->ticks <= file->header.end_ticks);
			before = record->ticks;
			if (kind == SKUAI_TRACE_TASK_BEGIN || kind == SKUAI_TRACE_PARK ||
			    kind == SKUAI_TRACE_WAIT_BEGIN || kind == SKUAI_TRACE_BLOCK_BEGIN ||
			    kind == SKUAI_TRACE_SPAN_BEGIN) {
				assert_true(depth < sizeof(open));
				open[depth++] = kind;
			} else if (kind == SKUAI_TRACE_TASK_END || kind == SKUAI_TRACE_UNPARK ||
				   kind == SKUAI_TRACE_WAIT_END || kind == SKUAI_TRACE_BLOCK_END ||
				   kind == SKUAI_TRACE_SPAN_END) {
				if (depth == 0 && !is_from_start)
					continue;
				assert_true(depth > 0);
				if (open[--depth] != kind - 1)
					fail_msg("worker %u, event %llu: %d ends %d", r,
						 (unsigned long long)i, kind, open[depth]);
			}
		}
	}
}

/* In the folder of the first process that asks: a child has its parent's. */
static const char *path_of(const char *name)
{
	static char path[512], folder[256];

	if (!*folder)
		snprintf(folder, sizeof(folder), "%s", test_folder());
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static bool exists(const char *path)
{
	struct stat seen;

	return stat(path, &seen) == 0;
}

static int begin(struct skua_pool *pool, const char *path, size_t records)
{
	struct skua_trace_options options = { .size = sizeof(options),
					      .records = records,
					      .path = path };

	return skua_trace_begin(pool, &options);
}

/* --- what is run --- */

#define JOBS 100

static void short_job(struct skua_slot *skua_here, void *argument)
{
	(void)skua_here, (void)argument;
	spin_for(20000);
}

static int group_task(struct skua_slot *skua_here, void *argument)
{
	(void)skua_here, (void)argument;
	spin_for(20000);
	return 0;
}

static void run_jobs(struct skua_pool *pool)
{
	struct skua_job jobs[JOBS];

	for (unsigned i = 0; i < JOBS; i++)
		jobs[i] = (struct skua_job)SKUA_JOB(short_job, NULL);
	assert_int_equal(skua_submit_many(pool, jobs, JOBS), SKUA_OK);
	for (unsigned i = 0; i < JOBS; i++)
		assert_int_equal(skua_job_wait(&jobs[i], SKUA_FOREVER), SKUA_OK);
}

SKUA_TASK_VOID(with_group, struct skua_pool *, pool)
{
	struct skua_group group;
	struct skua_group_options options = { .size = sizeof(options), .pool = pool };

	assert_int_equal(skua_group_open(&group, &options), SKUA_OK);
	for (int i = 0; i < 10; i++)
		assert_int_equal(skua_go(&group, group_task, (void *)0), SKUA_OK);
	assert_int_equal(skua_group_wait(&group, SKUA_FOREVER), SKUA_OK);
}

/* --- tests --- */

static void test_traces_hold_what_was_run(void **state)
{
	char path[512];

	(void)state;
	WATCH(30);
	snprintf(path, sizeof(path), "%s", path_of("whole"));
	struct skua_pool *pool = pool_of(3);
	assert_int_equal(begin(pool, path, 0), SKUA_OK);
	assert_int_equal(begin(pool, path, 0), SKUA_EBUSY);
	assert_int_equal(skua_run(pool, fib, 18), 2584);
	run_jobs(pool);
	skua_run(pool, with_group, pool);
	assert_int_equal(skua_trace_end(pool), SKUA_OK);
	assert_int_equal(skua_trace_end(pool), SKUA_EINVAL);
	struct loaded *file = load(path);
	assert_int_equal(file->header.workers, 3);
	assert_int_equal(file->header.flags, 0);
	assert_true(file->header.process == (uint64_t)getpid());
	assert_true(file->header.end_ns > file->header.start_ns);
	assert_non_null(strstr(file->facts, "workers=3\n"));
	assert_int_equal(count_of(file, SKUAI_TRACE_TASK_BEGIN, "short_job"), JOBS);
	assert_int_equal(count_of(file, SKUAI_TRACE_TASK_BEGIN, "group_task"), 10);
	assert_true(count_of(file, SKUAI_TRACE_INJECT, NULL) > 0);
	assert_int_equal(count_of(file, SKUAI_TRACE_WAIT_BEGIN, NULL),
			 count_of(file, SKUAI_TRACE_WAIT_END, NULL));
	expect_nested(file, false);
	unload(file);
	pool_end(pool);
}

/* A second trace of the same pool has nothing of the first. */
static void test_traces_begin_anew(void **state)
{
	char path[512];

	(void)state;
	WATCH(30);
	struct skua_pool *pool = pool_of(2);
	for (int i = 0; i < 4; i++) {
		snprintf(path, sizeof(path), "%s", path_of("anew"));
		assert_int_equal(begin(pool, path, i == 2 ? 1024 : 0), SKUA_OK);
		run_jobs(pool);
		assert_int_equal(skua_trace_end(pool), SKUA_OK);
		run_jobs(pool); /* not traced */
		struct loaded *file = load(path);
		assert_int_equal(count_of(file, SKUAI_TRACE_TASK_BEGIN, "short_job"), JOBS);
		unload(file);
	}
	pool_end(pool);
}

static void test_traces_count_what_is_lost(void **state)
{
	(void)state;
	WATCH(30);
	struct skua_pool *pool = pool_of(1);
	assert_int_equal(begin(pool, NULL, 10), SKUA_OK); /* 16 */
	run_jobs(pool);
	assert_int_equal(skua_trace_write(pool, path_of("lost"), 0), SKUA_OK);
	struct loaded *file = load(path_of("lost"));
	/* One may be in the middle of being written, and some were while the others were copied:
	 * the worker goes to sleep meanwhile. */
	assert_in_range(file->rings[0].count, 1, 15);
	assert_int_equal(file->rings[0].head.written - file->rings[0].head.dropped,
			 file->rings[0].count);
	assert_true(file->rings[0].head.dropped >= 2 * JOBS - 16);
	unload(file);
	pool_end(pool);
}

SKUA_TASK_VOID(marks, uint32_t, name)
{
	skua_trace_mark(name, 0x123456);
	skua_trace_span_begin(name);
	skua_trace_span_end(name);
}

static void test_traces_hold_marks(void **state)
{
	(void)state;
	WATCH(30);
	uint32_t name = skua_trace_name("a mark");
	assert_true(name != 0);
	assert_int_equal(skua_trace_name("a mark"), name);
	assert_int_equal(skua_trace_name(NULL), 0);
	skua_trace_mark(name, 1); /* nothing is traced */
	struct skua_pool *pool = pool_of(2);
	assert_int_equal(begin(pool, NULL, 0), SKUA_OK);
	skua_run(pool, marks, name);
	assert_int_equal(skua_trace_write(pool, path_of("marks"), 0), SKUA_OK);
	struct loaded *file = load(path_of("marks"));
	assert_int_equal(count_of(file, SKUAI_TRACE_MARK, "a mark"), 1);
	assert_int_equal(count_of(file, SKUAI_TRACE_SPAN_BEGIN, "a mark"), 1);
	assert_int_equal(count_of(file, SKUAI_TRACE_SPAN_END, "a mark"), 1);
	assert_int_equal(file->header.workers, 2);
	unload(file);
	skua_trace_mark(name, 0x78123456); /* by no worker */
	assert_int_equal(skua_trace_write(pool, path_of("marks"), 0), SKUA_OK);
	file = load(path_of("marks"));
	assert_int_equal(file->header.workers, 3);
	assert_int_equal(file->header.flags, SKUAI_TRACE_HAS_OUTSIDE);
	assert_int_equal(file->rings[2].count, 1);
	assert_int_equal(file->rings[2].records[0].peer, 0x3456);
	assert_int_equal(file->rings[2].records[0].detail, 0x12);
	unload(file);
	pool_end(pool);
}

/* Snapshots while everybody writes; each is of its own last moments. */
static void test_traces_are_written_while_they_run(void **state)
{
	struct skua_job jobs[4 * JOBS];

	(void)state;
	WATCH(60);
	struct skua_pool *pool = pool_of(3);
	assert_int_equal(begin(pool, NULL, 128), SKUA_OK);
	for (unsigned i = 0; i < 4 * JOBS; i++)
		jobs[i] = (struct skua_job)SKUA_JOB(short_job, NULL);
	assert_int_equal(skua_submit_many(pool, jobs, 4 * JOBS), SKUA_OK);
	for (int i = 0; i < 20; i++) {
		assert_int_equal(skua_trace_write(pool, path_of("last"), 2000000), SKUA_OK);
		struct loaded *file = load(path_of("last"));
		assert_int_equal(file->header.flags & SKUAI_TRACE_IS_SNAPSHOT, 1);
		expect_nested(file, false);
		unload(file);
	}
	for (unsigned i = 0; i < 4 * JOBS; i++)
		assert_int_equal(skua_job_wait(&jobs[i], SKUA_FOREVER), SKUA_OK);
	pool_end(pool);
}

static void test_traces_refuse(void **state)
{
	struct skua_trace_options options = { .size = sizeof(options) };
	char text[256], small[8], *long_path = malloc(5000);

	(void)state;
	WATCH(30);
	struct skua_pool *pool = pool_of(1);
	memset(long_path, 'a', 4999);
	long_path[4999] = '\0';
	assert_int_equal(begin(pool, long_path, 0), SKUA_EINVAL);
	assert_int_equal(begin(pool, NULL, (size_t)1 << 27), SKUA_EINVAL);
	options.size = 1;
	assert_int_equal(skua_trace_begin(pool, &options), SKUA_EINVAL);
	assert_int_equal(skua_trace_write(pool, path_of("never"), 0), SKUA_EINVAL);
	assert_int_equal(skua_trace_end(pool), SKUA_EINVAL);
	assert_int_equal(skua_trace_error(text, sizeof(text)), SKUA_OK);
	assert_string_equal(text, "");

	assert_int_equal(begin(pool, NULL, 0), SKUA_OK);
	assert_int_equal(skua_trace_write(pool, NULL, 0), SKUA_EINVAL);
	assert_int_equal(skua_trace_write(pool, long_path, 0), SKUA_EINVAL);
	assert_int_equal(skua_trace_write(pool, path_of("never"), -1), SKUA_EINVAL);
	assert_int_equal(skua_trace_write(pool, path_of("no/folder/here"), 0), SKUA_ENOENT);
	assert_int_equal(skua_trace_error(text, sizeof(text)), SKUA_ENOENT);
	assert_non_null(strstr(text, "no/folder/here"));
	assert_int_equal(skua_trace_error(small, sizeof(small)), SKUA_ENOENT);
	assert_int_equal(strlen(small), 7);
	assert_int_equal(skua_trace_error(NULL, 0), SKUA_ENOENT);
	assert_true(skua_trace_write(pool, test_folder(), 0) < 0); /* a folder */
	if (exists("/dev/full")) {
		assert_true(skua_trace_write(pool, "/dev/full", 0) < 0);
		skua_trace_error(text, sizeof(text));
		assert_non_null(strstr(text, strerror(ENOSPC)));
	}
	assert_int_equal(skua_trace_end(pool), SKUA_OK);
	assert_int_equal(skua_run(pool, fib, 10), 55);
	free(long_path);
	pool_end(pool);
}

/* Who wrote the file meanwhile keeps it. */
static void test_traces_do_not_replace_another_process(void **state)
{
	char path[512], ours[600], text[600];

	(void)state;
	WATCH(30);
	for (int was_there = 0; was_there < 2; was_there++) {
		snprintf(path, sizeof(path), "%s", path_of(was_there ? "ours2" : "ours"));
		if (was_there)
			test_write_text(test_folder(), "ours2", "an old one");
		struct skua_pool *pool = pool_of(1);
		assert_int_equal(begin(pool, path, 0), SKUA_OK);
		test_write_text(test_folder(), was_there ? "ours2" : "ours", "somebody else's");
		assert_int_equal(skua_trace_end(pool), SKUA_OK);
		snprintf(ours, sizeof(ours), "%s.%ld", path, (long)getpid());
		unload(load(ours));
		assert_int_equal(skua_trace_error(text, sizeof(text)), SKUA_EBUSY);
		assert_non_null(strstr(text, ours));
		struct loaded file = { 0 };
		assert_true(read_whole(path, &file));
		assert_int_equal(file.size, strlen("somebody else's"));
		free(file.bytes);
		pool_end(pool);
	}
	/* One that was there before, and is as it was, is replaced. */
	test_write_text(test_folder(), "mine", "an old one");
	struct skua_pool *pool = pool_of(1);
	assert_int_equal(begin(pool, path_of("mine"), 0), SKUA_OK);
	pool_end(pool); /* writes */
	unload(load(path_of("mine")));
}

/* --- processes --- */

static void traced_program(void *argument)
{
	const char *how = argument;

	watch_set("child", 30);
	struct skua_pool *one = pool_of(2), *two = pool_of(1);
	assert_int_equal(begin(one, NULL, 0), SKUA_EBUSY);
	assert_int_equal(skua_trace_end(one), SKUA_EINVAL); /* not the program's to end */
	run_jobs(one);
	skua_run(two, fib, 5);
	skua_run(NULL, fib, 5);
	if (strcmp(how, "close") == 0) {
		pool_end(two);
		pool_end(one);
	}
	exit(0);
}

static void test_traces_follow_the_environment(void **state)
{
	char wish[520];

	(void)state;
	WATCH(60);
	for (int i = 0; i < 2; i++) {
		char *how = i ? "leave" : "close";
		snprintf(wish, sizeof(wish), "%s", path_of(how));
		setenv("SKUA_TRACE", wish, 1);
		assert_int_equal(test_in_child(traced_program, how), 0);
		unsetenv("SKUA_TRACE");
		struct loaded *file = load(wish);
		assert_int_equal(file->header.workers, 2);
		assert_int_equal(count_of(file, SKUAI_TRACE_TASK_BEGIN, "short_job"), JOBS);
		expect_nested(file, true);
		unload(file);
		snprintf(wish, sizeof(wish), "%s.2", path_of(how));
		file = load(wish);
		assert_int_equal(file->header.workers, 1);
		unload(file);
		snprintf(wish, sizeof(wish), "%s.3", path_of(how));
		unload(load(wish)); /* the default pool */
	}
}

static void traced_with_number(void *argument)
{
	char name[64];

	(void)argument;
	watch_set("child", 30);
	pool_end(pool_of(1));
	snprintf(name, sizeof(name), "at-%ld%%p", (long)getpid());
	_exit(exists(path_of(name)) ? 0 : 1);
}

static void test_traces_name_the_process(void **state)
{
	(void)state;
	WATCH(30);
	setenv("SKUA_TRACE", path_of("at-%p%%p"), 1);
	assert_int_equal(test_in_child(traced_with_number, NULL), 0);
	setenv("SKUA_TRACE", path_of("no/such/folder"), 1);
	setenv("SKUA_STATS", "1", 1);
	char text[8192];
	assert_int_equal(test_in_child_stderr(traced_program, "close", text, sizeof(text)), 0);
	assert_non_null(strstr(text, "no/such/folder: No such file or directory"));
	unsetenv("SKUA_STATS");
	unsetenv("SKUA_TRACE");
}

#ifndef NO_THREADS_IN_CHILD
static void use_in_child(void *argument)
{
	struct skua_pool *pool = argument;

	watch_set("child", 30);
	assert_int_equal(skua_trace_write(pool, path_of("child"), 0), SKUA_EINVAL);
	assert_int_equal(skua_run(pool, fib, 10), 55);
	assert_int_equal(begin(pool, path_of("child"), 0), SKUA_OK); /* one of its own */
	pool_end(pool);
	_exit(exists(path_of("child")) && !exists(path_of("parent")) ? 0 : 1);
}

static void test_traces_stay_with_the_parent(void **state)
{
	(void)state;
	WATCH(30);
	struct skua_pool *pool = pool_of(2);
	assert_int_equal(begin(pool, path_of("parent"), 0), SKUA_OK);
	run_jobs(pool);
	assert_int_equal(test_in_child(use_in_child, pool), 0);
	pool_end(pool);
	struct loaded *file = load(path_of("parent"));
	assert_int_equal(count_of(file, SKUAI_TRACE_TASK_BEGIN, "short_job"), JOBS);
	unload(file);
}

#endif

static void find_a_bug(void *argument)
{
	(void)argument;
	watch_set("child", 30);
	struct skua_pool *pool = pool_of(2);
	if (begin(pool, path_of("bug"), 0) != SKUA_OK)
		_exit(1);
	run_jobs(pool);
	skua_bug("this is a test");
}

static void test_traces_are_written_at_a_bug(void **state)
{
	char text[512];

	(void)state;
	WATCH(30);
	assert_int_equal(test_in_child_stderr(find_a_bug, NULL, text, sizeof(text)), 128 + SIGABRT);
	assert_non_null(strstr(text, "this is a test"));
	struct loaded *file = load(path_of("bug"));
	assert_int_equal(count_of(file, SKUAI_TRACE_TASK_BEGIN, "short_job"), JOBS);
	unload(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_traces_refuse),
		cmocka_unit_test(test_traces_hold_what_was_run),
		cmocka_unit_test(test_traces_begin_anew),
		cmocka_unit_test(test_traces_count_what_is_lost),
		cmocka_unit_test(test_traces_hold_marks),
		cmocka_unit_test(test_traces_are_written_while_they_run),
		cmocka_unit_test(test_traces_do_not_replace_another_process),
		cmocka_unit_test(test_traces_follow_the_environment),
		cmocka_unit_test(test_traces_name_the_process),
#ifndef NO_THREADS_IN_CHILD
		cmocka_unit_test(test_traces_stay_with_the_parent),
#endif
		cmocka_unit_test(test_traces_are_written_at_a_bug),
	};
	return cmocka_run_group_tests_name("traces", tests, NULL, NULL);
}
