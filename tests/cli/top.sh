#!/bin/sh
# top.sh — `skua top`: one that runs, ends, has no pool, is another user's; damaged and hostile files
. "$SKUA_SOURCE/tests/cli/lib"
need_python
program=$SKUA_BUILD/examples/31_monitored
[ -x "$program" ] || skip "the example 31_monitored is not built"
XDG_RUNTIME_DIR=$work/run
export XDG_RUNTIME_DIR
mkdir -m 700 "$XDG_RUNTIME_DIR"
files=$XDG_RUNTIME_DIR/skua
started=

# watched [COMMAND...]: start something to be watched; $pid, when its file is there
watched() {
	"${@:-$program}" 300 >"$work/program" 2>&1 &
	pid=$!
	started="$started $pid"
	waited=0
	while [ ! -s "$files/$pid.0" ] && [ $waited -lt 600 ]; do
		sleep 0.05
		waited=$((waited + 1))
	done
}

# end PID...: and it is gone
end() {
	for one in "$@"; do kill -9 "$one" 2>/dev/null && wait "$one" 2>/dev/null; done
	:
}
trap 'end $started; leave' EXIT

# Nothing is monitored; nobody is there.
run "$SKUA" top
expect_status 0
expect_out 'No process of yours is monitored.'
expect_out 'SKUA_MONITOR=1'
run "$SKUA" top 999999999
expect_status 3
expect_silent_out
expect_err 'skua top: there is no process 999999999'
sleep 300 &
none=$!
started="$started $none"
until grep -qx sleep "/proc/$none/comm"; do sleep 0.01; done # it is the shell for a moment
run "$SKUA" top $none
expect_status 3
expect_err "skua top: process $none (sleep) has no monitored pool: start it with SKUA_MONITOR=1"
for word in abc 0 -1 12x 1.5 9999999999; do
	run "$SKUA" top -- "$word"
	expect_status 2
	expect_err 'PID must be the number of a process'
done
for word in 0 0.05 -1 x 3601 nan 1e9 ''; do
	run "$SKUA" top --interval="$word" 1
	expect_status 2
	expect_err '--interval wants seconds, 0.1 to 3600'
done

# One that has just begun, and opens its pool in a moment: it is waited for.  On a busy machine it may need
# longer than the second that it is given: once more then.
tries=0
while
	SKUA_MONITOR=1 sh -c "sleep 0.5; exec '$program' 300" >/dev/null 2>&1 &
	young=$!
	started="$started $young"
	run "$SKUA" top --once --interval=0.1 $young
	end $young
	tries=$((tries + 1))
	[ $status -ne 0 ] && [ $tries -lt 20 ]
do :; done
expect_status 0
expect_silent_err
expect_out "skua top  process $young ("
sh -c 'exit 0' &
young=$!
run "$SKUA" top $young
expect_status 3
expect_err "there is no process $young"
run "$SKUA" top --json # and what it left is gone

# One that runs: listed, shown as text, as JSON, in lines.
watched
run "$SKUA" top
expect_status 0
expect_silent_err
expect "its line" grep -qE "^ *$pid +1 +2  31_monitored\$" "$out"
run "$SKUA" top --json
cp "$out" "$work/list.json"
expect_json processes.0.process "$pid" processes.0.workers 2
expect "the list's keys are documented" python3 "$SKUA_SOURCE/tests/cli/check_json" \
	"$SKUA_SOURCE/docs/json.md" skua-top-list-1 "$work/list.json"
# until_told PATTERN COMMAND...: it has rates, if the process has written its file between the two looks, and
# has done something; on a busy machine not each time
until_told() {
	pattern=$1 tries=0
	shift
	while
		run "$@"
		tries=$((tries + 1))
		! grep -qE "$pattern" "$out" && [ $tries -lt 60 ]
	do :; done
}
until_told '^  all +[■·]{10} +[0-9]+ %' "$SKUA" top --once "$pid"
expect_status 0
expect_silent_err
expect_out "skua top  process $pid (31_monitored), every 0.5 s"
expect_out 'pool "skua"  2 of 2 workers up'
expect_out 'steals/s'
expect "a row for each worker" [ "$(grep -cE '^ +[01] +[a-z]+ +[■·]{10} +[0-9]+ %' "$out")" -eq 2 ]
refuse "80 columns" grep -qE '^.{81}' "$out"
refuse "no escapes in a pipe" has_control_bytes "$out"
until_told '^  all +[#.]{10} +[0-9]+ %' env LC_ALL=C "$SKUA" top --once "$pid"
expect "bars in ASCII" grep -qE '^  all +[#.]{10} ' "$out"
until_told '"tasks_per_s": *[0-9.]*[1-9]' "$SKUA" top --once --json --interval=0.3 "$pid"
expect_status 0
cp "$out" "$work/top.json"
expect_json process "$pid" program 31_monitored pools.0.name skua pools.0.workers_wanted 2 pools.0.workers.1.number 1
expect "somebody works: $(json pools.0.tasks_per_s) tasks/s" \
	python3 -c "import sys; sys.exit(float(sys.argv[1]) <= 0)" "$(json pools.0.tasks_per_s)"
expect "the keys are documented" python3 "$SKUA_SOURCE/tests/cli/check_json" \
	"$SKUA_SOURCE/docs/json.md" skua-top-1 "$work/top.json"
run "$SKUA" top --json --count=3 --interval=0.2 "$pid"
expect "three lines of JSON" [ "$(wc -l <"$out")" -eq 3 ]
expect "each an object" python3 -c 'import json, sys
for line in open(sys.argv[1]): assert json.loads(line)["schema"] == "skua-top-1"' "$out"
run "$SKUA" top --plain --count=2 --interval=0.1 "$pid"
expect "two blocks" [ "$(grep -c '^skua top  process' "$out")" -eq 2 ]

# In a terminal.
for what in quits resizes signals interrupts stops hangs_up hangs_up_unheard; do
	run python3 "$SKUA_SOURCE/tests/cli/top_pty.py" $what "$SKUA" "$pid"
	expect_status 0
done

# A stopped one is said to be silent; the file stays, so it can be looked at.
kill -STOP "$pid"
sleep 2.5
run "$SKUA" top --once --interval=0.1 "$pid"
expect_status 0
expect_out 'is the process stopped?'
kill -CONT "$pid"

# It ends: in a pipe, on a terminal.  What it left behind is removed by the next list.
: >"$out"
(
	waited=0
	while [ ! -s "$out" ] && [ $waited -lt 600 ]; do # until it has been shown
		sleep 0.1
		waited=$((waited + 1))
	done
	kill -9 "$pid"
) &
killer=$!
run "$SKUA" top --plain --interval=0.1 "$pid"
expect_status 0
expect_err "skua top: process $pid has ended"
wait $killer
expect "killed, it leaves its file" [ -e "$files/$pid.0" ]
run "$SKUA" top --json
expect "removed and counted, with those of whoever else was killed: $(json removed_files)" [ "$(json removed_files)" -ge 1 ]
refuse "its file is gone" [ -e "$files/$pid.0" ]
watched
run python3 "$SKUA_SOURCE/tests/cli/top_pty.py" ends "$SKUA" "$pid"
expect_status 0
end "$pid"

# By the environment, and an end in order leaves nothing behind.
run env SKUA_MONITOR=1 "$program"
expect_status 0
expect "no file is left: $(ls "$files")" [ -z "$(ls "$files" | grep -v "^$pid\\.")" ]

# A file that is cut, garbled, too large, a link, a pipe, of another version: said, never a crash.
watched
cp "$files/$pid.0" "$work/good"
kill -STOP "$pid" # it would write a good one again
size=$(wc -c <"$work/good")
hostile() { # WHY: what is in the way must be told, and not be shown
	run "$SKUA" top --once --interval=0.1 "$pid"
	expect_status 3
	expect_silent_out
	expect_err "$1"
	run "$SKUA" top
	expect_status 0
}
spoil() { # EXPRESSION over the bytes b, and seal() for a right checksum
	python3 - "$work/good" "$files/$pid.0" "$1" <<'PYTHON'
import struct, sys
b = bytearray(open(sys.argv[1], "rb").read())
def seal():
    own, total, mask = 128, 0x9e3779b97f4a7c15, (1 << 64) - 1
    for i in range(0, len(b) // 8 * 8, 8):
        word = 0 if i == own else struct.unpack_from("<Q", b, i)[0]
        total = (total ^ word) * 0x100000001b3 & mask
        total ^= total >> 29
    struct.pack_into("<Q", b, own, total)
def put(at, form, value):
    struct.pack_into("<" + form, b, at, value)
exec(sys.argv[3])
open(sys.argv[2], "wb").write(b)
PYTHON
}
spoil 'seal()'
run "$SKUA" top --once --interval=0.1 "$pid"
expect_status 0
cut=0
while [ $cut -lt "$size" ]; do
	spoil "del b[$cut:]"
	run "$SKUA" top --once --interval=0.1 "$pid"
	expect_status 3
	expect_err "the file $pid.0 is not used: "
	cut=$((cut + 41))
done
spoil 'b[0] = 0'
hostile 'it is no file of a monitored pool'
spoil 'put(8, "I", 2); seal()'
hostile 'another version of skua'
spoil 'put(20, "I", 0xffffffff); seal()'
hostile 'its sizes contradict each other'
spoil 'put(20, "I", 1025); b.extend(bytes(1023 * 168)); seal()'
hostile 'its sizes contradict each other'
spoil 'put(12, "I", 1 << 31); seal()'
hostile 'its sizes contradict each other'
spoil 'put(32, "I", 1); seal()'
hostile 'it names another process than its file name'
spoil 'b[200] ^= 1'
hostile 'its checksum is wrong'
spoil 'b.extend(bytes(1 << 20)); seal()'
hostile 'its sizes contradict each other'
rm "$files/$pid.0"
ln -s /etc/passwd "$files/$pid.0"
hostile 'it is a symbolic link'
rm "$files/$pid.0"
mkfifo "$files/$pid.0"
hostile 'it is no regular file'
rm "$files/$pid.0"
# Sealed rightly and yet absurd: shown, cleaned of what moves a terminal.
spoil 'b[136:] = bytes([0xff]) * len(b[136:]); b[112:128] = b"\x1b[2J" + bytes([0xff]) * 12; seal()'
run "$SKUA" top --once --interval=0.1 "$pid"
expect_status 0
refuse "no escapes" has_control_bytes "$out"
run "$SKUA" top --once --interval=0.1 --json "$pid"
expect_json_valid
seed=$(date +%s)
for round in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	spoil "import random; r = random.Random($seed * 100 + $round)
for i in range(r.randrange(1, 40)): b[r.randrange(24, len(b))] = r.randrange(256)
seal()"
	run "$SKUA" top --once --interval=0.1 --json "$pid"
	expect "no crash with seed $seed, round $round" [ $status -eq 0 -o $status -eq 3 ]
done
# A folder that others can write to, or that is a link, is not looked into.
chmod 777 "$files"
hostile 'others can write there'
chmod 700 "$files"
mv "$files" "$work/moved"
ln -s "$work/moved" "$files"
hostile 'it is no folder, or a symbolic link'
rm "$files"
mv "$work/moved" "$files"
end "$pid"

# Another user's: refused, but root may look.  Users of this run alone, for their folder is in /tmp.
owner=$((20000 + $$ % 20000)) stranger=$((40000 + $$ % 20000))
if [ "$(id -u)" -ne 0 ]; then
	echo "not checked: another user's process (needs root)"
elif ! python3 -c 'import os, sys; os.setuid(int(sys.argv[1]))' $owner 2>/dev/null; then
	echo "not checked: another user's process (setuid is refused)"
else
	cat >"$work/as_user" <<'PYTHON'
import os, sys
os.environ.pop("XDG_RUNTIME_DIR", None)
os.setgroups([]), os.setgid(65534), os.setuid(int(sys.argv[1]))
os.execv(sys.argv[2], sys.argv[2:])
PYTHON
	as_user="python3 $work/as_user"
	cp "$program" "$work/program_of_others"
	cp "$SKUA" "$work/skua_of_others"
	chmod 755 "$work" "$work/program_of_others" "$work/skua_of_others"
	$as_user $owner "$work/program_of_others" 300 >/dev/null 2>&1 &
	pid=$!
	started="$started $pid"
	waited=0
	while [ ! -s "/tmp/skua-$owner/$pid.0" ] && [ $waited -lt 600 ]; do
		sleep 0.05
		waited=$((waited + 1))
	done
	run $as_user $stranger "$work/skua_of_others" top --once --interval=0.1 "$pid"
	expect_status 3
	expect_err "belongs to user $owner: only that user and root can look at it"
	run "$SKUA" top --once --interval=0.1 "$pid"
	expect_status 0
	expect_out "process $pid"
	run $as_user $owner "$work/skua_of_others" top
	expect_out "$pid"
	end "$pid"
	run $as_user $owner "$work/skua_of_others" top
	expect_out 'removed'
	rmdir /tmp/skua-$owner
fi
