/* SPDX-License-Identifier: MIT */
/* 07_groups.c — a group: many tasks, one wait, the first error comes back */
#include <inttypes.h>
#include <skua/skua.h>
#include <stdio.h>

#define PAGES	   500
#define PAGE_BYTES 4096
#define DAMAGED	   (-1000) /* an error of our own: any number below zero */

static struct page {
	unsigned char bytes[PAGE_BYTES];
	uint64_t hash; /* its task writes, who waited for the group reads */
} pages[PAGES];

static uint64_t hash_of(const struct page *page)
{
	uint64_t hash = 14695981039346656037u;

	for (size_t i = 0; i < PAGE_BYTES; i++)
		hash = (hash ^ page->bytes[i]) * 1099511628211u;
	return hash;
}

/* What a task is told. */
struct order {
	struct page *page;
	bool is_check; /* compare with the hash it has, do not write it */
};

static int hash_page(struct skua_slot *skua_here, void *argument)
{
	struct order *order = argument; /* the task's own copy */
	uint64_t hash = hash_of(order->page);

	(void)skua_here; /* with it a task could fork: 02_fork_join.c */
	if (!order->is_check)
		order->page->hash = hash;
	return hash == order->page->hash ? SKUA_OK : DAMAGED;
}

/* A task for every page, then wait for all of them. */
static int for_all_pages(struct skua_group *group, bool is_check)
{
	int error = SKUA_OK;

	for (unsigned i = 0; i < PAGES && !error; i++) {
		struct order order = { &pages[i], is_check };
		error = skua_go(group, hash_page, &order); /* copies the order */
	}
	/* SKUA_ECANCELED: a task has failed already.  Its error comes from the wait. */
	int first = skua_group_wait(group, SKUA_FOREVER);
	return first ? first : error;
}

int main(void)
{
	struct skua_group group; /* holds nothing that must be freed */
	uint64_t mixed = 0, expected = 0;
	uint32_t random = 1;
	int error = skua_group_open(&group, NULL); /* in the default pool */

	for (size_t i = 0; i < PAGES; i++)
		for (size_t j = 0; j < PAGE_BYTES; j++)
			pages[i].bytes[j] = (unsigned char)((random = random * 1664525 + 1) >> 24);

	error = error ? error : for_all_pages(&group, false);
	if (error) {
		fprintf(stderr, "07_groups: cannot hash: %s\n", skua_strerror(error));
		return 1;
	}
	for (size_t i = 0; i < PAGES; i++) {
		mixed ^= pages[i].hash;
		expected ^= hash_of(&pages[i]);
	}
	printf("%d pages hashed: %016" PRIx64 "\n", PAGES, mixed);

	/* After a wait a group is as new.  One page is wrong now. */
	pages[PAGES / 2].bytes[99] ^= 1;
	error = for_all_pages(&group, true);
	printf("checked again: %s, %u tasks did not have to start\n",
	       error == DAMAGED ? "a page is damaged" : "nothing found",
	       skua_group_skipped(&group));
	skua_pool_close(NULL, SKUA_CLOSE_DRAIN);
	return mixed == expected && error == DAMAGED ? 0 : 1;
}
