/* SPDX-License-Identifier: MIT */
/* sim_lifeline.c — lifelines: who found nothing asks a few buddies once, and waits */
#include "sim/sim_draw.h"
#include "sim/sim_tasks.h"

/*
 * Saraswat, Kambadur, Kodali, Grove, Krishnamoorthy: Lifeline-based global load balancing (PPoPP
 * 2011).  Workers are numbers of z digits to a base that is just large enough; the i-th lifeline
 * leads to the number whose i-th digit is one higher, round the end, leaving out numbers that no
 * worker has.  So each worker has at most z lifelines out and z that lead to it, and everybody can
 * be reached from everybody.
 */

/* One step along digit i, up or down. */
static uint32_t lifeline_step(const struct sim *sim, uint32_t w, unsigned i, bool is_up)
{
	uint64_t base = sim->lifeline_base, unit = 1;

	for (; i; i--)
		unit *= base;
	uint64_t digit = w / unit % base, next = digit, other = w;
	do {
		next = is_up ? (next + 1) % base : (next + base - 1) % base;
		other = w - digit * unit + next * unit;
	} while (other >= sim->config.workers);
	return (uint32_t)other;
}

/* Send the oldest tasks of w by a lifeline that leads to it. */
static void lifeline_send(struct sim *sim, uint32_t w, uint32_t to, uint32_t lifeline)
{
	uint32_t parcel = sim_detach(sim, w, sim_wanted(sim, w));

	if (parcel == SIM_ARGUMENT_NONE)
		return;
	sim_parcel_of(sim, parcel)->lifeline = lifeline;
	sim->result->messages++;
	SIM_REMARK(sim, SIM_STEP_SEND, w, to, SIM_NONE, sim_parcel_of(sim, parcel)->count);
	sim_queue_put(&sim->queue, sim_way(sim, w, to), to, sim_what(SIM_EVENT_SEND, parcel));
}

/* Lay all lifelines that are not out yet. */
void sim_quiesce(struct sim *sim, uint32_t w)
{
	sim->searchers--;
	sim_enter(sim, w, SIM_STATE_QUIET);
	SIM_REMARK(sim, SIM_STEP_QUIESCE, w, SIM_NONE, SIM_NONE, 0);
	for (uint32_t i = 0; i < sim->config.lifelines; i++) {
		uint32_t buddy = lifeline_step(sim, w, i, true);
		if (buddy == w || sim->laid[w] >> i & 1)
			continue;
		sim->laid[w] |= (uint32_t)1 << i;
		sim->result->lifeline_asks++;
		sim->result->messages++;
		sim_queue_put(&sim->queue, sim_way(sim, w, buddy), buddy,
			      sim_what(SIM_EVENT_ASK, w | i << 24));
	}
}

void sim_ask(struct sim *sim, uint32_t w, uint32_t argument)
{
	uint32_t lifeline = argument >> 24, from = argument & 0xffffff;

	if (sim->size[w])
		lifeline_send(sim, w, from, lifeline);
	else
		sim->waiting[w] |= (uint32_t)1 << lifeline;
}

/* Whoever waits for w is sent something, while there is any. */
void sim_give(struct sim *sim, uint32_t w)
{
	while (sim->waiting[w] && sim->size[w] && !sim->queue.is_out) {
		uint32_t lifeline = (uint32_t)__builtin_ctz(sim->waiting[w]);
		sim->waiting[w] &= sim->waiting[w] - 1;
		lifeline_send(sim, w, lifeline_step(sim, w, lifeline, false), lifeline);
	}
}

/* Tasks have come that were not asked for now: by a lifeline, or by sharing. */
void sim_arrive(struct sim *sim, uint32_t w, uint32_t parcel)
{
	struct sim_parcel what = *sim_parcel_of(sim, parcel);
	uint32_t lifeline = what.lifeline;

	sim->result->sends += what.count;
	if (lifeline != SIM_NONE)
		sim->laid[w] &= ~((uint32_t)1 << lifeline);
	sim_unpack(sim, w, parcel);
	SIM_REMARK(sim, SIM_STEP_ARRIVE, w, what.from, what.oldest, what.count);
	if (sim->state[w] == SIM_STATE_QUIET || sim->state[w] == SIM_STATE_BLOCKED)
		sim_next(sim, w);
	if (sim->waiting)
		sim_give(sim, w);
}
