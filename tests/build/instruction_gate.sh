#!/bin/sh
# instruction_gate.sh — instructions of a fork, a deque pair and a loop chunk must not grow by 3 %
#
#   sh tests/build/instruction_gate.sh            count, and compare with instructions.txt beside this
#   sh tests/build/instruction_gate.sh --record   count, and write that file
#
# Callgrind counts what a processor would execute, so the figures do not depend on the machine's mood; they
# do depend on the compiler: with another than the recorded one nothing is compared.  Each figure is the
# difference of two runs of different size, by the difference of the sizes.
: "${SKUA_SOURCE:=$(cd "$(dirname "$0")/../.." && pwd)}"
: "${SKUA_BUILD:=$SKUA_SOURCE/build/dev}"
. "$(dirname "$0")/common"
record=$SKUA_SOURCE/tests/build/instructions.txt
most=3 # per cent
mkdir -p "$scratch"

skip()
{
    echo "instruction_gate: skipped: $*"
    exit 77
}

command -v valgrind >/dev/null || skip "no valgrind (apt-get install valgrind)"
command -v gcc >/dev/null || skip "no gcc"
# "gcc Debian 12.2.0 x86_64-linux-gnu": who built it decides on defaults, its patch level does not
compiler="gcc $(gcc --version | sed -n '1s/^[^(]*(\([^ )]*\).*/\1/p') $(gcc -dumpfullversion) $(gcc -dumpmachine)"
recorded=$(sed -n 's/^compiler //p' "$record" 2>/dev/null) || :
[ "${1-}" = --record ] || [ "$recorded" = "$compiler" ] ||
    skip "this is $compiler, and the figures were recorded with ${recorded:-none}"

# As users build it: the flags of the release preset, whatever preset this test belongs to.
(cd "$SKUA_SOURCE" && quietly "configuring" cmake --preset release -B "$scratch/release" -DSKUA_TESTS=OFF)
quietly "building" cmake --build "$scratch/release" --target skua_static
program()
{
    quietly "compiling $1" gcc -O2 -I"$SKUA_SOURCE/include" "$SKUA_SOURCE/$2" "$scratch/release/libskua.a" -pthread -o "$scratch/$1"
}
program forked_fib bench/fork_cost/forked_fib.c
program counted tests/build/counted.c

# Without membarrier(2) forks and deques take other paths than those that were recorded.
status=0
"$scratch/counted" pair_asymmetric 1 || status=$?
[ $status -ne 77 ] || skip "this system offers no membarrier(2)"

# instructions OPTION COMMAND...: how many it executes; OPTION is one more for callgrind
instructions()
{
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$@" >"$scratch/log" 2>&1 ||
        { cat "$scratch/log" >&2; fail "this failed: valgrind --tool=callgrind $*"; }
    sed -n 's/.*Collected : //p' "$scratch/log" | grep . || { cat "$scratch/log" >&2; fail "callgrind told no count: $*"; }
}

# per NAME SMALL LARGE MORE OPTION PROGRAM...: instructions for one of MORE things that the run of LARGE
# does and the run of SMALL does not
per()
{
    name=$1 small=$2 large=$3 more=$4
    shift 4
    less_count=$(instructions "$@" "$small")
    more_count=$(instructions "$@" "$large")
    echo "$name $(awk "BEGIN { printf \"%.2f\", ($more_count - $less_count) / $more }")"
}

everything=--collect-atstart=yes
{
    # fib(n) forks fib(n + 1) - 1 times: 986 and 10945
    per fork_join 15 20 9959 $everything "$scratch/forked_fib"
    per deque_pair_portable 1000 11000 10000 $everything "$scratch/counted" pair
    per deque_pair_asymmetric 1000 11000 10000 $everything "$scratch/counted" pair_asymmetric
    # Only what the loop does: its pool has a second worker, which looks around before it sleeps.
    per with_body 100 1100 1000 --toggle-collect=skua_loop_for "$scratch/counted" chunk
    per body 100 1100 1000 $everything "$scratch/counted" sleep
} >"$scratch/raw"
[ "$(wc -l <"$scratch/raw")" -eq 5 ] || fail "not everything could be counted"
awk '/^body/ { body = $2 } /^with_body/ { loop = $2 } !/body/ { print } END { printf "loop_chunk %.2f\n", loop - body }' \
    "$scratch/raw" >"$scratch/counted.txt"

if [ "${1-}" = --record ]; then
    {
        echo "# instructions.txt — what instruction_gate.sh counted: instructions for one of each"
        echo "compiler $compiler"
        cat "$scratch/counted.txt"
    } >"$record"
    cat "$record"
    exit 0
fi

# compare RECORD: says what differs; fails where something grew, or is not in the record
compare()
{
    awk -v most=$most -v again="sh tests/build/instruction_gate.sh --record" '
        FILENAME == ARGV[1] { if (NF == 2) was[$1] = $2; next }
        !($1 in was) { print $1 ": " $2 " instructions, and none are recorded; run: " again; bad = 1; next }
        { change = 100 * ($2 / was[$1] - 1); told = $1 ": " $2 " instructions, recorded are " was[$1] }
        change > most {
            printf "%s: %.1f %% more, and %d %% is the most; make it cheaper, or record it and say why: %s\n", told, change, most, again
            bad = 1
            next
        }
        change < -most { printf "%s: %.1f %% less; record it, so that it stays: %s\n", told, -change, again; next }
        { print told }
        END { exit bad }' "$1" "$scratch/counted.txt"
}

# A gate that cannot close is none: against figures 4 % lower it must, against 2 % lower it must not.
for less in 0.96 0.98; do
    awk -v less=$less '{ print $1, $2 * less }' "$scratch/counted.txt" >"$scratch/lower_$less"
    status=0
    compare "$scratch/lower_$less" >"$scratch/log" || status=$?
    [ $status -eq "$(awk "BEGIN { print ($less < 0.97) }")" ] || fail "against figures times $less the gate said $status"
done
: >"$scratch/empty"
! compare "$scratch/empty" >"$scratch/log" || fail "figures that are not recorded pass"

compare "$record" || fail "a figure of tests/build/instructions.txt has grown"
