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
says out '"schema": "skua-peers-algo-1"'
says out '"rows": []'

# script NAME: an executable script
script()
{
    cat >"$scratch/bin/$1"
    /bin/chmod +x "$scratch/bin/$1"
}

# A command of ours that has not got the kernels, and one that has.
script skua <<'SKUA'
#!/bin/sh
echo 'algo        only this one'
SKUA
runs 0 --skua "$scratch/bin/skua" skua
says err 'has no kernels `algo` and `loops`'
script skua <<'SKUA'
#!/bin/sh
[ "$2" != --list ] || { printf 'loops       loops\nalgo        arrays\n'; exit 0; }
case $3 in --workers=1) ;; *) echo "asked for $*" >&2; exit 2 ;; esac
case $2 in
loops:100) cases='constant cheap1' ;;
*) cases='reduce sort32' ;;
esac
figures=
for case in $cases; do
    figures="$figures{\"name\": \"$case\", \"variant\": \"serial\", \"median_ns\": 2.0, \"quartile_low_ns\": 1.9},
             {\"name\": \"$case\", \"variant\": \"skua\", \"median_ns\": 3.0, \"quartile_low_ns\": 2.8},"
done
[ "$2" = loops:100 ] || figures="$figures{\"name\": \"threads\", \"variant\": \"skua\", \"median_ns\": 2.5, \"quartile_low_ns\": 2.4},"
cat <<JSON
{"schema": "skua-bench-1", "skua_version": "9.9.9", "kernels": [{"workers": 1, "check": true, "figures": [${figures%,}]}]}
JSON
SKUA
# Compilers whose every program prints the same lines, and checks or does not.
script gcc <<'GCC'
#!/bin/sh
GCC
script ar <<'AR'
#!/bin/sh
AR
script g++ <<'GXX'
#!/bin/sh
while [ "$1" != -o ]; do shift; done
cat >"$2" <<PROGRAM
#!/bin/sh
line()
{
    echo "{\"name\":\"Omp\",\"version\":\"1.0\",\"problem\":\"\$problem\",\"case\":\"\$1\",\"variant\":\"\$2\",\"how\":\"so\",\"workers\":1,\"ns\":\$3,\"quartile_low_ns\":\$3,\"check\":$CHECK}"
}
problem=\$2
case \$* in
'--problem algo:1M --workers 1 --repeat 3' | '--problem algo:1M --workers 1 --repeat 9')
    line reduce '' 4.0
    line sort32 '' 1.5 ;;
'--problem loops:100 --workers 1 --repeat 3')
    line constant static 6.0
    line constant static,16 2.0
    line constant guided 1.0
    line cheap1 static 30.0 ;;
*)
    exit 2 ;;
esac
exit $STATUS
PROGRAM
/bin/chmod +x "$2"
GXX

export CHECK=true STATUS=0
runs 0 --quick --workers 1 --rounds 2 --problems algo:1M,loops:100 --skua "$scratch/bin/skua" skua libgomp
says out 'skua 9.9.9, Omp 1.0; -O2'
says out 'algo:1M, 1 worker: ns for one, median of 2 rounds'
says out 'reduce       3.00             2.00             2.50             4.00             0.75  1.50    libgomp'
says out 'sort32       3.00             2.00             -                1.50             2.00  1.50    libgomp'
says out 'constant     3.00             2.00             -                1.00 guided      3.00  1.50    libgomp guided'
says out 'algo, 1 worker, geometric mean of skua over: the best peer 1.22, libgomp 1.22'
says out '  algo:1M sort32 with 1: 2.00 x libgomp'
says out '  algo:1M reduce with 1: 1.20 x plain threads'
says out '  loops:100 constant with 1: 3.00 x libgomp guided'
says out '  loops:100 constant with 1: 1.50 x the best static chunks'
says out '  loops:100 cheap1 with 1: 1.50 x the plain loop'
runs 0 --quick --workers 1 --rounds 2 --problems algo:1M --json --skua "$scratch/bin/skua" skua libgomp
says out '"to_best": 0.75'
runs 0 --quick --workers 1 --rounds 2 --problems algo:1M --least --skua "$scratch/bin/skua" skua libgomp
says out 'algo:1M, 1 worker: ns for one, least of 2 rounds'
says out 'reduce       2.80 '

export CHECK=false STATUS=1
runs 1 --quick --workers 1 --rounds 2 --problems algo:1M --skua "$scratch/bin/skua" libgomp
says out '1.50  WRONG'
says err 'libgomp: algo:1M sort32  with 1: the result is wrong'

# One that breaks off is named; the others are measured.
export CHECK=true STATUS=3
runs 1 --quick --workers 1 --rounds 2 --problems algo:1M --skua "$scratch/bin/skua" skua libgomp
says err 'libgomp: failed: algo:1M: status 3'
says out 'sort32       3.00'

runs 2 --quick ocaml
says err "there is no runtime 'ocaml'"
runs 2 --problems algo:2M
says err "there is no problem 'algo:2M'"
runs 2 --workers 0
echo "peers_algo: nothing installed, a made-up peer, a wrong one, one that breaks off, slips"
