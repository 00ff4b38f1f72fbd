#!/bin/sh
# scan_dupes.sh — files with the same contents are found, near misses kept apart, nothing touched unasked
. "$SKUA_SOURCE/tests/cli/lib"
need_python

tree=$work/tree
python3 - "$tree" <<'END'
import os, random, sys
root = sys.argv[1]
random.seed(7)
for size in (1, 4095, 4096, 5000, 16384, 16385, 65536, 70001, (1 << 20) + 3, (16 << 20) + 5):
    base = bytearray(random.randbytes(size))
    folder = f"{root}/{size}"
    os.makedirs(f"{folder}/deeper")
    def put(name, data):
        with open(f"{folder}/{name}", "wb") as file:
            file.write(data)
    put("one", base)
    put("deeper/two", base)
    for name, at in (("first", 0), ("middle", size // 2), ("last", size - 1)):
        other = bytearray(base)
        other[at] ^= 0xff
        put(name, other)
    os.link(f"{folder}/one", f"{folder}/link")
os.makedirs(f"{root}/odd")
for name in (b"a\xff", b"new\nline"):
    with open(os.fsencode(root) + b"/odd/" + name, "wb") as file:
        file.write(b"odd names, same contents")
open(f"{root}/empty1", "w").close()
open(f"{root}/empty2", "w").close()
END

run "$SKUA" scan "$tree" --duplicates
case $(cat "$err") in
*'not to be had'*) echo "skipped: built without xxhash.h"; exit 77 ;;
esac

brute() { # groups by SHA-256, names of one file as one; the same as the report?
	python3 - "$tree" "$1" <<'END'
import collections, hashlib, json, os, sys
root, report = os.fsencode(sys.argv[1]), json.load(open(sys.argv[2]))
groups = collections.defaultdict(set)
for folder, _, files in os.walk(root):
    for name in files:
        path = folder + b"/" + name
        if os.path.getsize(path):
            groups[hashlib.sha256(open(path, "rb").read()).digest()].add(path)
def inodes(paths):
    return {os.stat(path).st_ino for path in paths}
wanted = {frozenset(paths) for paths in groups.values() if len(inodes(paths)) > 1}
found = {frozenset(os.fsencode(file["path"].encode("utf-8", "surrogateescape").decode("utf-8", "surrogateescape"))
                   for file in group["files"]) for group in report["duplicates"]["list"]}
gains = [group["bytes_each"] * (group["count"] - 1) for group in report["duplicates"]["list"]]
sys.exit(found != wanted or gains != sorted(gains, reverse=True) or report["duplicates"]["extra_bytes"] != sum(gains))
END
}
for workers in 1 2 8; do
	for more in '' --verify; do
		run "$SKUA" scan "$tree" --duplicates --json --workers=$workers $more
		expect_status 0
		expect "as SHA-256 has it, $workers workers $more" brute "$out"
		sed -E 's/"(seconds|entries_per_second|workers)": *[0-9.e+-]*//' "$out" >"$work/now.$more"
		[ -e "$work/first.$more" ] || cp "$work/now.$more" "$work/first.$more"
		expect "the same with $workers workers $more" cmp -s "$work/now.$more" "$work/first.$more"
	done
done

# -0: paths as they are, an empty one after each group
run "$SKUA" scan "$tree/odd" --duplicates -0
expect_status 0
expect "two paths and an end" test "$(tr -cd '\000' <"$out" | wc -c)" = 3

# nothing is touched without --apply
before=$(find "$tree" -printf '%i %n %P\n' | sort | cksum)
run "$SKUA" scan "$tree" --duplicates --hardlink
expect_status 0
expect_out 'would have'
expect "untouched" test "$before" = "$(find "$tree" -printf '%i %n %P\n' | sort | cksum)"

sums=$(cd "$tree" && find . -type f -print0 | sort -z | xargs -0 sha256sum | cksum)
run "$SKUA" scan "$tree" --duplicates --hardlink --apply
expect_status 0
expect "one file now" test "$(stat -c %i "$tree/5000/one")" = "$(stat -c %i "$tree/5000/deeper/two")"
expect "contents as before" test "$sums" = "$(cd "$tree" && find . -type f -print0 | sort -z | xargs -0 sha256sum | cksum)"
expect "nothing left behind" test -z "$(find "$tree" -name '*.skua-*')"
run "$SKUA" scan "$tree" --duplicates --json
expect_json duplicates.groups 0

# operands that are files, names too long for another beside them, deeper than a path may be long
python3 - "$work/far" <<'END'
import os, sys
os.mkdir(sys.argv[1])
os.chdir(sys.argv[1])
def put(name):
    with open(name, "w", encoding="ascii") as file:
        file.write("all the same " * 100)
put("one")
put("w" * 255)
for level in range(60):
    os.mkdir("d" * 100)
    os.chdir("d" * 100)
put("deep")
put("v" * 255)
os.symlink("deep", "link")
END
cp "$work/far/one" "$work/alone"
(cd "$work" && "$SKUA" scan --duplicates --json alone far/one) >"$out"
expect_json duplicates.groups 1 duplicates.list.0.files.0.path alone duplicates.list.0.files.1.path far/one
run "$SKUA" scan --duplicates --json "$work/far" "$work/alone"
expect_json duplicates.list.0.count 5
run_line "cd '$work' && '$SKUA' scan --duplicates --hardlink --apply far alone >'$out' 2>'$err'"
expect_status 0
expect_silent_err
expect_out '4 files made links'
expect "one file with five names" [ "$(stat -c %h "$work/alone")" = 5 ]
expect "nothing left behind" [ "$(find "$work/far" | wc -l)" = 66 ]

# shared blocks: where the file system cannot, that is told and nothing is lost
mkdir "$work/share"
head -c 300000 /dev/urandom >"$work/share/a"
cp "$work/share/a" "$work/share/b"
sums=$(cat "$work/share/a" "$work/share/b" | cksum)
run "$SKUA" scan --duplicates --dedupe --apply "$work/share"
expect "shared, or it is said why not" [ "$status" = 0 -o "$status:$(grep -c "share/b: cannot share its blocks: " "$err")" = 1:1 ]
expect "contents as before" [ "$sums" = "$(cat "$work/share/a" "$work/share/b" | cksum)" ]
expect "still two files" [ "$(stat -c %h "$work/share/a")" = 1 ]

# what does not go together
for words in --verify '--duplicates --apply' '--duplicates --hardlink --dedupe' '--duplicates --hard-links=all'; do
	run "$SKUA" scan $words "$tree"
	expect_status 2
done
