#!/bin/sh
# usdt.sh — with SKUA_USDT the library carries its six probes, with arguments; without it, none
. "$(dirname "$0")/common"
fresh
probes='job_begin job_end steal park unpark inject'

# notes FILE: "name arguments" of each probe of the provider skua
notes()
{
    readelf -nW "$1" 2>/dev/null | awk '
        /Provider:/ { is_ours = $NF == "skua" }
        /Name:/ { name = $2 }
        /Arguments:/ && is_ours { print name, NF - 1 }' | sort | uniq
}

# Without: not one.
targets="skua_shared example_02_fork_join"
release_build "$scratch/without"
[ -z "$(notes "$scratch/without/libskua.so")" ] || fail "probes in a build without SKUA_USDT"

if ! echo '#include <sys/sdt.h>' | cc -E - >/dev/null 2>&1; then
    # Then the build must say what is missing.
    if (cd "$SKUA_SOURCE" && cmake --preset release -B "$scratch/refused" -DSKUA_TESTS=OFF -DSKUA_USDT=ON) >"$scratch/log" 2>&1; then
        fail "SKUA_USDT=ON was accepted without <sys/sdt.h>"
    fi
    grep -q 'install systemtap-sdt-dev' "$scratch/log" || fail "it is not said what SKUA_USDT=ON needs"
    echo "skipped: no <sys/sdt.h>; systemtap-sdt-dev brings it"
    exit 77
fi
release_build "$scratch/with" -DSKUA_USDT=ON
notes "$scratch/with/libskua.so" >"$scratch/notes"
for probe in $probes; do
    grep -q "^$probe [1-9]" "$scratch/notes" || fail "no probe $probe in libskua.so: $(tr '\n' ';' <"$scratch/notes")"
done
"$scratch/with/examples/02_fork_join" >"$scratch/log" || fail "a program with probes does not run"
echo "usdt: $(wc -l <"$scratch/notes") probes"
