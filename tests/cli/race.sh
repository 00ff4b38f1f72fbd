#!/bin/sh
# race.sh — the race: list, table, JSON, CSV, a rival that cannot start, slips on the command line
. "$SKUA_SOURCE/tests/cli/lib"
need_python

rivals='shared_queue static_split work_sharing mutex_deques mpmc_queue skua skua_one skua_round_robin skua_nearest skua_no_spin'
shapes='uniform skewed tree tiny bursty long-tail io-ish'

# The list, and the manual has all of it.
run "$SKUA" race --list
expect_status 0
expect_silent_err
for name in $rivals $shapes; do
	expect "$name is in the list" grep -q "^  $name  *[a-z]" "$out"
	expect "$name is in skua-race(1)" grep -q "^\.It .*$name" "$SKUA_SOURCE/docs/man/skua-race.1"
done
refuse "80 columns are enough" grep -qE '^.{81}' "$out"

# Everything, small, in JSON: a row for the loop and for each rival and number of workers.
run "$SKUA" race --jobs=60 --repeat=3 --workers=1,2 --seed=7 --json
expect_status 0
expect_silent_err
expect_json_valid
expect_json schema skua-race-1 seed 7 repeat 3 shapes.0.name uniform shapes.6.name io-ish \
	shapes.0.jobs 60 shapes.0.rows.0.rival serial shapes.0.rows.0.workers 1
cp "$out" "$work/race.json"
expect "what is told can be" python3 - "$out" "$rivals" "$shapes" <<'PYTHON'
import json, sys
race, rivals, shapes = json.load(open(sys.argv[1])), sys.argv[2].split(), sys.argv[3].split()
if [shape["name"] for shape in race["shapes"]] != shapes:
    sys.exit("not all shapes, or not in order")
for shape in race["shapes"]:
    rows = [(row["rival"], row["workers"]) for row in shape["rows"]]
    if rows != [("serial", 1)] + [(rival, n) for n in (1, 2) for rival in rivals]:
        sys.exit(f"{shape['name']}: rows {rows}")
    for row in shape["rows"]:
        name = f"{shape['name']}, {row['rival']}, {row['workers']} workers: {row}"
        if row["check"] is not True or row["failed"] is not None or row["samples"] != 3:
            sys.exit(f"{name}: did not run, or not right")
        if not 0 < row["quartile_low_s"] <= row["seconds"] <= row["quartile_high_s"]:
            sys.exit(f"{name}: times that cannot be")
        if row["cpu_s"] < 0 or row["voluntary_switches"] < 0 or row["involuntary_switches"] < 0:
            sys.exit(f"{name}: less than nothing")
        is_serial = row["rival"] == "serial"
        for key in ("speedup", "utilisation", "imbalance", "imbalance_worst", "parks"):
            if (row[key] is None) != is_serial:
                sys.exit(f"{name}: {key}")
        if is_serial:
            continue
        if not (row["speedup"] > 0 and 1 - 1e-9 <= row["imbalance"] <= row["imbalance_worst"] <= row["workers"] + 1e-9):
            sys.exit(f"{name}: figures that cannot be")
        if shape["name"] != "tiny" and not 0 < row["utilisation"] < 1.001:
            sys.exit(f"{name}: utilisation")
        if (row["lock_waits"] is None) != row["rival"].startswith("skua"):
            sys.exit(f"{name}: lock waits")
        if (row["cas_failures"] is not None) != (row["rival"] == "mpmc_queue"):
            sys.exit(f"{name}: failures of CAS")
        steals = row["rival"].startswith("skua") or row["rival"] == "mutex_deques"
        if (row["steals"] is not None) != steals:
            sys.exit(f"{name}: steals")
        if row["workers"] == 1 and row["steals"]:
            sys.exit(f"{name}: one worker stole")
PYTHON

# JSON: every documented key is there, every key is documented.
run "$SKUA" race uniform --jobs=2 --repeat=1 --rivals=skua --workers=1 --json
expect_json shapes.0.rows.1.samples 1
cp "$out" "$work/one.json"
run python3 "$SKUA_SOURCE/tests/cli/check_json" "$SKUA_SOURCE/docs/json.md" skua-race-1 \
	"$work/race.json" "$work/one.json"
expect_status 0

# The table.
run "$SKUA" race tree tiny --jobs=500 --repeat=1 --workers=1,3
expect_status 0
expect_silent_err
expect_out 'tree, 500 jobs, 1 worker: each job'
expect_out 'tree, 500 jobs, 3 workers: each job'
expect_out 'tiny, 500 jobs, 3 workers: '
expect "every rival has its rows" [ "$(grep -c '^skua_round_robin  *[0-9]' "$out")" -eq 4 ]
expect "and the loop" [ "$(grep -c '^serial  *[0-9.]*[num]*s  *1\.00 ' "$out")" -eq 4 ]
for column in time speed-up util waits switches CPU imbal; do
	expect_out " $column"
done
expect_out 'Medians of 1 round in random order, seed 1.'
expect_out 'Every job ran exactly once, and every result was right.'
expect_out '■'
refuse "80 columns are enough" grep -qE '^.{81}' "$out"
refuse "no progress where nobody looks" grep -q '/1' "$err"

# Narrow: fewer columns; wide: longer bars; no UTF-8: plain bars.
run env COLUMNS=40 "$SKUA" race tree --jobs=50 --repeat=1 --rivals=skua
expect_status 0
expect_out ' speed-up'
refuse_out 'imbal '
refuse "40 columns are enough" grep -qE '^.{41}' "$out"
run env COLUMNS=100 "$SKUA" race tree --jobs=50 --repeat=1 --rivals=skua
refuse "100 columns are enough" grep -qE '^.{101}' "$out"
expect_out ' imbal'
run env LC_ALL=C "$SKUA" race tree --jobs=50 --repeat=1 --rivals=skua
expect_status 0
expect "only ASCII in C" [ -z "$(LC_ALL=C tr -d '\n\040-\176' <"$out")" ]
expect "bars of #" grep -q '^serial .*  ##*$' "$out"

# CSV: a line for each round of each row, all with the same columns.
run "$SKUA" race skewed io-ish --jobs=20 --repeat=2 --workers=2 --csv
expect_status 0
expect_silent_err
expect "columns and rows as they should be" python3 - "$out" "$rivals" <<'PYTHON'
import csv, sys
lines, rivals = list(csv.reader(open(sys.argv[1]))), ["serial"] + sys.argv[2].split()
title = ("shape jobs rival workers round seconds speedup utilisation lock_waits cas_failures steals failed_steals parks "
         "voluntary_switches involuntary_switches cpu_s imbalance check").split()
if lines[0] != title:
    sys.exit(f"columns {lines[0]}")
wanted = [[shape, rival, str(round)] for shape in ("skewed", "io-ish") for round in (1, 2) for rival in rivals]
if [[line[0], line[2], line[4]] for line in lines[1:]] != wanted:
    sys.exit(f"rows {lines}")
for line in lines[1:]:
    row = dict(zip(title, line, strict=True))
    if row["jobs"] != "20" or row["check"] != "true" or not float(row["seconds"]) > 0:
        sys.exit(f"{row}")
    if (row["speedup"] == "") != (row["rival"] == "serial"):
        sys.exit(f"{row}")
PYTHON

# The same rival twice, to see what the machine alone makes of a difference; default workers.
run env SKUA_WORKERS=3 "$SKUA" race uniform --rivals=skua,skua --jobs=10 --repeat=1 --json
expect_status 0
expect_json shapes.0.rows.1.rival skua shapes.0.rows.2.rival skua shapes.0.rows.2.workers 3

# A rival that cannot start is named, the others run; when none can, there is nothing to tell.
if [ -x "$SKUA_BUILD/tests/with_denied_syscall" ]; then
	run env SKUA_FAULT=thread:1:ever "$SKUA" race uniform --rivals=skua,shared_queue --workers=2 --jobs=10 --repeat=1
	if [ "$status" -ne 0 ]; then # a build with the fault table
		expect_status 1
		expect_err 'skua race: uniform: left out skua with 2 workers: there was no memory or no thread'
		expect_err 'try fewer --workers'
		expect "its row says so" grep -q '^skua  *did not run: there was no memory' "$out"
		expect "the other ran" grep -q '^shared_queue  *[0-9]' "$out"
		refuse_out 'Every job ran'
		run env SKUA_FAULT=thread:1:ever "$SKUA" race uniform --rivals=skua,shared_queue --workers=2 --jobs=10 --repeat=1 --json
		expect_status 1
		expect_json_valid
		expect_json shapes.0.rows.1.seconds null shapes.0.rows.1.samples 0 shapes.0.rows.2.samples 1 \
			shapes.0.rows.1.failed 'there was no memory or no thread for its pool'
		run env SKUA_FAULT=thread:1:ever "$SKUA" race uniform --rivals=skua,shared_queue --workers=2 --jobs=10 --repeat=1 --csv
		expect "no line of it in the CSV" [ "$(wc -l <"$out")" -eq 3 ]
		run env SKUA_FAULT=thread:1:ever "$SKUA" race uniform --rivals=skua --workers=2 --jobs=10 --repeat=1
		expect_status 3
	fi
fi

blamed() { # WHAT [HINT]
	expect_status 2
	expect_silent_out
	expect_err "$1"
	[ $# -eq 1 ] || expect_err "$2"
}
run "$SKUA" race tre
blamed "skua race: there is no shape 'tre'" 'did you mean tree?'
expect_err_line '    skua race tre'
expect_err_line '              ~~~'
run "$SKUA" race tree zzzzzzz
blamed "there is no shape 'zzzzzzz'" "'skua race --list' names the shapes"
run "$SKUA" race ''
blamed "there is no shape ''"
run "$SKUA" race --rivals=skua,skua_two
blamed "there is no rival 'skua_two'" 'did you mean skua'
run "$SKUA" race --rivals=
blamed "there is no rival ''" "'skua race --list' names the rivals"
run "$SKUA" race --rivals=skua,
blamed "there is no rival ''"
run "$SKUA" race --rivals="$(printf '%0500d' 7)"
blamed "there is no rival '0000"
run "$SKUA" race --rivals="$(printf 'skua,%.0s' 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16)skua"
blamed '--rivals has too many names' 'at most 16 at a time'
for wrong in 0 257 -1 x '' 1, ,1 1,,2 1,x 99999999999999999999 '1 2'; do
	run "$SKUA" race --workers="$wrong"
	blamed "--workers=$wrong is out of range" 'expected a whole number, 1..256'
done
run "$SKUA" race --workers=1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1
blamed '--workers has too many numbers' 'at most 16 at a time'
run "$SKUA" race --jobs=0
blamed '--jobs=0 is out of range' 'expected a whole number, 1..1000000'
run "$SKUA" race --repeat=many
blamed '--repeat=many is not a number in range'
run "$SKUA" race --seed=-1
blamed '--seed=-1 is not a number in range'
run "$SKUA" race --json --csv
blamed '--json and --csv exclude each other' 'choose one of them'
run "$SKUA" race --jsn
blamed 'did you mean --json?'
