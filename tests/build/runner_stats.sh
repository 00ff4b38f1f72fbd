#!/bin/sh
# runner_stats.sh — the benchmark runner's statistics on data whose truth is known
. "$(dirname "$0")/common"
fresh
python3 -B "$SKUA_SOURCE/tests/build/runner_stats.py"
