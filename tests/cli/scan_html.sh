#!/bin/sh
# scan_html.sh — the page of a scan: whole, alone, and with sums that agree with the scan's
. "$SKUA_SOURCE/tests/cli/lib"
need_python

tree=$work/tree
mkdir -p "$tree/big/deep" "$tree/many"
head -c 3000000 /dev/zero >"$tree/big/deep/zeros.bin"
mkdir "$tree/big<" # with the slash of its path, an end of the script
head -c 200000 /dev/zero >"$tree/big</script><b>.txt"
for i in 1 2 3 4 5 6 7 8 9; do echo $i >"$tree/many/$i"; done
: >"$tree/many/$(printf 'x\377')"

page=$work/page.html
run "$SKUA" scan --html "$page" "$tree"
expect_status 0
expect_out 'files'

judge() {
	python3 - "$page" "$tree" <<'END'
import json, os, re, sys
page, root = open(sys.argv[1], encoding="utf-8").read(), sys.argv[2]
body = re.search(r'<script id="data" type="application/json">(.*?)</script>', page, re.S)[1]
data = json.loads(body)
assert data["schema"] == "skua-scan-page-1" and data["path"] == root
count = len(data["names"])
assert all(len(data[key]) == count for key in ("parent", "kind", "disk", "bytes", "files"))
below = [0] * count
for node in range(1, count):
    assert data["parent"][node] < node
    below[data["parent"][node]] += data["files"][node]
for node in range(count):          # what is in a directory adds up
    assert data["kind"][node] or below[node] == data["files"][node], node
assert data["files"][0] == sum(len(files) for _, _, files in os.walk(root))
assert data["bytes"][0] == sum(os.lstat(path).st_size for path in
                               [root] + [f"{folder}/{name}" for folder, dirs, files in os.walk(root) for name in dirs + files])
assert "script><b>.txt" in data["names"] and data["largest"][0][0].endswith("zeros.bin")
assert data["largest"][1][0].endswith("</script><b>.txt")
assert any(name.endswith(" smaller") for name in data["names"])
assert not re.search(r'(src|href)\s*=|https?://|@import|url\(', page), "it needs something else"
assert "default-src 'none'" in page and 'lang="en"' in page
END
}
expect "the page holds the scan and nothing else" judge
first=$(cksum <"$page")
for workers in 1 8; do
	run "$SKUA" scan --html "$page" --workers=$workers "$tree"
	expect "the same page with $workers workers" test "$first" = "$(cksum <"$page")"
done

# ends of names: the same figures as the report's, and what is not listed is summed up
mkdir "$work/ends"
for i in $(seq 50); do head -c $((5000 * i)) /dev/zero >"$work/ends/f.E$i"; done
ln "$work/ends/f.E9" "$work/ends/g.E9"
: >"$work/ends/none"
run "$SKUA" scan --html "$page" --extensions --json "$work/ends"
expect_status 0
expect "the page's ends are the report's" python3 - "$page" "$out" <<'END'
import json, re, sys
page, report = open(sys.argv[1], encoding="utf-8").read(), json.load(open(sys.argv[2]))["extensions"]
data = json.loads(re.search(r'<script id="data" type="application/json">(.*?)</script>', page, re.S)[1])
rows = [[row["extension"] or "", row["files"], row["bytes_disk"], row["bytes_apparent"]] for row in report]
rest = [len(rows) - 40] + [sum(row[column] for row in rows[40:]) for column in (1, 2, 3)]
sys.exit(len(rows) != 51 or data["extensions"] != rows[:40] or data["extensions_rest"] != rest)
END

# as with --save: a pipe is written to, a link stays, a mode is kept
run "$SKUA" scan --html "$page" "$tree"
mkfifo "$work/pipe.html"
cat "$work/pipe.html" >"$work/piped.html" &
run "$SKUA" scan --html "$work/pipe.html" "$tree"
wait
expect_status 0
expect "through a pipe it is the same" cmp -s "$work/piped.html" "$page"
expect "the pipe is still one" [ -p "$work/pipe.html" ]
chmod 600 "$page"
ln -s page.html "$work/alias.html"
run "$SKUA" scan --html "$work/alias.html" "$tree/many"
expect_status 0
expect "a link stays a link" [ -L "$work/alias.html" ]
refuse "and what it leads to is new" cmp -s "$work/piped.html" "$page"
expect "with its mode" [ "$(stat -c %a "$page")" = 600 ]
long=$work/$(printf '%0250d.html' 0) # no room for a longer name beside it
run "$SKUA" scan --html "$long" "$tree/many"
expect_status 0
expect "a name of 255 bytes" cmp -s "$long" "$page"

# a page that cannot be written: told, and the old one stays
old=$(cksum <"$page")
run "$SKUA" scan --html "$work/none/page.html" "$tree"
expect_status 3
expect_err "skua scan: --html: cannot write the page to $work/none/page.html: No such file or directory"
expect_out 'files' # the rest is told all the same
run "$SKUA" scan --html "$tree/"
expect_status 2
expect_silent_out
expect_err "skua scan: --html cannot write to $tree/: it is a directory"
expect_err "--html names the file to write, a PATH what to scan: --html=page.html $tree/"
run "$SKUA" scan --save "$tree" "$tree"
expect_status 2
expect_err "skua scan: --save cannot write to $tree: it is a directory"
limited="ulimit -f 4; trap '' XFSZ; '$SKUA' scan --html '$page' '$tree'" # stands for a full disk
run_line "{ ($limited) 2>&1 >/dev/null; echo \$? >'$work/code'; } | cat >'$err'"
status=$(cat "$work/code")
expect_status 3
expect_err 'File too large'
expect "the old page is untouched" [ "$old" = "$(cksum <"$page")" ]
if [ -c /dev/full ] && [ -p "$work/pipe.html" ]; then
	run "$SKUA" scan --html /dev/full "$tree"
	expect_status 3
	expect_err 'No space left on device'
	expect "/dev/full is still a device" [ -c /dev/full ]
fi
run "$SKUA" scan --html
expect_status 2
run "$SKUA" scan --html= "$tree"
expect_status 2
expect_err '--html needs the name of a file'
expect "nothing left behind" test -z "$(find "$work" -name '*.skua-*')"
