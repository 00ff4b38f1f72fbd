#!/bin/sh
# bench_compare.sh — two runs compared: same, slower, faster, unsure, alone; a slowed build; broken files
. "$SKUA_SOURCE/tests/cli/lib"
need_python
old=$work/old.json new=$work/new.json

run "$SKUA" bench fib:20 nqueens:8 deque --workers=1,2 --repeat=6 --json
expect "0, or 1 without membarrier(2)" [ "$status" -le 1 ]
cp "$out" "$old"

# The same file twice is the same, and told so in the same words each time.
run "$SKUA" bench --compare "$old" "$old"
expect_status 0
expect_silent_err
expect "each row" [ "$(grep -c ' 1\.00 .* same$' "$out")" -eq 6 ]
expect_line '  6 same.'
refuse "80 columns are enough" grep -qE '^.{81}' "$out"
cp "$out" "$work/first"
run "$SKUA" bench "$old" --compare "$old"
expect "the same once more" cmp -s "$out" "$work/first"

# changed PYTHON: $new becomes $old with `kernels` (a list) changed
changed() {
	python3 -c '
import json, sys
report = json.load(open(sys.argv[1]))
kernels = report["kernels"]
exec(sys.argv[3])
json.dump(report, open(sys.argv[2], "w"))' "$old" "$new" "$1"
}

# A made-up one: a kernel twice as slow, one twice as fast, one renamed; steady, so that all can be told.
changed '
for k in kernels:
    k["samples_s"] = [1 + i / 1000 for i in range(6)]
    k["seconds"], k["serial_s"] = 1.0025, 1'
cp "$new" "$old"
changed '
for k, factor in zip(kernels, [2, 0.5, 1.02, 1.04, 1, 1]):
    k["samples_s"] = [factor * s for s in k["samples_s"]]
    k["seconds"] *= factor
kernels[4]["name"] = "steal\x1b[31m"
kernels[5]["samples_s"].pop()'
run "$SKUA" bench --compare "$old" "$new"
expect_status 1
expect_silent_err
expect "slower" grep -qE '^fib +20 +1 +1\.00 s +2\.0[01] s +2\.00 +[0-9.]+ [0-9.]+ +1\.00  slower$' "$out"
expect "faster" grep -qE '^fib +20 +2 .* 0\.50 .* faster$' "$out"
expect "same: below the threshold" grep -qE '^nqueens +8 +1 .* 1\.02 .* same$' "$out"
expect "slower: above the threshold" grep -qE '^nqueens +8 +2 .* 1\.04 .* slower$' "$out"
expect "too few rounds" grep -qE '^deque +2 .* cannot tell$' "$out"
expect_out 'Cannot tell, 1: fewer than 6 rounds'
expect "only in the old one" grep -qE '^deque +1 +1\.00 s +- .* only old$' "$out"
expect "only in the new one" grep -qE '^steal.* only new$' "$out"
expect_line '  2 slower, 1 faster, 1 same, 1 cannot tell, 1 only old, 1 only new.'
refuse "a name does not move the terminal" has_control_bytes "$out"
refuse "80 columns are enough" grep -qE '^.{81}' "$out"

run "$SKUA" bench --compare "$old" "$new" --json
expect_status 1
expect_json_valid
expect_json schema skua-compare-1 threshold 0.03 serial_ratio 1 old.file "$old" counts.slower 2 counts.same 1 \
	rows.0.name fib rows.0.problem 20 rows.0.workers 1 rows.0.verdict slower rows.0.reason null rows.0.ratio 2 \
	rows.1.verdict faster rows.4.verdict only_new rows.4.old_s null rows.5.verdict cannot_tell \
	rows.5.reason few_samples rows.5.ratio null rows.5.new_samples 5 rows.6.verdict only_old
cp "$out" "$work/compared.json"
run python3 "$SKUA_SOURCE/tests/cli/check_json" "$SKUA_SOURCE/docs/json.md" skua-compare-1 "$work/compared.json"
expect_status 0

# The threshold, and the way back: slower becomes faster.
run "$SKUA" bench --compare --threshold=5 "$old" "$new"
expect_status 1
expect_out '  1 slower, 1 faster, 2 same'
run "$SKUA" bench --compare --threshold=1000 "$old" "$new"
expect_status 0
run "$SKUA" bench --compare --threshold 0 "$new" "$old"
expect_status 1
expect "the way back" grep -qE '^fib +20 +1 .* 0\.50 .* faster$' "$out"

# A machine that was slower as a whole is named.
changed '
for k in kernels:
    k["samples_s"] = [1.5 * s for s in k["samples_s"]]
    k["serial_s"] *= 1.5'
run "$SKUA" bench --compare "$old" "$new"
expect_status 1
expect_out 'The plain serial programs took 1.50 times as long too'

# Nothing to be told is no good news: a file of an older skua, wrong results, nothing in common.
changed '
for k in kernels: del k["samples_s"]'
run "$SKUA" bench --compare "$old" "$new"
expect_status 3
expect_out 'Cannot tell, 6: a file holds no samples'
expect_err 'skua bench: of not one measurement can be told'
changed '
for k in kernels: k["check"] = False'
run "$SKUA" bench --compare "$old" "$new"
expect_status 3
expect_out 'Cannot tell, 6: its result was wrong'
changed 'kernels.clear()'
run "$SKUA" bench --compare "$old" "$new"
expect_status 3
expect_err 'the two files have no measurement in common'
run "$SKUA" bench --compare "$new" "$new"
expect_status 3
expect_out 'Both files are empty.'
changed 'kernels[0]["samples_s"] = [1e-320] * 6; kernels[1]["samples_s"] = [1e308] * 6; kernels[2]["samples_s"] = [0] * 6'
run "$SKUA" bench --compare "$old" "$new" --json
expect_json_valid

# A build whose forks are dearer, measured for real.  There is none where disorder makes all of them dear.
slowed=$SKUA_BUILD/tests/skua_slowed
if ! grep -q '^SKUA_ATOMICS:.*=chaos' "$SKUA_BUILD/CMakeCache.txt"; then
	run "$SKUA" bench fib:20 --workers=1 --repeat=15 --json
	expect_status 0
	cp "$out" "$old"
	run "$slowed" bench fib:20 --workers=1 --repeat=15 --json
	expect_status 0
	cp "$out" "$new"
	run "$SKUA" bench --compare "$old" "$new"
	expect_status 1
	expect "it is noticed" grep -qE '^fib +20 +1 .* slower$' "$out"
	run "$SKUA" bench --compare "$new" "$old"
	expect_status 0
	expect "and that the other is faster" grep -qE '^fib +20 +1 .* faster$' "$out"
fi

# broken TEXT WHAT: a file that holds this is refused, with its place and what to try
broken() {
	printf '%s' "$1" >"$new"
	run "$SKUA" bench --compare "$old" "$new"
	expect_status 3
	expect_silent_out
	expect_err "skua bench: $new:$2"
	expect_err "it should be what 'skua bench --json >FILE' wrote"
}
broken '' '1:1: the file ends where a value should be'
broken '{"schema": "skua-bench-1",
 "kernels": [{"name": "é" "x"}]}' '2:27: expected a comma or }'
broken "$(head -c 300 "$old")" ''
broken '[]' '1:1: its schema is not skua-bench-1'
broken '{"schema": "skua-doctor-1"}' '1:1: its schema is not skua-bench-1'
broken '{"schema": "skua-bench-1"}' '1:1: it has no array of kernels'
broken '{"schema": "skua-bench-1", "kernels": [7]}' '1:40: this kernel has no name'
broken '{"schema": "skua-bench-1", "kernels": [{"name": "fib"}]}' '1:40: this kernel has no number of workers'
broken '{"schema": "skua-bench-1", "kernels": [{"name": "fib", "workers": 1}]}' '1:40: this kernel has no seconds'
whole='{"schema": "skua-bench-1", "kernels": [{"name": "fib", "workers": 1, "seconds": 1, "samples_s": '
broken "$whole[1, null]}]}" '1:101: this is no number of seconds'
broken "$whole{}}]}" '1:97: samples_s is no array'
broken "$whole[$(seq -s, 1001)]}]}" '1:97: samples_s has more than 1000 values'
run "$SKUA" bench --compare "$new" "$old"
expect_status 3
expect_err "$new:1:97"
run "$SKUA" bench --compare "$old" "$work/none"
expect_status 3
expect_err "skua bench: cannot read $work/none: No such file or directory"
run "$SKUA" bench --compare "$work" "$old"
expect_status 3
expect_err "skua bench: cannot read $work: Is a directory"
run_line "'$SKUA' bench --compare '$old' /dev/zero >'$out' 2>'$err'"
expect_status 3
expect_err 'it has 64 MB or more'

blamed() { # WHAT [HINT]
	expect_status 2
	expect_silent_out
	expect_err "$1"
	[ $# -eq 1 ] || expect_err "$2"
}
run "$SKUA" bench --compare "$old"
blamed '--compare needs two files' 'expected --compare OLD NEW'
run "$SKUA" bench --compare a b c
blamed '--compare needs two files'
expect_err_line '                             ~'
for other in --workers=1 --repeat=3 --large --list; do
	run "$SKUA" bench --compare a b $other
	blamed "--compare measures nothing, so ${other%=*} has no meaning" 'leave it out'
done
run "$SKUA" bench --threshold=3 fib:20
blamed '--threshold goes with --compare' 'add --compare OLD NEW'
for wrong in -1 1001 x 2.5; do
	run "$SKUA" bench --compare a b --threshold=$wrong
	blamed "--threshold=$wrong is"
done
