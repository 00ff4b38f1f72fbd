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

# a page that cannot be written: told, and the old one stays
run "$SKUA" scan --html "$work/none/page.html" "$tree"
expect_status 3
expect_err 'cannot write the page'
run "$SKUA" scan --html
expect_status 2
expect "nothing left behind" test -z "$(find "$work" -name '*.skua-*')"
