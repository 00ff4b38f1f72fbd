#!/bin/sh
# view.sh — `skua view` writes one page, with the trace's very bytes in it, or says why not
. "$SKUA_SOURCE/tests/cli/lib"
need_python

run "$SKUA" view -o -
if [ "$status" -eq 1 ] && grep -qF 'built without the page' "$err"; then
	expect_silent_out
	expect_err 'tools/setup'
	skip "this build has no page: $(cat "$err")"
fi

# Without a trace: the page of the build and nothing else.
expect_status 0
expect_silent_err
expect "a page" grep -q '^<!doctype html>' "$out"
refuse_out 'class="trace"'
refuse_out '<i id="trace-place"'
refuse_out 'connect-src'
cp "$out" "$work/plain.html"

python3 "$SKUA_SOURCE/tests/trace/make_trace" "$work/traces" || exit 3
cp "$work/traces/good.trace" "$work/run.trace"
# Larger than a block, and no multiple of three.
head -c 7000001 /dev/urandom >"$work/noise"
python3 - "$work/traces/good.trace" "$work/noise" "$work/large.trace" <<'END'
import struct, sys
trace, noise = open(sys.argv[1], "rb").read(), open(sys.argv[2], "rb").read()
noise += bytes(-len(noise) % 8)
whole = trace[:-16] + struct.pack("<IIQ", 77, 0, len(noise)) + noise + trace[-16:]
open(sys.argv[3], "wb").write(whole + b"tail")   # bytes behind the end are kept, too
END

# inside PAGE TRACE NAME: the trace of the page is that file, and the rest the plain page
inside() {
	python3 - "$@" "$work/plain.html" <<'END'
import base64, html, re, sys
page, trace, name, plain = (open(sys.argv[i], encoding="utf-8").read() if i in (1, 4) else sys.argv[i] for i in (1, 2, 3, 4))
block = r'<script type="application/octet-stream" class="trace"([^>]*)>([A-Za-z0-9+/=]*)</script>\n'
blocks = re.findall(block, page)
wanted = open(trace, "rb").read()
assert b"".join(base64.b64decode(text, validate=True) for _, text in blocks) == wanted, "other bytes"
assert all(len(text) <= 4 << 20 for _, text in blocks) and len(blocks) == max(1, -(-len(wanted) // (3 << 20)))
first = re.fullmatch(r' data-bytes="(\d+)" data-name="([^"<]*)"', blocks[0][0])
assert int(first[1]) == len(wanted) and html.unescape(first[2]) == name, first
assert not any(rest for rest, _ in blocks[1:])
rest = re.sub(block, "", page)
rest = re.sub(r'<i id="trace-place" hidden( data-(from|to)="-?\d+"| data-workers="[\d,]+"| data-shares="[\w+/=]+")*></i>', "", rest)
assert rest == plain, "the rest is another page"
assert page.index("trace-place") < page.index("<script type=\"module\"") < page.index('class="trace"')
END
}
for name in run large; do
	run "$SKUA" view -o "$work/page.html" "$work/$name.trace"
	expect_status 0
	expect_line "$work/page.html"
	expect "$name.trace is in the page" inside "$work/page.html" "$work/$name.trace" "$name.trace"
	run "$SKUA" view "$work/$name.trace" --output=-
	expect_status 0
	expect_silent_err
	expect "the same on standard output" cmp -s "$out" "$work/page.html"
done
run_line "'$SKUA' view - -o - <'$work/run.trace' >'$out' 2>'$err'"
expect_status 0
expect "from standard input" inside "$out" "$work/run.trace" "standard input"

# What is shown first: the same shares as the summary's, in columns.
run "$SKUA" view -o - "$work/run.trace"
cp "$out" "$work/page.html"
run "$SKUA" trace summary --json "$work/run.trace"
expect "the coarse picture has the summary's sums" python3 - "$work/page.html" "$out" <<'END'
import base64, json, re, sys
page, summary = open(sys.argv[1], encoding="utf-8").read(), json.load(open(sys.argv[2]))
place = dict(re.findall(r' data-(\w+)="([^"]*)"', re.search(r'<i id="trace-place"[^>]*>', page)[0]))
shares = base64.b64decode(place["shares"])
assert place["from"] == "0" and place["to"] == "10000000" and place["workers"] == "0,1" and len(shares) == 2 * 400 * 4
for i, worker in enumerate(summary["workers"]):
    for state, key in enumerate(("running_s", "blocked_s", "waiting_s", "searching_s")):
        sum_s = sum(shares[i * 1600 + state:(i + 1) * 1600:4]) / 255 * summary["seconds"] / 400
        assert abs(sum_s - worker[key]) < 2e-5, (i, key, sum_s, worker[key])
END

# A name that would be markup, or is no text.
rude="$work/\"><img src=x onerror=alert(1)>&amp;$(printf '\001\377').trace"
cp "$work/run.trace" "$rude"
run "$SKUA" view -o - "$rude"
expect_status 0
refuse_out '<img'
expect "the name is an attribute, and text" inside "$out" "$work/run.trace" \
	"\"><img src=x onerror=alert(1)>&amp;$(printf '\357\277\275\357\277\275').trace"

# Named after the trace, here; what is there stays unless told.
mkdir "$work/here"
cd "$work/here" || exit 3
run "$SKUA" view ../run.trace
expect_status 0
expect_line run.html
expect_err 'open it in a browser'
expect "run.html" inside run.html "$work/run.trace" run.trace
echo mine >run.html
run "$SKUA" view ../run.trace
expect_status 3
expect_silent_out
expect_err 'run.html is already there; name another with -o, or replace it with --force'
expect "it is untouched" [ "$(cat run.html)" = mine ]
run "$SKUA" view --force ../run.trace
expect_status 0
expect "replaced" inside run.html "$work/run.trace" run.trace
run "$SKUA" view
expect_status 0
expect_line skua.html
expect "skua.html" cmp -s skua.html "$work/plain.html"
run_line "'$SKUA' view - <'$work/run.trace' >'$out' 2>'$err'"
expect_status 0
expect_line trace.html
cd "$work" || exit 3

# Traces that are none, and one that is cut short.
for name in no_magic no_bytes version_2 short_header huge_count two_rings many_workers; do
	run "$SKUA" view -o "$work/none.html" "$work/traces/$name.trace"
	expect_status 3
	expect_silent_out
	expect_err "skua view: cannot read $work/traces/$name.trace: at byte"
	refuse "and no page" [ -e "$work/none.html" ]
done
run "$SKUA" view -o "$work/none.html" "$work/traces"
expect_status 3
expect_err 'Is a directory; name a file in it'
run "$SKUA" view -o "$work/none.html" "$work/nowhere.trace"
expect_status 3
expect_err 'No such file or directory; is the name right?'
run timeout 300 "$SKUA" view -o "$work/none.html" /dev/zero
expect_status 3
expect_err 'cannot read /dev/zero: at byte 0: it is no trace of skua'
head -c 300 "$work/run.trace" >"$work/cut.trace"
run "$SKUA" view -o "$work/cut.html" "$work/cut.trace"
expect_status 1
expect_err 'cut.trace is cut short: the page shows what is in it'
expect "as far as it goes" inside "$work/cut.html" "$work/cut.trace" cut.trace

# A page that cannot be written: told, and the old one stays.
old=$(cksum <"$work/page.html")
run "$SKUA" view -o "$work/none/page.html"
expect_status 3
expect_silent_out
expect_err "skua view: cannot write the page to $work/none/page.html: No such file or directory; is there such a folder?"
run "$SKUA" view -o "$work/traces"
expect_status 3
expect_err 'Is a directory'
limited="ulimit -f 8; trap '' XFSZ; '$SKUA' view -o '$work/page.html' '$work/run.trace'" # stands for a full disk
run_line "{ ($limited) 2>&1 >/dev/null; echo \$? >'$work/code'; } | cat >'$err'"
status=$(cat "$work/code")
expect_status 3
expect_err 'File too large'
expect "the old page is untouched" [ "$old" = "$(cksum <"$work/page.html")" ]
if [ -c /dev/full ]; then
	run "$SKUA" view -o /dev/full
	expect_status 3
	expect_err 'No space left on device'
	expect "/dev/full is still a device" [ -c /dev/full ]
	run_line "'$SKUA' view -o - >/dev/full 2>'$err'"
	expect_status 3
	expect_err 'skua view: cannot write to standard output: No space left on device'
fi
if [ "$(id -u)" -ne 0 ]; then
	mkdir -m 500 "$work/shut"
	run "$SKUA" view -o "$work/shut/page.html"
	expect_status 3
	expect_err 'Permission denied'
fi
ln -s page.html "$work/alias.html"
run "$SKUA" view -o "$work/alias.html"
expect_status 0
expect "a link stays a link" [ -L "$work/alias.html" ]
ln -s nowhere.html "$work/lost.html"
run "$SKUA" view -o "$work/lost.html"
expect_status 3
expect_err "No such file or directory; it is a link to a file that is not there: remove it, or name another with -o"

# The page never takes the place of the trace it is made of, under whatever name.
itself() { # NAME COMMAND...
	name=$1
	shift
	rm -f mine.trace
	cp "$work/run.trace" mine.trace
	run "$@"
	expect_status 3
	expect_silent_out
	expect_err "skua view: $name is the trace itself, which the page would replace; name another file with -o"
	expect "the trace is as it was" cmp -s mine.trace "$work/run.trace"
}
mkdir "$work/itself"
cd "$work/itself" || exit 3
ln -s mine.trace soft.html
ln -s soft.html mine.html
itself mine.trace "$SKUA" view mine.trace -o mine.trace
itself ./../itself/mine.trace "$SKUA" view mine.trace -o ./../itself/mine.trace
itself soft.html "$SKUA" view mine.trace -o soft.html
itself mine.trace "$SKUA" view soft.html -o mine.trace
itself mine.html "$SKUA" view --force mine.trace
itself mine.trace sh -c "'$SKUA' view - -o mine.trace <mine.trace"
itself 'standard output' sh -c "'$SKUA' view mine.trace -o - >>mine.trace"
cd "$work" || exit 3
expect "nothing left behind" test -z "$(find "$work" -name '*.skua-*')"

# Words that do not go together.
run "$SKUA" view --serve -o x.html
expect_status 2
expect_err 'either a file or a server, not both'
run "$SKUA" view --port=80
expect_status 2
expect_err '--port goes with --serve'
run "$SKUA" view --serve --port=65536
expect_status 2
run "$SKUA" view --output=
expect_status 2
expect_err '--output names no file'
run "$SKUA" view a b
expect_status 2
