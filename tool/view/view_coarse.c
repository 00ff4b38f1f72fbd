/* SPDX-License-Identifier: MIT */
/* view_coarse.c — a trace in a few columns, for a page to show while it still reads the rest */
#include "view/view_coarse.h"

#include "trace/trace_walk.h"

#include <string.h>

/* One ring: nanoseconds of each state in each column. */
struct lane_sum {
	int64_t begin_ns;
	double column_ns;
	double ns[COARSE_COLUMNS][STATE_COUNT];
};

static unsigned column_of(const struct lane_sum *sum, int64_t ns)
{
	double column = (double)(ns - sum->begin_ns) / sum->column_ns;

	return column >= COARSE_COLUMNS - 1 ? COARSE_COLUMNS - 1 : (unsigned)column;
}

/* A piece of time, divided among the columns it lies in. */
static void add_piece(struct lane_sum *sum, int64_t from, int64_t to, enum trace_state state)
{
	unsigned first = column_of(sum, from), last = column_of(sum, to);

	if (first == last) {
		sum->ns[first][state] += (double)(to - from);
		return;
	}
	double left = (double)(from - sum->begin_ns), right = (double)(to - sum->begin_ns);
	sum->ns[first][state] += (first + 1) * sum->column_ns - left;
	for (unsigned column = first + 1; column < last; column++)
		sum->ns[column][state] += sum->column_ns;
	sum->ns[last][state] += right - last * sum->column_ns;
}

/* Before its first and behind its last record a worker is unseen, unless a slice tells. */
static enum trace_state state_of(const struct walk *walk)
{
	bool is_early = walk->next == 0 && (!walk->before || walk->ring->dropped);
	bool is_late = walk->next == walk->ring->count && !walk->depth;

	return is_early || is_late ? STATE_UNSEEN : walk_state(walk);
}

static bool sum_ring(struct lane_sum *sum, const struct trace *trace, const struct trace_ring *ring)
{
	struct walk walk;
	struct walk_step step;
	enum walk_what what;
	int64_t ns = trace->begin_ns;

	if (!walk_start(&walk, trace, ring))
		return false;
	do {
		int64_t until = walk_until(&walk);
		if (until > ns)
			add_piece(sum, ns, until, state_of(&walk));
		ns = until;
		what = walk_next(&walk, &step);
	} while (what != WALK_END && what != WALK_NO_MEMORY);
	walk_stop(&walk);
	return what == WALK_END;
}

static void take_shares(struct view_coarse *coarse, const struct lane_sum *sum)
{
	static const enum trace_state order[COARSE_STATES] = { STATE_RUNNING, STATE_BLOCKED,
							       STATE_WAITING, STATE_SEARCHING };

	for (unsigned column = 0; column < COARSE_COLUMNS; column++) {
		for (unsigned i = 0; i < COARSE_STATES; i++) {
			double share = sum->ns[column][order[i]] / sum->column_ns;
			share = share > 1 ? 1 : share;
			coarse->shares[coarse->lanes][column][i] = (unsigned char)(share * 255 +
										   0.5);
		}
	}
}

bool view_coarse_make(struct view_coarse *coarse, const struct trace *trace)
{
	struct lane_sum sum;

	*coarse = (struct view_coarse){ .begin_ns = trace->begin_ns, .end_ns = trace->end_ns };
	if (trace->end_ns <= trace->begin_ns)
		return false;
	for (size_t i = 0; i < trace->ring_count && coarse->lanes < COARSE_LANES; i++) {
		const struct trace_ring *ring = &trace->rings[i];
		if (trace_is_outside(trace, ring))
			continue;
		memset(&sum, 0, sizeof(sum));
		sum.begin_ns = trace->begin_ns;
		sum.column_ns = (double)trace_length(trace) / COARSE_COLUMNS;
		if (!sum_ring(&sum, trace, ring))
			return false;
		take_shares(coarse, &sum);
		coarse->workers[coarse->lanes++] = ring->worker;
	}
	return coarse->lanes > 0;
}
