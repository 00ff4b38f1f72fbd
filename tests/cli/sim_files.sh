#!/bin/sh
# sim_files.sh — the simulator with recorded traces, profiles, and costs of skua bench
. "$SKUA_SOURCE/tests/cli/lib"
need_python

# A trace made here: worker 0 visits and waits, 0 and 1 run four jobs of 100 us each, one is stolen.
cat >"$work/make.py" <<'PYTHON'
import struct, sys
us = 1000
def record(t, kind, argument=0, peer=0xffff, detail=0):
    return struct.pack("<QIHBB", t, argument, peer, kind, detail)
def ring(worker, records):
    body = struct.pack("<QQ", len(records), 0) + b"".join(records)
    return struct.pack("<IIQ", 3, worker, len(body)) + body
def facts(text):
    text += b"\0" * (-len(text) % 8)
    return struct.pack("<IIQ", 1, 0, len(text)) + text
zero = [record(0, 1, detail=5), record(10 * us, 11, detail=2)]
for i in range(2):
    zero += [record((10 + 100 * i) * us, 1), record((110 + 100 * i) * us, 2)]
zero += [record(215 * us, 12), record(220 * us, 2)]
one = [record(12 * us, 4, 1, 0), record(12 * us, 1, peer=0, detail=2), record(112 * us, 2),
       record(112 * us, 1), record(212 * us, 2)]
data = struct.pack("<8sIIIIQqQqQq", b"SKUATRC\n", 1, 72, 2, 0, 1, 0, 0, 220 * us, 220 * us, 0)
data += facts(b"program=test\nworkers=2\n") + ring(0, zero) + ring(1, one) + struct.pack("<IIQ", 4, 0, 0)
open(sys.argv[1], "wb").write(data)
PYTHON
python3 "$work/make.py" "$work/made.skt"
run "$SKUA" trace check --whole "$work/made.skt"
expect_status 0
run "$SKUA" sim --trace="$work/made.skt" --runs=2 --json
expect_status 0
expect_silent_err
expect_json workload.name trace workload.work 415000 workload.recorded 220000 workload.recorded_workers 2 \
	rows.0.scheduler skua rows.0.workers 2 rows.1.workers 4 rows.3.workers 16
cp "$out" "$work/traced.json"
expect "as long as it took, within a tenth" python3 - "$out" <<'PYTHON'
import json, sys
sim = json.load(open(sys.argv[1]))
time, recorded = sim["rows"][0]["makespan"], sim["workload"]["recorded"]
if abs(time / recorded - 1) > 0.1:
    sys.exit(f"{time}, recorded {recorded}")
PYTHON
run "$SKUA" sim --trace="$work/made.skt"
expect_out 'Recorded: 220 us with 2 workers.'
run_line "'$SKUA' sim --trace=- --runs=1 --json <'$work/made.skt' >'$out' 2>'$err'"
expect_status 0
run "$SKUA" sim --workers=1 --runs=1 --scheduler=steal --json
cp "$out" "$work/plain.json"
run python3 "$SKUA_SOURCE/tests/cli/check_json" "$SKUA_SOURCE/docs/json.md" skua-sim-1 "$work/traced.json" "$work/plain.json"
expect_status 0

# Cut anywhere it is refused, or what is there is simulated and it is said; never anything else.
size=$(wc -c <"$work/made.skt")
at=0
while [ "$at" -lt "$size" ]; do
	head -c "$at" "$work/made.skt" >"$work/cut.skt"
	run "$SKUA" sim --trace="$work/cut.skt" --runs=1 --workers=2 --scheduler=steal
	expect "cut at $at: status 0 or 3" [ "$status" -eq 0 -o "$status" -eq 3 ]
	expect "cut at $at: it is said" grep -q 'skua sim: ' "$err"
	at=$((at + 17))
done

# A trace of a real run.
if [ -x "$SKUA_BUILD/examples/07_groups" ]; then
	SKUA_TRACE=$work/real.skt SKUA_WORKERS=2 "$SKUA_BUILD/examples/07_groups" >/dev/null 2>&1
	if [ -s "$work/real.skt" ]; then
		run "$SKUA" sim --trace="$work/real.skt" --runs=1 --json
		expect_status 0
		expect_json workload.recorded_workers 2
	fi
fi

# A profile: its work and its span, to the tick.
cat >"$work/profile.txt" <<'END'
something the program printed
skua: profile of pool "skua", 1 worker
work             12.345 ms  all that was run, one after the other
span            100.000 us  the longest chain of it
parallelism       123.5     work / span: more workers than this are of no use
  burdened        100.0     the same, with a theft of 3.0 us at each fork
forks              5000
measured         13.000 ms  from begin to end, profiled
END
run "$SKUA" sim --profile="$work/profile.txt" --workers=1,64,4096 --scheduler=steal --runs=2 --json
expect_status 0
expect_silent_err
expect_json workload.name profile workload.work 12345000 workload.span 100000 workload.tasks 4961
expect "near the bounds" python3 - "$out" <<'PYTHON'
import json, sys
for row in json.load(open(sys.argv[1]))["rows"]:
    if row["efficiency"] < (0.9 if row["workers"] <= 64 else 0) or row["makespan"] < 100000:
        sys.exit(f"{row}")
PYTHON
SKUA_PROFILE=1 SKUA_WORKERS=1 "$SKUA_BUILD/examples/02_fork_join" >/dev/null 2>"$work/real.txt"
if grep -q '^work ' "$work/real.txt"; then
	run "$SKUA" sim --profile="$work/real.txt" --workers=4 --runs=1
	expect_status 0
fi

# Worker 0 is where tasks begin of which nothing is said: to say it changes nothing.
for i in 1 2 3 4 5 6 7 8; do echo "task$i 100"; done >"$work/unsaid.dag"
sed '3s/$/ on 0/' "$work/unsaid.dag" >"$work/said.dag"
for scheduler in sharing sharing-two steal static central; do
	for dag in unsaid said; do
		run "$SKUA" sim "dag:$work/$dag.dag" --runs=1 --scheduler=$scheduler --workers=4 --json
		expect_status 0
		sed "s/$dag//" "$out" >"$work/$dag.json"
	done
	expect "$scheduler: the same" cmp -s "$work/unsaid.json" "$work/said.json"
done

# Costs of skua bench: a run of it, and one made here of which the answer is known.
run "$SKUA" bench deque fib:20 --workers=1 --repeat=1 --json
cp "$out" "$work/bench.json"
run "$SKUA" sim bag:100 --runs=1 --scheduler=steal --workers=2 --costs="$work/bench.json" --json
expect_status 0
run python3 - "$work/bench.json" "$out" <<'PYTHON'
import json, sys
bench, sim = (json.load(open(name)) for name in sys.argv[1:])
figures = [f for k in bench["kernels"] if k["name"] == "deque" for f in k["figures"] if f["name"] == "steal_empty"]
wanted = {round(f["median_ns"]) for f in figures if f["median_ns"]}
if sim["costs"]["fail"][0] not in wanted:
    sys.exit(f"a look in vain costs {sim['costs']['fail']}, measured {wanted}")
PYTHON
expect_status 0
cat >"$work/known.py" <<'PYTHON'
import json, sys
off = float(sys.argv[2])
def row(name, problem, workers, seconds):
    return {"name": name, "problem": problem, "workers": workers, "seconds": seconds, "samples_s": [seconds] * 8, "figures": []}
def pair(name, problem, one):
    return [row(name, problem, 1, one), row(name, problem, 2, one / 1.9 * off)]
rows = [row("cores", "29", 1, 1.9), row("cores", "29", 2, 1.0), row("cores", "25", 1, 0.11), row("cores", "25", 2, 0.1)]
rows[1]["samples_s"][3:6] = [1.2, 7, 1.1] # what disturbs a round makes it longer: the least counts
ratio = 331160281 / 7049155 # calls of fib(40) and of fib(32)
rows += [row("fib", "32", 1, 0.01)] + pair("fib", "40", 0.01 * ratio)
rows += pair("uts", "T3", 0.8) * (len(sys.argv) > 3) + pair("cilksort", "10M", 1.0)
rows += [{"name": "latency", "problem": "10", "workers": 2, "seconds": 1, "figures": [{"name": name, "variant": "skua", "median_ns": ns} for name, ns in (("parked_p50", 7000), ("searching_p50", 400))]}]
json.dump({"schema": "skua-bench-1", "kernels": rows}, open(sys.argv[1], "w"))
PYTHON
python3 "$work/known.py" "$work/known.json" 1 uts
run "$SKUA" sim calibrate --costs="$work/known.json" --runs=1 --json
expect_status 0
expect_silent_err
expect_json two_cores 1.9 outside 0 tick ps costs.wake 7000000 costs.steal.0 400000 costs.push 0 rows.0.kernel fib rows.0.costs_from fib:32 \
	rows.0.workers 1 rows.1.workers 2 rows.2.costs_from 'odd rounds'
cp "$out" "$work/calibrate.json"
run python3 "$SKUA_SOURCE/tests/cli/check_json" "$SKUA_SOURCE/docs/json.md" skua-sim-calibrate-1 "$work/calibrate.json"
expect_status 0
python3 "$work/known.py" "$work/known.json" 1
run "$SKUA" sim calibrate --costs="$work/known.json" --runs=1
expect_status 0
expect_out 'fib:40        fib:32'
refuse "80 columns are enough" grep -qE '^.{81}' "$out"
# Two workers that are a tenth slower than they should be are noticed.
python3 "$work/known.py" "$work/known.json" 1.1
run "$SKUA" sim calibrate --costs="$work/known.json" --runs=1
expect_status 1
expect_out 'are further off than allowed'
