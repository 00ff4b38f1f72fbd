/* SPDX-License-Identifier: MIT */
/* 18_isolated.c — a mutex held across a wait: only an isolated group makes that safe */
#include <pthread.h>
#include <skua/skua.h>
#include <stdio.h>

#define ACCOUNTS 40
#define PAGES	 20

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long ledger; /* under the mutex */

struct page {
	unsigned account;
	long *sum;
};

static int add_page(struct skua_slot *skua_here, void *argument)
{
	struct page *page = argument;

	(void)skua_here;
	for (unsigned i = 1; i <= 1000; i++)
		*page->sum += i * (page->account + 1) % 100;
	return SKUA_OK;
}

/*
 * Whoever waits runs other tasks.  One of them may be the next book_account, and that wants the
 * mutex which its own thread has: it would wait for itself, for ever.  An isolated group is waited
 * for with its own tasks alone, and those do not want the mutex.
 */
static int book_account(struct skua_slot *skua_here, void *argument)
{
	struct skua_group_options options = { .size = sizeof(options), .is_isolated = true };
	struct skua_group pages;
	long sums[PAGES] = { 0 };
	int error = skua_group_open(&pages, &options);

	(void)skua_here;
	if (error)
		return error;
	pthread_mutex_lock(&mutex);
	skua_hold(&mutex); /* with -DSKUA_CHECKED, a wait that is not isolated names the mutex */
	for (unsigned i = 0; i < PAGES && !error; i++) {
		struct page page = { *(unsigned *)argument, &sums[i] };
		error = skua_go(&pages, add_page, &page);
	}
	int first = skua_group_wait(&pages, SKUA_FOREVER); /* in any case: it is on our stack */
	for (unsigned i = 0; i < PAGES; i++)
		ledger += sums[i];
	skua_unhold(&mutex);
	pthread_mutex_unlock(&mutex);
	return first ? first : error;
}

int main(void)
{
	struct skua_group accounts;
	long expected = 0;
	int error = skua_group_open(&accounts, NULL);

	for (unsigned i = 0; i < ACCOUNTS && !error; i++)
		error = skua_go(&accounts, book_account, &i);
	error = error ? error : skua_group_wait(&accounts, SKUA_FOREVER);
	skua_pool_close(NULL, SKUA_CLOSE_DRAIN);
	if (error)
		fprintf(stderr, "18_isolated: %s\n", skua_strerror(error));

	for (long account = 1; account <= ACCOUNTS; account++)
		for (long i = 1; i <= 1000; i++)
			expected += PAGES * (i * account % 100);
	printf("%d accounts of %d pages each: %ld, and nobody waited for itself\n", ACCOUNTS, PAGES,
	       ledger);
	return !error && ledger == expected ? 0 : 1;
}
