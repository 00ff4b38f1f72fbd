#!/bin/sh
# scan_ncdu.sh — exports that ncdu opens, imports of foreign ones, and both ways without a loss
. "$SKUA_SOURCE/tests/cli/lib"
need_python
lines() { python3 "$SKUA_SOURCE/tests/cli/ncdu_lines" "$@"; }

# A tree with all there is: links, a fifo, sizes with and without blocks, names that are no text.
tree=$work/tree
mkdir -p "$tree/a/b/c" "$tree/empty" "$tree/hidden"
odd=$(printf 'n\377 \302\205"\\\tx\033[31m\177\001\n.') # the dot keeps the newline
echo hello >"$tree/${odd%.}"
head -c 100000 /dev/zero >"$tree/a/large"
: >"$tree/a/nothing"
ln "$tree/a/large" "$tree/a/b/same"
ln -s /nowhere "$tree/a/b/dangling"
mkfifo "$tree/a/b/c/fifo"
mkdir "$tree/a/$(printf 'd\376')"
touch -d '1960-01-01 00:00:00 UTC' "$tree/a/old"
python3 -c 'import sys; open(sys.argv[1] + "/" + 255 * "w", "w").truncate(5000000)' "$tree"

run "$SKUA" scan --ncdu "$tree"
expect_status 0
expect_silent_err
cp "$out" "$work/ours.json"
lines export "$work/ours.json" >"$work/ours"
lines tree "$tree" >"$work/tree_lines"
expect "the export is what lstat says" cmp -s "$work/ours" "$work/tree_lines"
expect "there is something to compare" [ "$(wc -l <"$work/ours")" -ge 14 ]
(cd "$tree/a" && "$SKUA" scan --ncdu --workers 3 ..) >"$work/other.json"
lines export "$work/other.json" >"$work/other"
expect "the same from elsewhere with other workers" cmp -s "$work/ours" "$work/other"

# There and back: byte for byte.
for how in "-f '$work/ours.json'" "--import='$work/ours.json'" "-f - <'$work/ours.json'"; do
	run_line "'$SKUA' scan --ncdu $how >'$out' 2>'$err'"
	expect_status 0
	expect "the same after $how" cmp -s "$out" "$work/ours.json"
done

# Reports of an import are those of the walk.
"$SKUA" scan --json "$tree" >"$work/walk.json"
run "$SKUA" scan --json -f "$work/ours.json"
expect_status 0
expect_json_valid
cp "$out" "$work/read.json"
for key in directories files errors bytes_apparent bytes_disk; do
	wanted=$(python3 "$SKUA_SOURCE/tests/cli/json_at" "$work/walk.json" $key)
	expect_json $key "$wanted"
done
expect_json symlinks 0 others 2 # the format does not tell them apart
mv "$tree" "$tree.moved" # nothing of it need exist
run "$SKUA" scan --tree --largest-files=3 --symlinks --extensions -f "$work/ours.json"
expect_status 0
expect "one of its names among the largest" [ "$(grep -cE '/a/(large|b/same)$' "$out")" = 1 ]
run "$SKUA" scan --json --tree --largest-files=3 --largest-dirs=3 --recent=1d --extensions --empty-dirs \
	--symlinks --errors --stats --inodes --metrics -f "$work/ours.json"
expect_status 0
expect_json_valid
run "$SKUA" scan --ndjson -f "$work/ours.json"
expect_status 0
run "$SKUA" scan --du -a -f "$work/ours.json"
expect_status 0
expect_out "$tree/a/nothing"
mv "$tree.moved" "$tree"

# What a foreign file has and we do not need is skipped; what it does not have we do not invent.
cat >"$work/foreign.json" <<'END'
[1,2,{"progname":"other","progver":"9","timestamp":1234,"extra":[{}]},
[{"name":"/x","asize":4096,"dsize":4096,"dev":2049},
{"name":"l","asize":7,"dsize":512,"ino":5,"hlnkc":true,"nlink":3,"uid":3,"future":{"a":[1,2]}},
[{"name":"locked","asize":4096,"dsize":4096,"read_error":true}],
{"name":"torn","read_error":true},
{"name":"skipped","excluded":"pattern"},
[{"name":"mnt","dev":5,"excluded":"otherfs"}],
{"name":"proc","excluded":"kernfs"},
{"name":"firm","excluded":"frmlnk"},
{"name":"sock","notreg":true},
[{"name":"far","asize":60,"dev":77},
{"name":"x","asize":1}]]]
END
run "$SKUA" scan --ncdu -f "$work/foreign.json"
expect_status 1
expect_err '/x/locked'
cp "$out" "$work/again.json"
lines export "$work/foreign.json" uid future >"$work/foreign"
lines export "$work/again.json" >"$work/again"
expect "a foreign export comes back" cmp -s "$work/foreign" "$work/again"

run "$SKUA" scan --json --largest-files=1 --largest-dirs=1 --stats --recent=@0 -f "$work/foreign.json"
expect_status 1
expect_json largest_files.0.modified null largest_directories.0.modified null stats.newest_file null \
	stats.oldest_file null stats.largest_file.bytes_apparent 7 recent '[]'

# Left out by us: told as ncdu tells it.
run "$SKUA" scan --ncdu --exclude hidden --exclude nothing "$tree"
expect_out '{"name":"hidden","excluded":"pattern"}'
expect_out '{"name":"nothing","excluded":"pattern"}'

# Deeper than any path may be long.
python3 - "$work/deep" <<'END'
import os, sys
os.mkdir(sys.argv[1]); os.chdir(sys.argv[1])
for level in range(5200):
    os.mkdir("d"); os.chdir("d")
open("bottom", "w").close()
END
run "$SKUA" scan --ncdu "$work/deep"
expect_status 0
cp "$out" "$work/deep.json"
run "$SKUA" scan --ncdu -f "$work/deep.json"
expect "a deep tree comes back" cmp -s "$out" "$work/deep.json"
run "$SKUA" scan --json -f "$work/deep.json"
expect_json directories 5201 files 1

# ncdu itself, where it is installed.
if command -v ncdu >/dev/null; then
	ncdu -0 -f "$work/ours.json" -o "$work/theirs.json" 2>"$err"
	status=$?
	expect_status 0
	lines export "$work/theirs.json" >"$work/theirs"
	lines export "$work/ours.json" mtime >"$work/ours_short"
	expect "ncdu reads our export" cmp -s "$work/theirs" "$work/ours_short"
	ncdu -0 -o "$work/theirs.json" "$tree" 2>"$err"
	lines export "$work/theirs.json" >"$work/theirs"
	expect "ncdu's own scan is the same" cmp -s "$work/theirs" "$work/ours_short"
	run "$SKUA" scan --ncdu -f "$work/theirs.json"
	lines export "$out" >"$work/back"
	expect "and comes back through us" cmp -s "$work/back" "$work/theirs"
	tail -n +2 "$out" >"$work/we"
	tail -n +2 "$work/theirs.json" >"$work/they"
	echo >>"$work/they" # ncdu does not end its last line
	expect "byte for byte" cmp -s "$work/we" "$work/they"
else
	echo "no ncdu: not compared with it"
fi

# What is no export: a message with its place, and nothing on stdout.
refused() { # TEXT MESSAGE
	printf "$1" >"$work/bad.json"
	run "$SKUA" scan --ncdu -f "$work/bad.json"
	expect_status 3
	expect_silent_out
	expect_err "skua scan: cannot read $work/bad.json: $2"
}
refused '' 'line 1, column 1: an export of ncdu begins with [1,'
refused '[1,2,{},\n[{"name":"/x"},\n{"name":"a"' 'line 3, column 12: a comma or } is expected'
refused '[1,2,{},[{"name":"/x"},{"name":"../../etc"}]]' 'line 1, column 44: a name holds a slash'
refused '[1,2,{},[{"name":"/x"},{"asize":1}]]' 'line 1, column 35: an entry has no name'
refused '[2,0,{},[{"name":"/x"}]]' 'line 1, column 3: this major version'
head -c 300 "$work/ours.json" >"$work/cut.json"
run "$SKUA" scan -f "$work/cut.json"
expect_status 3
expect_err "cannot read $work/cut.json: line "
head -c 100000 /dev/zero | tr '\0' '[' >"$work/brackets.json"
run "$SKUA" scan -f "$work/brackets.json"
expect_status 3
run "$SKUA" scan -f "$work/none.json"
expect_status 3
expect_err "skua scan: cannot read $work/none.json: No such file or directory"
run "$SKUA" scan -f "$work"
expect_status 3
expect_err "cannot read $work: Is a directory"
printf '[1,2,{},[{"name":"/x"},{"name":"\\u001b[31mred"}]]' >"$work/escape.json"
run "$SKUA" scan --largest-files=5 -f "$work/escape.json"
refuse "no escape reaches the terminal" has_control_bytes "$out"

# Words that do not fit together.
run "$SKUA" scan -f "$work/ours.json" "$tree"
expect_status 2
expect_err 'needs no PATH'
run "$SKUA" scan -f "$work/ours.json" --exclude x
expect_status 2
run "$SKUA" scan --ncdu "$tree" "$tree/a"
expect_status 3
expect_err 'one PATH at a time'
run "$SKUA" scan --ncdu "$tree/a/large"
expect_status 3

if [ -c /dev/full ]; then
	run_line "'$SKUA' scan --ncdu '$tree' >/dev/full 2>'$err'"
	expect_status 3
	expect_err 'cannot write to standard output: No space left on device'
fi

# --folded: stacks whose sizes add up, and names that cannot break them.
mkdir "$tree/semi;colon
x"
run "$SKUA" scan --folded "$tree"
expect_status 0
expect_out ';semi_colon_x '
sum=$(python3 -c '
import sys
print(sum(int(line.rsplit(b" ", 1)[1]) for line in open(sys.argv[1], "rb")))' "$out")
"$SKUA" scan --json "$tree" >"$work/walk.json"
total=$(python3 "$SKUA_SOURCE/tests/cli/json_at" "$work/walk.json" bytes_disk)
expect "stacks add up to the whole: $sum, $total" [ "$sum" = "$total" ]
stacks=$(LC_ALL=C grep -c ' [0-9][0-9]*$' "$out")
expect "each line is a stack and a number" [ "$stacks" = "$(wc -l <"$out")" ]
