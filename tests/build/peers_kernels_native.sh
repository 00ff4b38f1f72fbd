#!/bin/sh
# peers_kernels_native.sh — kernel peers in C and C++: small problems, refusals, slips
#
# What is not installed is skipped by name; with nothing at all the test is (77).
. "$(dirname "$0")/common"
fresh
peers=$SKUA_SOURCE/bench/peers
library="$SKUA_BUILD/libskua_work.a $SKUA_BUILD/libskua.a"
ran=

skip() { echo "peers_kernels_native: $1: skipped: $2"; }

# has_package NAME: pkg-config knows it
has_package() { command -v pkg-config >/dev/null 2>&1 && pkg-config --exists "$1"; }

# compile PEER COMPILER STANDARD SOURCE FLAG...
compile()
{
    peer=$1 compiler=$2 standard=$3 source=$4
    shift 4
    quietly "building $peer" "$compiler" "-std=$standard" -O2 -Wall -Wextra -Werror "$peers/$source" \
        -o "$scratch/$peer" $library "$@" -lm -pthread
}

# runs STATUS PEER ARGUMENT...: what it prints is added to PEER.lines
runs()
{
    wanted=$1 peer=$2
    shift 2
    status=0
    "$scratch/$peer" "$@" >>"$scratch/$peer.lines" 2>"$scratch/err" || status=$?
    [ $status = "$wanted" ] || { cat "$scratch/err" >&2; fail "$peer $*: status $status, not $wanted"; }
    [ "$wanted" = 0 ] || [ "$(wc -l <"$scratch/err")" = 1 ] || fail "$peer $*: not one line says why"
}

# judge PEER NAME: a line for each problem with 1 and 2 workers, with all keys, and right
judge()
{
    python3 - "$scratch/$1.lines" "$@" <<'PYTHON' || fail "$1: a line is wrong"
import json
import sys

KEYS = ["name", "version", "problem", "case", "how", "workers", "repeat", "seconds", "cpu_s", "check"]
file, _, name, *problems = sys.argv[1:]
rows = [json.loads(line) for line in open(file)]
if [(row["problem"], row["workers"]) for row in rows] != [(p, w) for p in problems for w in (1, 2)]:
    sys.exit(f"these are not the problems asked for: {rows}")
for row in rows:
    least = 0.1 if row["problem"] == "idle:100ms" else 0  # no pause is shorter than it was asked to be
    if not (list(row) == KEYS and row["name"] == name and row["version"][0].isdigit() and row["case"] == ""
            and row["how"] and row["check"] is True and row["repeat"] == len(row["seconds"]) == len(row["cpu_s"]) == 2
            and min(row["seconds"]) > least and min(row["cpu_s"]) >= 0):
        sys.exit(f"{row}")
PYTHON
}

# try PEER NAME OFFERED REFUSED: problems that it has and has not
try()
{
    for problem in $3; do
        for workers in 1 2; do
            runs 0 "$1" --problem "$problem" --workers $workers --repeat 2
        done
    done
    judge "$1" "$2" $3
    for problem in $4 skynet:7 skynet: sky:1k nothing:1; do
        runs 3 "$1" --problem "$problem" --workers 1 --repeat 1
    done
    runs 2 "$1"
    runs 2 "$1" --problem skynet --workers 1
    runs 2 "$1" --problem skynet:1k --workers 0
    runs 2 "$1" --problem skynet:1k --workers 2x
    runs 2 "$1" --problem skynet:1k --repeat
    runs 2 "$1" --what 1
    ran="$ran $1"
}

recursive='fib:20 treesum:31 nqueens:8 uts:hybrid uts:deep strassen:256 cilksort:20k'
flat='skynet:1k matmul:128 tick:2 latency:10 idle:100ms'

if ! command -v g++ >/dev/null 2>&1; then
    skip tbb 'no g++ (apt-get install g++ libtbb-dev pkg-config)'
elif ! has_package tbb; then
    skip tbb 'no tbb in pkg-config (apt-get install libtbb-dev pkg-config)'
else
    compile tbb g++ c++17 kernels_tbb/kernels_tbb.cpp $(pkg-config --cflags --libs tbb)
    try tbb oneTBB "$recursive $flat" algo:1M
fi

if ! command -v g++ >/dev/null 2>&1; then
    skip libgomp 'no g++ (apt-get install g++)'
else
    compile libgomp g++ c++17 kernels_omp/kernels_omp.cpp -fopenmp
    try libgomp libgomp "$recursive $flat" algo:1M
fi

if ! command -v clang++ >/dev/null 2>&1; then
    skip libomp 'no clang++ (apt-get install clang libomp-dev)'
elif ! echo '#include <omp.h>' | clang++ -fopenmp -x c++ -c - -o "$scratch/omp.o" 2>/dev/null; then
    skip libomp 'no omp.h for clang++ (apt-get install libomp-dev)'
else
    compile libomp clang++ c++17 kernels_omp/kernels_omp.cpp -fopenmp
    try libomp libomp "$recursive $flat" algo:1M
fi

if ! command -v gcc >/dev/null 2>&1; then
    skip starpu 'no gcc (apt-get install gcc libstarpu-dev pkg-config)'
elif ! has_package starpu-1.3; then
    skip starpu 'no starpu-1.3 in pkg-config (apt-get install libstarpu-dev pkg-config)'
else
    compile starpu gcc gnu11 kernels_starpu/kernels_starpu.c $(pkg-config --cflags --libs starpu-1.3)
    export STARPU_HOME=$scratch
    try starpu StarPU "$flat" "$recursive skynet:1M algo:1M"
fi

[ -n "$ran" ] || exit 77
echo "peers_kernels_native: tried$ran"
