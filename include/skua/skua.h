/* SPDX-License-Identifier: MIT */
/* skua.h — the umbrella: everything public, defines nothing of its own */
#ifndef SKUA_SKUA_H
#define SKUA_SKUA_H

#include <skua/algo.h>
#include <skua/deque.h>
#include <skua/error.h>
#include <skua/executor.h>
#include <skua/find.h>
#include <skua/fork.h>
#include <skua/future.h>
#include <skua/graph.h>
#include <skua/group.h>
#include <skua/hold.h>
#include <skua/invoke.h>
#include <skua/job.h>
#include <skua/local.h>
#include <skua/loop.h>
#include <skua/machine.h>
#include <skua/map.h>
#include <skua/monitor.h>
#include <skua/pack.h>
#include <skua/pipeline.h>
#include <skua/pool.h>
#include <skua/profile.h>
#include <skua/reducer.h>
#include <skua/scan.h>
#include <skua/sort.h>
#include <skua/trace.h>
#include <skua/version.h>

#endif
