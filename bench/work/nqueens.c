/* SPDX-License-Identifier: MIT */
/* nqueens.c — queens that do not threaten each other: a small board goes with every task */
#include "nqueens.h"

#include <skua/fork.h>
#include <stdlib.h>

WORK_NOINLINE static uint64_t queens_plain(int n, int row, struct nqueens_board board)
{
	uint64_t sum = 0;

	if (row == n)
		return 1;
	for (int column = 0; column < n; column++) {
		if (nqueens_is_free(&board, row, column)) {
			board.column[row] = (int8_t)column;
			sum += queens_plain(n, row + 1, board);
		}
	}
	return sum;
}

SKUA_TASK(uint64_t, queens_task, int, n, int, row, struct nqueens_board, board)
{
	skua_forked(queens_task) forked[NQUEENS_MAX];
	unsigned count = 0;
	uint64_t sum = 0;

	if (row == n)
		return 1;
	for (int column = 0; column < n; column++) {
		if (nqueens_is_free(&board, row, column)) {
			board.column[row] = (int8_t)column;
			skua_fork_into(queens_task, forked[count], n, row + 1, board);
			count++;
		}
	}
	while (count-- > 0)
		sum += skua_join(queens_task, forked[count]);
	return sum;
}

static void *prepare(const struct work_problem *problem)
{
	struct nqueens *queens = malloc(sizeof(*queens));

	if (queens)
		*queens = (struct nqueens){ .n = (int)problem->size, .answer = problem->answer };
	return queens;
}

static void reset(void *data)
{
	((struct nqueens *)data)->result = 0;
}

static void run_serial(void *data)
{
	struct nqueens *queens = data;

	queens->result = queens_plain(queens->n, 0, (struct nqueens_board){ { 0 } });
}

static void run_skua(void *data, struct skua_pool *pool)
{
	struct nqueens *queens = data;

	queens->result = skua_run(pool, queens_task, queens->n, 0, (struct nqueens_board){ { 0 } });
}

static bool check(void *data)
{
	struct nqueens *queens = data;

	return queens->result == queens->answer;
}

static const struct work_problem problems[] = {
	{ .name = "8", .tier = WORK_TEST, .size = 8, .answer = 92 },
	{ .name = "12", .tier = WORK_USUAL, .size = 12, .answer = 14200 },
	{ .name = "13", .tier = WORK_QUICK, .size = 13, .answer = 73712 },
	{ .name = "14", .tier = WORK_LARGE, .size = 14, .answer = 365596 },
	{ .name = NULL },
};

const struct work work_nqueens = {
	.name = "nqueens",
	.role = "queens that do not threaten each other: a board goes with each task",
	.unit = "queens",
	.problems = problems,
	.prepare = prepare,
	.reset = reset,
	.serial = run_serial,
	.skua = run_skua,
	.check = check,
	.drop = free,
};
