#!/bin/sh
# scan_snapshot.sh — snapshots are kept whole, read instead of a path, and refused when damaged
. "$SKUA_SOURCE/tests/cli/lib"
need_python

tree=$work/tree
mkdir -p "$tree/a/b"
head -c 50000 /dev/zero >"$tree/a/zeros"
ln "$tree/a/zeros" "$tree/again"
ln -s x "$tree/link"
echo y >"$tree/a/b/$(printf 'y\377')"
kept=$work/kept.skua

run "$SKUA" scan --save "$kept" "$tree"
expect_status 0
expect_out 'iles' # the summary is printed all the same
run "$SKUA" scan --ncdu "$tree"
cp "$out" "$work/walk.json"
rm -r "$tree" # from now on only the snapshot has it

same() { # ignoring when it was: the header of an export
	tail -n +2 "$1" >"$work/left"
	tail -n +2 "$2" >"$work/right"
	cmp -s "$work/left" "$work/right"
}
for how in "--load '$kept'" "--load=- <'$kept'" "'$kept'"; do
	run_line "'$SKUA' scan --ncdu $how >'$out' 2>'$err'"
	expect_status 0
	sed -i "s|\"name\":\"tree\"|\"name\":\"$tree\"|" "$out"
	expect "the same through $how" same "$out" "$work/walk.json"
done
run "$SKUA" scan --save "$work/copy.skua" --load "$kept"
expect "a snapshot of a snapshot is the same" cmp -s "$work/copy.skua" "$kept"
run "$SKUA" scan --json --largest-files=2 "$kept"
expect_status 0
expect_json directories 3 files 3 symlinks 1
run "$SKUA" scan "$kept"
expect "says where it was read from" grep -qE "^  read        from .*kept.skua in [0-9.]+ s; scanned" "$out"
refuse_out ' worker'
run_line "'$SKUA' scan --load=- <'$kept' >'$out' 2>'$err'"
expect_out '  read        from standard input in '
run "$SKUA" scan --json --hard-links all "$kept"
all=$(json bytes_apparent)
run "$SKUA" scan --json "$kept"
once=$(json bytes_apparent)
expect "links are counted as asked: $all, $once" [ $((all - once)) = 50000 ]

# Nothing half done: the file that was there stays, and nothing is left beside it.
mkdir "$work/dir"
cp "$kept" "$work/dir/old.skua"
# A pipe or device is written to, not replaced: the pipe first, /dev/full only if that is true.
mkfifo "$work/pipe.skua"
cat "$work/pipe.skua" >"$work/piped.skua" &
run "$SKUA" scan --save "$work/pipe.skua" --load "$kept"
wait
expect_status 0
expect "through a pipe it is the same" cmp -s "$work/piped.skua" "$kept"
expect "the pipe is still one" [ -p "$work/pipe.skua" ]
if [ -c /dev/full ] && [ -p "$work/pipe.skua" ]; then
	run "$SKUA" scan --save /dev/full "$work/dir"
	expect_status 3
	expect_err 'skua scan: --save: cannot write /dev/full: No space left on device'
	expect "/dev/full is still a device" [ -c /dev/full ]
fi
run "$SKUA" scan --save "$work/none/x.skua" "$work/dir"
expect_status 3
expect_err "cannot write $work/none/x.skua: No such file or directory"
# A limit on the size of files stands for a full disk.
limited="ulimit -f 0; trap '' XFSZ; '$SKUA' scan --save '$work/dir/old.skua' '$work/dir'"
run_line "{ ($limited) 2>&1 >/dev/null; echo \$? >'$work/code'; } | cat >'$err'"
status=$(cat "$work/code")
expect_status 3
expect_err "cannot write $work/dir/old.skua: File too large"
expect "the old one is untouched" cmp -s "$kept" "$work/dir/old.skua"
expect "nothing is left beside it" [ "$(ls -A "$work/dir")" = old.skua ]
ln -s old.skua "$work/dir/alias.skua"
run "$SKUA" scan --save "$work/dir/alias.skua" "$work/dir"
expect_status 0
expect "a link stays a link" [ -L "$work/dir/alias.skua" ]
refuse "and what it leads to is new" cmp -s "$kept" "$work/dir/old.skua"
chmod 600 "$work/dir/old.skua" # who may not read it may not read its successor
run "$SKUA" scan --save "$work/dir/old.skua" "$work/dir"
expect "its mode stays" [ "$(stat -c %a "$work/dir/old.skua")" = 600 ]

# Operands that are not there are told again by the snapshot, also one without a name.
run "$SKUA" scan --save "$work/odd.skua" '' "$work/gone" "$work/dir"
expect_status 1
run "$SKUA" scan --json --errors "$work/odd.skua"
expect_status 1
expect_json errors 2 directories 1 error_list.0.path '' roots.0.path '' roots.0.type null roots.1.path "$work/gone"
run "$SKUA" scan --save= "$work/dir"
expect_status 2
expect_err '--save needs the name of a file'

# Cut, damaged, or something else.
head -c 100 "$kept" >"$work/cut.skua"
run "$SKUA" scan "$work/cut.skua"
expect_status 3
expect_err "skua scan: cannot read $work/cut.skua: it is cut short"
expect_silent_out
python3 - "$kept" "$work/bad.skua" <<'END'
import sys
data = bytearray(open(sys.argv[1], "rb").read())
data[-40] ^= 1
open(sys.argv[2], "wb").write(data)
END
run "$SKUA" scan --load "$work/bad.skua"
expect_status 3
expect_err 'its checksum is wrong'
echo text >"$work/text.skua"
run "$SKUA" scan --load "$work/text.skua"
expect_status 3
expect_err 'it is no snapshot'
run "$SKUA" scan --json "$work/text.skua" # a file of that name is a file
expect_status 0
expect_json files 1

# A snapshot that another program made, with checksums that fit: still not believed.
python3 - "$work" <<'END'
import struct, sys, zlib
def snapshot(name, *records, version=1):
    head = b"skuascan" + struct.pack("<IIqI", version, 0, 99, 0)
    body = b"".join(records) + b"Z" + struct.pack("<Q", len(records) + 1)
    with open(f"{sys.argv[1]}/{name}.skua", "wb") as file:
        file.write(head + struct.pack("<I", zlib.crc32(head)))
        file.write(struct.pack("<II", len(body), zlib.crc32(body)) + body)
def directory(name, kind=3):
    return struct.pack("<cBBBHHQQqQQ", b"D", kind, 0, 0, len(name), 0, 4096, 8, 5, 1, 2) + name
def file(name, size=10):
    return struct.pack("<cBBBQQq", b"F", 0, 0, len(name), size, 1, 5) + name
snapshot("good", directory(b"/x"), file(b"a"), directory(b"d"), file(b"b"), b"U", b"U")
snapshot("slash", directory(b"/x"), file(b"../a"), b"U")
snapshot("open", directory(b"/x"), file(b"a"))
snapshot("closed", directory(b"/x"), b"U", b"U")
snapshot("stray", file(b"a"))
snapshot("kind", directory(b"/x", 200), b"U")
snapshot("huge", directory(b"/x"), file(b"a", 2**63), b"U")
snapshot("tag", directory(b"/x"), b"Q", b"U")
snapshot("nameless", directory(b""), b"U")
snapshot("old", directory(b"/x"), b"U", version=0)
snapshot("new", directory(b"/x"), b"U", version=2)
END
run "$SKUA" scan --json "$work/good.skua"
expect_status 0
expect_json directories 2 files 2 bytes_apparent 8212
for name in slash open closed stray kind huge tag nameless old new; do
	run "$SKUA" scan --json "$work/$name.skua"
	expect_status 3
	expect_silent_out
	expect_err "cannot read $work/$name.skua: "
done
for name in old new; do # of another version: neither read nor compared
	for words in "$work/good.skua $work/$name.skua" "$work/$name.skua $work/good.skua"; do
		run "$SKUA" scan diff $words
		expect_status 3
		expect_silent_out
		expect_err "cannot read $work/$name.skua: it is of a version that this skua does not know"
	done
done
run "$SKUA" scan --load "$kept" --import "$kept"
expect_status 2
run "$SKUA" scan --save x --count "$work/dir"
expect_status 2
