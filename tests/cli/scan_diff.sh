#!/bin/sh
# scan_diff.sh — what came, went, grew and shrank between two scans, from whatever they are kept in
. "$SKUA_SOURCE/tests/cli/lib"
need_python

tree=$work/tree
mkdir -p "$tree/grows/deep" "$tree/goes/below" "$tree/same" "$tree/shrinks"
fill() { head -c "$2" /dev/zero >"$tree/$1"; }
fill grows/deep/log 10000
fill goes/below/f 30000
fill same/f 5000
fill shrinks/f 40000
fill becomes 100
fill touched 77
touch -d @1000 "$tree/touched"
"$SKUA" scan --save "$work/a.skua" "$tree" >/dev/null
"$SKUA" scan --ncdu "$tree" >"$work/a.json"
cp -a "$tree" "$work/before"

run "$SKUA" scan diff "$work/a.skua" "$tree"
expect_status 0
expect_out '0 new, 0 gone, 0 grown, 0 shrunk, 0 changed in place'
run "$SKUA" scan diff --json "$work/a.json" "$work/a.skua"
expect_status 0
expect_json_valid
expect_json schema skua-scan-diff-1 changes '[]' change_disk 0 change_apparent 0

fill grows/deep/log 500000
fill grows/deep/more 200
rm -r "$tree/goes"
fill shrinks/f 20000
rm "$tree/becomes"
mkdir "$tree/becomes"
touch -d @2000 "$tree/touched"
mkdir "$tree/comes"
printf x >"$tree/comes/$(printf 'n\377\033')"
"$SKUA" scan --save "$work/b.skua" "$tree" >/dev/null
"$SKUA" scan --ncdu "$tree" >"$work/b.json"

# Snapshots, exports and directories, in any mixture.
for before in "$work/a.skua" "$work/a.json" "$work/before"; do
	for after in "$work/b.skua" "$work/b.json" "$tree"; do
		run "$SKUA" scan diff --json --apparent-size "$before" "$after"
		expect_status 0
		expect_json_valid
		expect_json files.new 2 files.gone 2 files.grown 1 files.shrunk 1 \
			files.changed_in_place 1 directories.new 2 directories.gone 2
		expect_json changes.0.path grows changes.1.path grows/deep changes.3.path . \
			changes.2.path grows/deep/log changes.2.change_apparent 490000 \
			changes.2.state changed changes.2.before.bytes_apparent 10000
		python3 - "$out" >>"$err" <<'END'
import json, sys
rows = json.loads(open(sys.argv[1]).read())["changes"]
sizes = [abs(row["change_apparent"]) for row in rows]
assert sizes == sorted(sizes, reverse=True), sizes
paths = {(row["path"], row["type"]): row for row in rows}
gone = paths["goes/below/f", "file"]
assert gone["state"] == "gone" and gone["after"] is None
assert paths["becomes", "file"]["state"] == "gone"
assert paths["becomes", "directory"]["state"] == "new"
assert paths["comes/n\udcff\x1b", "file"]["change_apparent"] == 1
assert ("same", "directory") not in paths and ("touched", "file") not in paths
END
		status=$?
		expect_status 0
	done
done

run "$SKUA" scan diff --apparent-size "$work/a.skua" "$work/b.skua"
expect_status 0
expect_out 'log'
expect_out 'goes/  (gone)'
expect_out 'comes/  (new)'
refuse_out 'same'
refuse "names are cleaned" has_control_bytes "$out"
first=$(grep -n '  grows/' "$out" | cut -d: -f1)
second=$(grep -n '  goes/' "$out" | cut -d: -f1)
expect "the largest change comes first" [ "${first:-99}" -lt "${second:-0}" ]
run "$SKUA" scan diff --limit=1 --apparent-size "$work/a.skua" "$work/b.skua"
expect_out 'grows/'
refuse_out 'deep'
run "$SKUA" scan diff --max-depth=1 "$work/a.skua" "$work/b.skua"
expect_out 'goes/'
refuse_out 'deep'
run "$SKUA" scan diff --apparent-size "$work/b.skua" "$work/a.skua"
expect_out 'goes/  (new)'

# Several roots meet by name.
"$SKUA" scan --save "$work/two.skua" "$work/before/same" "$work/before/shrinks" >/dev/null
run "$SKUA" scan diff --json "$work/two.skua" "$work/two.skua"
expect_status 0
expect_json changes '[]'

# What cannot be compared.
run "$SKUA" scan diff "$work/a.skua"
expect_status 2
expect_err 'diff compares two scans'
run "$SKUA" scan diff "$work/a.skua" "$work/none"
expect_status 3
expect_err "cannot read $work/none: No such file or directory"
echo text >"$work/text"
run "$SKUA" scan diff "$work/text" "$work/a.skua"
expect_status 3
expect_err 'neither a snapshot'
run "$SKUA" scan diff --tree "$work/a.skua" "$work/b.skua"
expect_status 2
mkdir "$work/cwd" "$work/cwd/diff"
run_line "cd '$work/cwd' && '$SKUA' scan --json diff >'$out' 2>'$err'"
expect_status 0
expect_json directories 1
if [ -c /dev/full ]; then
	run_line "'$SKUA' scan diff '$work/a.skua' '$work/b.skua' >/dev/full 2>'$err'"
	expect_status 3
	expect_err 'cannot write to standard output: No space left on device'
fi
