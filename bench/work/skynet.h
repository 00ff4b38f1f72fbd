/* SPDX-License-Identifier: MIT */
/* skynet.h — a million leaves, ten to a fork: wide and flat */
#ifndef SKUA_WORK_SKYNET_H
#define SKUA_WORK_SKYNET_H

#include "work.h"

#define SKYNET_WIDE 10

struct skynet {
	uint64_t leaves, times;
	uint64_t result, answer;
};

#endif
