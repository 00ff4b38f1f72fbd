/* SPDX-License-Identifier: MIT */
/* sim_models.h — the four models behind sim_run; each takes a checked configuration */
#ifndef SKUA_SIM_MODELS_H
#define SKUA_SIM_MODELS_H

#include "sim/sim_port.h"

/* *result is zero at the start.  0, or -1 and the reason. */
int sim_run_steps(const struct sim_config *config, struct sim_heap *heap, struct sim_result *result,
		  struct sim_error *error);
int sim_run_shares(const struct sim_config *config, struct sim_heap *heap,
		   struct sim_result *result, struct sim_error *error);
int sim_run_open(const struct sim_config *config, struct sim_heap *heap, struct sim_result *result,
		 struct sim_error *error);
int sim_run_tasks(const struct sim_config *config, struct sim_heap *heap, struct sim_result *result,
		  struct sim_error *error);

/* Too many events, if there is a limit. */
int sim_fail_events(const struct sim_config *config, struct sim_error *error);

#endif
