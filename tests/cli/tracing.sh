#!/bin/sh
# tracing.sh — SKUA_TRACE, SKUA_PROFILE, SKUA_WATCHDOG, SKUA_STATS: what they write, and that nothing else changes
. "$SKUA_SOURCE/tests/cli/lib"
need_python
unset SKUA_TRACE SKUA_TRACE_RECORDS SKUA_PROFILE SKUA_STATS SKUA_MONITOR SKUA_WATCHDOG
XDG_RUNTIME_DIR=$work/runtime
export XDG_RUNTIME_DIR
mkdir -m 700 "$XDG_RUNTIME_DIR"

program="$SKUA_BUILD/examples/02_fork_join"
[ -x "$program" ] || skip "the examples are not built"
run "$program"
expect_status 0
cp "$out" "$work/plain"

# How long a worker may sleep beside work: on a busy machine one that was woken is long without a processor.
bound=--bound=60s

# A trace is written, and is what the reader takes for one.
run env SKUA_TRACE="$work/run.skt" "$program"
expect_status 0
expect "the output is what it is without" cmp -s "$work/plain" "$out"
expect_silent_err
expect "a trace was written" test -s "$work/run.skt"
expect "nothing else was" test "$(find "$work" -name '*.tmp' | wc -l)" -eq 0
run "$SKUA" trace check $bound "$work/run.skt"
expect_status 0
# As it is without the option, in one run of many: no worker sleeps beside work for 10 ms.
for try in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	SKUA_TRACE="$work/prompt.skt" "$SKUA" bench uts:bin --workers=2 --repeat=3 >/dev/null
	! "$SKUA" trace check "$work/prompt.skt" >"$work/prompt" || break
	[ "$try" != 20 ] || cat "$work/prompt" >&2
done
expect "one of 20 runs has no sleep beside work" [ "$try" != 20 ]
run "$SKUA" trace summary "$work/run.skt"
expect_status 0
expect_out 'worker'

# %p is the process; a second run replaces what the first wrote.
run env SKUA_TRACE="$work/at-%p.skt" "$program"
expect_status 0
expect "the number of the process is in its name" test "$(find "$work" -name 'at-[0-9]*.skt' | wc -l)" -eq 1
run env SKUA_TRACE="$work/run.skt" "$program"
expect_status 0
expect "one file for two runs" test "$(find "$work" -name 'run.skt*' | wc -l)" -eq 1

# Two at once: both are there, whole.
run_line 'SKUA_TRACE=$work/both.skt "$program" >/dev/null & SKUA_TRACE=$work/both.skt "$program" >/dev/null; wait'
for file in "$work"/both.skt*; do
	run "$SKUA" trace check $bound "$file"
	expect_status 0
done

# What cannot be written changes nothing, and is told in one line.
for path in "$work/no/such/folder" "$work" /dev/full "$work/$(printf 'a\033[2J')/b"; do
	run env SKUA_TRACE="$path" "$program"
	expect_status 0
	expect "the output is what it is without" cmp -s "$work/plain" "$out"
	expect "one line: $path" [ "$(wc -l <"$err")" -eq 1 ]
	expect_err 'skua: SKUA_TRACE: the trace of pool "skua" '
	expect_err "$(printf %s "$path" | tr '\033' '?'): "
	expect_err '; name a file in a folder that may be written to'
	refuse "no control bytes of the environment" has_control_bytes "$err"
	run env SKUA_STATS=1 SKUA_TRACE="$path" "$program"
	expect_status 0
	expect_err 'trace: the trace of pool'
done
run env SKUA_TRACE="$(printf '%05000d' 1)" "$program"
expect_status 0
expect "one line" [ "$(wc -l <"$err")" -eq 1 ]
expect_err_line 'skua: SKUA_TRACE: pool "skua" is not traced: the path is too long'
run env SKUA_TRACE="$work/run.skt" SKUA_TRACE_RECORDS=many "$program"
expect_status 0
expect_err_line 'skua: SKUA_TRACE_RECORDS is not used: it is no whole number from 1 to 67108864'

# Seen at once, not only when hours of work are done.
run_line 'SKUA_TRACE=$work/no/such/folder SKUA_MONITOR=1 "$SKUA_BUILD/examples/31_monitored" 300 >"$out" 2>"$err" & long=$!'
waited=0
until [ -s "$err" ] || [ $waited -ge 1200 ]; do
	sleep 0.05
	waited=$((waited + 1))
done
expect "it runs still" kill -9 $long
expect_err 'will not be in'
wait $long 2>/dev/null

# A limit that is none: one line, and no watchdog.  Empty and 0 say that none is wanted.
for word in abc -5 +7 ' 7' 1.5 100ms 2147483648 99999999999999999999; do
	run env SKUA_WATCHDOG="$word" "$program"
	expect_status 0
	expect "the output is what it is without" cmp -s "$work/plain" "$out"
	expect_err_line "skua: SKUA_WATCHDOG='$word' is not used: it is no whole number of milliseconds from 1 to 2147483647; try SKUA_WATCHDOG=1000"
	expect "one line" [ "$(wc -l <"$err")" -eq 1 ]
done
for word in '' 0 1000; do
	run env SKUA_WATCHDOG="$word" "$program"
	expect_status 0
	expect_silent_err
done

# No room for it: what was there stays, nothing is left beside it, and no signal ends the program.
mkdir "$work/full"
echo old >"$work/full/run.skt"
limited="ulimit -f 0; SKUA_STATS=1 SKUA_TRACE='$work/full/run.skt' '$program'"
run_line "{ ($limited) 2>&1; echo status \$?; } | cat >'$out'"
expect_line 'status 0'
expect_out "is not in $work/full/run.skt: File too large"
expect "what was there stays" [ "$(cat "$work/full/run.skt")" = old ]
expect "nothing is left beside it" [ "$(ls "$work/full")" = run.skt ]

# A program with more rights than who runs it writes nothing at their wish.
if [ "$(id -u)" -ne 0 ] || ! python3 -c 'import os; os.setuid(65534)' 2>/dev/null; then
	echo "not checked: a program of other rights (needs root)"
else
	mkdir "$work/rights"
	chmod 755 "$work" "$work/rights"
	cp "$program" "$work/rights/program"
	chmod 4755 "$work/rights/program"
	run env SKUA_TRACE="$work/rights/run.skt" SKUA_PROFILE=1 python3 -c 'import os, sys
os.setgroups([]), os.setgid(65534), os.setuid(65534)
os.execv(sys.argv[1], sys.argv[1:])' "$work/rights/program"
	expect_status 0
	expect_silent_err
	expect "no file was written" [ "$(ls "$work/rights")" = program ]
fi

# A tree that nobody can split evenly, on two workers: thefts match, and nothing is lost.
run env SKUA_TRACE="$work/uts.skt" "$SKUA" bench uts:bin --workers=2 --repeat=20
expect_status 0
run "$SKUA" trace check $bound --whole "$work/uts.skt"
expect_status 0
expect "no violation" grep -q '^0 violations' "$out"
run "$SKUA" trace summary --json "$work/uts.skt"
expect_json dropped 0 truncated false

# Rings of another size: of 16 records some are lost, which is counted and warned of.  Words that
# are no size change nothing, and are told.
with_rings() { # RECORDS
	run env SKUA_TRACE="$work/ring.skt" SKUA_TRACE_RECORDS="$1" SKUA_STATS=1 "$SKUA" bench uts:bin --workers=2 --repeat=20
	expect_status 0
	cp "$err" "$work/stats"
	run "$SKUA" trace summary --json "$work/ring.skt"
	expect_status 0
}
with_rings 16
expect "some were lost" [ "$(json dropped)" -gt 0 ]
expect "at most 16 of each of two workers are left" [ "$(json records)" -le 32 ]
run "$SKUA" trace summary "$work/ring.skt"
expect_out 'SKUA_TRACE_RECORDS'
with_rings 100000
expect "none was lost" [ "$(json dropped)" -eq 0 ]
for word in 0 -1 x 12x 67108865 99999999999999999999; do
	with_rings "$word"
	expect "$word: none was lost" [ "$(json dropped)" -eq 0 ]
	expect "$word: it is told" grep -q 'SKUA_TRACE_RECORDS is not used' "$work/stats"
done

# The profile goes to standard error.
run env SKUA_PROFILE=1 "$program"
expect_status 0
expect "the output is what it is without" cmp -s "$work/plain" "$out"
for word in 'work ' 'span ' 'parallelism' 'burdened' 'bound' ' 1024' 'of span'; do
	expect_err "$word"
done
run env SKUA_PROFILE=0 "$program"
expect_silent_err
for name in STATS PROFILE MONITOR; do
	for no in '' 0; do
		run env SKUA_$name="$no" "$program"
		expect_silent_err
	done
	for word in yes true 2 '1 ' on; do # told once, whatever becomes of it
		run env SKUA_$name="$word" "$program"
		expect_status 0
		expect "the output is what it is without" cmp -s "$work/plain" "$out"
		expect_err "skua: SKUA_$name='$word' is not used: it is 1 or 0; try SKUA_$name=1"
		expect "SKUA_$name='$word': one line" [ "$(wc -l <"$err")" -eq 1 ]
	done
done
