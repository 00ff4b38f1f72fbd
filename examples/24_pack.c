/* SPDX-License-Identifier: MIT */
/* 24_pack.c — orders of a shop: filtered, parted in two, grouped by customer, each named once */
#include <skua/pack.h>
#include <skua/skua.h>
#include <stdio.h>
#include <stdlib.h>

#define ORDERS	  ((size_t)500000)
#define CUSTOMERS 1000

struct order {
	int number, customer, cents;
};

SKUA_FILTER(costs_at_least, struct order, order, const int *, cents)
{
	return order->cents >= *cents;
}

SKUA_GROUP_KEY(customer_of, struct order, order)
{
	return (uint64_t)order->customer;
}

SKUA_UNIQUE(of_same_customer, struct order, a, b)
{
	return a->customer == b->customer;
}

static int fail(const char *what, int error)
{
	fprintf(stderr, "24_pack: %s: %s\n", what, error ? skua_strerror(error) : "wrong");
	return 1;
}

int main(void)
{
	struct order *orders = malloc(2 * ORDERS * sizeof(*orders)), *large = orders + ORDERS;
	struct skua_groups groups = { .count = 0 };
	const int least = 9000;
	size_t kept = 0, first = 0, names = 0;

	if (!orders)
		return 1;
	for (int i = 0; i < (int)ORDERS; i++)
		orders[i] = (struct order){ i, i * 7 / 50 % CUSTOMERS, i % 100 * 100 };

	/* Those of 90.00 and more, in the order they came in. */
	int error = skua_filter(NULL, orders, large, ORDERS, costs_at_least, &least, &kept, NULL);
	if (error || kept != ORDERS / 10 || large[10].number != 190)
		return fail("filter", error);

	/* The same to the front of the array itself, the others behind them. */
	error = skua_partition(NULL, orders, ORDERS, costs_at_least, &least, &first, NULL);
	if (error || first != kept || orders[10].number != 190 || orders[first].number != 0)
		return fail("partition", error);

	/* Who ordered what: each customer's orders, in the order they stand in. */
	error = skua_group_by(NULL, orders, ORDERS, customer_of, NULL, &groups, NULL);
	if (error || groups.count != CUSTOMERS || groups.start[CUSTOMERS] != ORDERS)
		return fail("group by", error);
	for (size_t i = 0; i < ORDERS; i++)
		large[i] = orders[groups.order[i]];

	/* So neighbours have the same customer: the first order of each is left. */
	error = skua_unique(NULL, large, large, ORDERS, of_same_customer, NULL, &names, NULL);
	if (error || names != CUSTOMERS || large[7].customer != 7)
		return fail("unique", error);
	printf("%zu large orders; %zu customers, %zu orders of number 7\n", kept, names,
	       groups.start[8] - groups.start[7]);
	skua_groups_free(&groups);
	free(orders);
	return 0;
}
