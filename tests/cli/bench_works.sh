#!/bin/sh
# bench_works.sh — the programs of bench/work: listed, run at small sizes, in table and JSON; slips
. "$SKUA_SOURCE/tests/cli/lib"
need_python

# The list: a line for each kernel, a line of its sizes, and every size it names can be had.
run "$SKUA" bench --list
expect_status 0
expect_silent_err
for kernel in cores fib treesum skynet integrate nqueens uts matmul strassen cilksort knapsack longleaf tick latency idle blocking tasks loops algo deque; do
	expect "$kernel is in the list" grep -q "^$kernel  *[a-zA-Z]" "$out"
	expect "$kernel is in skua-bench(1)" grep -qw "$kernel" "$SKUA_SOURCE/docs/man/skua-bench.1"
done
refuse "80 columns are enough" grep -qE '^.{81}' "$out"
small=$(awk '/^[a-z]/ { name = $1 } /small: / { sub(/.*small: /, ""); split($0, sizes, " "); for (i in sizes) print name ":" sizes[i] }' "$out")
expect "every program has a small size" [ "$(echo "$small" | wc -l)" -ge 21 ]

# All of them, with one and two workers, in JSON.
run "$SKUA" bench $small --workers=1,2 --repeat=2 --json
expect_status 0
expect_silent_err
expect_json_valid
expect_json schema skua-bench-1 repeat 2
cp "$out" "$work/works.json"
expect "what is told can be" python3 - "$out" <<'PYTHON'
import json, sys
kernels = json.load(open(sys.argv[1]))["kernels"]
contract = ["name", "size", "workers", "serial_s", "seconds", "ratio_to_serial", "tasks", "steals", "check"]
told = {}
for kernel in kernels:
    name = f'{kernel["name"]}:{kernel["problem"]} with {kernel["workers"]}'
    told.setdefault(kernel["name"], []).append(kernel)
    if list(kernel)[:9] != contract:
        sys.exit(f"{name}: the first keys are {list(kernel)[:9]}")
    if kernel["check"] is not True or kernel["rounds"] != 2 or kernel["size"] < 1:
        sys.exit(f"{name}: {kernel}")
    if not (kernel["serial_s"] > 0 and 0 < kernel["quartile_low_s"] <= kernel["seconds"] <= kernel["quartile_high_s"]):
        sys.exit(f"{name}: times that cannot be: {kernel}")
    if (kernel["ratio_to_serial"] is None) != (kernel["name"] in ("latency", "idle")):
        sys.exit(f"{name}: ratio {kernel['ratio_to_serial']}")
    if kernel["workers"] == 1 and (kernel["speedup"] is not None or kernel["steals"]):
        sys.exit(f"{name}: one worker has a speed-up or steals: {kernel}")
    if kernel["workers"] == 2 and not (kernel["speedup"] > 0 and kernel["speedup_from"] == 1):
        sys.exit(f"{name}: no speed-up: {kernel}")
    if (kernel["ratio_to_second"] is not None) != (kernel["name"] in ("fib", "treesum")):
        sys.exit(f"{name}: ratio to second {kernel['ratio_to_second']}")
if [kernel["workers"] for kernel in kernels] != [1, 2] * (len(kernels) // 2):
    sys.exit("the numbers of workers are not those asked for, in turn")
forks = {"fib": 2 * 10945, "skynet": 2 * 3330, "nqueens": 2 * 2056}
for name, least in forks.items():
    for kernel in told[name]:
        if not least < kernel["tasks"] <= least + 100:
            sys.exit(f"{name}: {kernel['tasks']} tasks, wanted {least} and the roots")
figures = {"fib": {"two_calls"}, "tick": {"burst_p50", "burst_p99", "cpu"}, "idle": {"cpu"},
           "blocking": {"told", "not_told", "busy"},
           "latency": {f"{who}_{what}" for who in ("parked", "searching") for what in ("p50", "p99", "submit")},
           "tasks": {f"{what}_{where}" for what in ("spawn", "round_trip") for where in ("inside", "outside")} |
                    {"graph_build", "graph_run"},
           "loops": {"constant", "linear", "quadratic", "heavy", "exponential", "bimodal", "cheap1", "cheap10"},
           "algo": {"for", "reduce", "threads", "reduces", "uneven", "histo", "scan", "filter", "find",
                    "sort32", "sort64", "sortdbl", "strings", "sorted"}}
for name, wanted in figures.items():
    for kernel in told[name]:
        found = {figure["name"] for figure in kernel["figures"]}
        if found != wanted:
            sys.exit(f"{name}: figures {found}, wanted {wanted}")
for kernel in told["tasks"] + told["loops"] + told["algo"]:
    for figure in kernel["figures"]:
        if not figure["samples"] == 2 or not figure["median_ns"] > 0:
            sys.exit(f"{kernel['name']}: {figure}")
PYTHON

# JSON: every documented key is there, every key is documented.
run "$SKUA" bench deque --repeat=1 --json
cp "$out" "$work/deque.json"
run python3 "$SKUA_SOURCE/tests/cli/check_json" "$SKUA_SOURCE/docs/json.md" skua-bench-1 \
	"$work/works.json" "$work/deque.json"
expect_status 0

# The table.
run "$SKUA" bench fib:20 uts:bin tick:2 latency:10 --workers=1,3,16 --repeat=1
expect_status 0
expect_silent_err
expect_out 'kernel    size     serial workers'
expect "the first row names kernel and size" grep -qE '^fib +20 +[0-9.]+ [num]?s +1 ' "$out"
expect "16 workers have a row" grep -qE '^ +16 +[0-9.]+ [num]?s ' "$out"
expect_out ' x plain C, two real calls'
expect_out 'a burst, 99 of 100'
expect_out 'to a sleeper, median'
expect "each figure once for each number of workers" [ "$(grep -c 'a burst, median' "$out")" -eq 3 ]
expect_out 'Every result was right.'
refuse "80 columns are enough" grep -qE '^.{81}' "$out"

# A table between two texts, and the other way round.
run "$SKUA" bench deque fib:20 deque --workers=1 --repeat=1
expect "0, or 1 without membarrier(2)" [ "$status" -le 1 ]
expect "one table" [ "$(grep -c '^kernel ' "$out")" -eq 1 ]
expect "two texts" [ "$(grep -c '^deque: ' "$out")" -eq 2 ]

# No --workers: as many as the machine is good for, or the user says.
run env SKUA_WORKERS=3 "$SKUA" bench fib:20 --repeat=1 --json
expect_status 0
expect_json kernels.0.workers 3 kernels.0.speedup null kernels.0.speedup_from null

# The same number twice is how much the machine alone makes of a difference.
run "$SKUA" bench fib:20 --repeat=1 --json --workers=2,2
expect_status 0
expect_json kernels.0.workers 2 kernels.1.workers 2 kernels.1.speedup_from 2

# What the system refuses.
if [ -x "$SKUA_BUILD/tests/with_denied_syscall" ]; then
	for fault in malloc thread; do
		run env SKUA_FAULT=$fault:1:ever "$SKUA" bench fib:20 --repeat=1
		[ "$status" -eq 0 ] || { # a build without the fault table
			expect_status 3
			expect_silent_out
			expect_err 'skua bench: cannot measure fib: '
		}
	done
fi

blamed() { # WHAT [HINT]
	expect_status 2
	expect_silent_out
	expect_err "$1"
	[ $# -eq 1 ] || expect_err "$2"
}
run "$SKUA" bench fibs
blamed "there is no kernel 'fibs'" 'did you mean fib?'
run "$SKUA" bench uts:T9
blamed "kernel uts has no size 'T9'" ' T1 T2 T3 T4 T5 T1L'
expect_err_line '    skua bench uts:T9'
expect_err_line '               ~~~~~~'
run "$SKUA" bench fib:
blamed "kernel fib has no size ''" 'it has 20 32 40 42'
run "$SKUA" bench fib:20x
blamed "kernel fib has no size '20x'"
run "$SKUA" bench :20
blamed "there is no kernel ''"
run "$SKUA" bench fib --larg
blamed 'did you mean --large?'
long=$(printf '%0500d' 7)
run "$SKUA" bench "$long"
blamed "there is no kernel '0000"
run "$SKUA" bench "fib:$long"
blamed "kernel fib has no size '0000"
