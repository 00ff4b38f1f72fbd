#!/bin/sh
# runner_fake.sh — the benchmark runner with made-up peers: right, wrong, broken, slow, missing
. "$(dirname "$0")/common"
fresh
python3 -B "$SKUA_SOURCE/tests/build/runner_fake.py" "$scratch"
