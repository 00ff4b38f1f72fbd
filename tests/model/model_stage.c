/* SPDX-License-Identifier: MIT */
/* model_stage.c — a stage with one token at a time: none left behind, none with another */
#include "mc.h"

#include "base/atomic.h"
#include "sched/stage.h"

/*
 * Threads carry tokens to a stage, as pipeline_run.c does: they fill it, enter, work inside, leave,
 * and go on with the token that they get for it.  Claims: one at a time, who sees what the one
 * before did there (a plain counter: else a data race); who has a token sees what its last carrier
 * put in it (a plain cell); in order, where it is in order; and all get through, whoever carried
 * them.
 */
enum {
	TOKENS_MAX = 4,
	SEATS_MAX = 4,
};

static struct table {
	struct skuai_stage stage;
	struct skuai_source source;
	struct skuai_seat seats[SEATS_MAX];
	struct token {
		struct skuai_token head; /* first: what leave gives is one of these */
		struct mc_cell content;
	} tokens[TOKENS_MAX];
	struct mc_cell inside; /* how many were */
	struct mc_cell offer;
	_Atomic uint32_t is_offered;
	bool is_in_order;
	_Atomic uint64_t made;
	uint64_t wanted; /* numbers, in all */
} * table;

static void open_table(uint64_t wanted)
{
	table = mc_alloc(sizeof(*table));
	table->wanted = wanted;
}

static void open_in_order(uint64_t seats, uint64_t wanted)
{
	open_table(wanted);
	table->is_in_order = true;
	skuai_stage_open_in_order(&table->stage, table->seats, seats);
}

static void open_any(uint64_t wanted)
{
	open_table(wanted);
	skuai_stage_open_any(&table->stage);
}

/* --- carriers --- */

static void work(struct token *token)
{
	uint64_t before = mc_read(&table->inside);

	mc_assert(mc_read(&token->content) == 100 + token->head.number);
	mc_assert(!table->is_in_order || before == token->head.number);
	mc_write(&table->inside, before + 1);
}

static bool fill_and_enter(struct token *token, uint64_t number)
{
	token->head.number = number;
	mc_write(&token->content, 100 + number);
	return skuai_stage_enter(&table->stage, &token->head);
}

static void carry(struct token *token)
{
	while (token) {
		work(token);
		token = (struct token *)skuai_stage_leave(&table->stage, &token->head);
	}
}

static void carrier(void *number)
{
	struct token *token = &table->tokens[(uintptr_t)number];

	if (fill_and_enter(token, (uintptr_t)number))
		carry(token);
}

/* The same token again and again: it gets a new number from the first stage, which has one token
 * at a time, so what is done there is in order. */
static void circle(struct token *token)
{
	while (token) {
		work(token);
		struct token *next = (struct token *)skuai_stage_leave(&table->stage, &token->head);
		uint64_t number = skua_add(&table->made, 1, acq_rel);
		bool is_in = number < table->wanted && fill_and_enter(token, number);
		mc_assert(!is_in || !next);
		token = is_in ? token : next;
	}
}

static void circler(void *index)
{
	struct token *token = &table->tokens[(uintptr_t)index];
	uint64_t number = skua_add(&table->made, 1, acq_rel);

	if (number < table->wanted && fill_and_enter(token, number))
		circle(token);
}

static void check_end(void)
{
	mc_join();
	mc_assert(mc_read(&table->inside) == table->wanted);
}

/* --- in order --- */

static void in_order_two(void)
{
	open_in_order(2, 2);
	mc_start(carrier, (void *)0);
	mc_start(carrier, (void *)1);
	check_end();
}

static void in_order_three(void)
{
	open_in_order(4, 3);
	mc_start(carrier, (void *)2);
	mc_start(carrier, (void *)1);
	mc_start(carrier, (void *)0);
	check_end();
}

/* Two tokens, two seats, four numbers: each seat is used twice. */
static void seats_used_again(void)
{
	open_in_order(2, 4);
	mc_start(circler, (void *)0);
	mc_start(circler, (void *)1);
	check_end();
}

/* --- in any order --- */

static void any_two(void)
{
	open_any(2);
	mc_start(carrier, (void *)0);
	mc_start(carrier, (void *)1);
	check_end();
}

static void any_three(void)
{
	open_any(3);
	mc_start(carrier, (void *)0);
	mc_start(carrier, (void *)1);
	mc_start(carrier, (void *)2);
	check_end();
}

/* One token and then another by the same thread, against a third. */
static void two_carriers(void *unused)
{
	(void)unused;
	carrier((void *)0);
	carrier((void *)1);
}

static void any_again(void)
{
	open_any(3);
	mc_start(two_carriers, NULL);
	mc_start(carrier, (void *)2);
	check_end();
}

/* --- the first stage --- */

/* The offer is a job, written by who makes it, read by who takes it up: there is never a second. */
static void make_offer(void)
{
	mc_write(&table->offer, 1);
	mc_assert(skua_exchange(&table->is_offered, 1, release) == 0);
}

static void fill(struct token *token)
{
	work(token);
	if (skuai_source_leave(&table->source))
		make_offer();
}

/* What everybody does who has nothing else to do. */
static void look_for_offers(void)
{
	while (skua_exchange(&table->is_offered, 0, acquire)) {
		mc_assert(mc_read(&table->offer) == 1);
		struct token *token = (struct token *)skuai_source_take(&table->source, true);
		if (token)
			fill(token);
	}
}

static void comer(void *number)
{
	struct token *token = &table->tokens[(uintptr_t)number];

	token->head.number = (uintptr_t)number;
	mc_write(&token->content, 100 + (uintptr_t)number);
	if (skuai_source_enter(&table->source, &token->head))
		fill(token);
	look_for_offers();
}

/* One that has something else to do puts its token there. */
static void putter(void *number)
{
	struct token *token = &table->tokens[(uintptr_t)number];

	token->head.number = (uintptr_t)number;
	mc_write(&token->content, 100 + (uintptr_t)number);
	if (skuai_source_put(&table->source, &token->head))
		make_offer();
	look_for_offers();
}

/* One that has no token looks for one. */
static void looker(void *unused)
{
	struct token *token = (struct token *)skuai_source_take(&table->source, false);

	(void)unused;
	if (token)
		fill(token);
	look_for_offers();
}

static void first_inside(void *unused)
{
	(void)unused;
	fill(&table->tokens[0]);
	look_for_offers();
}

/* One inside, one that waits from the start or not, and two others. */
static void begin_source(bool has_waiting, void (*second)(void *), void (*third)(void *))
{
	open_table((has_waiting ? 2u : 1u) + (second != looker) + (third && third != looker));
	for (uint64_t i = 0; i < 2; i++) {
		table->tokens[i].head.number = i;
		mc_write(&table->tokens[i].content, 100 + i);
	}
	skuai_source_open(&table->source, has_waiting ? &table->tokens[1].head : NULL);
	mc_start(first_inside, NULL);
	mc_start(second, (void *)2);
	if (third)
		mc_start(third, (void *)3);
	mc_join();
	look_for_offers();
	check_end();
}

static void source_two(void)
{
	begin_source(true, comer, NULL);
}

static void source_three(void)
{
	begin_source(false, comer, comer);
}

static void source_put(void)
{
	begin_source(true, putter, NULL);
}

static void source_put_against_come(void)
{
	begin_source(false, putter, comer);
}

static void source_look(void)
{
	begin_source(true, looker, putter);
}

static void source_two_look(void)
{
	begin_source(true, looker, looker);
}

int main(int argc, char **argv)
{
	static const struct mc_case cases[] = {
		{ .name = "in_order_two", .body = in_order_two },
		{ .name = "in_order_three", .body = in_order_three },
		{ .name = "seats_used_again", .body = seats_used_again },
		{ .name = "any_two", .body = any_two, .spurious = 1 },
		{ .name = "any_three", .body = any_three },
		{ .name = "any_again", .body = any_again, .spurious = 1 },
		{ .name = "source_two", .body = source_two, .spurious = 1 },
		{ .name = "source_three", .body = source_three },
		{ .name = "source_put", .body = source_put },
		{ .name = "source_put_against_come", .body = source_put_against_come },
		{ .name = "source_look", .body = source_look },
		{ .name = "source_two_look", .body = source_two_look },
		{ .name = NULL },
	};
	return mc_main(argc, argv, cases);
}
