/* SPDX-License-Identifier: MIT */
/* 08_cancel.c — a search that ends everywhere when one task has found it: a tree of groups */
#include <skua/skua.h>
#include <stdio.h>

#define DISTRICTS 8
#define STREETS	  50	/* of each district, a task each */
#define HOUSES	  20000 /* of each street */
#define FOUND	  (-1000)

static struct skua_group city; /* its tasks are the districts */
static struct district {
	unsigned skipped;	  /* tasks that did not start */
	unsigned looked[STREETS]; /* at so many houses; a task writes its own */
} districts[DISTRICTS];
static uint32_t wanted, found; /* found: whoever found it writes */

static uint32_t hash(uint32_t number) /* each step can be undone: no two numbers share one */
{
	for (int round = 0; round < 8; round++)
		number = (number ^ number >> 15) * 0x2c1b3c6du;
	return number;
}

struct walk {
	struct skua_group *group;
	unsigned district, street;
};

static int walk_street(struct skua_slot *skua_here, void *argument)
{
	struct walk *walk = argument;
	uint32_t first = (walk->district * STREETS + walk->street) * HOUSES, house = 0;
	bool is_over = false;

	(void)skua_here;
	for (; house < HOUSES && !is_over; house++) {
		if (hash(first + house) == wanted) {
			found = first + house;
			skua_group_cancel(&city, FOUND); /* and every group below it */
		}
		/* Nobody is stopped by force: a loop asks now and then. */
		is_over = house % 500 == 499 && skua_group_is_cancelled(walk->group);
	}
	districts[walk->district].looked[walk->street] = house;
	return SKUA_OK;
}

static int walk_district(struct skua_slot *skua_here, void *argument)
{
	struct walk walk = *(struct walk *)argument;
	struct skua_group_options options = { .size = sizeof(options), .parent = &city };
	struct skua_group group;
	int error = skua_group_open(&group, &options);

	(void)skua_here;
	if (error)
		return error;
	walk.group = &group;
	for (walk.street = 0; walk.street < STREETS && !error; walk.street++)
		error = skua_go(&group, walk_street, &walk);
	int first = skua_group_wait(&group, SKUA_FOREVER); /* in any case: it is on our stack */
	districts[walk.district].skipped = skua_group_skipped(&group);
	return first ? first : error;
}

int main(void)
{
	uint32_t hidden = (DISTRICTS / 2 * STREETS + STREETS / 2) * HOUSES + 777;
	unsigned whole = 0, cut = 0, unseen = 0, skipped = 0;
	struct walk walk = { .district = 0 };
	int error = skua_group_open(&city, NULL);

	wanted = hash(hidden);
	for (; walk.district < DISTRICTS && !error; walk.district++)
		error = skua_go(&city, walk_district, &walk);
	int first = skua_group_wait(&city, SKUA_FOREVER);
	skua_pool_close(NULL, SKUA_CLOSE_DRAIN);

	for (unsigned i = 0; i < DISTRICTS; i++) {
		skipped += districts[i].skipped;
		for (unsigned j = 0; j < STREETS; j++) {
			whole += districts[i].looked[j] == HOUSES;
			unseen += districts[i].looked[j] == 0;
			cut += districts[i].looked[j] > 0 && districts[i].looked[j] < HOUSES;
		}
	}
	printf("house %u: %s\n", found, first == FOUND ? "found" : skua_strerror(first));
	printf("%u streets walked to the end, %u in part, %u not at all\n", whole, cut, unseen);
	printf("skipped: %u streets, and %u districts whole\n", skipped, skua_group_skipped(&city));
	return first == FOUND && found == hidden && cut > 0 && skipped <= unseen ? 0 : 1;
}
