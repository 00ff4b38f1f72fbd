/* SPDX-License-Identifier: MIT */
/* test_pipeline.h — what tests of pipelines share: a line of stages that watches its tokens */
#ifndef SKUA_TESTS_TEST_PIPELINE_H
#define SKUA_TESTS_TEST_PIPELINE_H

#include "test_pool.h"

#include "base/rng.h"

#include <skua/pipeline.h>

#define LINE_STAGES 16

/* What a token takes along. */
struct item {
	uint64_t number;
	uint64_t value;	  /* changed by each stage */
	unsigned visited; /* stages */
	void *owned;	  /* freed by the last stage, or when it is dropped */
};

struct line;

/* One stage of a line. */
struct place {
	struct line *line;
	unsigned index;
	enum skua_stage_kind kind;
	_Atomic uint32_t inside;
	uint64_t seen; /* plain: a race if two are in a stage that has one at a time */
	uint64_t next; /* in order: the least number that may come */
};

/* What goes wrong is noted, and asserted by the main thread. */
enum wrong {
	WRONG_ORDER = 1,
	WRONG_TWO_INSIDE = 2,
	WRONG_PATH = 4,
	WRONG_NESTED = 8,
};

struct line {
	uint64_t seed;
	uint64_t count;	  /* tokens to make */
	uint64_t made;	  /* plain, likewise */
	unsigned stages;  /* in use */
	unsigned cost;	  /* of a stage, at most: rounds of a loop */
	bool has_memory;  /* items own some */
	uint64_t skip_of; /* number % skip_of == 1 is skipped in stage skip_at; 0: none */
	unsigned skip_at;
	unsigned fail_at; /* this stage fails for number fail_on; past the end: none */
	uint64_t fail_on;
	int fail_code;
	struct skua_group *cancelled; /* by the source, at number fail_on */
	_Atomic uint32_t wrong, alive, most_alive, dropped;
	_Atomic uint64_t sum, out;
	struct place places[LINE_STAGES];
};

__attribute__((unused)) static uint64_t mixed(uint64_t a, uint64_t b)
{
	struct skuai_rng rng = { .state = a ^ b * 0x9e3779b97f4a7c15u };

	return skuai_rng_next(&rng);
}

__attribute__((unused)) static void note(struct line *line, enum wrong wrong)
{
	skua_or(&line->wrong, (uint32_t)wrong, relaxed);
}

__attribute__((unused)) static void spend(const struct place *place, uint64_t number)
{
	struct line *line = place->line;
	uint64_t cost = mixed(line->seed + place->index, number);
	volatile uint64_t rounds = line->cost ? cost % line->cost : 0;

	if (cost % 64 == 0)
		rounds *= 20; /* now and then one takes long */
	while (rounds)
		rounds--;
}

__attribute__((unused)) static void item_end(struct line *line, struct item *item)
{
	free(item->owned);
	item->owned = NULL;
	skua_sub(&line->alive, 1, relaxed);
}

/* The first stage. */
__attribute__((unused)) static int line_make(struct item *item, struct place *place)
{
	struct line *line = place->line;

	if (line->made == line->count)
		return SKUA_STAGE_END;
	if (line->fail_at == 0 && line->made == line->fail_on)
		return line->fail_code;
	*item = (struct item){ .number = line->made, .value = mixed(line->seed, line->made) };
	if (line->has_memory)
		item->owned = malloc(32);
	if (line->cancelled && line->made == line->fail_on)
		skua_group_cancel(line->cancelled, SKUA_ECANCELED);
	line->made++;
	uint32_t alive = skua_add(&line->alive, 1, relaxed) + 1;
	uint32_t most = skua_load(&line->most_alive, relaxed);
	while (alive > most && !skua_cas_weak(&line->most_alive, &most, alive, relaxed, relaxed))
		continue;
	return SKUA_OK;
}

/* Was it through all stages before this one, and may it be here now? */
__attribute__((unused)) static void line_look(struct item *item, struct place *place)
{
	struct line *line = place->line;

	if (item->visited != place->index)
		note(line, WRONG_PATH);
	item->visited++;
	if (place->kind == SKUA_STAGE_PARALLEL)
		return;
	place->seen++;
	if (place->kind == SKUA_STAGE_IN_ORDER) {
		bool may_be_later = line->skip_of && place->index > line->skip_at;
		if (may_be_later ? item->number < place->next : item->number != place->next)
			note(line, WRONG_ORDER);
		place->next = item->number + 1;
	}
}

/* Any other stage; the last one takes it out. */
__attribute__((unused)) static int line_work(struct item *item, struct place *place)
{
	struct line *line = place->line;

	line_look(item, place);
	if (line->fail_at == place->index && item->number == line->fail_on)
		return line->fail_code;
	item->value = mixed(item->value, place->index);
	if (line->skip_of && place->index == line->skip_at && item->number % line->skip_of == 1) {
		item_end(line, item);
		return SKUA_STAGE_SKIP;
	}
	return SKUA_OK;
}

SKUA_STAGE(line_stage, struct item *, item, struct place *, place)
{
	struct line *line = place->line;
	bool is_one = place->kind != SKUA_STAGE_PARALLEL || place->index == 0;

	if (skua_add(&place->inside, 1, relaxed) > 0 && is_one)
		note(line, WRONG_TWO_INSIDE);
	int error = SKUA_OK;
	if (place->index == 0)
		error = line_make(item, place);
	if (!error) {
		spend(place, item->number);
		error = line_work(item, place);
	}
	if (!error && place->index == line->stages - 1) {
		skua_add(&line->sum, item->value, relaxed);
		skua_add(&line->out, 1, relaxed);
		item_end(line, item);
	}
	skua_sub(&place->inside, 1, relaxed);
	return error;
}

/* The same without a pool, as one would write it. */
__attribute__((unused)) static uint64_t line_sum(const struct line *line)
{
	uint64_t sum = 0;

	for (uint64_t n = 0; n < line->count; n++) {
		uint64_t value = mixed(line->seed, n);
		for (unsigned i = 0; i < line->stages; i++)
			value = mixed(value, i);
		if (!line->skip_of || n % line->skip_of != 1)
			sum += value;
	}
	return sum;
}

__attribute__((unused)) static void line_drop(void *token, void *context)
{
	skua_add(&((struct line *)context)->dropped, 1, relaxed);
	item_end(context, token);
}

/* A line of so many stages, whose kinds are the digits of `kinds` to the base of 3. */
__attribute__((unused)) static struct skua_pipeline *line_open(struct line *line, unsigned stages,
							       uint64_t kinds, unsigned tokens)
{
	struct skua_stage list[LINE_STAGES];
	struct skua_pipeline_options options = {
		.size = sizeof(options),
		.bytes = sizeof(struct item),
		.tokens = tokens,
		.drop = line_drop,
		.context = line,
	};
	struct skua_pipeline *pipeline = NULL;

	memset(line, 0, sizeof(*line));
	line->stages = stages;
	line->fail_at = UINT32_MAX;
	for (unsigned i = 0; i < stages; i++, kinds /= 3) {
		enum skua_stage_kind kind = (enum skua_stage_kind)(kinds % 3);
		if (i == 0 && kind == SKUA_STAGE_PARALLEL)
			kind = SKUA_STAGE_ONE;
		line->places[i] = (struct place){ .line = line, .index = i, .kind = kind };
		list[i] = (struct skua_stage){ kind, line_stage, &line->places[i] };
	}
	int error = skua_pipeline_open(&pipeline, list, stages, &options);
	if (error)
		fail_msg("cannot open a pipeline: %s", skua_strerror(error));
	return pipeline;
}

/* Before another run of it. */
__attribute__((unused)) static void line_again(struct line *line, uint64_t seed, uint64_t count)
{
	line->seed = seed;
	line->count = count;
	line->made = 0;
	skua_store(&line->sum, 0, relaxed);
	skua_store(&line->out, 0, relaxed);
	skua_store(&line->most_alive, 0, relaxed);
	skua_store(&line->dropped, 0, relaxed);
	for (unsigned i = 0; i < line->stages; i++) {
		line->places[i].seen = line->places[i].next = 0;
		skua_store(&line->places[i].inside, 0, relaxed);
	}
}

#endif
