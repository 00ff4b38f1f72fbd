#!/bin/sh
# doctor_denied.sh — a sandbox that denies membarrier or sched_getaffinity: said, and lived with
. "$SKUA_SOURCE/tests/cli/lib"
need_python
denied=$SKUA_BUILD/tests/with_denied_syscall
[ -x "$denied" ] || skip "no $denied"
"$denied" membarrier true || skip "no seccomp filters here"

"$SKUA" doctor --json >"$out" 2>"$err"
usual=$?
workers=$(json workers.count)
allowed=$(json cpus.allowed)

run "$denied" membarrier "$SKUA" doctor --json
expect_status $usual
expect_json kernel.membarrier false workers.count "$workers"
run "$denied" membarrier "$SKUA" doctor
expect_status $usual
expect_out '  membarrier  no: the portable fence is used instead'
expect_silent_err

# The kernel says the same in /proc/self/status.
run "$denied" sched_getaffinity "$SKUA" doctor --json
expect_status $usual
expect_json workers.count "$workers" cpus.allowed "$allowed"
