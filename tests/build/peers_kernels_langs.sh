#!/bin/sh
# peers_kernels_langs.sh — kernel peers in Rust, Go and Java: small problems, refusals, slips
#
# What is not installed is skipped by name; with nothing at all the test is (77).  Nothing is
# fetched.  What cargo and go compiled is kept beside the scratch folder: the first run is longest.
. "$(dirname "$0")/common"
fresh
peers=$SKUA_SOURCE/bench/peers
registry=${SKUA_CARGO_REGISTRY:-/usr/share/cargo/registry}
kept=$scratch.kept
mkdir -p "$kept"
ran=

skip() { echo "peers_kernels_langs: $1: skipped: $2"; }

has()
{
    for program in "$@"; do
        command -v "$program" >/dev/null 2>&1 || return 1
    done
}

# runs STATUS PEER ARGUMENT...: $command is the peer's; adds what it prints to PEER.lines
runs()
{
    wanted=$1 peer=$2
    shift 2
    status=0
    $command "$@" >>"$scratch/$peer.lines" 2>"$scratch/err" || status=$?
    [ $status = "$wanted" ] || {
        cat "$scratch/err" >&2
        fail "$peer $*: status $status, not $wanted"
    }
    [ "$wanted" != 3 ] || [ "$(wc -l <"$scratch/err")" = 1 ] ||
        fail "$peer $*: not one line says why"
}

# judge PEER COUNT: so many lines, each with all keys, the right number of times, and right
judge()
{
    python3 - "$scratch/$1.lines" "$2" <<'PYTHON' || fail "$1: a line is wrong"
import json
import sys

KEYS = "name version problem case how workers repeat seconds cpu_s check".split()
lines = open(sys.argv[1]).read().splitlines()
if len(lines) != int(sys.argv[2]):
    sys.exit(f"{len(lines)} lines, not {sys.argv[2]}")
for line in lines:
    row = json.loads(line)
    if not (list(row) == KEYS and row["check"] is True and row["version"] != "unknown"
            and row["repeat"] == len(row["seconds"]) == len(row["cpu_s"]) == 2
            and min(row["seconds"]) > 0 and min(row["cpu_s"]) >= 0
            and (row["case"] == "") == (row["problem"].split(":")[0] not in ("algo", "loops"))):
        sys.exit(line)
PYTHON
}

# try PEER COUNT OFFERED REFUSED: problems that it has and has not; COUNT lines with 1 and 2 workers
try()
{
    for problem in $3; do
        for workers in 1 2; do
            runs 0 "$1" --problem "$problem" --workers $workers --repeat 2
            told="\"problem\":\"$problem\".*\"workers\":$workers,"
            tail -n 1 "$scratch/$1.lines" | grep -q "$told" ||
                fail "$1: $problem with $workers is not what the line says"
        done
    done
    judge "$1" $((2 * $2))
    for problem in $4 fib:7 nothing:1; do
        runs 3 "$1" --problem "$problem" --workers 1 --repeat 1
    done
    runs 2 "$1" --problem fib --workers 1
    runs 2 "$1" --problem skynet:1k --workers 0
    runs 2 "$1" --problem skynet:1k --repeat
    runs 2 "$1" --what 1
    ran="$ran $1"
}

counts='fib:20 treesum:31 nqueens:8 uts:hybrid skynet:1k'
arrays='matmul:128 strassen:256 cilksort:20k'
paced='tick:2 latency:10 idle:100ms'

# rust NAME CRATE COUNT OFFERED REFUSED; unoptimised: compiled sooner, and numbers are checked
rust()
{
    if ! has cargo rustc; then
        skip "$1" 'no cargo or rustc (apt-get install cargo rustc)'
        return 0
    fi
    crate=$(find "$registry" -maxdepth 1 -name "$2-[0-9]*" 2>/dev/null | sort | tail -n 1)
    if [ -z "$crate" ]; then
        skip "$1" "no $2 in $registry (apt-get install librust-$2-dev)"
        return 0
    fi
    mkdir -p "$scratch/rust"
    [ -e "$scratch/rust/kernels_rust" ] || cp -R "$peers/kernels_rust" "$scratch/rust"
    cp -R "$peers/kernels_$1" "$scratch/rust"
    (
        cd "$scratch/rust/kernels_$1"
        export PEER_VERSION="${crate##*-}" RUSTFLAGS="-L native=$SKUA_BUILD"
        export CARGO_TARGET_DIR="$kept/cargo" CARGO_HOME="$kept/home"
        quietly "building kernels_$1" cargo build --offline --quiet \
            --config 'source.crates-io.replace-with="debian"' \
            --config "source.debian.directory=\"$registry\""
    )
    command=$kept/cargo/debug/kernels_$1
    try "$1" "$3" "$4" "$5"
}

rust rayon rayon 11 "$counts $arrays $paced" 'algo:3000 loops:10'
rust crossbeam crossbeam-deque 6 "nqueens:8 uts:hybrid skynet:1k $paced" "fib:20 $arrays algo:3000"
rust tokio tokio 4 "skynet:1k $paced" "fib:20 nqueens:8 uts:hybrid algo:3000"

all="$counts $arrays $paced algo:3000 loops:10"
if has go; then
    (cd "$peers/kernels_go" && GOCACHE=$kept/go GO111MODULE=off \
        quietly "building kernels_go" go build -o "$scratch/kernels_go" ./*.go)
    command=$scratch/kernels_go
    try go 15 "$all" uts:T9
else
    skip go 'no go (apt-get install golang-go)'
fi

if has javac java; then
    quietly "building kernels_java" javac -d "$scratch/java" "$peers"/kernels_java/*.java
    command="java -Xms64m -Xmx256m -Xss16m -XX:+UseParallelGC -XX:TieredStopAtLevel=1 -Dwarm=0"
    command="$command -cp $scratch/java Kernels"
    try java 15 "$all" uts:T9
else
    skip java 'no javac or java (apt-get install default-jdk-headless)'
fi

[ -n "$ran" ] || exit 77
echo "peers_kernels_langs: tried$ran"
