/* SPDX-License-Identifier: MIT */
/* sim_shares.c — divisible work and latency: half of what a victim has left, on its way */
#include "sim/sim_draw.h"
#include "sim/sim_events.h"
#include "sim/sim_models.h"
#include "sim/sim_victim.h"

/*
 * Gast, Khatiri, Trystram, Wagner: Analysis of work stealing with latency (2018), and the same with
 * clusters.  A request takes the latency of the way, and so does the answer.  The victim halves
 * what it has left, unless a half would be smaller than `least`.  A worker's end is then earlier
 * than was thought: the event of the old end is still in the queue, but of another generation.
 */
enum {
	SHARES_END,    /* argument: generation */
	SHARES_LOOK,   /* at who; argument: the thief */
	SHARES_ANSWER, /* for who */
};

struct shares {
	const struct sim_config *config;
	struct sim_queue queue;
	struct sim_victims victims;
	uint64_t *until;      /* it has work; not after now: it has none */
	uint64_t *share;      /* what a thief was given */
	uint64_t *sending;    /* until then what it gave is on its way */
	uint32_t *generation; /* of its end */
	uint64_t about;	      /* workers with work, and shares on their way */
	struct sim_result *result;
};

static uint64_t shares_latency(const struct shares *s, uint32_t a, uint32_t b)
{
	unsigned level = sim_level(&s->config->topology, a, b);

	return s->config->topology.latency[level] + s->config->costs.message;
}

static void shares_try(struct shares *s, uint32_t thief)
{
	if (s->config->workers == 1)
		return;
	uint32_t victim = sim_victim_next(&s->victims, thief);
	s->result->tries++;
	s->result->messages += 2;
	sim_queue_put(&s->queue, shares_latency(s, thief, victim), victim,
		      sim_what(SHARES_LOOK, thief));
}

static void shares_begin(struct shares *s, uint32_t worker, uint64_t work)
{
	s->until[worker] = s->queue.now + work;
	/* Without memory nothing begins: NOLINTNEXTLINE(clang-analyzer-core.NullDereference) */
	s->generation[worker] = (s->generation[worker] + 1) & SIM_ARGUMENT_NONE;
	sim_queue_put(&s->queue, work, worker, sim_what(SHARES_END, s->generation[worker]));
}

/* The part that the thief gets of so much; 0: refused. */
static uint64_t shares_part(const struct shares *s, uint32_t victim, uint32_t thief, uint64_t left)
{
	const struct sim_config *config = s->config;
	uint64_t latency = shares_latency(s, thief, victim);
	uint64_t least = config->least ? config->least : latency > 2 ? latency : 2;
	uint64_t part = config->amount == SIM_AMOUNT_PART ? sim_mul_shift(left, config->part, 10)
							  : left / 2;

	if (config->is_single && s->queue.now < s->sending[victim])
		return 0;
	return part < least ? 0 : part;
}

static void shares_look(struct shares *s, uint32_t victim, uint32_t thief)
{
	uint64_t now = s->queue.now, latency = shares_latency(s, thief, victim);
	uint64_t left = s->until[victim] > now ? s->until[victim] - now : 0;
	uint64_t part = shares_part(s, victim, thief, left);

	s->share[thief] = part;
	if (part) {
		s->result->steals++;
		s->result->steals_at[sim_level(&s->config->topology, thief, victim)]++;
		s->result->stolen += part;
		s->about++;
		s->sending[victim] = now + latency;
		shares_begin(s, victim, left - part);
	}
	sim_queue_put(&s->queue, latency, thief, sim_what(SHARES_ANSWER, 0));
}

static void shares_step(struct shares *s, const struct sim_event *event)
{
	uint32_t who = event->who;

	switch (sim_kind(event)) {
	case SHARES_END:
		if (sim_argument(event) != s->generation[who])
			break;
		s->about--;
		if (s->about)
			shares_try(s, who);
		break;
	case SHARES_LOOK:
		shares_look(s, who, sim_argument(event));
		break;
	default:
		if (s->share[who])
			shares_begin(s, who, s->share[who]);
		else
			shares_try(s, who);
	}
}

static int shares_loop(struct shares *s, struct sim_error *error)
{
	const struct sim_config *config = s->config;
	struct sim_event event;

	for (unsigned i = 0; i < config->topology.levels; i++)
		sim_queue_lane(&s->queue, config->topology.latency[i] + config->costs.message);
	s->about = 1;
	shares_begin(s, 0, config->work);
	for (uint32_t i = 1; i < config->workers; i++)
		shares_try(s, i);
	while (s->about && sim_queue_take(&s->queue, &event)) {
		shares_step(s, &event);
		if (config->event_limit && s->queue.taken > config->event_limit)
			return sim_fail_events(config, error);
	}
	return s->queue.is_out ? sim_queue_fail(&s->queue, error) : 0;
}

int sim_run_shares(const struct sim_config *config, struct sim_heap *heap,
		   struct sim_result *result, struct sim_error *error)
{
	uint32_t workers = config->workers;
	struct shares s = { .config = config, .result = result };
	int status = sim_victims_open(&s.victims, config, heap, error);

	sim_queue_open(&s.queue, heap);
	s.until = sim_get(heap, workers, sizeof(*s.until));
	s.share = sim_get(heap, workers, sizeof(*s.share));
	s.sending = sim_get(heap, workers, sizeof(*s.sending));
	s.generation = sim_get(heap, workers, sizeof(*s.generation));
	if (!status && (!s.until || !s.share || !s.sending || !s.generation))
		status = sim_fail_memory(error, heap);
	if (!status)
		status = shares_loop(&s, error);
	result->makespan = s.queue.now;
	result->work = result->spent.busy = result->peak_queue = config->work;
	result->spent.searching = workers * s.queue.now - config->work;
	result->span = 1;
	result->failed = result->tries - result->steals;
	result->tasks = result->steals + 1;
	result->events = s.queue.taken;
	result->hash = sim_mix(s.queue.hash);
	sim_put(heap, s.until, workers, sizeof(*s.until));
	sim_put(heap, s.share, workers, sizeof(*s.share));
	sim_put(heap, s.sending, workers, sizeof(*s.sending));
	sim_put(heap, s.generation, workers, sizeof(*s.generation));
	sim_queue_close(&s.queue);
	sim_victims_close(&s.victims, heap);
	return status;
}
