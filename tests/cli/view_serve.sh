#!/bin/sh
# view_serve.sh — `skua view --serve` under clients of every kind; rows G29 to G33 of the table of faults
. "$SKUA_SOURCE/tests/cli/lib"
need_python
client=$SKUA_SOURCE/tests/cli/view_client.py
patience=600 # seconds: what takes so long hangs, on a busy machine too
XDG_RUNTIME_DIR=$work/run
export XDG_RUNTIME_DIR
mkdir -m 700 "$XDG_RUNTIME_DIR"

run "$SKUA" view -o -
[ "$status" -ne 1 ] || skip "this build has no page: $(cat "$err")"

started=
end() {
	for one in $started; do kill -9 "$one" 2>/dev/null; done
	:
}
trap 'end; leave' EXIT

# serve [WORD...]: start a server; $pid and $port
serve() {
	rm -f "$work/address"
	"$@" >"$work/address" 2>"$work/said" &
	pid=$!
	started="$started $pid"
	waited=0
	while ! [ -s "$work/address" ] && [ $waited -lt 600 ]; do
		sleep 0.05
		waited=$((waited + 1))
	done
	port=$(sed -n 's,^http://127.0.0.1:\([0-9]*\)/$,\1,p' "$work/address")
	expect "an address was printed: $(cat "$work/address")" [ -n "$port" ]
}
# finish SIGNAL: it ends at once, with 0
finish() {
	kill -"$1" "$pid"
	wait "$pid"
	status=$?
	started=
	ran="skua view --serve, ended by $1"
	expect_status 0
}
# Bytes of memory that the server has.
memory() { awk '/^VmRSS:/ { print $2 * 1024 }' "/proc/$pid/status"; }
# Hundredths of a second that it has computed.
computed() { awk '{ print $14 + $15 }' "/proc/$pid/stat"; }
# rests WHEN: in one second of thirty it computes next to nothing; the last clients may have to be let go first
rests() {
	tries=0
	while
		used=$(computed)
		sleep 1
		idle=$(($(computed) - used))
		tries=$((tries + 1))
		[ $idle -gt 5 ] && [ $tries -lt 30 ]
	do :; done
	expect "$1 it does not compute: $idle hundredths of a second" [ $idle -le 5 ]
}

serve "$SKUA" view --serve
expect "says how to end it" grep -q 'Ctrl-C ends it' "$work/said"
for case in honest paths forms exposure; do
	run timeout $patience python3 "$client" $case "$port"
	expect_status 0
done

# Nothing but the folder of monitored pools is opened for a path, whatever it is.
if command -v strace >/dev/null && strace -o /dev/null true 2>/dev/null; then
	strace -f -e trace=open,openat,openat2 -o "$work/opened" -p "$pid" 2>/dev/null &
	watcher=$!
	sleep 1
	run timeout $patience python3 "$client" paths "$port"
	kill "$watcher"
	wait "$watcher" 2>/dev/null
	refuse "nothing is opened: $(head -3 "$work/opened")" grep -q 'open' "$work/opened"
fi

# Slow ones, and how much memory they take: at most 16 KiB each.
before=$(memory)
run timeout $patience python3 "$client" slow "$port"
expect_status 0
after=$(memory)
expect "1050 slow clients took $((after - before)) bytes" [ $((after - before)) -lt $((1050 * 16384)) ]
run timeout $patience python3 "$client" late "$port"
expect_status 0
run timeout $patience python3 "$client" flood "$port"
expect_status 0
rests "idle"
finish INT

# Another on the same port; then with few descriptors.
serve "$SKUA" view --serve
run "$SKUA" view --serve --port="$port"
expect_status 3
expect_silent_out
expect_err "skua view: cannot listen on 127.0.0.1, port $port: Address already in use; leave --port out for a free one"
finish TERM
serve sh -c "ulimit -n 24; exec '$SKUA' view --serve"
run timeout $patience python3 "$client" crowded "$port"
expect_status 0
rests "idle after EMFILE"
finish INT

# With a trace, and a program that runs.
python3 "$SKUA_SOURCE/tests/trace/make_trace" "$work/traces" || exit 3
serve "$SKUA" view --serve "$work/traces/good.trace"
run timeout $patience python3 -c "
import sys, urllib.request
page = urllib.request.urlopen('http://127.0.0.1:$port/').read()
sys.exit(b'data-name=\"good.trace\"' not in page or b'trace-place' not in page)"
expect_status 0
program=$SKUA_BUILD/examples/31_monitored
if [ -x "$program" ]; then
	"$program" 300 >/dev/null 2>&1 &
	watched=$!
	started="$started $watched"
	waited=0
	while [ ! -s "$XDG_RUNTIME_DIR/skua/$watched.0" ] && [ $waited -lt 600 ]; do
		sleep 0.05
		waited=$((waited + 1))
	done
	run timeout $patience python3 "$client" live "$port" "$watched"
	expect_status 0
	kill -9 "$watched"
	wait "$watched" 2>/dev/null
fi
finish INT

# A page of megabytes, and clients that do not read it.
python3 - "$work/traces/good.trace" "$work/large.trace" <<'END'
import struct, sys
trace = open(sys.argv[1], "rb").read()
open(sys.argv[2], "wb").write(trace[:-16] + struct.pack("<IIQ", 77, 0, 7 << 20) + bytes(7 << 20) + trace[-16:])
END
serve "$SKUA" view --serve "$work/large.trace"
for case in pinned readers; do
	run timeout $patience python3 "$client" $case "$port"
	expect_status 0
done
finish INT

# A standard output that does not take the address.
if [ -c /dev/full ]; then
	run_line "timeout \$patience '$SKUA' view --serve >/dev/full 2>'$err'"
	expect_status 3
	expect_err 'skua view: cannot write to standard output: No space left on device'
fi
