/* SPDX-License-Identifier: MIT */
/* model_litmus.c — the checker's self-test: litmus programs with their exact outcomes and graphs */
#include "mc.h"

#include "base/atomic_model.h"
#include "os/membarrier.h"
#include "run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * A program is a line of text: threads apart by '|', operations by blanks.
 *
 *	Rx         read x                       Wx1        write 1
 *	Ax1        fetch_add 1                  Xx1        exchange for 1
 *	Cx0>1      strong CAS from 0 to 1       F.sc       fence
 *	L, M       light fence, membarrier      rp, wp1    plain read and write of a cell
 *	?Wx1       only if the read before it in this thread gave something but 0
 *
 * Order: .rlx (also when none is written) .acq .rel .ar .sc.  "= x y" at the end: their final
 * values.  "0:" at the beginning: the first thread is thread 0 itself, between start and join.
 * Variables are u v x y z, cells p q; all are 0 at first.  The outcome: what each R, A, X and C
 * read, in the order of the text ("-": did not run), then the final values.
 *
 * The outcomes are those of RC11 without load buffering, seq_cst accesses as acq_rel.  A graph is
 * who reads from whom and in which order each variable was written.  Where no comment derives the
 * number: every read is of a variable with one write, so a graph is a choice of old or new for each
 * read, and the number is that of the outcomes.  tests/model/cross_check.py compares outcomes and
 * graphs of this table, and of random programs, with an enumeration straight from the axioms.
 */

enum {
	OPS_MAX = 12,
	NOTHING_READ = -1,
	PROGRAMS_MAX = 4096,
	LINE_BYTES = 4096,
};

struct op {
	char kind, variable;
	bool is_guarded;
	uint64_t value, desired;
	memory_order order;
	int64_t got;
};

static struct {
	struct op ops[MC_THREADS_MAX][OPS_MAX];
	unsigned count[MC_THREADS_MAX], thread_count;
	bool is_zero_playing;
	const char *finals;
} program;

/* One line each: they must not be one object. */
static struct board {
	_Alignas(64) _Atomic uint64_t variables[26];
	struct mc_cell cells[26];
} * board;

static const struct skuai_site here = { "litmus", "operation", 0 };

/* --- reading a program --- */

static memory_order order_of(const char *text)
{
	static const struct {
		const char *name;
		memory_order order;
	} orders[] = {
		{ ".acq", memory_order_acquire }, { ".rel", memory_order_release },
		{ ".ar", memory_order_acq_rel },  { ".sc", memory_order_seq_cst },
		{ ".rlx", memory_order_relaxed },
	};

	for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++)
		if (strcmp(text, orders[i].name) == 0)
			return orders[i].order;
	return memory_order_relaxed;
}

static struct op op_of(const char *word)
{
	struct op op = { .is_guarded = *word == '?', .got = NOTHING_READ };
	char *end = NULL;

	word += op.is_guarded;
	op.kind = *word++;
	if (!strchr("FLM", op.kind))
		op.variable = *word++;
	op.value = strtoull(word, &end, 10);
	if (*end == '>')
		op.desired = strtoull(end + 1, &end, 10);
	op.order = order_of(end);
	return op;
}

static void read_program(const char *text)
{
	char line[256], *next = NULL;

	memset(&program, 0, sizeof(program));
	program.is_zero_playing = strncmp(text, "0:", 2) == 0;
	program.finals = strchr(text, '=') ? strchr(text, '=') + 1 : "";
	program.thread_count = 1;
	snprintf(line, sizeof(line), "%s", text + 2 * program.is_zero_playing);
	line[strcspn(line, "=")] = '\0';
	for (char *word = strtok_r(line, " ", &next); word; word = strtok_r(NULL, " ", &next)) {
		unsigned thread = program.thread_count - 1;
		if (*word == '|')
			program.thread_count++;
		else
			program.ops[thread][program.count[thread]++] = op_of(word);
	}
}

/* --- running it --- */

static bool is_read(const struct op *op)
{
	return strchr("RAXC", op->kind) != NULL;
}

static uint64_t run_cas(struct op *op, _Atomic uint64_t *variable)
{
	bool is_acquire = op->order == memory_order_acquire || op->order == memory_order_acq_rel;
	struct skuai_cas cas = { .expected = op->value,
				 .desired = op->desired,
				 .order = op->order,
				 .order_failed = is_acquire ? memory_order_acquire
							    : memory_order_relaxed };

	skuai_model_cas(variable, sizeof(*variable), &cas, &here);
	return cas.expected;
}

static void run_op(struct op *op)
{
	unsigned at = op->variable ? (unsigned)(op->variable - 'a') : 0;
	_Atomic uint64_t *variable = &board->variables[at];

	switch (op->kind) {
	case 'R':
		op->got = (int64_t)skuai_model_load(variable, 8, op->order, &here);
		break;
	case 'W':
		skuai_model_store(variable, 8, op->value, op->order, &here);
		break;
	case 'A':
		op->got = (int64_t)skuai_model_rmw(SKUAI_RMW_ADD, variable, 8, op->value, op->order,
						   &here);
		break;
	case 'X':
		op->got = (int64_t)skuai_model_rmw(SKUAI_RMW_EXCHANGE, variable, 8, op->value,
						   op->order, &here);
		break;
	case 'C':
		op->got = (int64_t)run_cas(op, variable);
		break;
	case 'F':
		skuai_model_fence(op->order, &here);
		break;
	case 'L':
		skuai_model_light_fence();
		break;
	case 'M':
		skuai_membarrier();
		break;
	case 'r':
		mc_read(&board->cells[at]);
		break;
	case 'w':
		mc_write(&board->cells[at], op->value);
		break;
	default:
		mc_fail(__FILE__, __LINE__, "a known operation");
	}
}

static void play(void *argument)
{
	unsigned thread = (unsigned)(uintptr_t)argument;
	int64_t last = 0;

	for (unsigned i = 0; i < program.count[thread]; i++) {
		struct op *op = &program.ops[thread][i];
		if (op->is_guarded && last == 0)
			continue;
		run_op(op);
		if (is_read(op))
			last = op->got;
	}
}

static void run_text(const char *text)
{
	char word[64] = "";
	size_t used = 0;

	read_program(text);
	board = mc_alloc(sizeof(*board));
	for (unsigned i = program.is_zero_playing; i < program.thread_count; i++)
		mc_start(play, (void *)(uintptr_t)i);
	if (program.is_zero_playing)
		play((void *)0);
	mc_join();
	for (unsigned i = 0; i < program.thread_count; i++)
		for (unsigned j = 0; j < program.count[i]; j++) {
			const struct op *op = &program.ops[i][j];
			if (is_read(op) && op->got == NOTHING_READ)
				used += (size_t)snprintf(word + used, sizeof(word) - used, ",-");
			else if (is_read(op))
				used += (size_t)snprintf(word + used, sizeof(word) - used, ",%d",
							 (int)op->got);
		}
	for (const char *at = program.finals; *at; at++)
		if (*at != ' ')
			used += (size_t)snprintf(word + used, sizeof(word) - used, ",%d",
						 (int)skuai_model_load(&board->variables[*at - 'a'],
								       8, memory_order_relaxed,
								       &here));
	if (used)
		mc_outcome("%s", word + 1);
}

/* --- the table --- */

struct litmus {
	const char *name, *text, *outcomes;
	unsigned graphs; /* 0: not compared */
};

#define RACE "race"

#define ALL2 "0,0 0,1 1,0 1,1"
#define ALL3 "0,0,0 0,0,1 0,1,0 0,1,1 1,0,0 1,0,1 1,1,0 1,1,1"
#define ALL4                                                                       \
	"0,0,0,0 0,0,0,1 0,0,1,0 0,0,1,1 0,1,0,0 0,1,0,1 0,1,1,0 0,1,1,1 1,0,0,0 " \
	"1,0,0,1 1,0,1,1 1,1,0,0 1,1,0,1 1,1,1,0 1,1,1,1"

/* clang-format off */
static const struct litmus table[] = {
	/* store buffering: only fences on both sides forbid 0,0 */
	{ "sb", "Wx1 Ry | Wy1 Rx", ALL2, 4 },
	{ "sb_rel_acq", "Wx1.rel Ry.acq | Wy1.rel Rx.acq", ALL2, 4 },
	{ "sb_one_fence", "Wx1 F.sc Ry | Wy1 Rx", ALL2, 4 },
	{ "sb_ar_fences", "Wx1 F.ar Ry | Wy1 F.ar Rx", ALL2, 4 },
	{ "sb_fences", "Wx1 F.sc Ry | Wy1 F.sc Rx", "0,1 1,0 1,1", 3 },
	/* RC11 has 3: the checker weakens seq_cst accesses, as it says */
	{ "sb_sc_accesses", "Wx1.sc Ry.sc | Wy1.sc Rx.sc", ALL2, 4 },
	{ "sb_exchange", "Xx1.ar Ry | Xy1.ar Rx", "0,0,0,0 0,0,0,1 0,1,0,0 0,1,0,1", 4 },
	/* both add to z: whoever is second synchronises with the first and sees its store.  Two
	 * orders of z; the second reads new; the first reads either: 2 * 2 */
	{ "sb_rmw_as_fence", "Wx1 Az1.ar Ry | Wy1 Az1.ar Rx",
	  "0,0,1,1 0,1,1,1 1,1,0,0 1,1,0,1", 4 },
	{ "sb_three", "Wx1 F.sc Ry | Wy1 F.sc Rz | Wz1 F.sc Rx",
	  "0,0,1 0,1,0 0,1,1 1,0,0 1,0,1 1,1,0 1,1,1", 7 },
	{ "sb_zero_plays", "0: Wx1 F.sc Ry | Wy1 F.sc Rx", "0,1 1,0 1,1", 3 },
	/* a membarrier is a fence in every light thread, and its caller */
	{ "sb_membarrier", "Wx1 L Ry | Wy1 M Rx", "0,1 1,0 1,1", 0 },
	{ "sb_light_alone", "Wx1 L Ry | Wy1 F.sc Rx", ALL2, 0 },
	{ "sb_membarrier_alone", "Wx1 Ry | Wy1 M Rx", ALL2, 0 },
	{ "sb_membarrier_too_early", "Wx1 L Ry | M Wy1 Rx", ALL2, 0 },
	{ "sb_membarrier_both", "Wx1 M Ry | Wy1 M Rx", "0,1 1,0 1,1", 0 },
	{ "sb_membarrier_three", "Wx1 L Ry | Wy1 L Rz | Wz1 M Rx", ALL3, 0 },

	/* message passing */
	{ "mp", "Wx1 Wy1 | Ry Rx", ALL2, 4 },
	{ "mp_rel_acq", "Wx1 Wy1.rel | Ry.acq Rx", "0,0 0,1 1,1", 3 },
	{ "mp_release_alone", "Wx1 Wy1.rel | Ry Rx", ALL2, 4 },
	{ "mp_acquire_alone", "Wx1 Wy1 | Ry.acq Rx", ALL2, 4 },
	{ "mp_fences", "Wx1 F.rel Wy1 | Ry F.acq Rx", "0,0 0,1 1,1", 3 },
	{ "mp_sc_fences", "Wx1 F.sc Wy1 | Ry F.sc Rx", "0,0 0,1 1,1", 3 },
	{ "mp_fence_to_load", "Wx1 F.rel Wy1 | Ry.acq Rx", "0,0 0,1 1,1", 3 },
	{ "mp_store_to_fence", "Wx1 Wy1.rel | Ry F.acq Rx", "0,0 0,1 1,1", 3 },
	{ "mp_fence_after_store", "Wx1 Wy1 F.rel | Ry.acq Rx", ALL2, 4 },
	/* 1,0 only when the reader's fence comes first: what a fence learnt is part of the state */
	{ "mp_sc_fence_too_early", "Wx1 F.sc Wy1 | F.sc Ry Rx", ALL2, 4 },
	{ "mp_sc_fence_too_early_mirrored", "F.sc Ry Rx | Wx1 F.sc Wy1", ALL2, 4 },
	{ "mp_fence_before_load", "Wx1 Wy1.rel | F.acq Ry Rx", ALL2, 4 },
	{ "mp_fences_swapped", "Wx1 F.acq Wy1 | Ry F.rel Rx", ALL2, 4 },
	{ "mp_control_is_no_order", "Wx1 Wy1.rel | Ry ?Rx", "0,- 1,0 1,1", 3 },
	/* the right add comes first and reads 0, then either x; or second, reads 1 and the new x */
	{ "mp_rmw", "Wx1 Ay1.rel | Ay0.acq Rx", "0,0,0 0,0,1 0,1,1", 3 },
	/* a failed CAS is a read with its own order */
	{ "mp_failed_cas", "Wx1 Wy1.rel | Cy7>8.ar Rx", "0,0 0,1 1,1", 3 },
	{ "mp_failed_cas_relaxed", "Wx1 Wy1.rel | Cy7>8.rel Rx", ALL2, 4 },

	/* load buffering.  RC11 forbids 1,1, and so does the checker: it is promise-free.  C11 as
	 * written and some hardware allow it: what a pass does not cover */
	{ "lb", "Rx Wy1 | Ry Wx1", "0,0 0,1 1,0", 3 },
	{ "lb_rel_acq", "Rx.acq Wy1.rel | Ry.acq Wx1.rel", "0,0 0,1 1,0", 3 },

	/* several readers, several writers */
	{ "iriw", "Wx1 | Wy1 | Rx Ry | Ry Rx", ALL4 " 1,0,1,0", 16 },
	{ "iriw_acq", "Wx1.rel | Wy1.rel | Rx.acq Ry.acq | Ry.acq Rx.acq", ALL4 " 1,0,1,0", 16 },
	{ "iriw_fences", "Wx1 | Wy1 | Rx F.sc Ry | Ry F.sc Rx", ALL4, 15 },
	{ "iriw_one_fence", "Wx1 | Wy1 | Rx F.sc Ry | Ry.acq Rx", ALL4 " 1,0,1,0", 16 },
	{ "wrc", "Wx1 | Rx Wy1 | Ry Rx", ALL3, 8 },
	{ "wrc_rel_acq", "Wx1 | Rx.acq Wy1.rel | Ry.acq Rx",
	  "0,0,0 0,0,1 0,1,0 0,1,1 1,0,0 1,0,1 1,1,1", 7 },
	{ "wrc_no_acquire", "Wx1 | Rx Wy1.rel | Ry Rx", ALL3, 8 },
	{ "isa2", "Wx1 Wy1.rel | Ry.acq Wz1.rel | Rz.acq Rx",
	  "0,0,0 0,0,1 0,1,0 0,1,1 1,0,0 1,0,1 1,1,1", 7 },
	{ "isa2_relaxed_middle", "Wx1 Wy1.rel | Ry Wz1 | Rz.acq Rx", ALL3, 8 },
	/* RC11 alone has 8: with the middle relaxed, no happens-before leads from the first fence
	 * to the second.  No order in which the steps could happen gives 1,1,0: the second thread
	 * must write z before it reads y, as in load buffering.  The checker is promise-free here,
	 * too */
	{ "isa2_fences_relaxed_middle", "Wx1 F.sc Wy1 | Ry Wz1 | Rz F.sc Rx",
	  "0,0,0 0,0,1 0,1,0 0,1,1 1,0,0 1,0,1 1,1,1", 7 },
	{ "rwc", "Wx1 | Rx Ry | Wy1 Rx", ALL3, 8 },
	{ "rwc_fences", "Wx1 | Rx F.sc Ry | Wy1 F.sc Rx",
	  "0,0,0 0,0,1 0,1,0 0,1,1 1,0,1 1,1,0 1,1,1", 7 },
	{ "w_rwc", "Wx1 Wy1.rel | Ry.acq Rz | Wz1 Rx", ALL3, 8 },
	{ "w_rwc_fences", "Wx1 Wy1.rel | Ry.acq F.sc Rz | Wz1 F.sc Rx",
	  "0,0,0 0,0,1 0,1,0 0,1,1 1,0,1 1,1,0 1,1,1", 7 },

	/* orders of writes: a graph is an order of x (or y) and a source for the read */
	{ "r", "Wx1 Wy1 | Wy2 Rx = y", "0,1 0,2 1,1 1,2", 4 },
	{ "r_fences", "Wx1 F.sc Wy1 | Wy2 F.sc Rx = y", "0,1 1,1 1,2", 3 },
	{ "s", "Wx2 Wy1 | Ry Wx1 = x", "0,1 0,2 1,1 1,2", 4 },
	{ "s_rel_acq", "Wx2 Wy1.rel | Ry.acq Wx1 = x", "0,1 0,2 1,1", 3 },
	{ "2_2w", "Wx1 Wy2 | Wy1 Wx2 = x y", "1,1 1,2 2,1 2,2", 4 },
	{ "2_2w_release", "Wx1.rel Wy2.rel | Wy1.rel Wx2.rel = x y", "1,1 1,2 2,1 2,2", 4 },
	{ "2_2w_fences", "Wx1 F.sc Wy2 | Wy1 F.sc Wx2 = x y", "1,2 2,1 2,2", 3 },
	{ "2_2w_three", "Wx1 F.sc Wy2 | Wy1 F.sc Wz2 | Wz1 F.sc Wx2 = x y z",
	  "1,1,2 1,2,1 1,2,2 2,1,1 2,1,2 2,2,1 2,2,2", 7 },

	/* coherence: one variable behaves */
	{ "corr", "Wx1 | Rx Rx", "0,0 0,1 1,1", 3 },
	{ "coww", "Wx1 Wx2 | Rx Rx = x", "0,0,2 0,1,2 0,2,2 1,1,2 1,2,2 2,2,2", 6 },
	/* own write before the other: reads either; after it: must read own */
	{ "cowr", "Wx1 Rx | Wx2 = x", "1,1 1,2 2,2", 3 },
	/* never its own later write; what it read is older than what it writes */
	{ "corw", "Rx Wx1 | Wx2 = x", "0,1 0,2 2,1", 3 },
	/* both readers see one order of 1 and 2: 2 orders, 6 ways to read forwards for each */
	{ "corr_two_readers", "Wx1 | Wx2 | Rx Rx | Rx Rx",
	  "0,0,0,0 0,0,0,1 0,0,0,2 0,0,1,1 0,0,1,2 0,0,2,1 0,0,2,2 0,1,0,0 0,1,0,1 "
	  "0,1,0,2 0,1,1,1 0,1,1,2 0,1,2,1 0,1,2,2 0,2,0,0 0,2,0,1 0,2,0,2 0,2,1,1 "
	  "0,2,1,2 0,2,2,1 0,2,2,2 1,1,0,0 1,1,0,1 1,1,0,2 1,1,1,1 1,1,1,2 1,1,2,1 "
	  "1,1,2,2 1,2,0,0 1,2,0,1 1,2,0,2 1,2,1,1 1,2,1,2 1,2,2,2 2,1,0,0 2,1,0,1 "
	  "2,1,0,2 2,1,1,1 2,1,2,1 2,1,2,2 2,2,0,0 2,2,0,1 2,2,0,2 2,2,1,1 2,2,1,2 "
	  "2,2,2,1 2,2,2,2", 72 },

	/* release sequences: an RMW carries it on, a store does not (C++20) */
	/* The add before the store (0 -> 4 -> 1): y is 0 or 4 with either x, or 1 with the new: 5.
	 * After it (0 -> 1 -> 5): 0 with either, 1 and 5 with the new: 4.  A store of 2 instead
	 * carries nothing: for each of two orders 0 and 2 with either x, 1 with the new: 10 */
	{ "rs_rmw", "Wx1 Wy1.rel | Ay4 | Ry.acq Rx",
	  "0,0,0 0,0,1 0,1,1 0,4,0 0,4,1 1,0,0 1,0,1 1,1,1 1,5,1", 9 },
	{ "rs_own_store", "Wx1 Wy1.rel Wy2 | Ry.acq Rx", "0,0 0,1 1,1 2,0 2,1", 5 },
	{ "rs_own_rmw", "Wx1 Wy1.rel Xy2 | Ry.acq Rx", "1,0,0 1,0,1 1,1,1 1,2,1", 4 },
	{ "rs_exchange", "Wx1 Wy1.rel | Xy2 | Ry.acq Rx",
	  "0,0,0 0,0,1 0,1,1 0,2,0 0,2,1 1,0,0 1,0,1 1,1,1 1,2,1", 9 },
	{ "rs_foreign_store", "Wx1 Wy1.rel | Wy2 | Ry.acq Rx",
	  "0,0 0,1 1,1 2,0 2,1", 10 },
	{ "rs_fence_rmw_fence", "Wx1 F.rel Wy1 | Ay4 | Ry F.acq Rx",
	  "0,0,0 0,0,1 0,1,1 0,4,0 0,4,1 1,0,0 1,0,1 1,1,1 1,5,1", 9 },
	{ "rs_two_rmws", "Wx1 Wy1.rel | Ay2 | Ay4 | Ry.acq ?Rx",
	  "0,1,0,- 0,1,1,1 0,1,2,0 0,1,2,1 0,1,5,1 0,2,0,- 0,2,1,1 0,2,2,0 0,2,2,1 "
	  "0,2,6,0 0,2,6,1 1,0,0,- 1,0,1,1 1,0,3,1 1,0,4,0 1,0,4,1 1,3,0,- 1,3,1,1 "
	  "1,3,3,1 1,3,7,1 4,0,0,- 4,0,1,1 4,0,4,0 4,0,4,1 4,0,6,0 4,0,6,1 5,1,0,- "
	  "5,1,1,1 5,1,5,1 5,1,7,1", 30 },

	/* read-modify-writes are atomic */
	{ "add_add", "Ax1 | Ax1 = x", "0,1,2 1,0,2", 2 },
	{ "add_three", "Ax1 | Ax1 | Ax1 = x",
	  "0,1,2,3 0,2,1,3 1,0,2,3 1,2,0,3 2,0,1,3 2,1,0,3", 6 },
	/* the store is before the pair or after it: never between what was read and written */
	{ "add_store", "Ax1 | Wx5 = x", "0,5 5,6", 2 },
	{ "exchange_exchange", "Xx1 | Xx2 = x", "0,1,2 2,0,1", 2 },
	{ "cas_cas", "Cx0>1 | Cx0>2 = x", "0,1,1 2,0,2", 2 },
	/* from the first 0, then 2 and 0 come after 1; from the second 0; or it fails on 2 */
	{ "cas_back_again", "Cx0>1 | Wx2 Wx0 = x", "0,0 0,1 2,0", 3 },
	{ "cas_chain", "Cx0>1 | Cx1>2 | Cx2>3 = x", "0,0,0,1 0,0,1,1 0,1,0,2 0,1,1,2 0,1,2,3", 5 },

	/* facts about writers: thread 0 writes x after the other could have ended, and must not be
	 * taken for a writer that nobody can see */
	{ "late_writer", "0: Ry ?Wx1 | Wy1 Rx", "0,0 1,0 1,1", 3 },
	{ "late_cas", "0: Ry ?Cx0>1 | Wy1 Rx", "0,-,0 1,0,0 1,0,1", 3 },

	/* plain cells */
	{ "plain_rel_acq", "wp1 Wy1.rel | Ry.acq ?rp", "0 1", 2 },
	{ "plain_fences", "wp1 F.rel Wy1 | Ry F.acq ?rp", "0 1", 2 },
	{ "plain_rmw_between", "wp1 Wy1.rel | Ay0 | Ry.acq ?rp", NULL, 0 },
	{ "plain_two_readers", "rp Wy1.rel | rp Az1.rel | Ry.acq ?Rz.acq ?wp1",
	  "0,0,- 0,1,0 0,1,1", 0 },
	{ "plain_relaxed", "wp1 Wy1 | Ry ?rp", RACE, 0 },
	{ "plain_release_alone", "wp1 Wy1.rel | Ry ?rp", RACE, 0 },
	{ "plain_own_store_between", "wp1 Wy1.rel Wy2 | Ry.acq ?rp", RACE, 0 },
	{ "plain_foreign_store", "wp1 Wy1.rel | Wy2 | Ry.acq ?rp", RACE, 0 },
	{ "plain_write_after_read", "rp Wy1 | Ry.acq ?wp1", RACE, 0 },
	/* sc fences order what is read, but a race needs happens-before */
	{ "plain_sc_fences_alone", "wp1 F.sc Rx | Wx1 F.sc rp", RACE, 0 },
	{ "plain_two_writers", "wp1 | wp2", RACE, 0 },
	{ "plain_two_readers_only", "rp | rp", NULL, 1 },
};
/* clang-format on */

/* --- all of them --- */

static const char *texts[PROGRAMS_MAX];
static struct mc_case cases[PROGRAMS_MAX + 1];

static void run_current_text(void)
{
	static unsigned at;

	for (; cases[at].name != run_current()->name; at = (at + 1) % PROGRAMS_MAX)
		;
	run_text(texts[at]);
}

static void add_case(unsigned at, const struct litmus *litmus)
{
	bool is_race = litmus->outcomes && strcmp(litmus->outcomes, RACE) == 0;

	texts[at] = litmus->text;
	cases[at] = (struct mc_case){
		.name = litmus->name,
		.body = run_current_text,
		.outcomes = is_race ? NULL : litmus->outcomes,
		.graphs = litmus->graphs,
		.must_fail = is_race,
	};
}

/* Programs of cross_check.py, one a line: "name; text; outcomes; graphs". */
static bool read_programs(const char *path)
{
	char line[LINE_BYTES];
	FILE *file = fopen(path, "r");

	for (unsigned i = 0; file && i < PROGRAMS_MAX && fgets(line, sizeof(line), file); i++) {
		char *next = NULL, *copy = strdup(line); /* kept until the end */
		struct litmus litmus = { .name = strtok_r(copy, ";", &next) };
		litmus.text = strtok_r(NULL, ";", &next) + 1;
		litmus.outcomes = strtok_r(NULL, ";", &next) + 1;
		litmus.graphs = (unsigned)strtoul(strtok_r(NULL, ";", &next), NULL, 10);
		add_case(i, &litmus);
	}
	return file && fclose(file) == 0;
}

int main(int argc, char **argv)
{
	if (argc == 3 && strcmp(argv[1], "--programs") == 0) {
		if (!read_programs(argv[2])) {
			perror(argv[2]);
			return 2;
		}
		argc = 1;
	} else {
		for (unsigned i = 0; i < sizeof(table) / sizeof(table[0]); i++)
			add_case(i, &table[i]);
	}
	return mc_main(argc, argv, cases);
}
