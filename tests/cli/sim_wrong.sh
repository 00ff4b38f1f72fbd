#!/bin/sh
# sim_wrong.sh — the simulator and what cannot be simulated: slips, cycles, damaged files, full disks
. "$SKUA_SOURCE/tests/cli/lib"

blamed() { # WHAT [HINT]
	expect_status 2
	expect_silent_out
	expect_err "$1"
	[ $# -eq 1 ] || expect_err "$2"
}
refused() { # WHAT...: status 3
	expect_status 3
	expect_silent_out
	for what; do
		expect_err "$what"
	done
	refuse "no control bytes" has_control_bytes "$err"
}

run "$SKUA" sim lopo
blamed "skua sim: there is no workload 'lopo'" 'did you mean loop?'
expect_err_line '    skua sim lopo'
expect_err_line '             ~~~~'
run "$SKUA" sim calibrat
blamed "there is no workload 'calibrat'" 'did you mean calibrate?'
run "$SKUA" sim zzzzzzzz
blamed "there is no workload 'zzzzzzzz'" "'skua sim --list' names the workloads"
run "$SKUA" sim ''
blamed "there is no workload ''"
run "$SKUA" sim bag tree
blamed 'there is one argument too many'
run "$SKUA" sim dag:
blamed 'the file is missing' 'write it as dag:FILE'
run "$SKUA" sim tree:deep=3
blamed "tree has no value 'deep=3'" 'tree takes leaf inner after depth fan jitter'
for wrong in tree:-1 tree:x tree: tree:1,, tree:fan=0 tree:depth=99999999 loop:flat bag:0 bag:-5 bag:99999999999 bag:leaf=-1 \
	tree:jitter=2 tree:jitter=-0.1 uts:T99 fib:61 queens:15 open:1 open:0 open:1.5 bag:leaf=1e30 layers:degree=0; do
	run "$SKUA" sim "$wrong"
	blamed "is out of range, or no value for it"
done
allowed() { # WORKLOAD RANGE
	run "$SKUA" sim "$1"
	blamed "is out of range, or no value for it" "expected $2; usual is ${1%%:*}:"
}
allowed fib:100 'size: 1..60'
allowed queens:0 'size: 1..14'
allowed sort:9G 'size: 1..1000000000'
allowed bag:0 'tasks: 1..4000000000'
allowed bag:leaf=x 'leaf: 0..281474976710656 ticks'
allowed tree:fan=0 'fan: 1..1000000'
allowed tree:jitter=1 'jitter: 0 or more and below 1, such as 0.5'
allowed open:1 'load: above 0 and below 1, such as 0.5'
allowed loop:flat 'law: constant, linear, quadratic, heavy, exponential, bimodal'
allowed uts:T99 'tree: the name of one, such as T3: skua-bench(1)'
for wrong in 0 -1 x '' 1, ,1 1,,2 16777217 99999999999999999999 '1 2' 10^99 5..1 0..5 1..5x1 1..5x 1..; do
	run "$SKUA" sim --workers="$wrong"
	blamed "--workers=$wrong " 'expected 1..16777216'
done
run "$SKUA" sim --workers=1..1000000x2,1..1000000x2,1..1000000x2,1..1000000x2
blamed 'more than 64 numbers'
run "$SKUA" sim --scheduler=stel
blamed "there is no scheduler 'stel'" 'did you mean steal?'
run "$SKUA" sim --scheduler=skua,
blamed "there is no scheduler ''" "'skua sim --list' names the schedulers"
run "$SKUA" sim --victim=nearst
blamed "there is no choice of victims 'nearst'" 'did you mean nearest?'
for wrong in two 0 1 -0.5 1.5 .; do
	run "$SKUA" sim --amount=$wrong
	blamed "--amount=$wrong is none" 'expected one, half'
done
run "$SKUA" sim --cost=push=-3
blamed 'the cost push is negative' 'a cost is 0 ticks or more'
run "$SKUA" sim --cost=pusch=3
blamed "there is no cost 'pusch'" 'did you mean push?'
run "$SKUA" sim --cost=push
blamed 'the cost push has no value'
for wrong in push=x push=1/2 steal=1/2/3/4/5/6/7 steal= steal=1/ wake=1e99 fail=18446744073709551616; do
	run "$SKUA" sim --cost=$wrong
	blamed "the cost ${wrong%%=*} is not one"
done
for wrong in ring 8:0 8:0,16 all:0,8:0 8,all:1 0:1,all:2 8:-1,all:0 all; do
	run "$SKUA" sim --topology=$wrong
	blamed "there is no topology '$wrong'"
done
run "$SKUA" sim --topology=8:0,12:0,all:0
blamed 'not made of whole groups'
run "$SKUA" sim --latency=-1
blamed '--latency=-1 is out of range'
run "$SKUA" sim --join=both
blamed '--join=both is none'
for wrong in 0 x 2,0 2,99 2,; do
	run "$SKUA" sim --lifelines=$wrong
	blamed "--lifelines=$wrong is out of range"
done
for wrong in 0 -1 1,,1 x; do
	run "$SKUA" sim --speeds=$wrong
	blamed "--speeds=$wrong has one that is none"
done
for wrong in 0 0@1 0@1+ 3-1@0+1 0@-1+1 0@1+2/x; do
	run "$SKUA" sim --stall=$wrong
	blamed "--stall=$wrong is none"
done
run "$SKUA" sim --stall=0@0+10/10
blamed 'never ends'
for wrong in 5 0/5 6/5 x/5 5/; do
	run "$SKUA" sim --quota=$wrong
	blamed "--quota=$wrong is none"
done
run "$SKUA" sim --runs=0
blamed '--runs=0 is out of range'
run "$SKUA" sim --seed=18446744073709551615
blamed '--seed=18446744073709551615 is out of range'
run "$SKUA" sim --json --csv=-
blamed 'exclude each other'
run "$SKUA" sim --csv=- --svg=-
blamed 'exclude each other'
run "$SKUA" sim bag --trace=x
blamed 'exclude each other'
run "$SKUA" sim --trace=x --profile=y
blamed '--trace and --profile exclude each other'
run "$SKUA" sim --steps=x
blamed '--steps is of one run' 'give one --scheduler and one number of --workers'
run "$SKUA" sim bound --csv=x
blamed 'bound writes no file'
run "$SKUA" sim calibrate
blamed 'calibrate needs --costs=FILE'
run "$SKUA" sim steps --scheduler=central
blamed 'this model knows stealing only'
run "$SKUA" sim --cost=fail=0
blamed 'thieves would try for ever'

# Dags.
dag() { # TEXT
	printf "$1" >"$work/dag"
	run "$SKUA" sim "dag:$work/dag" --workers=2 --runs=1 --scheduler=steal --json
}
dag '# a diamond\nread 200\n\nleft 1000 after read # two at once\nright 1500 after read\nwrite 300 after left right\n'
expect_status 0
if command -v python3 >/dev/null; then
	expect_json workload.tasks 4 workload.work 3000 workload.span 2000
fi
dag 'late 5 after early\nearly 7'
expect_status 0
dag 'a 1 after c\nb 1 after a\nc 1 after b\nd 1 after c\ne 1'
refused 'tasks wait for each other in a circle' '(line 1)' '(line 2)' '(line 3)' 'take one of them out'
refuse_err '(line 4)'
dag 'a 1 after a'
refused 'in a circle: a (line 1) after itself again'
dag 'a -5'
refused "$work/dag:1: a cost is negative: -5"
dag 'a 5\nb'
refused ":2: expected a cost"
dag 'a 99999999999999999999'
refused ':1: expected a cost'
dag 'a 5 behind b'
refused ":1: expected urgent, normal, low, 'after' or 'on', not behind"
dag 'a 5 urgent\nb 5 low on 1\nc 5 normal after a b\nurgent 5 after a'
expect_status 0
dag 'a 5 urgnt'
refused "$work/dag:1: expected urgent, normal, low, 'after' or 'on', not urgnt"
dag 'a 5 urgent low'
refused "$work/dag:1: expected urgent, normal, low, 'after' or 'on', not low"
dag 'a 5 on 1 urgent'
refused "$work/dag:1: expected nothing behind the worker, not urgent"
dag 'a 5\nb 5 after a urgent'
refused "$work/dag:2: no line says what this costs: urgent"
printf 'a 5 urgent' >"$work/dag"
run "$SKUA" sim "dag:$work/dag" --workers=2 --scheduler=lifelines --priorities
blamed 'who waits at its lifelines sees no urgent task; choose lifelines or priorities'
run "$SKUA" sim "dag:$work/dag" --priorities=on
blamed '--priorities'
dag 'a 5 on 1\nb 5 on 0\n'
expect_status 0
dag 'a 5 on'
refused "$work/dag:1: expected a worker, 0..16777215, behind 'on', not"
dag 'a 5 on 16777216'
refused "$work/dag:1: expected a worker, 0..16777215, behind 'on', not 16777216"
dag 'b 1\na 5 on 1 after b'
refused "$work/dag:2: only a task that waits for nothing can be 'on' a worker, not one with after"
dag 'a 5 on 1 2'
refused "$work/dag:1: expected nothing behind the worker, not 2"
dag 'a 5 on 2'
blamed 'a task begins on worker 2, but there are 2 workers'
dag 'a 5 after'
refused ":1: there is nothing behind 'after'"
dag 'a 5\nc 7 after a b\nd 5\n'
refused ":2: no line says what this costs: b"
dag 'a 5\na 6'
refused ':2: there was a task of this name before: a'
dag ''
refused ':1: there is no task in it'
dag '# nothing\n\n'
refused ':1: there is no task in it'
dag 'a\033[31m 5 6'
refused 'expected'
dag "$(printf '%0100d' 7) 5"
refused 'a name has more than 64 bytes'
head -c 20000 /dev/urandom >"$work/dag"
run "$SKUA" sim "dag:$work/dag"
refused 'skua sim: '
run "$SKUA" sim "dag:$work/none"
refused "cannot read $work/none: No such file"
run "$SKUA" sim "dag:$work"
refused "cannot read $work: "
printf 'a 281474976710656\nb 281474976710656 after a' >"$work/dag"
run "$SKUA" sim "dag:$work/dag" --workers=1 --runs=1 --scheduler=steal
expect_status 0
run "$SKUA" sim "dag:$work/dag" --workers=2 --runs=1 --scheduler=steal --events=100000
refused 'more than 100000 events'
run "$SKUA" sim sort:1M,leaf=281474976710656 --workers=1
blamed 'which is too much'

# Traces, profiles, costs: damaged, empty, of something else, cut anywhere.
printf 'SKUATRC\nnonsense' >"$work/bad"
for option in trace profile costs; do
	run "$SKUA" sim "--$option=$work/bad"
	refused "$work/bad"
	run "$SKUA" sim "--$option=$work/none"
	refused "cannot read $work/none: No such file"
	: >"$work/empty"
	run "$SKUA" sim "--$option=$work/empty"
	refused "$work/empty"
done
printf 'work 1 ms\nspan 2 parsec\n' >"$work/bad"
run "$SKUA" sim --profile="$work/bad"
refused 'no lines with work and span'
printf '{"schema": "skua-bench-2", "kernels": []}' >"$work/bad"
run "$SKUA" sim --costs="$work/bad"
refused 'its schema is not skua-bench-1'
printf '{"schema": "skua-bench-1", "kernels": [{}, 1, null, {"name": 5}]}' >"$work/bad"
run "$SKUA" sim bag:10 --runs=1 --costs="$work/bad"
expect_status 0
run "$SKUA" sim calibrate --costs="$work/bad"
refused 'has none of fib:40'

# Files that cannot be written.
for option in csv svg; do
	run "$SKUA" sim bag:10 --runs=1 "--$option=$work/none/file"
	expect_status 3
	expect_err "cannot write $work/none/file: No such file"
	if [ -c /dev/full ]; then
		run "$SKUA" sim bag:10 --runs=1 "--$option=/dev/full"
		expect_status 3
		expect_err 'cannot write /dev/full: No space left'
		run_line "'$SKUA' sim bag:10 --runs=1 --$option=- >/dev/full 2>'$err'"
		expect_status 3
		expect_err 'cannot write to standard output: No space left'
	fi
done
run "$SKUA" sim tree:2 --workers=2 --scheduler=steal --steps="$work/none/file"
refused "cannot write $work/none/file: No such file"

# Too much for this machine is said, not died of.
case "${SKUA_BUILD##*/}" in
asan | msan | tsan) echo "no limit of memory: a sanitizer needs more to begin with" ;;
*)
	run_line "ulimit -v 400000; '$SKUA' sim bag:10 --workers=16M --scheduler=steal --runs=1 >'$out' 2>'$err'"
	expect_status 3
	expect_err 'no more memory'
	expect_err 'try fewer workers or tasks'
	;;
esac
