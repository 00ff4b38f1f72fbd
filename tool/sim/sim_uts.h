/* SPDX-License-Identifier: MIT */
/* sim_uts.h — how many children a node of an unbalanced tree has, in whole numbers only */
#ifndef SKUA_SIM_UTS_H
#define SKUA_SIM_UTS_H

#include "sim/sim_port.h"

#define SIM_UTS_MOST 100 /* children of a node that is no binomial root; the authors' number */

/* Rows of SIM_UTS_MOST limits that a tree needs; row 0 is the root's. */
uint32_t sim_uts_rows(const struct sim_uts *tree);
void sim_uts_fill(const struct sim_uts *tree, uint32_t *limits);

/* `draw` is the last word of the node's state. */
uint32_t sim_uts_children(const struct sim_uts *tree, const uint32_t *limits, uint32_t height,
			  uint32_t draw);

#endif
