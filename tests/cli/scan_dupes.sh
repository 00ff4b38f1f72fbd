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

# what does not go together
for words in --verify '--duplicates --apply' '--duplicates --hardlink --dedupe' '--duplicates --hard-links=all'; do
	run "$SKUA" scan $words "$tree"
	expect_status 2
done
