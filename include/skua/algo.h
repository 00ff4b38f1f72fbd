/* SPDX-License-Identifier: MIT */
/* algo.h — the parallel algorithms: loops, reductions, scans, sorts and what is built of them */
#ifndef SKUA_ALGO_H
#define SKUA_ALGO_H

#include <skua/find.h>
#include <skua/invoke.h>
#include <skua/loop.h>
#include <skua/map.h>
#include <skua/pack.h>
#include <skua/pipeline.h>
#include <skua/scan.h>
#include <skua/sort.h>

#endif
