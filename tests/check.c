/* SPDX-License-Identifier: MIT */
/* check.c — what every test uses: seeds, scratch folders, child processes */
#include "check.h"

#include "base/chaos.h"
#include "base/rng.h"

#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void give_up(const char *doing, const char *what)
{
	fail_msg("check: cannot %s '%s': %s", doing, what, strerror(errno));
}

uint64_t test_seed(void)
{
	static uint64_t seed;
	static bool is_chosen;

	if (!is_chosen) {
		const char *text = getenv("SKUA_TEST_SEED");
		struct timespec now;
		clock_gettime(CLOCK_REALTIME, &now);
		seed = text ? strtoull(text, NULL, 0) : (uint64_t)now.tv_nsec * 2654435761u;
		is_chosen = true;
		fprintf(stderr, "seed: replay with SKUA_TEST_SEED=%#llx\n",
			(unsigned long long)seed);
	}
	return seed;
}

uint64_t test_random(void)
{
	static struct skuai_rng rng;
	static bool is_started;

	if (!is_started) {
		rng.state = test_seed();
		is_started = true;
	}
	return skuai_rng_next(&rng);
}

uint64_t test_rounds(uint64_t usual)
{
	const char *text = getenv("SKUA_TEST_SCALE");
	uint64_t scale = text ? strtoull(text, NULL, 10) : 1;

	return usual * (scale ? scale : 1);
}

/* In chaos builds every test is a random test: say the seed and use it. */
__attribute__((constructor)) static void seed_chaos(void)
{
#ifdef SKUA_ATOMICS_CHAOS
	skuai_chaos_seed(test_seed());
#endif
}

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *place)
{
	(void)status, (void)kind, (void)place;
	return remove(path);
}

static char scratch[64];
static pid_t scratch_owner;

static void remove_scratch(void)
{
	if (getpid() == scratch_owner)
		nftw(scratch, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

const char *test_folder(void)
{
	if (!scratch[0]) {
		strcpy(scratch, "/tmp/skua-test-XXXXXX");
		if (!mkdtemp(scratch))
			give_up("make folder", scratch);
		scratch_owner = getpid();
		atexit(remove_scratch);
	}
	return scratch;
}

static void join_path(char *out, size_t size, const char *folder, const char *path)
{
	if ((size_t)snprintf(out, size, "%s/%s", folder, path) >= size)
		fail_msg("check: path too long: %s/%s", folder, path);
}

void test_write(const char *folder, const char *path, const void *bytes, size_t count)
{
	char full[PATH_MAX];

	join_path(full, sizeof(full), folder, path);
	for (char *slash = strchr(full + strlen(folder) + 1, '/'); slash;
	     slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdir(full, 0777) && errno != EEXIST)
			give_up("make folder", full);
		*slash = '/';
	}
	FILE *file = fopen(full, "wb");
	if (!file)
		give_up("create", full);
	if (fwrite(bytes, 1, count, file) != count || fclose(file))
		give_up("write", full);
}

void test_write_text(const char *folder, const char *path, const char *text)
{
	test_write(folder, path, text, strlen(text));
}

void test_remove(const char *folder, const char *path)
{
	char full[PATH_MAX];

	join_path(full, sizeof(full), folder, path);
	if (nftw(full, remove_entry, 16, FTW_DEPTH | FTW_PHYS) && errno != ENOENT)
		give_up("remove", full);
}

/* All the child writes, cut at size; the rest is read and dropped so that it never blocks. */
static void read_all(int fd, char *text, size_t size)
{
	size_t used = 0;
	char drop[512];
	ssize_t got;

	do {
		bool is_full = used + 1 >= size;
		got = read(fd, is_full ? drop : text + used,
			   is_full ? sizeof(drop) : size - 1 - used);
		if (got > 0 && !is_full)
			used += (size_t)got;
	} while (got > 0 || (got < 0 && errno == EINTR));
	text[used] = '\0';
}

int test_in_child_stderr(void (*body)(void *), void *argument, char *text, size_t size)
{
	int ends[2], status;

	fflush(NULL);
	if (text && pipe(ends))
		give_up("make", "pipe");
	pid_t child = fork();
	if (child < 0)
		give_up("make", "child process");
	if (child == 0) {
		/* cmocka catches faults and would go on with the next test, in the child too */
		static const int caught[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGSYS };
		for (size_t i = 0; i < sizeof(caught) / sizeof(caught[0]); i++)
			signal(caught[i], SIG_DFL);
		if (text) {
			dup2(ends[1], STDERR_FILENO);
			close(ends[0]);
			close(ends[1]);
		}
		body(argument);
		_exit(0);
	}
	if (text) {
		close(ends[1]);
		read_all(ends[0], text, size);
		close(ends[0]);
	}
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		continue;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int test_in_child(void (*body)(void *), void *argument)
{
	return test_in_child_stderr(body, argument, NULL, 0);
}

/* --- stacks --- */

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define IS_SANITIZED 1
#elif defined(__has_feature)
#define IS_SANITIZED                                                            \
	(__has_feature(address_sanitizer) || __has_feature(memory_sanitizer) || \
	 __has_feature(thread_sanitizer))
#else
#define IS_SANITIZED 0
#endif
#define STACK_BYTES (256 << 10)
#define STACK_PAINT 0xa5

/* What is still painted was never touched. */
size_t test_stack_used(void *(*body)(void *), void *argument)
{
	unsigned char *stack = IS_SANITIZED ? NULL : aligned_alloc(4096, STACK_BYTES);
	pthread_attr_t attributes;
	pthread_t thread;
	size_t untouched = 0;

	if (!stack)
		return 0;
	memset(stack, STACK_PAINT, STACK_BYTES);
	assert_int_equal(pthread_attr_init(&attributes), 0);
	assert_int_equal(pthread_attr_setstack(&attributes, stack, STACK_BYTES), 0);
	assert_int_equal(pthread_create(&thread, &attributes, body, argument), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	pthread_attr_destroy(&attributes);
	while (untouched < STACK_BYTES && stack[untouched] == STACK_PAINT)
		untouched++;
	free(stack);
	return STACK_BYTES - untouched;
}
