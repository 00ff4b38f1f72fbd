/* SPDX-License-Identifier: MIT */
/* 22_sort.c — offers sorted by price, by name and by place; two sorted lists become one */
#include <skua/skua.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT 100000

struct offer {
	char name[12];
	uint32_t place;
	double price;
};

/* The comparison is inlined: as fast as a sort written for this type. */
SKUA_SORT(by_price, struct offer, a, b)
{
	return a->price < b->price;
}

/* As for qsort_r; the context says which way. */
static int compare_names(const void *a, const void *b, void *context)
{
	const struct offer *x = a, *y = b;
	const int *direction = context;

	return *direction * strcmp(x->name, y->name);
}

static int compare_doubles(const void *a, const void *b, void *context)
{
	const double *x = a, *y = b;

	(void)context;
	return (*x > *y) - (*x < *y);
}

static void make_offers(struct offer *offers)
{
	uint32_t random = 1;

	for (size_t i = 0; i < COUNT; i++) {
		random = random * 1664525 + 1013904223;
		snprintf(offers[i].name, sizeof(offers[i].name), "item %u", random >> 20);
		offers[i].place = random >> 8 & 0xff;
		offers[i].price = (random >> 4) / 100.0;
	}
}

/* Three ways to sort one array, the last of which keeps the order of the one before it. */
static int sort_offers(struct offer *offers)
{
	struct skua_sort_options stable = { .size = sizeof(stable), .is_stable = true };
	int backwards = -1, error = by_price(NULL, offers, COUNT, NULL);

	for (size_t i = 1; i < COUNT && !error; i++)
		if (offers[i - 1].price > offers[i].price)
			return 1;
	error = error ? error
		      : skua_sort(NULL, offers, COUNT, sizeof(*offers), compare_names, &backwards,
				  &stable);
	error = error ? error
		      : skua_sort_by_key(NULL, offers, COUNT, sizeof(*offers),
					 offsetof(struct offer, place), SKUA_KEY_UINT32, NULL);
	for (size_t i = 1; i < COUNT && !error; i++) {
		const struct offer *a = &offers[i - 1], *b = &offers[i];
		int names = strcmp(a->name, b->name);
		if (a->place > b->place || (a->place == b->place && names < 0))
			return 1;
		if (a->place == b->place && names == 0 && a->price > b->price)
			return 1;
	}
	return error;
}

int main(void)
{
	struct offer *offers = calloc(COUNT, sizeof(*offers));
	double *prices = calloc(2 * (size_t)COUNT, sizeof(*prices)), *merged = prices + COUNT;
	const size_t half = COUNT / 2;

	if (!offers || !prices)
		return 1;
	make_offers(offers);
	for (size_t i = 0; i < COUNT; i++)
		prices[i] = offers[i].price;
	int error = sort_offers(offers);
	/* Numbers alone, by their digits: much faster than by comparing. */
	error = error ? error : skua_sort_keys(NULL, prices, half, SKUA_KEY_DOUBLE, NULL);
	error = error ? error : skua_sort_keys(NULL, prices + half, half, SKUA_KEY_DOUBLE, NULL);
	error = error ? error
		      : skua_merge(NULL, prices, half, prices + half, half, merged, sizeof(*merged),
				   compare_doubles, NULL);
	error = error ? error
		      : skua_is_sorted(NULL, merged, COUNT, sizeof(*merged), compare_doubles,
				       NULL) != 1;
	if (error < 0)
		fprintf(stderr, "22_sort: %s\n", skua_strerror(error));
	else
		printf("from %.2f to %.2f; first at place %u: %s\n", merged[0], merged[COUNT - 1],
		       offers[0].place, offers[0].name);
	free(offers);
	free(prices);
	return error ? 1 : 0;
}
