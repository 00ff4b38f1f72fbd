/* SPDX-License-Identifier: MIT */
/* loops_data.c — loops whose indices cost the same, or not: costs, bodies, what must come out */
#include "loops_data.h"

#include "grind.h"

#include <stdlib.h>
#include <string.h>

#define SCALE 1024 /* of an index, so that its square times all turns is no more than 64 bits */

static const struct {
	const char *name, *role;
	uint32_t turns; /* of every index; 0: they differ */
} shapes[] = {
#define LOOPS_ROW(name, role, turns) { #name, role, turns },
	LOOPS_SHAPES(LOOPS_ROW)
#undef LOOPS_ROW
};

const struct work_problem loops_problems[] = {
	{ .name = "10", .tier = WORK_TEST, .size = 10 },
	{ .name = "100", .tier = WORK_QUICK, .size = 100 },
	{ .name = "1000", .tier = WORK_QUICK, .size = 1000 },
	{ .name = "1M", .tier = WORK_USUAL, .size = LOOPS_LONG },
	{ .name = NULL },
};

const char *loops_name(uint32_t shape)
{
	return shapes[shape].name;
}

const char *loops_role(uint32_t shape)
{
	return shapes[shape].role;
}

uint64_t loops_size(const char *problem)
{
	const struct work_problem *found = loops_problems;

	while (found->name && strcmp(found->name, problem) != 0)
		found++;
	return found->name ? found->size : 0;
}

bool loops_has(uint32_t shape, uint64_t n)
{
	return shape < LOOPS_COUNT && (!shapes[shape].turns || n < LOOPS_LONG);
}

/* --- costs --- */

static uint64_t weight(uint32_t shape, uint64_t i, uint64_t n)
{
	uint64_t scaled = 1 + i * SCALE / n;

	switch (shape) {
	case LOOPS_linear:
		return scaled;
	case LOOPS_quadratic:
		return scaled * scaled;
	case LOOPS_heavy: /* as much as all others together */
		return i == n / 3 && n > 1 ? n - 1 : 1;
	case LOOPS_exponential:
		return (uint64_t)1 << i * 16 / n;
	case LOOPS_bimodal: /* a tenth of them, not at regular places */
		return (i * 0x9e3779b97f4a7c15u >> 32) % 10 == 3 ? 81 : 1;
	default:
		return 1;
	}
}

static void fill_turns(struct loops_data *data)
{
	uint64_t sum = 0;

	for (uint64_t i = 0; i < data->n; i++)
		sum += weight(data->shape, i, data->n);
	for (uint64_t i = 0; i < data->n; i++)
		data->turns[i] = shapes[data->shape].turns
					 ? shapes[data->shape].turns
					 : (uint32_t)(weight(data->shape, i, data->n) *
						      LOOPS_TURNS * data->n / sum);
}

struct loops_data *loops_open(uint32_t shape, uint64_t n)
{
	struct loops_data *data = calloc(1, sizeof(*data));

	if (!data || !n || !loops_has(shape, n)) {
		free(data);
		return NULL;
	}
	data->shape = shape;
	data->n = n;
	data->times = n < LOOPS_ALL ? LOOPS_ALL / n : 1;
	if (shapes[shape].turns)
		data->times *= LOOPS_CHEAP;
	if (n < 100) /* of tests */
		data->times = 10;
	data->turns = malloc(n * sizeof(*data->turns));
	data->output = malloc(n * sizeof(*data->output));
	if (!data->turns || !data->output) {
		loops_close(data);
		return NULL;
	}
	fill_turns(data);
	loops_reset(data);
	return data;
}

void loops_close(struct loops_data *data)
{
	free(data->turns);
	free(data->output);
	free(data);
}

/* --- runs --- */

void loops_reset(struct loops_data *data)
{
	memset(data->output, 0xff, data->n * sizeof(*data->output));
}

bool loops_is_right(const struct loops_data *data)
{
	uint64_t wrong = 0;

	for (uint64_t i = 0; i < data->n; i++)
		wrong += data->output[i] != grind_answer(i, data->turns[i]);
	return wrong == 0;
}

/* Each loop as a function of its own, called through a pointer, as runtimes call bodies. */
static WORK_NOINLINE void plain_skewed(const struct loops_data *data)
{
	for (uint64_t i = 0; i < data->n; i++)
		loops_skewed(data, i);
}

static WORK_NOINLINE void plain_cheap1(const struct loops_data *data)
{
	for (uint64_t i = 0; i < data->n; i++)
		loops_cheap1(data, i);
}

static WORK_NOINLINE void plain_cheap10(const struct loops_data *data)
{
	for (uint64_t i = 0; i < data->n; i++)
		loops_cheap10(data, i);
}

void loops_plain(struct loops_data *data)
{
	void (*run)(const struct loops_data *) = data->shape == LOOPS_cheap1	? plain_cheap1
						 : data->shape == LOOPS_cheap10 ? plain_cheap10
										: plain_skewed;

	for (uint64_t k = 0; k < data->times; k++) {
		run(data);
		WORK_AGAIN();
	}
}
