/* SPDX-License-Identifier: MIT */
/* simcmd_programs.c — programs of bench/work as dags: what forks what, and how much each is */
#include "../../bench/work/cilksort.h"
#include "../../bench/work/nqueens.h"
#include "sim/simcmd.h"

/*
 * Nobody steals a task of some nanoseconds from the bottom of a tree, so the bottom is folded: a
 * subtree becomes one node with the work of all that is in it.  What is left has some 10^5 nodes.
 */
#define FIB_KEPT    20 /* levels of calls */
#define QUEENS_KEPT 5  /* rows */

/* The first and the last node of a call. */
struct ends {
	uint32_t begin, end;
};

struct building {
	struct simcmd_dag *dag;
	uint64_t unit; /* 1024ths of a tick */
};

/* More than a node may cost where it would not fit: the simulator says so. */
static uint32_t add_node(const struct building *to, uint64_t units)
{
	uint64_t whole, rest, cost;

	if (__builtin_mul_overflow(units >> 10, to->unit, &whole) ||
	    __builtin_mul_overflow(units & 1023, to->unit, &rest) ||
	    __builtin_add_overflow(whole, rest >> 10, &cost))
		cost = UINT64_MAX;
	return simcmd_dag_node(to->dag, cost);
}

/* What is forked comes first, what is called last: the owner goes on with the newest. */
static void add_child(const struct building *to, uint32_t fork, struct ends child, uint32_t join)
{
	simcmd_dag_edge(to->dag, fork, child.begin);
	simcmd_dag_edge(to->dag, child.end, join);
}

/* --- fib: a unit is a call --- */

static uint64_t fib_calls(uint64_t n)
{
	uint64_t before = 1, calls = 1;

	for (uint64_t i = 2; i <= n; i++) {
		uint64_t sum = before + calls + 1;
		before = calls;
		calls = sum;
	}
	return calls;
}

/* As deep as levels are kept. */
static struct ends add_fib(const struct building *to, uint64_t n, uint64_t cut)
{
	if (n <= cut || n < 2) {
		uint32_t leaf = add_node(to, fib_calls(n));
		return (struct ends){ leaf, leaf };
	}
	struct ends call = { add_node(to, 1), add_node(to, 0) };
	add_child(to, call.begin, add_fib(to, n - 1, cut), call.end);
	add_child(to, call.begin, add_fib(to, n - 2, cut), call.end);
	return call;
}

/* --- queens: a unit is a queen on the board that a new one is held against --- */

/*
 * Beside those.  The end of a square's loop is a branch that no processor foretells; a call copies
 * the board, forks and joins.  Fitted to boards of 9 to 12 with one worker: with these, a unit of
 * each costs the same within 2.5 %.
 */
#define SQUARE_UNITS 20
#define CALL_UNITS   120

struct queens {
	int n;
	struct nqueens_board board;
};

/* The squares of one row: the units they take; those that are free, as bits. */
static uint64_t look_at_row(const struct queens *queens, int row, unsigned *free_columns)
{
	uint64_t units = CALL_UNITS;

	*free_columns = 0;
	for (int column = 0; column < queens->n; column++) {
		int i = 0;
		for (; i < row; i++) {
			int aside = queens->board.column[i] - column;
			if (aside == 0 || aside == row - i || aside == i - row)
				break;
		}
		units += SQUARE_UNITS + (uint64_t)i;
		if (i == row)
			*free_columns |= 1u << column;
	}
	return units;
}

static uint64_t queens_units(struct queens *queens, int row)
{
	unsigned free_columns;
	uint64_t units;

	if (row == queens->n)
		return CALL_UNITS;
	units = look_at_row(queens, row, &free_columns);
	for (int column = 0; column < queens->n; column++) {
		if (free_columns & 1u << column) {
			queens->board.column[row] = (int8_t)column;
			units += queens_units(queens, row + 1);
		}
	}
	return units;
}

static struct ends add_queens(const struct building *to, struct queens *queens, int row)
{
	unsigned free_columns;

	if (row >= QUEENS_KEPT || row == queens->n) {
		uint32_t leaf = add_node(to, queens_units(queens, row));
		return (struct ends){ leaf, leaf };
	}
	struct ends call = { add_node(to, look_at_row(queens, row, &free_columns)),
			     add_node(to, 0) };
	if (!free_columns)
		simcmd_dag_edge(to->dag, call.begin, call.end);
	for (int column = 0; column < queens->n; column++) {
		if (free_columns & 1u << column) {
			queens->board.column[row] = (int8_t)column;
			add_child(to, call.begin, add_queens(to, queens, row + 1), call.end);
		}
	}
	return call;
}

/* --- sort: a unit is a comparison --- */

static uint64_t log2_of(uint64_t n)
{
	uint64_t log = 0;

	while (n >>= 1)
		log++;
	return log;
}

/* Numbers are random: half of one list goes with half of the other. */
static struct ends add_merge(const struct building *to, uint64_t count)
{
	if (count <= CILKSORT_MERGE_LEAF) {
		uint32_t leaf = add_node(to, count);
		return (struct ends){ leaf, leaf };
	}
	struct ends call = { add_node(to, log2_of(count)), add_node(to, 0) };
	add_child(to, call.begin, add_merge(to, count - count / 2), call.end);
	add_child(to, call.begin, add_merge(to, count / 2), call.end);
	return call;
}

static struct ends add_sort(const struct building *to, uint64_t count)
{
	uint64_t q = count / 4, last = count - 3 * q;

	if (count <= CILKSORT_SORT_LEAF) {
		uint32_t leaf = add_node(to, count * log2_of(count));
		return (struct ends){ leaf, leaf };
	}
	uint32_t begin = add_node(to, 1), sorted = add_node(to, 1), merged = add_node(to, 1);
	add_child(to, begin, add_sort(to, last), sorted);
	for (unsigned i = 0; i < 3; i++)
		add_child(to, begin, add_sort(to, q), sorted);
	add_child(to, sorted, add_merge(to, q + last), merged);
	add_child(to, sorted, add_merge(to, 2 * q), merged);
	struct ends end = add_merge(to, count);
	simcmd_dag_edge(to->dag, merged, end.begin);
	return (struct ends){ begin, end.end };
}

static uint64_t merge_units(uint64_t count)
{
	if (count <= CILKSORT_MERGE_LEAF)
		return count;
	return log2_of(count) + merge_units(count - count / 2) + merge_units(count / 2);
}

static uint64_t sort_units(uint64_t count)
{
	uint64_t q = count / 4, last = count - 3 * q;

	if (count <= CILKSORT_SORT_LEAF)
		return count * log2_of(count);
	return 3 + sort_units(last) + 3 * sort_units(q) + merge_units(q + last) +
	       merge_units(2 * q) + merge_units(count);
}

uint64_t simcmd_program_units(enum simcmd_program program, uint64_t size)
{
	struct queens queens = { .n = (int)size };

	switch (program) {
	case SIMCMD_FIB:
		return fib_calls(size);
	case SIMCMD_QUEENS:
		return queens_units(&queens, 0);
	default:
		return sort_units(size);
	}
}

void simcmd_program_dag(enum simcmd_program program, uint64_t size, uint64_t unit,
			struct simcmd_dag *dag)
{
	struct building to = { dag, unit };
	struct queens queens = { .n = (int)size };

	if (program == SIMCMD_FIB)
		add_fib(&to, size, size > FIB_KEPT ? size - FIB_KEPT : 1);
	else if (program == SIMCMD_QUEENS)
		add_queens(&to, &queens, 0);
	else
		add_sort(&to, size);
}
