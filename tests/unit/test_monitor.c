/* SPDX-License-Identifier: MIT */
/* test_monitor.c — the file of a monitored pool: whose it is, what is in it, when it goes; hooks */
#include "unit/test_pool.h"

#include "base/fault.h"
#include "os/sharedfile.h"
#include "trace/livefile.h"

#include <skua/monitor.h>

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

/* --- the file --- */

/* The only file in $XDG_RUNTIME_DIR/skua that is this process's, as a path; NULL: there is none. */
static const char *file_of(pid_t process, unsigned pool)
{
	static char path[512];

	snprintf(path, sizeof(path), "%s/skua/%d.%u", getenv("XDG_RUNTIME_DIR"), (int)process,
		 pool);
	return access(path, F_OK) == 0 ? path : NULL;
}

/* Pools are numbered as they are monitored: the highest that has a file; NULL: none has. */
static const char *newest_file(void)
{
	for (unsigned pool = 64; pool-- > 0;)
		if (file_of(getpid(), pool))
			return file_of(getpid(), pool);
	return NULL;
}

struct image {
	struct skuai_live_head head;
	struct skuai_live_worker workers[8];
};

/* Read it whole, as often as it takes. */
static void read_image(struct image *image)
{
	const char *path = newest_file();
	int64_t end = skua_clock_ns() + 10 * SECOND * PATIENCE;
	ssize_t bytes;

	assert_non_null(path);
	int fd = open(path, O_RDONLY);
	assert_true(fd >= 0);
	do {
		bytes = pread(fd, image, sizeof(*image), 0);
		assert_true(skua_clock_ns() < end);
	} while (bytes < (ssize_t)sizeof(image->head) ||
		 image->head.check != skuai_live_check(image, (size_t)bytes));
	close(fd);
}

/* Wait until the file says something. */
static bool file_tells(struct image *image, bool (*is_told)(const struct image *, void *),
		       void *argument)
{
	int64_t end = skua_clock_ns() + 10 * SECOND * PATIENCE;

	for (;;) {
		read_image(image);
		if (is_told(image, argument))
			return true;
		if (skua_clock_ns() > end)
			return false;
		sleep_ns(5 * MILLISECOND);
	}
}

static void do_nothing(struct skua_slot *skua_here, void *argument)
{
	(void)skua_here, (void)argument;
}

static void run_jobs(struct skua_pool *pool, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		struct skua_job job = SKUA_JOB(do_nothing, NULL);
		assert_int_equal(skua_submit(pool, &job), SKUA_OK);
		assert_int_equal(skua_job_wait(&job, SKUA_FOREVER), SKUA_OK);
	}
}

/* --- in processes of their own, before there are threads here --- */

static void exit_with_pool_open(void *argument)
{
	int error = skua_monitor_begin(NULL, NULL);

	(void)argument;
	if (error || !newest_file())
		_exit(1);
	exit(0); /* the default pool is still open */
}

static void test_monitor_file_goes_at_exit(void **state)
{
	(void)state;
	WATCH(30);
	fflush(stdout);
	pid_t child = fork();
	if (child == 0)
		exit_with_pool_open(NULL);
	int status;
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	assert_null(file_of(child, 0));
}

static void monitor_by_environment(void *argument)
{
	struct skua_pool *pool;

	(void)argument;
	setenv("SKUA_MONITOR", "1", 1);
	if (skua_pool_open(&pool, NULL) || !newest_file())
		_exit(1);
	if (skua_monitor_begin(pool, NULL) != SKUA_EBUSY)
		_exit(2);
	if (skua_pool_close(pool, SKUA_CLOSE_DRAIN) || newest_file())
		_exit(3);
	setenv("SKUA_MONITOR", "yes", 1); /* not what the manual says */
	if (skua_pool_open(&pool, NULL) || newest_file())
		_exit(4);
	_exit(skua_pool_close(pool, SKUA_CLOSE_DRAIN) ? 5 : 0);
}

static void test_monitor_environment_asks_for_it(void **state)
{
	(void)state;
	WATCH(30);
	assert_int_equal(test_in_child(monitor_by_environment, NULL), 0);
}

/* A disk without room: no byte can be written. */
static void monitor_without_room(void *argument)
{
	struct rlimit none = { 0, 0 };
	struct skua_pool *pool = pool_of(2);
	struct skua_monitor_options options = { .size = sizeof(options), .interval_ms = 10 };

	(void)argument;
	setrlimit(RLIMIT_FSIZE, &none);
	signal(SIGXFSZ, SIG_IGN);
	if (skua_monitor_begin(pool, &options))
		_exit(1);
	run_jobs(pool, 100);
	sleep_ns(50 * MILLISECOND);
	if (skua_monitor_end(pool))
		_exit(2);
	_exit(skua_pool_close(pool, SKUA_CLOSE_DRAIN) ? 3 : 0);
}

static void test_monitor_full_disk_does_no_harm(void **state)
{
	(void)state;
	WATCH(30);
	assert_int_equal(test_in_child(monitor_without_room, NULL), 0);
}

/* --- hooks --- */

static _Atomic uint32_t begun, ended, parked, unparked, named;
static _Thread_local int inside;

static void on_begin(void *context, unsigned worker, void (*function)(void))
{
	if (context != &begun || worker > 1)
		_exit(10);
	skua_add(&begun, 1, relaxed);
	skua_add(&named, function == (void (*)(void))do_nothing, relaxed);
	inside++;
}

static void on_end(void *context, unsigned worker, void (*function)(void))
{
	if (context != &begun || worker > 1 || inside-- < 1)
		_exit(11);
	(void)function;
	skua_add(&ended, 1, relaxed);
}

static void on_park(void *context, unsigned worker)
{
	(void)context, (void)worker;
	skua_add(&parked, 1, relaxed);
}

static void on_unpark(void *context, unsigned worker)
{
	(void)context, (void)worker;
	skua_add(&unparked, 1, relaxed);
}

static void hooks_see_tasks(void *argument)
{
	struct skua_task_hooks hooks = { .size = sizeof(hooks),
					 .task_begin = on_begin,
					 .task_end = on_end,
					 .park = on_park,
					 .unpark = on_unpark,
					 .context = &begun };
	struct skua_task_hooks wrong = { .size = 8 };

	(void)argument;
	if (skua_hooks_set(&wrong) != SKUA_EINVAL || skua_hooks_set(NULL) || skua_hooks_set(&hooks))
		_exit(1);
	struct skua_pool *pool = pool_of(2);
	if (skua_hooks_set(NULL) != SKUA_EBUSY)
		_exit(2);
	run_jobs(pool, 50);
	if (skua_run(pool, fib, 20) != 6765)
		_exit(3);
	if (skua_pool_close(pool, SKUA_CLOSE_DRAIN))
		_exit(4);
	/* Its threads are gone: all of it is seen. */
	uint32_t tasks = skua_load(&begun, relaxed);
	_exit(skua_load(&named, relaxed) != 50 || tasks < 51		     ? 5
	      : skua_load(&ended, relaxed) != tasks			     ? 6
	      : skua_load(&parked, relaxed) == 0			     ? 7
	      : skua_load(&unparked, relaxed) != skua_load(&parked, relaxed) ? 8
									     : 0);
}

#ifdef SKUA_FAULTS
static void hooks_after_failures(void *argument)
{
	struct skua_task_hooks hooks = { .size = sizeof(hooks), .park = on_park };
	struct skua_pool_options options = { .size = sizeof(options), .workers = 2 };
	struct skua_pool *pool;

	(void)argument;
	for (uint32_t nth = 1; nth <= 2; nth++) {
		skuai_fault_arm(SKUAI_FAULT_THREAD, nth, false, SKUAI_FAULT_USUAL);
		if (skua_pool_open(&pool, &options) != SKUA_EAGAIN)
			_exit(1);
		skuai_fault_disarm();
		if (skua_hooks_set(&hooks))
			_exit(2);
	}
	pool = pool_of(2);
	skuai_fault_arm(SKUAI_FAULT_THREAD, 1, false, SKUAI_FAULT_USUAL);
	if (skua_pool_open(&pool, &options) != SKUA_EAGAIN || skua_hooks_set(NULL) != SKUA_EBUSY)
		_exit(3);
	_exit(0);
}

static void test_hooks_can_be_set_after_a_pool_was_not_opened(void **state)
{
	(void)state;
	WATCH(30);
	assert_int_equal(test_in_child(hooks_after_failures, NULL), 0);
}
#endif

static void test_hooks_are_called_in_pairs(void **state)
{
	(void)state;
	WATCH(30);
	assert_int_equal(test_in_child(hooks_see_tasks, NULL), 0);
}

/* --- here --- */

static void test_monitor_file_is_ours_alone(void **state)
{
	struct skua_pool *pool = pool_of(2);
	struct stat status;
	char folder[512];

	(void)state;
	WATCH(30);
	umask(0);
	assert_int_equal(skua_monitor_begin(pool, NULL), SKUA_OK);
	assert_non_null(newest_file());
	assert_int_equal(stat(newest_file(), &status), 0);
	assert_int_equal(status.st_mode & 07777, 0600);
	snprintf(folder, sizeof(folder), "%s/skua", getenv("XDG_RUNTIME_DIR"));
	assert_int_equal(stat(folder, &status), 0);
	assert_int_equal(status.st_mode & 07777, 0700);
	assert_int_equal(skua_monitor_end(pool), SKUA_OK);
	assert_null(newest_file());
	pool_end(pool);
}

static void test_monitor_close_removes_the_file(void **state)
{
	struct skua_pool *pool = pool_of(1);

	(void)state;
	WATCH(30);
	assert_int_equal(skua_monitor_begin(pool, NULL), SKUA_OK);
	assert_non_null(newest_file());
	pool_end(pool);
	assert_null(newest_file());
}

static void test_monitor_refuses_wrong_wishes(void **state)
{
	struct skua_pool *pool = pool_of(1);
	struct skua_monitor_options good = { .size = sizeof(good), .is_private = true };
	struct skua_monitor_options wrong[] = { good, good, good, good };

	(void)state;
	WATCH(30);
	wrong[0].size--;
	wrong[1].interval_ms = 9;
	wrong[2].interval_ms = 10001;
	wrong[3].stuck_ms = -1;
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(skua_monitor_begin(pool, &wrong[i]), SKUA_EINVAL);
	assert_int_equal(skua_monitor_end(pool), SKUA_EINVAL);
	assert_int_equal(skua_monitor_begin(pool, &good), SKUA_OK);
	assert_null(newest_file()); /* private */
	assert_int_equal(skua_monitor_begin(pool, &good), SKUA_EBUSY);
	assert_int_equal(skua_monitor_end(pool), SKUA_OK);
	assert_int_equal(skua_monitor_end(pool), SKUA_EINVAL);
	pool_end(pool);
}

static bool has_tasks(const struct image *image, void *argument)
{
	uint64_t jobs = 0;

	for (unsigned i = 0; i < image->head.workers; i++)
		jobs += image->workers[i].jobs;
	return jobs >= *(uint64_t *)argument;
}

static void test_monitor_file_tells_what_was_run(void **state)
{
	struct skua_pool *pool = pool_of(2);
	struct skua_monitor_options options = { .size = sizeof(options), .interval_ms = 10 };
	struct image image;
	uint64_t jobs = 100;

	(void)state;
	WATCH(60);
	assert_int_equal(skua_monitor_begin(pool, &options), SKUA_OK);
	run_jobs(pool, (unsigned)jobs);
	assert_true(file_tells(&image, has_tasks, &jobs));
	assert_memory_equal(image.head.magic, SKUAI_LIVE_MAGIC, 8);
	assert_int_equal(image.head.version, SKUAI_LIVE_VERSION);
	assert_int_equal(image.head.workers, 2);
	assert_int_equal(image.head.process, getpid());
	assert_true(image.head.start_ticks > 0);
	assert_string_equal(image.head.name, "skua");
	assert_int_equal(skua_monitor_end(pool), SKUA_OK);
	pool_end(pool);
}

/* A job that says that it blocks until it is let go. */
static _Atomic uint32_t is_free;

static void block_for_a_while(struct skua_slot *skua_here, void *argument)
{
	(void)skua_here, (void)argument;
	skua_blocking_begin();
	skua_blocking_begin(); /* nested */
	skua_blocking_end();
	while (!skua_load(&is_free, acquire))
		sleep_ns(MILLISECOND);
	skua_blocking_end();
}

static bool is_anybody_blocked(const struct image *image, void *argument)
{
	unsigned *who = argument;

	for (*who = 0; *who < image->head.workers; ++*who)
		if (image->workers[*who].state == SKUAI_LIVE_BLOCKED)
			return true;
	return false;
}

static bool is_nobody_blocked(const struct image *image, void *argument)
{
	unsigned who;

	(void)argument;
	return !is_anybody_blocked(image, &who);
}

static void test_monitor_file_names_a_blocked_task(void **state)
{
	struct skua_pool *pool = pool_of(2);
	struct skua_monitor_options options = { .size = sizeof(options), .interval_ms = 10 };
	struct skua_job job = SKUA_JOB(block_for_a_while, NULL);
	struct image image;
	unsigned who = 0;

	(void)state;
	WATCH(60);
	assert_int_equal(skua_monitor_begin(pool, &options), SKUA_OK);
	assert_int_equal(skua_submit(pool, &job), SKUA_OK);
	assert_true(file_tells(&image, is_anybody_blocked, &who));
	assert_string_equal(image.workers[who].task, "block_for_a_while");
	assert_true(image.workers[who].thread != 0);
	skua_store(&is_free, 1, release);
	assert_int_equal(skua_job_wait(&job, SKUA_FOREVER), SKUA_OK);
	assert_true(file_tells(&image, is_nobody_blocked, NULL));
	assert_int_equal(skua_monitor_end(pool), SKUA_OK);
	pool_end(pool);
}

/* The child of a fork has none of it, and its end is not the parent's. */
static void test_monitor_child_leaves_the_file_alone(void **state)
{
	struct skua_pool *pool = pool_of(2);

	(void)state;
	WATCH(30);
	assert_int_equal(skua_monitor_begin(pool, NULL), SKUA_OK);
	fflush(stdout);
	pid_t child = fork();
	if (child == 0)
		exit(0); /* what atexit was told is called in the child, too */
	int status;
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	assert_non_null(newest_file());
	assert_int_equal(skua_monitor_end(pool), SKUA_OK);
	assert_null(newest_file());
	pool_end(pool);
}

/* --- folders that cannot be trusted --- */

/* Open a file below another $XDG_RUNTIME_DIR; true: it is there, and not in /tmp. */
static bool is_used(const char *runtime, struct skuai_shared *shared)
{
	char before[512];

	snprintf(before, sizeof(before), "%s", getenv("XDG_RUNTIME_DIR"));
	setenv("XDG_RUNTIME_DIR", runtime, 1);
	int error = skuai_shared_open(shared, "1.99");
	setenv("XDG_RUNTIME_DIR", before, 1);
	bool is_there = !error && strncmp(shared->path, runtime, strlen(runtime)) == 0;
	if (!error)
		skuai_shared_remove(shared);
	skuai_shared_close(shared);
	return is_there;
}

static void test_sharedfile_folder_of_others_is_refused(void **state)
{
	struct skuai_shared shared;
	char runtime[400], folder[450], other[450];

	(void)state;
	snprintf(runtime, sizeof(runtime), "%s/hostile", test_folder());
	snprintf(folder, sizeof(folder), "%s/skua", runtime);
	snprintf(other, sizeof(other), "%s/other", runtime);
	assert_int_equal(mkdir(runtime, 0700), 0);
	assert_true(is_used(runtime, &shared)); /* as it should be */
	assert_int_equal(chmod(folder, 0770), 0);
	assert_false(is_used(runtime, &shared)); /* others may enter */
	assert_int_equal(rmdir(folder), 0);
	assert_int_equal(mkdir(other, 0700), 0);
	assert_int_equal(symlink(other, folder), 0);
	assert_false(is_used(runtime, &shared)); /* a link to a folder that is fine */
	assert_int_equal(unlink(folder), 0);
	assert_int_equal(mkdir(folder, 0700), 0);
	if (geteuid() == 0) {
		assert_int_equal(chown(folder, 65534, 65534), 0);
		assert_false(is_used(runtime, &shared)); /* somebody else's */
		assert_int_equal(chown(folder, 0, 0), 0);
	}
	assert_false(is_used("relative", &shared));
}

static void test_sharedfile_link_is_replaced_not_followed(void **state)
{
	struct skuai_shared shared;
	char runtime[400], victim[450], link[450];
	struct stat status;

	(void)state;
	snprintf(runtime, sizeof(runtime), "%s/linked", test_folder());
	test_write_text(test_folder(), "linked/victim", "precious");
	assert_int_equal(chmod(runtime, 0700), 0);
	snprintf(link, sizeof(link), "%s/skua", runtime);
	assert_int_equal(mkdir(link, 0700), 0);
	snprintf(victim, sizeof(victim), "%s/victim", runtime);
	snprintf(link, sizeof(link), "%s/skua/1.99", runtime);
	assert_int_equal(symlink(victim, link), 0);
	setenv("XDG_RUNTIME_DIR", runtime, 1);
	assert_int_equal(skuai_shared_open(&shared, "1.99"), 0);
	setenv("XDG_RUNTIME_DIR", test_folder(), 1);
	assert_int_equal(skuai_shared_write(&shared, "garbage", 7), 0);
	assert_int_equal(lstat(link, &status), 0);
	assert_true(S_ISREG(status.st_mode));
	assert_int_equal(stat(victim, &status), 0);
	assert_int_equal(status.st_size, 8); /* untouched */
	skuai_shared_remove(&shared);
	skuai_shared_close(&shared);
}

#ifdef SKUA_FAULTS
static void test_monitor_every_refusal_is_told(void **state)
{
	static const enum skuai_fault_kind kinds[] = { SKUAI_FAULT_MALLOC, SKUAI_FAULT_THREAD,
						       SKUAI_FAULT_OPEN, SKUAI_FAULT_STAT };
	struct skua_pool *pool = pool_of(2);

	(void)state;
	WATCH(60);
	for (unsigned k = 0; k < 4; k++)
		for (uint32_t nth = 1;; nth++) {
			skuai_fault_arm(kinds[k], nth, true, SKUAI_FAULT_USUAL);
			int error = skua_monitor_begin(pool, NULL);
			bool was_hit = skuai_fault_calls(kinds[k]) >= nth;
			skuai_fault_disarm();
			if (!error)
				assert_int_equal(skua_monitor_end(pool), SKUA_OK);
			assert_null(newest_file());
			if (!was_hit || nth > 200)
				break;
		}
	pool_end(pool);
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_monitor_file_goes_at_exit),
		cmocka_unit_test(test_monitor_environment_asks_for_it),
		cmocka_unit_test(test_monitor_full_disk_does_no_harm),
		cmocka_unit_test(test_hooks_are_called_in_pairs),
#ifdef SKUA_FAULTS
		cmocka_unit_test(test_hooks_can_be_set_after_a_pool_was_not_opened),
#endif
		cmocka_unit_test(test_monitor_file_is_ours_alone),
		cmocka_unit_test(test_monitor_close_removes_the_file),
		cmocka_unit_test(test_monitor_refuses_wrong_wishes),
		cmocka_unit_test(test_monitor_file_tells_what_was_run),
		cmocka_unit_test(test_monitor_file_names_a_blocked_task),
		cmocka_unit_test(test_monitor_child_leaves_the_file_alone),
		cmocka_unit_test(test_sharedfile_folder_of_others_is_refused),
		cmocka_unit_test(test_sharedfile_link_is_replaced_not_followed),
#ifdef SKUA_FAULTS
		cmocka_unit_test(test_monitor_every_refusal_is_told),
#endif
	};

	unsetenv("SKUA_MONITOR");
	unsetenv("SKUA_WATCHDOG");
	setenv("XDG_RUNTIME_DIR", test_folder(), 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
