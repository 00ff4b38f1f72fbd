#!/bin/sh
# peers_tasks.sh — bench/peers/tasks without any peer, with a made-up one, and with one that is wrong
. "$(dirname "$0")/common"
fresh
export SKUA_PEERS_BUILD="$scratch/peers" SKUA_CARGO_REGISTRY="$scratch/no_registry"
mkdir "$scratch/bin"
ln -s "$(python3 -c 'import sys; print(sys.executable)')" "$scratch/bin/python3"
ln -s "$(command -v cat)" "$scratch/bin/cat"
PATH=$scratch/bin
export PATH
runner=$SKUA_SOURCE/bench/peers/tasks

# runs STATUS ARGUMENT...: only what is in $scratch/bin is installed
runs()
{
    wanted=$1
    shift
    status=0
    python3 "$runner" "$@" >"$scratch/out" 2>"$scratch/err" || status=$?
    [ $status = "$wanted" ] || { cat "$scratch/out" "$scratch/err" >&2; fail "tasks $*: status $status, not $wanted"; }
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
says err 'tbb: left out: no g++ (apt-get install g++ pkg-config libtbb-dev)'
says err 'go: left out: no go (apt-get install golang-go)'
says err 'rayon: left out: no cargo (apt-get install cargo rustc librust-rayon-dev)'
says err 'glib: left out: no gcc (apt-get install gcc pkg-config libglib2.0-dev)'
says out 'Nothing was measured.'
runs 0 --quick --json --skua "$scratch/no_skua"
says out '"schema": "skua-peers-tasks-1"'
says out '"rows": []'

# script NAME: an executable script
script()
{
    cat >"$scratch/bin/$1"
    /bin/chmod +x "$scratch/bin/$1"
}

# A command of ours that has not got the kernel, and one that has: the figures called like a case, no other.
script skua <<'SKUA'
#!/bin/sh
echo 'deque       push and pop'
SKUA
runs 0 --skua "$scratch/bin/skua" skua
says err 'has no kernel `tasks`'
script skua <<'SKUA'
#!/bin/sh
[ "$2" != --list ] || { printf 'tasks       tasks\n            sizes: 1M; small: 100k\n'; exit 0; }
[ "$2 $3" = "tasks:100k --workers=1" ] || { echo "asked for $*" >&2; exit 2; }
cat <<JSON
{"schema": "skua-bench-1", "skua_version": "9.9.9", "kernels": [{"name": "tasks", "size": 100000, "workers": 1, "check": true,
 "figures": [{"name": "spawn_inside", "variant": "skua", "samples": 1, "median_ns": 12.0},
             {"name": "graph_run", "variant": "skua", "samples": 1, "median_ns": 70.0},
             {"name": "other", "variant": "skua", "samples": 1, "median_ns": 5.0}]}]}
JSON
SKUA
# A compiler whose every program prints the same lines, and checks or does not.
script go <<'GO'
#!/bin/sh
cat >"$3" <<PROGRAM
#!/bin/sh
[ "\$*" = "--workers 1 --tasks 100000 --repeat 1" ] || exit 2
echo '{"name":"Go","version":"1.0","case":"spawn_inside","how":"go","workers":1,"tasks":100000,"ns_per_task":250,"check":true}'
echo '{"name":"Go","version":"1.0","case":"graph_run","how":"go","workers":1,"tasks":100000,"ns_per_task":69,"check":$CHECK}'
exit $STATUS
PROGRAM
/bin/chmod +x "$3"
GO

export CHECK=true STATUS=0
runs 0 --quick --workers 1 --rounds 2 --skua "$scratch/bin/skua" skua go
says out '1 worker, ns per task, median [quartiles] of 2 rounds, 100000 tasks'
says out 'skua 9.9.9              Go 1.0'
says out 'spawn_inside        12.0 [12.0 12.0]        250 [250 250]'
says out 'skua is behind in: graph_run with 1 (skua 70.0, Go 69.0).'

export CHECK=false STATUS=1
runs 1 --quick --workers 1 --rounds 2 --skua "$scratch/bin/skua" go
says out '69.0 [69.0 69.0] WRONG'
says err 'go: graph_run with 1: wrong'

# One that breaks off is named; the others are measured.
export CHECK=true STATUS=3
runs 1 --quick --workers 1 --rounds 2 --skua "$scratch/bin/skua" skua go
says err 'go: failed: status 3'
says out 'skua is ahead of each.'

runs 2 --quick ocaml
says err "there is no runtime 'ocaml'"
runs 2 --workers 0
echo "peers_tasks: nothing installed, a made-up peer, a wrong one, one that breaks off, slips"
