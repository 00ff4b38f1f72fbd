/* SPDX-License-Identifier: MIT */
/* nqueens.h — queens that do not threaten each other: a small board goes with every task */
#ifndef SKUA_WORK_NQUEENS_H
#define SKUA_WORK_NQUEENS_H

#include "work.h"

#define NQUEENS_MAX 16

struct nqueens_board {
	int8_t column[NQUEENS_MAX]; /* of the queen of each row */
};

struct nqueens {
	int n;
	uint64_t result, answer;
};

/* May the next row's queen stand there? */
static inline bool nqueens_is_free(const struct nqueens_board *board, int row, int column)
{
	for (int i = 0; i < row; i++) {
		int aside = board->column[i] - column;
		if (aside == 0 || aside == row - i || aside == i - row)
			return false;
	}
	return true;
}

#endif
