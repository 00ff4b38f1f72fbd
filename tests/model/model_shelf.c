/* SPDX-License-Identifier: MIT */
/* model_shelf.c — the production shelf of worker-local storage: one borrower at a time, none lost
 * */
#include "mc.h"

#include "base/atomic.h"
#include "sched/lock.h"
#include "sched/shelf.h"

/*
 * Each item has a cell, which its borrower raises: two borrowers at once, or one that does not see
 * what the last one wrote, are a data race.  The owner is thread 0, or whoever holds the lock, as
 * in local.c.  Hand-over: thread 0 has borrowed and another gives back.  Claims: what was given
 * back comes out once; who finds that nothing is out reads all cells, as skua_local_each does
 * before it frees, and has the last word on each.
 */
enum {
	ITEMS_MAX = 3,
};

static struct table {
	struct skuai_shelf shelf;
	struct skuai_lock lock;
	_Atomic(struct skuai_item *) letter;
	struct skuai_item items[ITEMS_MAX];
	struct mc_cell cells[ITEMS_MAX];
} * table;

static unsigned number_of(struct skuai_item *item)
{
	return (unsigned)(item - table->items);
}

static void use(struct skuai_item *item)
{
	struct mc_cell *cell = &table->cells[number_of(item)];

	mc_write(cell, mc_read(cell) + 1);
}

/* `count` items that thread 0 has borrowed. */
static void set_up(unsigned count)
{
	table = mc_alloc(sizeof(*table));
	for (unsigned i = 0; i < count; i++) {
		skuai_shelf_add(&table->shelf, &table->items[i]);
		use(&table->items[i]);
	}
}

/* The item was handed over to this thread. */
static void give_back(void *item)
{
	use(item);
	mc_assert(skuai_shelf_put_back(item));
}

/* Thread 0: borrow what is there, use it, give it back or keep it. */
static struct skuai_item *borrow(void)
{
	struct skuai_item *item = skuai_shelf_take(&table->shelf);

	if (item)
		use(item);
	return item;
}

static void borrow_and_put(void)
{
	struct skuai_item *item = borrow();

	if (item)
		mc_assert(skuai_shelf_put(&table->shelf, item));
}

/* Everything is back: each of `count` items comes out once more, and then there is none. */
static void check_all(unsigned count)
{
	bool is_seen[ITEMS_MAX] = { false };

	mc_assert(!skuai_shelf_is_out(&table->shelf));
	for (unsigned i = 0; i < count; i++) {
		struct skuai_item *item = borrow();
		mc_assert(item && !is_seen[number_of(item)]);
		is_seen[number_of(item)] = true;
	}
	mc_assert(!borrow());
	mc_assert(skuai_shelf_is_out(&table->shelf));
}

/* --- hand-over --- */

static void handed_over(void)
{
	set_up(1);
	mc_start(give_back, &table->items[0]);
	struct skuai_item *item = borrow();
	mc_outcome(item ? "again" : "none");
	if (item)
		mc_assert(skuai_shelf_put(&table->shelf, item));
	mc_join();
	check_all(1);
}

static void two_handed_over(void)
{
	set_up(2);
	mc_start(give_back, &table->items[0]);
	mc_start(give_back, &table->items[1]);
	struct skuai_item *first = borrow(), *second = borrow();
	mc_assert(!first || first != second);
	mc_outcome("%d", !!first + !!second);
	if (second)
		mc_assert(skuai_shelf_put(&table->shelf, second));
	if (first)
		mc_assert(skuai_shelf_put(&table->shelf, first));
	mc_join();
	check_all(2);
}

/* While the owner goes on with one of its own. */
static void beside_its_owner(void)
{
	set_up(2);
	mc_assert(skuai_shelf_put(&table->shelf, &table->items[1]));
	mc_start(give_back, &table->items[0]);
	borrow_and_put();
	struct skuai_item *first = borrow(), *second = borrow();
	mc_assert(first == &table->items[1] && second != first);
	mc_assert(skuai_shelf_put(&table->shelf, first));
	if (second)
		mc_assert(skuai_shelf_put(&table->shelf, second));
	mc_join();
	check_all(2);
}

/* The same item goes round twice: given back, borrowed, sent on, given back by another. */
static void give_back_letter(void *unused)
{
	(void)unused;
	struct skuai_item *item = skua_exchange(&table->letter, NULL, acquire);
	if (item)
		give_back(item);
}

static void goes_round(void)
{
	set_up(2);
	mc_start(give_back, &table->items[0]);
	mc_start(give_back, &table->items[1]);
	mc_start(give_back_letter, NULL);
	skua_store(&table->letter, borrow(), release);
	borrow_and_put();
	mc_join();
	give_back_letter(NULL); /* if it was not taken */
	check_all(2);
}

/* --- who asks whether all is back --- */

/* As skua_local_close: what it sees it may free, so it writes every cell. */
static void closer(void *count)
{
	if (skuai_shelf_is_out(&table->shelf))
		return;
	for (unsigned i = 0; i < (unsigned)(uintptr_t)count; i++) {
		mc_assert(mc_read(&table->cells[i]) == 2);
		mc_write(&table->cells[i], 100);
	}
}

static void close_against_put(void)
{
	set_up(1);
	mc_start(closer, (void *)(uintptr_t)1);
	use(&table->items[0]);
	mc_assert(skuai_shelf_put(&table->shelf, &table->items[0]));
	mc_join();
	mc_outcome("%d", (int)mc_read(&table->cells[0]));
}

static void close_against_put_back(void)
{
	set_up(1);
	mc_start(closer, (void *)(uintptr_t)1);
	mc_start(give_back, &table->items[0]);
	mc_join();
	mc_outcome("%d", (int)mc_read(&table->cells[0]));
}

static void close_against_both(void)
{
	set_up(2);
	mc_start(closer, (void *)(uintptr_t)2);
	mc_start(give_back, &table->items[0]);
	use(&table->items[1]);
	mc_assert(skuai_shelf_put(&table->shelf, &table->items[1]));
	mc_join();
	mc_outcome("%d", (int)mc_read(&table->cells[0]));
}

/* Planted: the loan is counted as ended before the borrower is done with the item. */
static void give_back_too_early(void *item)
{
	skua_add(&table->shelf.back_count, 1, release);
	use(item);
}

static void counted_too_early(void)
{
	set_up(1);
	mc_start(closer, (void *)(uintptr_t)1);
	mc_start(give_back_too_early, &table->items[0]);
	mc_join();
}

/* Planted: it is given back twice; the mark on the item is what notices. */
static void given_back_twice(void)
{
	set_up(1);
	give_back(&table->items[0]);
	give_back(&table->items[0]);
}

/* --- threads without a place: whoever holds the lock is the owner --- */

static void lease_under_lock(void *unused)
{
	(void)unused;
	skuai_lock_take(&table->lock);
	struct skuai_item *item = borrow();
	skuai_lock_give(&table->lock);
	if (item) {
		use(item);
		mc_assert(skuai_shelf_put_back(item));
	}
}

static void common_shelf(unsigned threads)
{
	set_up(2);
	mc_assert(skuai_shelf_put(&table->shelf, &table->items[1]));
	give_back(&table->items[0]);
	for (unsigned i = 1; i < threads; i++)
		mc_start(lease_under_lock, NULL);
	lease_under_lock(NULL);
	mc_join();
	check_all(2);
}

static void common_two(void)
{
	common_shelf(2);
}

static void large_common_three(void)
{
	common_shelf(3);
}

int main(int argc, char **argv)
{
	static const struct mc_case cases[] = {
		{ .name = "handed_over", .body = handed_over, .outcomes = "none again" },
		{ .name = "two_handed_over",
		  .body = two_handed_over,
		  .outcomes = "0 1 2",
		  .spurious = 1 },
		{ .name = "beside_its_owner", .body = beside_its_owner, .spurious = 1 },
		{ .name = "goes_round", .body = goes_round },
		{ .name = "close_against_put", .body = close_against_put, .outcomes = "2 100" },
		{ .name = "close_against_put_back",
		  .body = close_against_put_back,
		  .outcomes = "2 100" },
		{ .name = "close_against_both", .body = close_against_both, .outcomes = "2 100" },
		{ .name = "common_two", .body = common_two },
		{ .name = "large_common_three", .body = large_common_three, .preemptions = 2 },
		{ .name = "counted_too_early", .body = counted_too_early, .must_fail = true },
		{ .name = "given_back_twice",
		  .body = given_back_twice,
		  .must_fail = true,
		  .says = "skuai_shelf_put_back" },
		{ .name = NULL },
	};
	return mc_main(argc, argv, cases);
}
