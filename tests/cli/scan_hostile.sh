#!/bin/sh
# scan_hostile.sh — paths that are not there or not readable, names that bite, outputs that fail
. "$SKUA_SOURCE/tests/cli/lib"
need_python

# Not there; empty; no directory; a link; several, and the rest is still told.
run "$SKUA" scan "$work/gone"
expect_status 1
expect_err_line "skua scan: cannot look at '$work/gone': No such file or directory"
expect_line '  errors      1: 1 No such file or directory'
run "$SKUA" scan ''
expect_status 1
expect_err "skua scan: cannot look at '': No such file or directory"
printf 12345 >"$work/file"
run "$SKUA" scan --json --largest-files=1 "$work/file"
expect_status 0
expect_json files 1 directories 0 bytes_apparent 5 roots.0.type file largest_files.0.path "$work/file" deepest 0
run "$SKUA" scan --json "$work/file/below"
expect_status 1
expect_err 'Not a directory'
ln -s file "$work/link"
run "$SKUA" scan --json "$work/link"
expect_json symlinks 1 files 0 roots.0.type symlink
run "$SKUA" scan --json --exclude='*' // "$work///"
expect_status 0
expect_json roots.0.path // roots.1.path "$work/" directories 2
run "$SKUA" scan --json "$work/gone" "$work/file"
expect_status 1
expect_json files 1 errors 1
run "$SKUA" scan --json --errors "$work/gone" "$work/gone2"
expect_status 1
expect_err_line 'skua scan: 2 places could not be read; the list says which'
expect_json error_list.1.reason 'No such file or directory' error_list.1.errno 2
run "$SKUA" scan -0 --errors "$work/gone"
expect "the path and a 0 byte" [ "$(tr '\000' '|' <"$out")" = "$work/gone|" ]

# Names: a line feed, an escape, bytes that are not UTF-8, 255 bytes, a dash, quotes.
names=$work/names
mkdir "$names"
python3 - "$names" <<'PYTHON'
import os, sys
top = os.fsencode(sys.argv[1]) + b"/"
for i, name in enumerate([b"line\nfeed", b"esc\x1b[31mred", b"\xff\xfe\x80", b"z" * 255, b"-rf", b"q\"'\\", "\u202eabc".encode(), b"\xed\xb3\xbf"]):
    with open(top + name, "wb") as file:
        file.write(b"x" * (i + 1))
os.mkdir(top + b"dir\n\xff")
os.symlink(b"to\n\xfe", top + b"link\x07")
PYTHON
run "$SKUA" scan --apparent-size --largest-files=20 --largest-dirs=9 --empty-dirs --symlinks --tree --stats "$names"
expect_status 0
refuse "nothing that moves a terminal" has_control_bytes "$out"
expect_out "$names/line\\x0afeed"
expect_out "$names/esc\\x1b[31mred"
expect_out "$names/\\xff\\xfe\\x80"
expect_out "$names/dir\\x0a\\xff"
expect_out "$names/link\\x07 -> to\\x0a\\xfe  broken"
run "$SKUA" scan --json --apparent-size --largest-files=20 --empty-dirs --symlinks "$names"
expect_status 0
expect_json_valid
expect "names come back byte by byte" python3 - "$out" "$names" <<'PYTHON'
import json, os, sys
scan, top = json.loads(open(sys.argv[1], "rb").read().decode()), os.fsencode(sys.argv[2])
found = {os.path.basename(os.fsencode(file["path"])) for file in scan["largest_files"]}
found |= {os.path.basename(os.fsencode(part["path"])) for part in scan["empty_directories"] + scan["symbolic_links"]}
if found != set(os.listdir(top)):
    sys.exit(f"{found}")
if os.fsencode(scan["symbolic_links"][0]["target"]) != b"to\n\xfe":
    sys.exit("target")
PYTHON
run "$SKUA" scan -0 --largest-files=20 "$names"
expect "paths as they are" python3 - "$out" "$names" <<'PYTHON'
import os, sys
paths = open(sys.argv[1], "rb").read().split(b"\0")
if paths.pop() != b"" or {os.path.basename(path) for path in paths} != {
        entry.name for entry in os.scandir(os.fsencode(sys.argv[2])) if entry.is_file(follow_symlinks=False)}:
    sys.exit(f"{paths}")
PYTHON
run "$SKUA" scan --ndjson "$names"
expect "two lines" [ "$(wc -l <"$out")" -eq 2 ]
run env LC_ALL=C "$SKUA" scan --largest-files=20 "$names"
expect "only ASCII in C" [ -z "$(LC_ALL=C tr -d '\n\040-\176' <"$out")" ]
run "$SKUA" scan -- "$names/-rf"
expect_status 0
run "$SKUA" scan "$(printf '%s/dir\n\377' "$names")" "$(printf '%s/gone\033[2J' "$work")"
expect_status 1
refuse "nothing that moves a terminal" has_control_bytes "$out"
refuse "nothing that moves a terminal" has_control_bytes "$err"
expect_err '/gone\x1b[2J'"'"

# Deeper than a path may be long.
python3 - "$work" <<'PYTHON'
import os, sys
os.chdir(sys.argv[1])
for _ in range(300):
    os.mkdir("d" * 50)
    os.chdir("d" * 50)
open("bottom", "w").close()
os.symlink("nowhere", "link")
PYTHON
run "$SKUA" scan --json --largest-files=1 --stats --symlinks "$work/$(printf 'd%.0s' $(seq 50))"
expect_status 0
expect_json directories 300 files 1 deepest 299 symbolic_links.0.broken true stats.deepest_directory.depth 299
run "$SKUA" scan --tree "$work/$(printf 'd%.0s' $(seq 50))"
expect_status 0
refuse "80 columns are enough" sh -c "grep ' %\$' '$out' | grep -qE '^.{81}'"

# Not for us: another user, where we may become one.
if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; then
	mkdir -p "$work/shut/inner" "$work/shut/open"
	: >"$work/shut/inner/file"
	chmod 755 "$work" "$work/shut"
	chmod 700 "$work/shut/inner"
	cp "$SKUA" "$work/skua"
	run setpriv --reuid=65534 --regid=65534 --clear-groups "$work/skua" scan --json "$work/shut"
	expect_status 1
	expect_err_line "skua scan: cannot open '$work/shut/inner': Permission denied"
	expect_json directories 3 files 0 errors 1 partial false
	run setpriv --reuid=65534 --regid=65534 --clear-groups "$work/skua" scan --errors --empty-dirs "$work/shut"
	expect_status 1
	expect_line "  $work/shut/inner: cannot open: Permission denied"
	expect_line "  $work/shut/open"
	refuse "what is shut is not empty" grep -qxF "  $work/shut/inner" "$out"
fi

# Full and closed outputs.
for words in '' --json --tree --ndjson '--largest-files=9 -0'; do
	if [ -c /dev/full ]; then
		run_line "'$SKUA' scan $words '$names' >/dev/full 2>'$err'"
		expect_status 3
		expect_err 'skua scan: cannot write to standard output: No space left on device'
	fi
	run_line "'$SKUA' scan $words '$names' >&- 2>'$err'"
	expect_status 3
	expect_err 'skua scan: cannot write to standard output: it is closed'
done
