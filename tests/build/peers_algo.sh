#!/bin/sh
# peers_algo.sh — bench/peers/algo without any peer, with a made-up one, and with one that is wrong
. "$(dirname "$0")/common"
fresh
export SKUA_PEERS_BUILD="$scratch/peers" SKUA_CARGO_REGISTRY="$scratch/no_registry"
mkdir "$scratch/bin"
ln -s "$(python3 -c 'import sys; print(sys.executable)')" "$scratch/bin/python3"
ln -s "$(command -v cat)" "$scratch/bin/cat"
PATH=$scratch/bin
export PATH
runner=$SKUA_SOURCE/bench/peers/algo

# runs STATUS ARGUMENT...: only what is in $scratch/bin is installed
runs()
{
    wanted=$1
    shift
    status=0
    python3 "$runner" "$@" >"$scratch/out" 2>"$scratch/err" || status=$?
    [ $status = "$wanted" ] || { cat "$scratch/out" "$scratch/err" >&2; fail "algo $*: status $status, not $wanted"; }
}

# says FILE TEXT; python3, as grep is not installed here
says()
{
    python3 -c 'import sys; sys.exit(sys.argv[2] not in open(sys.argv[1]).read())' "$scratch/$1" "$2" ||
        { cat "$scratch/$1" >&2; fail "there is no '$2' in std$1"; }
}

# Nothing is there: each is named with what to install, and that is no failure.
runs 0 --quick --skua "$scratch/no_skua"
says err "skua: left out: there is no $scratch/no_skua"
says err 'tbb: left out: no g++ (apt-get install g++ libtbb-dev)'
says err 'libgomp: left out: no g++ (apt-get install g++)'
says err 'libomp: left out: no clang++ (apt-get install clang libomp-dev)'
says err 'rayon: left out: no cargo (apt-get install cargo rustc librust-rayon-dev)'
says err 'pstl: left out: no g++ (apt-get install g++ libtbb-dev)'
says out 'Nothing was measured.'
runs 0 --quick --json --skua "$scratch/no_skua"
says out '"schema": "skua-peers-algo-2"'
says out '"rows": []'

# script NAME: an executable script
script()
{
    cat >"$scratch/bin/$1"
    /bin/chmod +x "$scratch/bin/$1"
}

# A command of ours without its libraries, and with them.
script skua <<'SKUA'
#!/bin/sh
SKUA
script ar <<'AR'
#!/bin/sh
AR
# Compilers whose every program says the same, asked or not; ours, in C, is never wrong and never breaks off.
script gcc <<'GCC'
#!/bin/sh
for last; do :; done
[ "$last" = -pthread ] || exit 0 # not a program
while [ "$1" != -o ]; do shift; done
cat >"$2" <<PROGRAM
#!/bin/sh
exec python3 $scratch/ask.py true 0 "\$@" skua,reduce,,3.0 serial,reduce,,2.0 threads,reduce,,2.5 skua,sort32,,3.0 serial,sort32,,2.0 \
    skua,constant,,3.0 serial,constant,,2.0 skua,cheap1,,3.0 serial,cheap1,,2.0
PROGRAM
/bin/chmod +x "$2"
GCC
script g++ <<'GXX'
#!/bin/sh
while [ "$1" != -o ]; do shift; done
cat >"$2" <<PROGRAM
#!/bin/sh
exec python3 $scratch/ask.py $CHECK $STATUS "\$@" Omp,reduce,,4.0 Omp,sort32,,1.5 \
    Omp,constant,static,6.0 Omp,constant,static-16,2.0 Omp,constant,${lucky:-guided,1.0} Omp,cheap1,static,30.0
PROGRAM
/bin/chmod +x "$2"
GXX
# CHECK STATUS --problem P --workers 1 --repeat 0 NAME,CASE,VARIANT,NS...; with a status it breaks off at the third run.
cat >"$scratch/ask.py" <<'ASK'
import json, os, sys, time

pids = f"{os.environ['scratch']}/pids"


def state_of(pid):
    try:
        with open(f"/proc/{pid}/stat") as stat:
            return stat.read().rpartition(")")[2].split()[0]
    except OSError:
        return "gone"


def others_stand_still():
    """Nobody but us runs, or will in a moment."""
    end = time.monotonic() + 60
    while any(state_of(pid) not in ("T", "Z", "gone") for pid in os.listdir(pids) if int(pid) != os.getpid()):
        if time.monotonic() > end:
            sys.exit("another one runs")


os.makedirs(pids, exist_ok=True)
open(f"{pids}/{os.getpid()}", "w").close()
check, status, *words = sys.argv[1:]
assert words[:6:2] == ["--problem", "--workers", "--repeat"] and words[3] == "1" and words[5] == "0", words
cases = ("constant", "cheap1") if words[1] == "loops:100" else ("reduce", "sort32")
ways = [way for way in (word.split(",") for word in words[6:]) if way[1] in cases]
if ways[0][0] == "Omp": # counts the rounds
    with open(f"{pids}/../rounds", "a") as rounds:
        rounds.write(".")
for name, case, variant, ns in ways:
    print(json.dumps({"name": name, "version": "1.0", "problem": words[1], "case": case, "variant": variant, "how": "so", "workers": 1}))
print(flush=True)
for run, line in enumerate(sys.stdin):
    if int(status) and run == 2:
        sys.exit("there is no more")
    others_stand_still()
    first, _, odd = ways[int(line)][3].partition("/")
    with open(f"{pids}/../rounds") as rounds: # 1 in the first, whose number is 0
        is_odd = odd and len(rounds.read()) % 2 == 0
    print(json.dumps({"ns": float(odd if is_odd else first), "check": check == "true"}), flush=True)
ASK
export scratch
runs 0 --skua "$scratch/bin/skua" skua
says err "skua: left out: there is no $scratch/bin/libskua_work.a (run \`make\`)"
: >"$scratch/bin/libskua_work.a"
: >"$scratch/bin/libskua.a"

export CHECK=true STATUS=0
runs 0 --quick --workers 1 --rounds 2 --problems algo:1M,loops:100 --skua "$scratch/bin/skua" skua libgomp
says out 'skua 1.0, Omp 1.0; -O2'
says out 'algo:1M, 1 worker: ns for one, median of 2 rounds of 5 turns'
says out 'reduce       3.00             2.00             2.50             4.00             0.75 0.75..0.75  1.50    libgomp'
says out 'sort32       3.00             2.00             -                1.50             2.00 2.00..2.00  1.50    libgomp'
says out 'constant     3.00             2.00             -                1.00 guided      3.00 3.00..3.00  1.50 1.50..1.50  1.50    libgomp guided'
says out 'algo, 1 worker, geometric mean of skua over: the best peer 1.22, libgomp 1.22'
says out '  algo:1M sort32 with 1: 2.00 2.00..2.00 x libgomp'
says out '  algo:1M reduce with 1: 1.20 1.20..1.20 x plain threads'
says out '  loops:100 constant with 1: 3.00 3.00..3.00 x libgomp guided'
says out '  loops:100 constant with 1: 1.50 1.50..1.50 x the best static schedule'
says out '  loops:100 cheap1 with 1: 1.50 1.50..1.50 x the plain loop'
runs 0 --quick --workers 1 --rounds 2 --problems algo:1M --json --skua "$scratch/bin/skua" skua libgomp
says out '"middle": 0.75'
says out '"turns": 10'

# One that is the best in two rounds of three, and bad in the other, is not what those two are judged by.
lucky=static-4,1.0/9.0
export lucky
: >"$scratch/rounds"
runs 0 --quick --workers 1 --rounds 3 --problems loops:100 --skua "$scratch/bin/skua" skua libgomp
says out '1.50 0.33..1.50'
says out '1.00 static-4'
lucky=

export CHECK=false STATUS=0
runs 1 --quick --workers 1 --rounds 2 --problems algo:1M --skua "$scratch/bin/skua" libgomp
says out '1.50  WRONG'
says err 'libgomp: algo:1M sort32  with 1: the result is wrong'

# One that breaks off is named; the others are measured.
export CHECK=true STATUS=3
runs 1 --quick --workers 1 --rounds 2 --problems algo:1M --skua "$scratch/bin/skua" skua libgomp
says err 'libgomp: failed: algo:1M: status 1: there is no more'
says out 'sort32       3.00'

# Nowhere to write to: said, and no success.
status=0
python3 "$runner" --help >&- 2>"$scratch/err" || status=$?
[ $status = 1 ] || fail "with a closed output: status $status, not 1"
says err 'standard output is closed'
status=0
python3 "$runner" --help >/dev/full 2>"$scratch/err" || status=$?
[ $status = 1 ] || fail "on a full disk: status $status, not 1"
says err 'cannot write: No space left on device'

runs 2 --quick ocaml
says err "there is no runtime 'ocaml'"
runs 2 --problems algo:2M
says err "there is no problem 'algo:2M'"
runs 2 --workers 0
echo "peers_algo: nothing installed, a made-up peer, a wrong one, one that breaks off, slips"
