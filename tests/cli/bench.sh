#!/bin/sh
# bench.sh — the deque's kernel runs and checks itself; table, JSON, and slips on the command line
. "$SKUA_SOURCE/tests/cli/lib"
need_python

run "$SKUA" bench deque --repeat=3
expect "0, or 1 without membarrier(2)" [ "$status" -le 1 ]
[ "$status" -eq 0 ] || expect_err 'left out the asymmetric deque'
expect_out 'deque: push, pop and steal'
expect_out 'all came out, none twice.'
for row in 'push + pop, others below' 'push + pop, the only one' 'the same, 1 thief' 'the same, all thieves' \
	'steal, owner asleep' 'steal, owner at work' 'steal, nothing there' 'push, room for all' 'push, growing from 1'; do
	expect_out "  $row "
done
for column in plain portable asymmetric; do
	expect_out " $column"
done
refuse "80 columns are enough" grep -qE '^.{81}' "$out"
refuse "no progress where nobody looks" grep -q '/3' "$err"

# JSON: every documented key is there, every key is documented.
run "$SKUA" bench deque deque --repeat=2 --json --workers=2
expect "0, or 1 without membarrier(2)" [ "$status" -le 1 ]
expect_json_valid
expect_json schema skua-bench-1 repeat 2 kernels.0.name deque kernels.1.name deque \
	kernels.0.workers 2 kernels.0.check true kernels.0.figures.0.name pair \
	kernels.0.figures.0.variant plain kernels.0.figures.0.samples 2
expect "what is told can be" python3 - "$out" <<'PYTHON'
import json, sys
report = json.load(open(sys.argv[1]))
kernel = report["kernels"][0]
names = {figure["name"] for figure in kernel["figures"]}
if "pair_one_thief" not in names or "pair_all_thieves" in names:
    sys.exit(f"one thief was asked for: {names}")
if not (kernel["serial_s"] > 0 and kernel["seconds"] > 0 and kernel["tasks"] > kernel["steals"] > 0):
    sys.exit(f"figures that cannot be: {kernel}")
for figure in kernel["figures"]:
    if figure["samples"] and not figure["quartile_low_ns"] <= figure["median_ns"] <= figure["quartile_high_ns"]:
        sys.exit(f"quartiles out of order: {figure}")
PYTHON

# One worker: nobody to steal, no row about it.
run "$SKUA" bench deque --workers=1 --repeat=1
expect "0, or 1 without membarrier(2)" [ "$status" -le 1 ]
refuse_out 'thief'
expect_out 'steal, owner asleep'

# No membarrier(2): measured without it, and said so.
if [ -x "$SKUA_BUILD/tests/with_denied_syscall" ]; then
	run env SKUA_FAULT=membarrier:1:ever "$SKUA" bench deque --repeat=1
	case $status in
	0) ;; # a build without the fault table
	*)
		expect_status 1
		expect_err 'skua bench: deque: left out the asymmetric deque'
		expect_out 'Left out: '
		run env SKUA_FAULT=membarrier:1:ever "$SKUA" bench deque --repeat=1 --json
		expect_json_valid
		expect_json kernels.0.figures.2.median_ns null kernels.0.figures.2.samples 0
		;;
	esac
	run env SKUA_FAULT=malloc:1:ever "$SKUA" bench deque --repeat=1
	[ "$status" -eq 0 ] || {
		expect_status 3
		expect_err 'skua bench: cannot measure deque: not enough memory'
	}
fi

blamed() { # WHAT [HINT]
	expect_status 2
	expect_silent_out
	expect_err "$1"
	[ $# -eq 1 ] || expect_err "$2"
}
run "$SKUA" bench dequ
blamed "skua bench: there is no kernel 'dequ'" 'did you mean deque?'
expect_err_line '    skua bench dequ'
expect_err_line '               ~~~~'
run "$SKUA" bench deque zzzzzzz
blamed "there is no kernel 'zzzzzzz'" "'skua bench --list' names the kernels"
for wrong in 0 257 -1 x '' 1, ,1 1,,2 1,x 2,0 1,257 99999999999999999999 '1 2'; do
	run "$SKUA" bench --workers="$wrong"
	blamed "--workers=$wrong is out of range" 'expected a whole number, 1..256'
done
run "$SKUA" bench --workers=1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1
blamed '--workers has too many numbers' 'at most 16 at a time'
run "$SKUA" bench deque:huge
blamed "kernel deque has no size 'huge'" 'it has one size only'
run "$SKUA" bench --repeat=0
blamed '--repeat=0 is out of range'
run "$SKUA" bench --repeat=many
blamed '--repeat=many is not a number in range'
run "$SKUA" bench --jsn
blamed 'did you mean --json?'
