#!/bin/sh
# scan_faults.sh — a scan whose calls fail, with hardly any descriptors, in a tree that changes
. "$SKUA_SOURCE/tests/cli/lib"
need_python
scan_tests=$SKUA_SOURCE/tests/scan

tree=$work/tree
mkdir -p "$tree/a/b/c" "$tree/d"
for name in one two a/three a/b/four a/b/c/five d/six; do echo "$name" >"$tree/$name"; done
ln "$tree/one" "$tree/d/again"
ln -s one "$tree/link"

# Each call of the walk fails in turn.
if command -v cc >/dev/null && [ "${SKUA_BUILD##*/}" != asan ] && [ "${SKUA_BUILD##*/}" != msan ]; then
	run cc -shared -fPIC -D_GNU_SOURCE -o "$work/scan_faults.so" "$scan_tests/scan_faults.c"
	expect_status 0
	run python3 "$scan_tests/fail_each" "$SKUA" "$work/scan_faults.so" "$tree"
	expect_status 0
else
	echo "no faults are put into the calls: there is no cc, or a sanitizer has them"
fi

# Descriptors for hardly more than the standard streams; many workers are asked for.
python3 "$scan_tests/make_trees" --entries 1500 source "$work/source" || exit 3
python3 "$scan_tests/make_trees" deep "$work/deep" || exit 3
for name in source deep; do
	run "$SKUA" scan --json "$work/$name"
	files=$(json files) directories=$(json directories) bytes=$(json bytes_disk)
	for level in --count --tree --extensions; do
		[ "$name$level" != deep--tree ] || continue # its rows are longer than a test should print
		run_line "(ulimit -n 16 && '$SKUA' scan --workers=64 --json $level '$work/$name') >'$out' 2>'$err'"
		expect_status 0
		expect_json files "$files" directories "$directories" errors 0
	done
	run_line "(ulimit -n 16 && '$SKUA' scan --workers=64 --json '$work/$name') >'$out' 2>'$err'"
	expect_json bytes_disk "$bytes"
done
rm -rf "$work/source" "$work/deep"

# Entries come, go and change what they are while the scan looks.
mkdir "$work/changing"
mutators=
for seed in 1 2; do
	python3 "$scan_tests/mutate_tree" "$work/changing" $seed &
	mutators="$mutators $!"
done
round=0
while [ $round -lt $((60 * ${SKUA_TEST_SCALE:-1})) ]; do
	round=$((round + 1))
	case $((round % 4)) in
	0) run timeout 300 "$SKUA" scan --json --workers=3 "$work/changing" ;;
	1) run timeout 300 "$SKUA" scan --json --tree --workers=2 "$work/changing" ;;
	2) run timeout 300 "$SKUA" scan --json --extensions --workers=8 "$work/changing" ;;
	3) run timeout 300 "$SKUA" scan --du -a --workers=3 "$work/changing" ;;
	esac
	expect_status 0
	[ $((round % 4)) -eq 3 ] || cp "$out" "$work/told.$round"
done
for id in $mutators; do kill "$id"; done
wait
# Valid, and of this tree only: links to /sys come and go in it, where directories just were.
run python3 -c '
import json, sys
for name in sys.argv[1:]:
    scan = json.loads(open(name, "rb").read().decode("utf-8"))
    if scan["directories"] + scan["files"] > 5000:
        sys.exit("it left the tree: " + str(scan["files"]))' "$work"/told.*
expect_status 0
