#!/bin/sh
# doctor_taskset.sh — a process confined to one CPU gets one worker
. "$SKUA_SOURCE/tests/cli/lib"
need_python
command -v taskset >/dev/null || skip "no taskset"
cpu=$(taskset -pc $$ | sed 's/.*: *//; s/[-,].*//')
taskset -c "$cpu" true 2>/dev/null || skip "may not choose a CPU"

run taskset -c "$cpu" "$SKUA" doctor --json
expect "0, or 1 where this machine hides something" [ "$status" -le 1 ]
expect_json cpus.allowed 1 cpus.allowed_list "$cpu" workers.count 1
run taskset -c "$cpu" "$SKUA" doctor
expect_out "this process may use 1: $cpu"
expect_out 'Workers     1: '
run taskset -c "$cpu" "$SKUA" tour
expect_status 0
expect_out "CPU $cpu"
