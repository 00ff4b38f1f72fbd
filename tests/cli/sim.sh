#!/bin/sh
# sim.sh — the simulator: list, table, JSON, CSV, SVG, step log, and the same bytes every time
. "$SKUA_SOURCE/tests/cli/lib"
need_python

small='loop:heavy,tasks=600'

# The list, and the manual has all of it.
run "$SKUA" sim --list
expect_status 0
expect_silent_err
for name in loop bag tree uts layers fib queens sort steps shares open dag:FILE \
	central sharing static steal skua steal-one steal-half steal-near steal-urgent lifelines sharing-two sharing-some; do
	expect "$name is in the list" grep -q "^  $name  *[a-z]" "$out"
	expect "$name is in skua-sim(1)" grep -qE "^\.It Cm .*${name%%:*}( |$)" "$SKUA_SOURCE/docs/man/skua-sim.1"
done
for name in random round turns nearest last latency remote constant linear quadratic heavy exponential bimodal; do
	expect_out " $name"
done
refuse "80 columns are enough" grep -qE '^.{81}' "$out"

# The table: every scheduler with every number of workers, a bar, the bounds, and that it is simulated.
run "$SKUA" sim "$small" --workers=1,16,64 --runs=2
expect_status 0
expect_silent_err
expect_out "$small, simulated"
expect_out 'work T1'
expect_out 'Means of 2 runs from seed 1'
for name in central sharing static steal skua; do
	expect "$name has its rows" [ "$(grep -cE "^ +(1|16|64)  $name +[0-9]" "$out")" -eq 3 ]
done
for column in time '+-' speed-up effic. /bound; do
	expect_out " $column"
done
expect_out '■'
refuse "80 columns are enough" grep -qE '^.{81}' "$out"
refuse_out ' search'
run "$SKUA" sim "$small" --workers=16 --runs=2 --detail
expect_status 0
for column in tasks cost search wait sleep idle c used steals failed messages queue alive memory; do
	expect "a column $column" grep -qE " $column( |$)" "$out"
done
refuse "80 columns are enough" grep -qE '^.{81}' "$out"
run env LC_ALL=C "$SKUA" sim "$small" --workers=4 --runs=1
expect "only ASCII in C" [ -z "$(LC_ALL=C tr -d '\n\040-\176' <"$out")" ]
run env COLUMNS=40 "$SKUA" sim "$small" --workers=4 --runs=1 --scheduler=steal
refuse "40 columns are enough" grep -qE '^.{41}' "$out"

# Numbers of workers.
run "$SKUA" sim bag:100 --workers=1..10^3,5 --runs=1 --scheduler=static --csv=-
expect_status 0
expect "by tens, and one more" [ "$(cut -d, -f3 "$out" | tr '\n' ' ')" = 'workers 1 10 100 1000 5 ' ]
run "$SKUA" sim bag:100 --workers=3..20 --runs=1 --scheduler=static --csv=-
expect "by twos" [ "$(cut -d, -f3 "$out" | tr '\n' ' ')" = 'workers 3 6 12 20 ' ]
run "$SKUA" sim bag:100 --workers=1..64x8,1k,2e3 --runs=1 --scheduler=static --csv=-
expect "by eights" [ "$(cut -d, -f3 "$out" | tr '\n' ' ')" = 'workers 1 8 64 1000 2000 ' ]

# JSON: every documented key is there, every key is documented, and the figures can be.
check_json() { run python3 "$SKUA_SOURCE/tests/cli/check_json" "$SKUA_SOURCE/docs/json.md" "$@" && expect_status 0; }
run "$SKUA" sim "$small" --workers=1,8 --runs=3 --seed=7 --json
expect_status 0
expect_silent_err
expect_json schema skua-sim-1 seed 7 runs 3 tick ns workload.name "$small" workload.tasks 600 workload.recorded null \
	rows.0.scheduler central rows.0.workers 1 rows.9.scheduler skua rows.9.workers 8
cp "$out" "$work/sim.json"
expect "what is told can be" python3 - "$out" <<'PYTHON'
import json, sys
sim = json.load(open(sys.argv[1]))
work, span = sim["workload"]["work"], sim["workload"]["span"]
if not 0 < span <= work:
    sys.exit(f"work {work}, span {span}")
for row in sim["rows"]:
    p, time = row["workers"], row["makespan"]
    spent = sum(row[key] for key in ("busy", "overhead", "searching", "waiting", "parked", "blocked"))
    if abs(spent - 1) > 1e-9:
        sys.exit(f"the shares of time are {spent}: {row}")
    if time < max(work / p, span) - 1e-6:
        sys.exit(f"faster than can be: {row}")
    if abs(row["speedup"] - work / time) > 0.01 * row["speedup"] or not 0 < row["efficiency"] <= 1:
        sys.exit(f"speed-up: {row}")
    if not 0 <= row["tries"] - row["failed"] - row["steals"] <= p + 1e-6 or (p == 1 and row["steals"]): # some are on their way at the end
        sys.exit(f"steals: {row}")
    if not 0 < row["used_workers"] <= p or row["half_widths"]["makespan"] is None:
        sys.exit(f"workers, width: {row}")
PYTHON
run "$SKUA" sim tree:6 --topology=cluster --workers=100 --runs=1 --scheduler=steal --json
expect_json topology.0.group 8 topology.2.group null topology.2.latency 2000 rows.0.half_widths.makespan null
cp "$out" "$work/one.json"

# The step log: as documented, in the order of time, every task begun once and ended once.
run "$SKUA" sim tree:4,leaf=50 --workers=3 --scheduler=steal --steps="$work/steps.json" --runs=1
expect_status 0
check_json skua-sim-steps-1 "$work/steps.json"
expect "steps that can be" python3 - "$work/steps.json" <<'PYTHON'
import collections, json, sys
log = json.load(open(sys.argv[1]))
times = [step[0] for step in log["steps"]]
kinds = collections.Counter(step[1] for step in log["steps"])
if times != sorted(times) or times[-1] > log["makespan"]:
    sys.exit("not in the order of time")
if kinds["begin"] != kinds["end"] or kinds["begin"] < log["tasks"]:
    sys.exit(f"begun and ended: {kinds}, {log['tasks']} tasks")
if kinds["try"] != kinds["fail"] + kinds["steal"] and kinds["try"] < kinds["steal"]:
    sys.exit(f"tries: {kinds}")
if {step[2] for step in log["steps"]} - set(range(log["workers"])):
    sys.exit("a worker that is none")
PYTHON

# Priorities: told apart where they are not heeded; heeded, the urgent are done first and the low last.
awk 'BEGIN { for (i = 0; i < 60; i++) print "t" i, 4000, i % 10 == 3 ? "urgent" : i % 10 == 7 ? "low" : "", "on", i % 4 }' >"$work/ranks"
run "$SKUA" sim "dag:$work/ranks" --workers=4 --runs=3 --scheduler=steal,steal-urgent,central,static,skua --json
expect_status 0
cp "$out" "$work/ranks.json"
run "$SKUA" sim "dag:$work/ranks" --workers=4 --runs=3 --scheduler=steal,steal-urgent,central,static,skua --priorities --json
expect_status 0
expect "what priorities do" python3 - "$work/ranks.json" "$out" <<'PYTHON'
import json, sys
plain, heeded = ({row["scheduler"]: row for row in json.load(open(name))["rows"]} for name in sys.argv[1:])
in_order = lambda row: row["urgent_last_end"] < row["normal_mean_end"] < row["low_mean_end"] == max(row["low_mean_end"], row["normal_mean_end"])
for name in plain:
    if in_order(plain[name]) != (name in ("steal-urgent", "skua")) or in_order(heeded[name]) != (name != "static"):
        sys.exit(f"{name}: {plain[name]}\n{heeded[name]}")
    same = {key for key in plain[name] if plain[name][key] == heeded[name][key]}
    if (len(same) == len(plain[name])) != (name not in ("steal", "central")):
        sys.exit(f"{name}: the same are {same}")
if heeded["steal"] != {**plain["steal-urgent"], "scheduler": "steal"}:
    sys.exit("steal --priorities is steal-urgent")
PYTHON
run "$SKUA" sim "dag:$work/ranks" --workers=4 --runs=1 --scheduler=steal,steal-urgent
expect_status 0
expect "a table of ends" grep -qE '^ +workers +scheduler +urgent +last +normal +last +low +last$' "$out"
expect_out 'when a task of that priority ends, on average'
refuse "80 columns are enough" grep -qE '^.{81}' "$out"
run "$SKUA" sim tree:3 --workers=4 --runs=1 --priorities
expect_status 0
refuse_out urgent
run "$SKUA" sim "dag:$work/ranks" --workers=4 --scheduler=steal-urgent --steps="$work/ranks.steps" --runs=1
expect_status 0
check_json skua-sim-steps-1 "$work/ranks.steps" "$work/steps.json"
expect "steps with priorities" python3 - "$work/ranks.steps" "$work/steps.json" <<'PYTHON'
import json, sys
ranked, plain = (json.load(open(name)) for name in sys.argv[1:])
if ranked["columns"][-1] != "priority" or len(plain["columns"]) != 7 or {len(step) for step in plain["steps"]} != {7}:
    sys.exit("columns")
word = lambda task: None if task is None else {3: "urgent", 7: "low"}.get(task % 10, "normal")
if any(step[7] != word(step[4]) for step in ranked["steps"]):
    sys.exit("a wrong priority")
begun = [step[7] for step in ranked["steps"] if step[1] == "begin"]
if begun[:6] != ["urgent"] * 6 or begun[-6:] != ["low"] * 6:
    sys.exit(f"{begun}")
PYTHON

# The same bytes: again, on pools of one, two and five workers, another seed is another run.
for form in --json --csv=- --svg=- --detail; do
	for pool in 1 2 5; do
		run env SKUA_WORKERS=$pool "$SKUA" sim layers:800,fan=40 --workers=4,32 --runs=4 "$form"
		expect_status 0
		[ $pool = 1 ] && cp "$out" "$work/first" && continue
		expect "$form is the same on a pool of $pool" cmp -s "$work/first" "$out"
	done
	run "$SKUA" sim layers:800,fan=40 --workers=4,32 --runs=4 --seed=2 "$form"
	refuse "$form is another with another seed" cmp -s "$work/first" "$out"
done
run "$SKUA" sim tree:5 --workers=4 --scheduler=skua --steps=-
cp "$out" "$work/first"
run env SKUA_WORKERS=1 "$SKUA" sim tree:5 --workers=4 --scheduler=skua --steps=-
expect "--steps is the same" cmp -s "$work/first" "$out"

# CSV: a line a run, whose mean the JSON has.
run "$SKUA" sim "$small" --workers=1,8 --runs=3 --seed=7 --csv="$work/sim.csv" --svg="$work/sim.svg"
expect_status 0
expect_out "$small, simulated"
expect "CSV and JSON agree" python3 - "$work/sim.csv" "$work/sim.json" <<'PYTHON'
import csv, json, sys
lines, sim = list(csv.DictReader(open(sys.argv[1]))), json.load(open(sys.argv[2]))
if len(lines) != 3 * len(sim["rows"]):
    sys.exit(f"{len(lines)} lines")
for number, row in enumerate(sim["rows"]):
    runs = lines[3 * number:3 * number + 3]
    if [run["seed"] for run in runs] != ["7", "8", "9"] or {run["scheduler"] for run in runs} != {row["scheduler"]}:
        sys.exit(f"{runs}")
    for key in row:
        if key in ("scheduler", "half_widths"):
            continue
        mean = sum(float(run[key]) for run in runs) / 3
        if abs(mean - row[key]) > 1e-6 * max(1, abs(row[key])):
            sys.exit(f"{key}: {mean} in the CSV, {row[key]} in the JSON")
PYTHON

# SVG: well-formed, told to who cannot see it, for light and dark, nothing that runs or is fetched.
expect "a picture as it should be" python3 - "$work/sim.svg" <<'PYTHON'
import re, sys
import xml.etree.ElementTree as xml
text = open(sys.argv[1], encoding="utf-8").read()
root = xml.fromstring(text)
name = lambda e: e.tag.split("}")[1]
if root[0].text.find("simulated") < 0 or name(root[0]) != "title" or name(root[1]) != "desc" or "skua" not in root[1].text:
    sys.exit("title and desc")
if "prefers-color-scheme: dark" not in text or re.search(r"<script|href=|url\(|@import|on\w+=", text):
    sys.exit("dark, or a script or something that is fetched")
lines = [e for e in root.iter() if name(e) == "path" and e.get("class") == "line"]
dots = [e for e in root.iter() if name(e) == "path" and e.get("class") == "dot"]
if len(lines) != 5 or len(dots) != 15 or "nan" in text or "inf " in text:
    sys.exit(f"{len(lines)} lines, {len(dots)} dots")
for d in re.findall(r'translate\(([0-9.]+) ([0-9.]+)\)', text):
    if not (0 <= float(d[0]) <= 760 and 0 <= float(d[1]) <= 460):
        sys.exit(f"outside of the picture: {d}")
PYTHON
run "$SKUA" sim bag:1 --workers=1 --runs=1 --scheduler=static --svg=-
expect_status 0
refuse_out nan

# The textbook: what each of them is worse at.
run "$SKUA" sim loop:heavy,tasks=4000 --workers=64 --json
expect "static and the central queue are behind stealing" python3 - "$out" <<'PYTHON'
import json, sys
time = {row["scheduler"]: row["makespan"] for row in json.load(open(sys.argv[1]))["rows"]}
if not (time["steal"] < time["central"] and time["skua"] < time["static"] and time["steal"] < time["sharing"]):
    sys.exit(f"{time}")
PYTHON
run "$SKUA" sim bag:20000,leaf=100 --workers=64 --scheduler=steal-one,steal-half --json
expect "one at a time is behind half" python3 - "$out" <<'PYTHON'
import json, sys
one, half = json.load(open(sys.argv[1]))["rows"]
if not one["makespan"] > 2 * half["makespan"]:
    sys.exit(f"{one['makespan']} {half['makespan']}")
PYTHON
for load in steps:10k shares:100k open:0.5,length=50 uts:fixed fib:15 queens:6 sort:20k layers:500; do
	run "$SKUA" sim "$load" --workers=5 --runs=2
	expect_status 0
	expect_silent_err
	expect_out "$load, simulated"
done
for knob in --victim=nearest --victim=last --amount=one --amount=0.25 --join=owner --lifelines=2 --lifelines=2,3 --speeds=1,0.5 \
	--stall=0-1@100+5000 --stall=0@0+10/1000,1@5+5 --quota=1000/4000 --latency=50 --topology=machine --topology=cluster \
	--topology=4:10,all:100 --cost=steal=10/20,push=0,wake=1M; do
	run "$SKUA" sim tree:7 --workers=12 --scheduler=steal --runs=2 "$knob"
	expect_status 0
	expect_silent_err
done

# The bound.
run "$SKUA" sim bound --workers=1,16,256 --runs=2 --json
expect_status 0
cp "$out" "$work/bound.json"
expect "one c for all, and not a large one" python3 - "$out" <<'PYTHON'
import json, sys
bound = json.load(open(sys.argv[1]))
if not bound["c_low"] <= bound["c"] <= bound["c_high"] <= bound["c_most"] <= 10:
    sys.exit(f"{bound['c_low']} {bound['c']} {bound['c_high']} {bound['c_most']}")
for row in bound["rows"]:
    if row["makespan"] > row["work"] / row["workers"] + bound["c_most"] * row["span"] + 1e-6 or row["workers"] == 1 and row["c"] > 1e-9:
        sys.exit(f"{row}")
PYTHON
run "$SKUA" sim bound --workers=1 --runs=1 --json
expect_json c null
cp "$out" "$work/one.json"
check_json skua-sim-bound-1 "$work/bound.json" "$work/one.json"
run "$SKUA" sim bound --workers=8 --runs=2
expect_status 0
expect "the fitted c with its interval" grep -qE 'Fitted c = [0-9.]+ \[[0-9.]+, [0-9.]+\]' "$out"
expect_out 'Every run holds with c = '
refuse "80 columns are enough" grep -qE '^.{81}' "$out"
