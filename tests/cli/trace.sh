#!/bin/sh
# trace.sh — traces with known answers: summary, check, list, convert, files that are none
. "$SKUA_SOURCE/tests/cli/lib"
need_python

here=$SKUA_SOURCE/tests/trace
traces=$work/traces
python3 "$here/make_trace" "$traces" || exit 3
t() { echo "$traces/$1.trace"; }

# The summary of the good one, to the digit.
run "$SKUA" trace summary "$(t good)" --json
expect_status 0
expect_silent_err
expect_json_valid
expect_json schema skua-trace-1 process 77 seconds 0.01 snapshot false truncated false calibrated true records 30 \
	dropped 0 unknown_records 0 facts.0.key program facts.0.value sample utilisation 0.55 somebody_ran_s 0.008 start_wall_ns 1700000000000000000
expect_json counts.tasks 4 counts.waits 1 counts.parks 4 counts.blocks 1 counts.spans 1 counts.slices 11 counts.steals 1 \
	counts.depths 3 counts.marks 1 counts.wakes 1 counts.forks 64 counts.misses 50 counts.injected 3 counts.shared 2
expect_json workers.0.running_s 0.006 workers.0.asleep_s 0.0015 workers.0.waiting_s 0.002 workers.0.blocked_s 0.0005 \
	workers.0.searching_s 0 workers.0.unseen_s 0 workers.0.robbed 1 workers.0.idle_beside_others_s 0.0015 workers.1.idle_beside_others_s 0.001
expect_json workers.1.running_s 0.005 workers.1.searching_s 0.0013 workers.1.asleep_s 0.0017 workers.1.unseen_s 0.002 \
	workers.1.steals 1 workers.1.stolen 2 workers.1.misses 50
expect_json steals_by_distance.0.distance core steals.0.thief 1 steals.0.victim 0 steals.0.tasks 2 \
	waits.0.reason join waits.0.seconds 0.003 waits.0.idle_s 0.002 tasks.0.name leaf tasks.0.count 3 tasks.0.seconds 0.006 \
	tasks.1.name root tasks.1.longest_s 0.0085 gaps.0.worker 1 gaps.0.at_s 0.008 gaps.0.seconds 0.002 gaps.0.state asleep
cp "$out" "$work/good.json"

# JSON: every documented key is there, every key is documented.
n=0
for name in idle every_wait crowd rude_names snapshot nothing; do
	run "$SKUA" trace summary "$(t $name)" --json
	expect_status 0
	n=$((n + 1))
	cp "$out" "$work/more.$n.json"
done
run python3 "$SKUA_SOURCE/tests/cli/check_json" "$SKUA_SOURCE/docs/json.md" skua-trace-1 "$work"/good.json "$work"/more.*.json
expect_status 0

# The text: what is where, within 80 columns, in words.
run "$SKUA" trace summary "$(t good)"
expect_status 0
expect_out 'sample, process 77'
expect_line '       1   50.0%     13.0%   17.0%    0.0%    0.0%   20.0%        2        1'
expect_line '      1             1       0'
expect_line '  join             1      3.0 ms      2.0 ms      3.0 ms'
expect_line '         3      6.0 ms      4.0 ms  leaf'
expect_line '  worker 1, 2.0 ms from 0.008000 s on, mostly asleep'
refuse "80 columns are enough" grep -qE '^.{81}' "$out"
run "$SKUA" trace summary "$(t idle)"
expect_out 'worker 1 was idle for 99 % of the time in which others ran'
expect "work was there" grep -qzE 'tasks[[:space:]]+waited[[:space:]]+at[[:space:]]+them[[:space:]]+for[[:space:]]+much' "$out"
expect_out 'tasks waited elsewhere for 80.0 ms'
expect_out 'the busiest worker did 2.00 times the mean'
refuse_out 'searches for work' # many, but in no time
run "$SKUA" trace summary "$(t alone)"
expect "there was none" grep -qzE 'more[[:space:]]+or[[:space:]]+smaller[[:space:]]+tasks' "$out"
run "$SKUA" trace summary "$(t halves)"
expect "who works is too long, not who waits" grep -qzE 'one[[:space:]]+run[[:space:]]+of[[:space:]]+leaf[[:space:]]+lasted' "$out"
run "$SKUA" trace summary "$(t searching)"
expect_out '0.01 % of the searches for work found some'
run "$SKUA" trace summary "$(t blocked)"
expect_out 'worker 0 was blocked for 90 %'
expect_out 'nobody ran for 95 % of the time'
run "$SKUA" trace summary "$(t dropped)"
expect_out '12345 records were dropped'
run "$SKUA" trace summary "$(t spares)"
refuse_out 'worker 1 was idle'
run "$SKUA" trace summary "$(t crowd)"
expect_out 'worker 0 from worker 1: 1'
expect "ten pairs" [ "$(grep -c ' from worker ' "$out")" -eq 10 ]
run "$SKUA" trace summary "$(t crowd)" --most=3
expect "three pairs" [ "$(grep -c ' from worker ' "$out")" -eq 3 ]
run "$SKUA" trace summary "$(t newer)"
expect_status 0
expect "what is newer is skipped and told" grep -qzE '3[[:space:]]+records[[:space:]]+and[[:space:]]+2[[:space:]]+sections' "$out"
expect_out '6 bytes follow the end'
run "$SKUA" trace summary "$(t no_clock)"
expect_out 'the clock was not calibrated'
run "$SKUA" trace summary "$(t empty)"
expect_out 'no worker recorded anything'
run "$SKUA" trace summary "$(t rude_names)"
expect_status 0
refuse "no control bytes from names" has_control_bytes "$out"
run_line "'$SKUA' trace summary - <'$(t good)' >'$out' 2>'$err'"
expect_status 0
expect_out 'sample, process 77'

# Check: each rule by name, with worker, time and record.
run "$SKUA" trace check "$(t good)"
expect_status 0
expect_line '0 violations in 30 records of 2 rings'
run "$SKUA" trace check --whole "$(t good)"
expect_status 0
run "$SKUA" trace check "$(t midway)"
expect_status 0
expect_line 'open at the start: 2, at the end: 1'
run "$SKUA" trace check --whole "$(t midway)"
expect_status 1
expect_line 'worker 0, 0.000001000 s, record 0: a wait has an end and no beginning'
expect_line 'worker 0, 0.000003000 s, record 2: a task has no end'
run "$SKUA" trace check "$(t bad_time)"
expect_status 1
expect_line 'worker 0, 0.000002000 s, record 1: the clock runs backwards, by 2000 ticks'
run "$SKUA" trace check "$(t bad_peer)"
expect_status 1
expect_out 'record 0: steal: there is no worker 2'
expect_out 'record 1: wake: there is no worker 9'
expect_out 'record 2: steal: from itself'
run "$SKUA" trace check "$(t bad_nesting)"
expect_status 1
expect_out 'record 1: a wait does not end before what it stands in ends'
expect_out 'record 4: unpark: no sleep has begun here'
expect_out 'record 7: a task begins in a sleep'
expect_line '3 violations in 9 records of 1 ring'
run "$SKUA" trace check "$(t bad_theft)"
expect_status 1
expect_out 'record 3: a task stolen from worker 1 begins, and nothing was stolen there before'
run "$SKUA" trace check "$(t bad_name)"
expect_out 'record 0: mark: there is no name 99'
run "$SKUA" trace check "$(t dropped)"
expect_status 1
expect_out '12345 of 12347 records were overwritten; enlarge the ring'
run "$SKUA" trace check "$(t idle)"
expect_status 1
expect_out 'worker 1, 0.000100000 s, record 1: sleeps for 98.900 ms while tasks wait at worker 0 from 0.005000 to 0.085000 s'
run "$SKUA" trace check --bound=80ms "$(t idle)"
expect_status 1
run "$SKUA" trace check --bound=80001us "$(t idle)"
expect_status 0
run "$SKUA" trace check "$(t spares)"
expect_status 0
run "$SKUA" trace check "$(t outside)"
expect_status 0
run "$SKUA" trace check --most=5 "$(t bad_many)"
expect_status 1
expect "five of them" [ "$(grep -c 'runs backwards' "$out")" -eq 5 ]
expect_line 'and 94 more; --most=99 shows them'
run "$SKUA" trace check --json "$(t bad_nesting)"
expect_status 1
expect_json schema skua-trace-check-1 violation_count 3 violations.0.rule nesting violations.0.record 1 violations.0.worker 0
cp "$out" "$work/check1.json"
run "$SKUA" trace check --json "$(t dropped)"
expect_json violations.0.rule dropped violations.0.record null open_before 1 open_after 1
cp "$out" "$work/check2.json"
run python3 "$SKUA_SOURCE/tests/cli/check_json" "$SKUA_SOURCE/docs/json.md" skua-trace-check-1 "$work/check1.json" "$work/check2.json"
expect_status 0

# List: one line for each record, in the order of time.
run "$SKUA" trace list "$(t good)"
expect_status 0
expect "thirty lines" [ "$(wc -l <"$out")" -eq 30 ]
expect_line "0.002500000 1 task 'leaf' origin=stolen-fork from=0"
expect_line "0.006500000 0 mark 'here' value=70000"
expect_line '0.002500000 1 steal from=0 tasks=2 distance=core'
cut -d' ' -f1 "$out" >"$work/times"
expect "in the order of time" sort -n -c "$work/times"
run "$SKUA" trace list "$(t newer)"
expect_line '0.000001000 0 unknown kind=200 argument=7 peer=7 detail=7'
run "$SKUA" trace list "$(t rude_names)"
refuse "no control bytes from names" has_control_bytes "$out"

# Convert: both formats have what the summary counts.
for name in good idle every_wait crowd outside snapshot midway dropped bad_nesting rude_names empty nothing no_clock hostile_clock newer deep; do
	"$SKUA" trace summary "$(t $name)" --json >"$work/sum.json"
	run "$SKUA" trace convert "$(t $name)" -o "$work/$name.json"
	expect_status 0
	expect_silent_out
	run python3 "$here/check_chrome" "$work/$name.json" "$work/sum.json"
	expect_status 0
	run "$SKUA" trace convert "$(t $name)" --output="$work/$name.pftrace"
	expect_status 0
	if command -v protoc >/dev/null; then
		protoc -I"$here" --decode=Trace "$here/perfetto.proto" <"$work/$name.pftrace" >"$work/decoded" 2>"$err"
		expect "protoc decodes $name" [ $? -eq 0 ]
		run python3 "$here/check_perfetto" "$work/decoded" "$work/sum.json"
		expect_status 0
	fi
done
command -v protoc >/dev/null || echo "no protoc: Perfetto's format is not decoded here"
if command -v protoc >/dev/null; then
	protoc -I"$here" --decode=Trace "$here/perfetto.proto" <"$work/good.pftrace" >"$out"
	expect_out 'thread_name: "worker 1"'
	expect_out 'timestamp: 5002500000'
	expect_out 'name: "wait for a join"'
	expect_out 'uint_value: 70000'
fi
cp "$work/rude_names.json" "$out"
expect_out '\"\\\u000a\u0009\u001b[31m\u007f'
cp "$(t good)" "$work/itself.trace"
run "$SKUA" trace convert "$work/itself.trace" --format=chrome -o "$work/itself.trace"
expect_status 3
expect_err 'is the trace itself; name another file with -o'
expect "it is as it was" cmp -s "$(t good)" "$work/itself.trace"
run_line "'$SKUA' trace convert '$(t good)' -o - --format=perfetto >'$out' 2>'$err'"
expect "standard output gets the same" cmp -s "$out" "$work/good.pftrace"
run_line "'$SKUA' trace convert '$(t good)' -o - --format=chrome >'$out' 2>'$err'"
expect "also as JSON" cmp -s "$out" "$work/good.json"
run "$SKUA" trace convert "$(t good)" --format=chrome -o "$work/other.end"
expect_status 0
expect "--format is stronger than the name" cmp -s "$work/other.end" "$work/good.json"

# The output appears whole or not at all.
mkdir "$work/dir"
cp "$work/good.json" "$work/dir/old.json"
limited="ulimit -f 0; trap '' XFSZ; '$SKUA' trace convert '$(t idle)' -o '$work/dir/old.json'"
run_line "{ ($limited) 2>&1 >/dev/null; echo \$? >'$work/code'; } | cat >'$err'"
status=$(cat "$work/code")
expect_status 3
expect_err "skua trace: cannot write $work/dir/old.json: File too large"
expect "the old one is untouched" cmp -s "$work/good.json" "$work/dir/old.json"
expect "nothing is left beside it" [ "$(ls "$work/dir")" = old.json ]
run "$SKUA" trace convert "$(t good)" -o "$work/none/x.json"
expect_status 3
expect_err "cannot write $work/none/x.json: No such file or directory"
mkfifo "$work/pipe.json"
cat "$work/pipe.json" >"$work/piped.json" &
run "$SKUA" trace convert "$(t good)" -o "$work/pipe.json"
wait
expect "through a pipe it is the same" cmp -s "$work/piped.json" "$work/good.json"
ln -s dir/old.json "$work/link.json"
run "$SKUA" trace convert "$(t idle)" -o "$work/link.json"
expect "a link stays a link" [ -L "$work/link.json" ]
refuse "and what it leads to is new" cmp -s "$work/good.json" "$work/dir/old.json"
if [ -c /dev/full ]; then
	run "$SKUA" trace convert "$(t good)" --format=chrome -o /dev/full
	expect_status 3
	expect_err 'cannot write /dev/full: No space left on device'
	for words in "summary '$(t good)'" "list '$(t good)'" "check '$(t good)'" "convert '$(t good)' -o - --format=chrome"; do
		run_line "'$SKUA' trace $words >/dev/full 2>'$err'"
		expect_status 3
		expect_err 'skua trace: cannot write to standard output: No space left on device'
	done
fi
run_line "'$SKUA' trace convert '$(t good)' -o - --format=chrome >&- 2>'$err'"
expect_status 3
expect_err 'it is closed'

# Cut short: read as far as it goes, said, status 1.
head -c 500 "$(t good)" >"$work/cut.trace"
for action in summary list check "convert -o $work/cut.json"; do
	run "$SKUA" trace $action "$work/cut.trace"
	expect_status 1
	expect_err "skua trace: $work/cut.trace is cut short"
done
run "$SKUA" trace summary --json "$work/cut.trace"
expect_json truncated true
run "$SKUA" trace summary --json "$(t huge_ring)"
expect_json truncated true records 1

# Files that are none, or damaged: the byte, what is wrong, what to try.
damaged() { # NAME BYTE WHAT
	run "$SKUA" trace summary "$(t "$1")"
	expect_status 3
	expect_silent_out
	expect_err "skua trace: cannot read $(t "$1"): at byte $2: "
	expect_err "$3"
	expect "one line" [ "$(wc -l <"$err")" -eq 1 ]
}
damaged no_magic 0 'it is no trace of skua; record one with SKUA_TRACE=file'
damaged no_bytes 0 'it is empty'
damaged version_2 8 'it is of version 2, and this skua reads version 1'
damaged short_header 50 'cut short in its header'
damaged small_header 12 'its header says to have 64 bytes'
damaged many_workers 16 'its header says to have 65536 workers: it is damaged'
damaged many_rings 76 'a ring of worker 4 and only 4 workers'
damaged two_rings 104 'worker 1 has two rings'
damaged huge_count 88 'as many records as it says'
damaged huge_drop 88 'as many records as it says'
damaged huge_name 88 'a name is longer than its section'
damaged odd_section 80 'no multiple of 8'
damaged full_end 80 'its end is not empty'
run "$SKUA" trace summary "$work/nowhere"
expect_status 3
expect_err "cannot read $work/nowhere: No such file or directory; is the name right?"
run "$SKUA" trace summary "$work"
expect_status 3
expect_err 'Is a directory'
# What never ends is not read to its end, nor what is larger than memory.
for endless in /dev/zero /dev/urandom; do
	run timeout 300 "$SKUA" trace summary $endless
	expect_status 3
	expect_err "cannot read $endless: at byte 0: it is no trace of skua"
done
run_line "yes | timeout 300 '$SKUA' trace summary - >'$out' 2>'$err'"
expect_status 3
expect_err 'cannot read -: at byte 0: it is no trace of skua'
cp "$(t good)" "$work/sparse.trace"
if truncate -s 4T "$work/sparse.trace" 2>/dev/null; then # holes only: it takes no room
	run timeout 300 "$SKUA" trace summary "$work/sparse.trace"
	expect_status 3
	expect_err "cannot read $work/sparse.trace: File too large; it would take half of this machine's memory, or more"
fi
rm "$work/sparse.trace"
run "$SKUA" trace summary "$(printf 'a\033[31mb')"
refuse "no control bytes in the message" has_control_bytes "$err"

# Slips on the command line.
blamed() { # WHAT HINT
	expect_status 2
	expect_silent_out
	expect_err "$1"
	expect_err "$2"
}
run "$SKUA" trace
blamed 'an argument is missing' 'expected ACTION FILE'
run "$SKUA" trace sumary x
blamed "there is nothing called 'sumary' to do with a trace" 'did you mean summary?'
run "$SKUA" trace zzzzzz x
blamed "there is nothing called 'zzzzzz'" 'expected summary, check, convert or list'
run "$SKUA" trace "$(t good)"
blamed 'to do with a trace' 'that is a file: say first what to do with it, such as summary'
run "$SKUA" trace list
blamed 'the file of the trace is missing' 'SKUA_TRACE=file records one'
run "$SKUA" trace list a b
blamed 'one argument too many: b' "skua help trace"
run "$SKUA" trace list x --json
blamed 'list does not print JSON' '--json goes with summary and check'
run "$SKUA" trace summary x -o y
blamed 'summary writes no file' 'go with convert'
run "$SKUA" trace summary x --bound=1s
blamed 'summary checks nothing' 'go with check'
run "$SKUA" trace list x --most=1
blamed 'list leaves nothing out' '--most goes with summary and check'
run "$SKUA" trace convert x
blamed 'where the result goes is missing' 'add -o OUT'
run "$SKUA" trace convert x -o y
blamed 'the name does not tell the format' '--format=perfetto'
run "$SKUA" trace convert x -o -
blamed 'the name does not tell the format' '--format=perfetto'
run "$SKUA" trace convert x -o y --format=svg
blamed "there is no format 'svg'" 'expected perfetto or chrome'
for wrong in '' 0ms 10 ms 1h -1ms 1.5ms 9999999999s '1 ms'; do
	run "$SKUA" trace check x --bound="$wrong"
	blamed "--bound=$wrong is no time" 'us, ms or s'
done
run "$SKUA" trace check x --most=0
blamed '--most=0 is out of range' 'expected a whole number'
