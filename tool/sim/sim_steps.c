/* SPDX-License-Identifier: MIT */
/* sim_steps.c — unit tasks in synchronous steps: the model in which steal-half has its proofs */
#include "sim/sim_draw.h"
#include "sim/sim_models.h"

/*
 * Tchiboukdjian, Gast, Trystram: Decentralized list scheduling (Annals of Operations Research,
 * 2013).  In each step whoever has work does one unit of it, and whoever has none asks somebody at
 * random.  Of those who ask the same worker one is served: it gets a part of what is left after
 * this step, from the next step on.  Cooperative: all of them and the victim share evenly.
 */
struct steps {
	const struct sim_config *config;
	uint64_t *load;	  /* of each worker */
	uint32_t *asked;  /* whom an idle one asked */
	uint32_t *askers; /* how many asked this one; only one counts unless cooperative */
	uint64_t *rest;	  /* what a victim had before it gave */
	uint64_t step, left;
	struct sim_result *result;
};

/* Everybody without work asks. */
static void steps_ask(struct steps *s)
{
	uint32_t workers = s->config->workers;

	for (uint32_t i = 0; i < workers; i++)
		s->askers[i] = 0; /* NOLINT(clang-analyzer-core.NullDereference): it is there */
	for (uint32_t i = 0; i < workers; i++) {
		s->asked[i] = SIM_NONE;
		if (s->load[i] || workers == 1)
			continue;
		uint32_t victim = sim_other(sim_draw(s->config->seed, i, s->step), workers, i);
		s->result->tries++;
		if (!s->load[victim] || (s->askers[victim] && !s->config->is_cooperative))
			continue;
		s->askers[victim]++;
		s->asked[i] = victim;
	}
}

/* What is given of `rest`, which may be nothing. */
static uint64_t steps_part(const struct sim_config *config, uint64_t rest)
{
	switch (config->amount) {
	case SIM_AMOUNT_ONE:
		return rest ? 1 : 0;
	case SIM_AMOUNT_PART:
		return sim_mul_shift(rest, config->part, 10);
	case SIM_AMOUNT_HALF:
	default:
		return rest / 2;
	}
}

/* Everybody with work does one unit, and gives. */
static void steps_work(struct steps *s)
{
	for (uint32_t i = 0; i < s->config->workers; i++) {
		if (!s->load[i])
			continue;
		s->left--;
		s->result->tasks++;
		s->rest[i] = --s->load[i];
		if (s->config->busy_of)
			s->config->busy_of[i]++;
		if (s->askers[i] && s->config->is_cooperative)
			s->load[i] -= s->rest[i] / (s->askers[i] + 1) * s->askers[i];
		else if (s->askers[i])
			s->load[i] -= steps_part(s->config, s->rest[i]);
	}
}

/* Those who asked get what was given. */
static void steps_give(struct steps *s)
{
	const struct sim_config *config = s->config;

	for (uint32_t i = 0; i < config->workers; i++) {
		uint32_t victim = s->asked[i];
		if (victim == SIM_NONE)
			continue;
		uint64_t rest = s->rest[victim];
		s->load[i] = config->is_cooperative ? rest / (s->askers[victim] + 1)
						    : steps_part(config, rest);
		s->result->steals += s->load[i] != 0;
		s->result->stolen += s->load[i];
	}
}

static void steps_result(const struct steps *s)
{
	struct sim_result *result = s->result;
	uint64_t all = s->config->workers * s->step;

	result->makespan = s->step;
	result->work = result->spent.busy = s->config->work;
	result->spent.searching = all - result->work;
	result->span = 1;
	result->failed = result->tries - result->steals;
	result->steals_at[0] = result->steals;
	result->peak_queue = result->peak_live = result->work;
}

int sim_run_steps(const struct sim_config *config, struct sim_heap *heap, struct sim_result *result,
		  struct sim_error *error)
{
	uint32_t workers = config->workers;
	struct steps s = { .config = config, .left = config->work, .result = result };
	int status = 0;

	s.load = sim_get(heap, workers, sizeof(*s.load));
	s.rest = sim_get(heap, workers, sizeof(*s.rest));
	s.asked = sim_get(heap, workers, sizeof(*s.asked));
	s.askers = sim_get(heap, workers, sizeof(*s.askers));
	if (!s.load || !s.rest || !s.asked || !s.askers)
		status = sim_fail_memory(error, heap);
	else
		s.load[0] = s.left;
	while (!status && s.left) {
		steps_ask(&s);
		steps_work(&s);
		steps_give(&s);
		s.step++;
		result->events += workers;
		result->hash = sim_mix(result->hash ^ (result->stolen + s.left * 31 + s.step));
		if (config->event_limit && result->events > config->event_limit)
			status = sim_fail_events(config, error);
	}
	if (!status)
		steps_result(&s);
	sim_put(heap, s.load, workers, sizeof(*s.load));
	sim_put(heap, s.rest, workers, sizeof(*s.rest));
	sim_put(heap, s.asked, workers, sizeof(*s.asked));
	sim_put(heap, s.askers, workers, sizeof(*s.askers));
	return status;
}
