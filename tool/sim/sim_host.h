/* SPDX-License-Identifier: MIT */
/* sim_host.h — memory for the simulator where there is a libc */
#ifndef SKUA_SIM_HOST_H
#define SKUA_SIM_HOST_H

#include "sim/sim.h"

/* malloc and free.  Safe to use from several runs at a time. */
extern const struct sim_memory sim_host_memory;

#endif
