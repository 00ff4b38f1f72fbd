#!/bin/sh
# tour.sh — one screen, a picture, workers and a deque at work, and commands that exist
. "$SKUA_SOURCE/tests/cli/lib"
need_python
need_roots

one_screen() {
	expect_status 0
	expect_silent_err
	expect "at most 24 lines, found $(wc -l <"$out")" [ "$(wc -l <"$out")" -le 24 ]
	refuse "at most 80 columns" grep -qE '^.{81}' "$out"
	refuse "no promises" grep -qiE 'later|soon|will be|coming' "$out"
}

"$SKUA" doctor --json >"$out"
workers=$(json workers.count)
run "$SKUA" tour
one_screen
expect_out 'Welcome to skua'
expect_out 'A worker is '
expect "the number of workers" grep -qE "skua starts $workers workers?:" "$out"
expect_out '┌──'
jobs='^[0-9]+ uneven jobs, all right: 1 worker [0-9]+\.[0-9][0-9] s'
if [ "$workers" -gt 1 ]; then
	expect "two times and a speed-up" grep -qE "$jobs, $workers workers [0-9]+\\.[0-9][0-9] s, speed-up [0-9]+\\.[0-9][0-9]\\.\$" "$out"
	expect "a bar for the one that worked alone" grep -qE '^  alone +[0-9]+ %  ■' "$out"
fi
expect "the deque's count" grep -qE '^A deque at work: 200,000 pushed, 200,000 taken, none twice; push\+pop [0-9]+\.[0-9] ns\.$' "$out"
expect "who took how many, with bars" grep -qE '^  (owner|thief|[0-9]+ thieves) +[0-9,]+  (■|$)' "$out"
expect "a scan of a real tree" grep -qE '^A scan of /usr: [0-9,]+ files, [0-9,]+ directories, [0-9.]+ [KMGT]iB in [0-9]+\.[0-9][0-9] s\.$' "$out"
# The last line is the page, made of a trace that can be read; or it says why there is none.
HOME=$work/home
export HOME
unset XDG_CACHE_HOME
mkdir "$HOME"
run "$SKUA" tour
if ! tail -n 1 "$out" | grep -q '^No page: this skua was built without it; no [a-z]'; then
	one_screen
	expect "the last line is the page" [ "$(tail -n 1 "$out")" = "All of this in a browser: $HOME/.cache/skua/tour.html" ]
	expect "only its owner reads it" [ "$(stat -c %a "$HOME/.cache/skua")" = 700 ]
	expect "the page is whole" sh -c "tail -c 20 '$HOME/.cache/skua/tour.html' | grep -q '</html>'"
	# One that was woken may be long without a processor, on a busy machine.
	run "$SKUA" trace check --bound=60s "$HOME/.cache/skua/tour.trace"
	expect_status 0
	"$SKUA" tour >/dev/null & # two at once: each has a trace of its own, one stays
	run "$SKUA" tour
	wait
	expect "nothing else is left" [ "$(ls "$HOME/.cache/skua" | tr '\n' ' ')" = 'tour.html tour.trace ' ]
	# Without a place for it the tour is complete, and says so.
	run env -u HOME "$SKUA" tour
	one_screen
	expect "no place is said" [ "$(tail -n 1 "$out")" = 'No page: neither XDG_CACHE_HOME nor HOME says where to put it.' ]
	run env XDG_CACHE_HOME=/proc/self "$SKUA" tour
	one_screen
	expect "a folder that cannot be made" sh -c "tail -n 1 '$out' | grep -q '^No page: cannot make /proc/self/skua: '"
	run env SKUA_TRACE="$work/own.trace" "$SKUA" tour
	one_screen
	expect "another trace was asked for" [ "$(tail -n 1 "$out")" = "No page: SKUA_TRACE traces this run; 'skua view' makes a page of that." ]
fi
run "$SKUA" tour
taken=$(sed -nE 's/^  (owner|thief|[0-9]+ thieves) +([0-9,]+) .*/\2/p' "$out" | tr -d , | awk '{ n += $1 } END { print n }')
expect "the bars add up: $taken" [ "$taken" -eq 200000 ]
run env LC_ALL=C SKUA_WORKERS=bad taskset -c "$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')" "$SKUA" tour
one_screen
expect "bars in ASCII, and a thief on one CPU" grep -qE '^  owner +[0-9,]+  #' "$out"
expect_out '  thief  '

# Every worker has its bar, and of many the last one stands for the rest.
for workers in 1 2 5; do
	run env SKUA_WORKERS=$workers "$SKUA" tour
	one_screen
	bars=$(grep -oE '  worker [0-9]+ +[0-9]+ %' "$out" | sort -u | wc -l)
	expect "$workers bars, found $bars" [ "$bars" -eq "$workers" ]
	refuse "no blanks at the end" grep -q ' $' "$out"
	for share in $(grep -oE '[0-9]+ %' "$out" | tr -d ' %'); do
		expect "at most 100 %: $share" [ "$share" -le 100 ]
	done
done
run env SKUA_WORKERS=1 "$SKUA" tour
expect "one worker is compared with nothing" grep -qE "$jobs\\.\$" "$out"
refuse_out '  alone '
run env SKUA_WORKERS=40 COLUMNS=80 "$SKUA" tour
one_screen
expect_out '  35 more '
for columns in 40 100; do
	run env SKUA_WORKERS=40 COLUMNS=$columns "$SKUA" tour
	expect_status 0
	refuse "$columns columns" sh -c "grep ' more ' '$out' | grep -qE '^.{$((columns + 1))}'"
done
if grep -q '^SKUA_FAULTS:BOOL=ON' "$SKUA_BUILD/CMakeCache.txt"; then
	run env SKUA_FAULT=thread:1:ever "$SKUA" tour
	expect_status 1
	expect_out 'A pool at work could not be shown: '
	expect_err 'skua tour: cannot run jobs in a pool: '
	expect_out 'A deque at work: 200,000 pushed'
fi

# Every machine fits.  Jobs and a deque run here, not on a copied machine.
run "$SKUA" tour --root "$roots/numa"
refuse_out 'deque at work'
refuse_out 'uneven jobs'
refuse_out 'A scan of'
for root in v1_1500m v2_nested v2_unreadable no_proc offline numa big; do
	run "$SKUA" tour --root "$roots/$root"
	one_screen
	SKUA_WORKERS=bad
	export SKUA_WORKERS
	run "$SKUA" tour --root "$roots/$root"
	one_screen
	unset SKUA_WORKERS
	run env LC_ALL=C COLUMNS=80 "$SKUA" tour --root "$roots/$root"
	one_screen
done
run "$SKUA" tour --root "$roots/numa"
expect_out '│ ■ ■ ■ ■         │ │ ■ ■ ■ ■         │'
expect_out '24 MiB L3 cache'
# Groups that are not alike are not drawn as if they were: 4, 2 and 2 CPUs; 3, 3 and 2 alone.
for root in uneven leftover; do
	run "$SKUA" tour --root "$roots/$root"
	one_screen
	expect_out '8 CPUs'
	refuse_out 'L3 cache'
	refuse_out ' 3 CPUs'
	refuse_out ' 4 CPUs'
done
run "$SKUA" tour --root "$roots/offline"
expect_out '│ CPU 0 │ │ CPU 1 │'
run "$SKUA" tour --root "$roots/v2_unreadable"
expect_out "Some of this could not be read: 'skua doctor' says what."
run "$SKUA" tour --root "$roots/big"
expect_out 'skua starts 1024 workers'
expect_out 'a square is 64 CPUs'

# The most it ever has to say: many caches, two packages, few of the CPUs allowed, a long name, a
# setting that is no number, a quota that is none.
many=$work/many/sys/devices/system
mkdir -p "$many/node/node0" "$many/cpu" "$work/many/proc/self" "$work/many/sys/fs/cgroup"
echo 0-4095 | tee "$many/cpu/possible" "$many/cpu/online" >"$many/node/node0/cpulist"
printf 'Cpus_allowed_list:\t0-119\n' >"$work/many/proc/self/status"
printf 'model name\t: A CPU with a name that is about as long as names of CPUs get\n' >"$work/many/proc/cpuinfo"
echo 0::/ >"$work/many/proc/self/cgroup"
echo '30 22 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw' >"$work/many/proc/self/mountinfo"
echo 'no quota' >"$work/many/sys/fs/cgroup/cpu.max"
cpu=0
while [ $cpu -lt 120 ]; do
	at=$many/cpu/cpu$cpu
	mkdir -p "$at/topology" "$at/cache/index0"
	echo $cpu >"$at/topology/core_cpus_list"
	echo $((cpu / 60 * 60))-$((cpu / 60 * 60 + 59)) >"$at/topology/package_cpus_list"
	echo 3 >"$at/cache/index0/level"
	echo Unified >"$at/cache/index0/type"
	echo 16384K >"$at/cache/index0/size"
	echo $((cpu / 20 * 20))-$((cpu / 20 * 20 + 19)) >"$at/cache/index0/shared_cpu_list"
	cpu=$((cpu + 1))
done
run env SKUA_WORKERS=many "$SKUA" tour --root "$work/many"
one_screen
expect_out '... and 4 more like these; 2 packages'
expect_out 'this process may use 120 of its'
expect_out '│ ■ ■ ■ ■                         │ │ ■ ■ ■ ■                         │'
for columns in 20 40 60 100 200; do
	run env COLUMNS=$columns "$SKUA" tour --root "$work/many"
	expect_status 0
	expect_out '│ ■ ■ ■ ■                         │'
done
run env COLUMNS=40 "$SKUA" tour
refuse "the steps keep to the width, or stand alone" \
	sh -c "sed -n '/^Next/,\$p' '$out' | grep -E '^.{41}' | grep -q '[^ ]  '"

# The steps it names can be taken as they are printed, from where one stands.
take_steps() { # PROGRAM, as typed
	run "$1" tour
	one_screen
	sed -n '/^Next/,$p' "$out" | grep '^  ' | sed 's/^  //; s/  .*//' >"$work/steps"
	expect "some steps" [ "$(wc -l <"$work/steps")" -ge 2 ]
	while read -r step; do
		run sh -c "$step"
		expect "it runs: $step" [ "$status" -le 1 ]
	done <"$work/steps"
}
mkdir -p "$work/build" || exit 3
ln -s "$(dirname "$SKUA")" "$work/build/release"
cd "$work" || exit 3
take_steps build/release/skua
expect "the path is used as it was typed" grep -qx 'build/release/skua help' "$work/steps"
take_steps ./build/release/skua
ln -s "$(dirname "$SKUA")" 'with blank'
PATH=$work/build/release:$PATH
take_steps "with blank/skua"
take_steps skua
