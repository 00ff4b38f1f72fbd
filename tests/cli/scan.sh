#!/bin/sh
# scan.sh — the scan: summary, every report, filters, JSON, the same at any number of workers
. "$SKUA_SOURCE/tests/cli/lib"
need_python

# A tree whose every number is known: 6 directories, 7 files, 3 symbolic links, a fifo.
tree=$work/tree
mkdir -p "$tree/a/deep/deeper" "$tree/b" "$tree/empty"
head -c 90000 /dev/zero >"$tree/a/big.BIN"
head -c 50000 /dev/zero >"$tree/a/deep/middle.bin"
head -c 20000 /dev/zero >"$tree/b/small.c"
head -c 100 /dev/zero >"$tree/b/tiny.c"
head -c 100 /dev/zero >"$tree/a/deep/deeper/tiny.h"
: >"$tree/b/nothing"
: >"$tree/.hidden"
ln -s a/big.BIN "$tree/good"
ln -s nowhere "$tree/broken"
ln -s circle "$tree/circle"
mkfifo "$tree/pipe"
touch -d '2001-01-01 UTC' "$tree/b/tiny.c"

# The summary, against find and du.
run "$SKUA" scan "$tree"
expect_status 0
expect_silent_err
expect_line '  directories 6'
expect_line '  files       7'
expect_line '  symlinks    3'
expect_line '  others      1'
expect_line '  errors      0'
expect_line '  deepest     3'
refuse "80 columns are enough" grep -qE '^.{81}' "$out"
run "$SKUA" scan --json "$tree"
expect_status 0
expect_json schema skua-scan-1 schema_version 1 path "$tree" directories 6 files 7 symlinks 3 others 1 errors 0 \
	deepest 3 left_out 0 vanished 0 partial false roots.0.type directory roots.0.entries 17 \
	bytes_disk "$(du -s -B1 "$tree" | cut -f1)" bytes_apparent "$(find "$tree" -printf '%s\n' | awk '{ n += $1 } END { print n }')"
expect "entries in a second" python3 -c '
import json, sys
scan = json.load(open(sys.argv[1]))
if not (scan["workers"] >= 1 and scan["seconds"] > 0):
    sys.exit(f"{scan}")
if abs(scan["entries_per_second"] * scan["seconds"] - 17) > 1e-6:
    sys.exit(f"{scan}")' "$out"
run_line "cd '$tree/b' && '$SKUA' scan --json >'$out' 2>'$err'"
expect_json path . files 3 directories 1

# Reports, in the order they are asked for.
run "$SKUA" scan --stats --largest-files 2 --tree=4 --largest-dirs=1 --apparent-size "$tree"
expect_status 0
expect "in the order asked for" [ "$(grep -E '^[A-Z]' "$out" | tr '\n' '|')" = \
	'Extremes and averages|Largest files|Largest parts|Largest directories|' ]
expect_out "/a/big.BIN"
expect_line "    87.9 KiB  $tree/a/big.BIN"
expect_line "    48.8 KiB  $tree/a/deep/middle.bin"
refuse_out "    19.5 KiB  $tree/b/small.c"
expect "a tree with bars" grep -q '└─ a  .*█' "$out"
expect "the tree has 4 rows" [ "$(grep -c ' %$' "$out")" -eq 4 ]
run env LC_ALL=C COLUMNS=60 "$SKUA" scan --tree "$tree"
expect "only ASCII in C" [ -z "$(LC_ALL=C tr -d '\n\040-\176' <"$out")" ]
expect "lines of ASCII" grep -q '|- a  .*#' "$out"
refuse "60 columns are enough" sh -c "grep ' %\$' '$out' | grep -qE '^.{61}'"
run "$SKUA" scan --tree --screen-reader "$tree"
expect_out 'depth        size  share  path'
expect "depth, size, share, path" grep -qE "^    2  .* KiB +[0-9]+ %  $tree/a/deep\$" "$out"
refuse_out '█'
run "$SKUA" scan --tree --max-depth=1 --json "$tree"
expect "nothing below that depth" python3 -c '
import json, sys
tree = json.load(open(sys.argv[1]))["tree"]
if max(part["depth"] for part in tree) != 1 or len(tree) != 9 or tree[0]["entries"] != 17:
    sys.exit(f"{tree}")' "$out"

run "$SKUA" scan --empty-dirs --symlinks --extensions --recent=1h --apparent-size "$tree"
expect_line "  $tree/empty"
expect_line "  $tree/broken -> nowhere  broken"
expect_line "  $tree/circle -> circle  broken"
expect_line "  $tree/good -> a/big.BIN"
expect_out ' 2 files  .bin'
expect_out ' 1 file   .h'
expect_out ' 2 files  (none)'
refuse "what is old is not recent" grep -q '2001-01-01.*tiny.c' "$out"
run "$SKUA" scan --recent=@0 --json "$tree"
expect_json recent.10.path "$tree/b/tiny.c" recent.10.modified 978307200
run "$SKUA" scan --inodes --limit=2 "$tree"
expect_out "              17  $tree"
expect_out "  $tree/a"
refuse_out "  $tree/b"
run "$SKUA" scan --metrics "$tree"
expect_out '  CPU time '
expect_out '  pool '

# JSON: every documented key is there, every key is documented.
run "$SKUA" scan --json --tree --largest-files=3 --largest-dirs=3 --recent=1d --extensions --empty-dirs --symlinks \
	--errors --stats --inodes --metrics "$tree" "$work/gone"
expect_status 1
expect_json roots.1.type null errors 1 error_list.0.path "$work/gone" error_list.0.step stat
cp "$out" "$work/all.json"
run "$SKUA" scan --json --count --stats "$tree" # what needs sizes is refused
expect_status 2
run "$SKUA" scan --json --count "$tree"
expect_json bytes_disk null files 7
cp "$out" "$work/count.json"
mkdir "$work/bare"
run "$SKUA" scan --json --stats "$work/bare"
expect_json stats.largest_file null stats.longest_name null stats.deepest_directory.depth 0
cp "$out" "$work/bare.json"
run "$SKUA" scan --json --duplicates --hardlink "$tree"
expect_json duplicates.groups 1 duplicates.action.applied false
cp "$out" "$work/dupes.json"
"$SKUA" scan --save="$work/kept.skua" "$tree" >/dev/null
run "$SKUA" scan --json --stats "$work/kept.skua"
expect_json workers 0 read_from "$work/kept.skua" stats.workers_rule null
cp "$out" "$work/read.json"
run python3 "$SKUA_SOURCE/tests/cli/check_json" "$SKUA_SOURCE/docs/json.md" skua-scan-1 \
	"$work/all.json" "$work/count.json" "$work/bare.json" "$work/dupes.json" "$work/read.json"
expect_status 0

# A line for each directory.
run "$SKUA" scan --ndjson "$tree"
expect_status 0
expect "a line for each, parents first, by name" python3 - "$out" "$tree" <<'PYTHON'
import json, sys
lines = [json.loads(line) for line in open(sys.argv[1])]
paths = [line["path"].removeprefix(sys.argv[2]) for line in lines]
if paths != ["", "/a", "/a/deep", "/a/deep/deeper", "/b", "/empty"]:
    sys.exit(f"{paths}")
if lines[0]["files"] != 7 or lines[0]["directories"] != 6 or lines[4]["files"] != 3 or lines[4]["depth"] != 1:
    sys.exit(f"{lines}")
PYTHON

# Filters.
counted() { # FILES OPTION...
	wanted=$1
	shift
	run "$SKUA" scan --json "$@" "$tree"
	expect_status 0
	expect_json files "$wanted"
}
counted 2 --min-size=50000
counted 2 --min-size=48K
counted 6 --newer=1h
counted 1 --older=1y
counted 1 --older=@978307200 # of one changed at that very second
counted 0 --older=@978307199
counted 7 --newer=@978307200
counted 6 --newer=@978307201
counted 3 --name='*.[ch]'
counted 5 --exclude=deep
expect_json left_out 1 directories 4
counted 3 --exclude='*.bin' --exclude='*.c' --exclude=big.BIN
counted 0 --type=l
expect_json symlinks 3 others 0
counted 7 --type=f,l
expect_json symlinks 3 others 0
counted 1 --count --older=1y
expect_json bytes_disk null
counted 8 -L # the good link leads to a file that is there
ln "$tree/a/big.BIN" "$tree/b/same"
"$SKUA" scan --json "$tree" >"$out"
once=$(json bytes_apparent)
run "$SKUA" scan --json --hard-links=all "$tree"
expect "at each name: $once and $(json bytes_apparent)" [ "$(json bytes_apparent)" -eq $((once + 90000)) ]

# A file with several names has its size once in every report too, and its count at each name.
linked() { # HOW ROWS BYTES: rows of the file among the largest, bytes of all files by their ends
	run "$SKUA" scan --json --hard-links="$1" --largest-files=9 --extensions --stats --apparent-size --tree=99 "$tree"
	expect_status 0
	expect "$1: $2 rows, $3 bytes" python3 - "$out" "$@" <<'PYTHON'
import json, sys
scan, how, rows, bytes_all = json.load(open(sys.argv[1])), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
found = [row["path"] for row in scan["largest_files"] if row["bytes_apparent"] == 90000]
sums = sum(row["bytes_apparent"] for row in scan["extensions"])
names = sum(row["files"] for row in scan["extensions"])
shown = sum(row["bytes_apparent"] == 90000 and row["type"] == "file" for row in scan["tree"])
mean = scan["stats"]["mean_file_bytes"] * (6 + rows)
if len(found) != rows or sums != bytes_all or names != 8 or abs(mean - bytes_all) > 1:
    sys.exit(f"{found} {sums} {names} {mean}")
if shown != (1 if how == "once" else 2):
    sys.exit(f"{shown} rows of the tree")
PYTHON
}
linked once 1 160200
linked subtree 1 160200
linked all 2 250200
# With subtree each directory has it once, whatever the depth of its names.
ln "$tree/a/big.BIN" "$tree/b/same_too"
ln "$tree/a/big.BIN" "$tree/a/deep/deeper/same"
for workers in 1 3; do
	run "$SKUA" scan --ndjson --hard-links=subtree --workers=$workers "$tree"
	expect "sums of subtrees" python3 - "$out" <<'PYTHON'
import json, os, sys
for line in open(sys.argv[1]):
    told, met = json.loads(line), {}
    for folder, dirs, files in os.walk(told["path"]):
        for path in [folder, *(f"{folder}/{name}" for name in files), *(f"{folder}/{name}" for name in dirs if os.path.islink(f"{folder}/{name}"))]:
            met[os.lstat(path).st_ino] = os.lstat(path)
    wanted = sum(stat.st_size for stat in met.values()), 512 * sum(stat.st_blocks for stat in met.values())
    if (told["bytes_apparent"], told["bytes_disk"]) != wanted:
        sys.exit(f"{told}: {wanted}")
PYTHON
done
rm "$tree/b/same" "$tree/b/same_too" "$tree/a/deep/deeper/same"

# Who decided the number of workers.
run "$SKUA" scan --stats --json --workers=3 "$tree"
expect_json stats.workers_rule asked workers 3
run "$SKUA" scan --stats -L --workers=3 "$tree"
expect_line '  workers     1, because links are followed'
run env SKUA_WORKERS=2 "$SKUA" scan --stats "$tree"
expect_line '  workers     as many as asked for'
run "$SKUA" scan --stats --json "$tree"
expect "a rule of this machine" sh -c "case '$(json stats.workers_rule)' in cpus|network|spinning) ;; *) exit 1 ;; esac"

# The same at any number of workers, whatever else.
reports='--tree --largest-files=9 --largest-dirs=9 --extensions --empty-dirs --symlinks --errors --stats'
for workers in 1 2 3 8 64; do
	"$SKUA" scan --workers=$workers $reports "$tree" "$SKUA_SOURCE/docs" | grep -v '^  time ' >"$work/text_$workers"
	expect "the same with $workers workers" cmp "$work/text_1" "$work/text_$workers"
	"$SKUA" scan --workers=$workers --ndjson "$SKUA_SOURCE/docs" >"$work/lines_$workers"
	expect "the same lines with $workers workers" cmp "$work/lines_1" "$work/lines_$workers"
done

blamed() { # WHAT [HINT]
	expect_status 2
	expect_silent_out
	expect_err "skua scan: $1"
	[ $# -eq 1 ] || expect_err "$2"
}
run "$SKUA" scan --tre
blamed 'there is no option --tre' 'did you mean --tree?'
run "$SKUA" scan --tree=0
blamed '--tree=0 is out of range' 'expected a whole number, 1..1000000'
run "$SKUA" scan --largest-files=many
blamed '--largest-files=many is not a number in range'
run "$SKUA" scan --largest-files
blamed '--largest-files needs a value'
run "$SKUA" scan --recent=1
blamed '--recent=1 is no age' '90s, 1h, 7d'
run "$SKUA" scan --min-size=1.5M
blamed '--min-size=1.5M is no size'
run "$SKUA" scan --type=fl
blamed '--type=fl is no list of types'
run "$SKUA" scan --type=
blamed '--type= is no list of types'
run "$SKUA" scan --hard-links=twice
blamed '--hard-links=twice is no policy' 'once, subtree or all'
run "$SKUA" scan --workers=0
blamed '--workers=0 is out of range'
run "$SKUA" scan -0
blamed '-0 needs a report that is a list of paths'
run "$SKUA" scan -0 --tree
blamed '--tree is no list of paths'
run "$SKUA" scan -0 --errors --json
blamed '-0 and --json exclude each other'
run "$SKUA" scan --ndjson --tree
blamed '--ndjson stands alone'
run "$SKUA" scan --ndjson --json
blamed '--ndjson and --json exclude each other'
run "$SKUA" scan --count --tree
blamed '--tree needs sizes' 'leave --count out'
run "$SKUA" scan --trace=
blamed '--trace needs the name of a file' 'as in: --trace=scan.trace'
run "$SKUA" scan --trace="$work/trace" --load="$work/kept.skua"
blamed 'a scan that is read from a file has no workers to trace'
run "$SKUA" scan diff --trace="$work/trace" "$tree" "$tree"
blamed 'diff has one report'
