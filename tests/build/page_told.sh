#!/bin/sh
# page_told.sh — where the page cannot be made `make` says so in one line, once
. "$(dirname "$0")/common"
fresh

# configure: as the Makefile does it, without node
configure()
{
    cmake -S "$SKUA_SOURCE" -B "$scratch/build" -DNODE=OFF >/dev/null 2>"$scratch/told" ||
        fail "configuring failed: $(cat "$scratch/told")"
}
configure
[ "$(wc -l <"$scratch/told")" -eq 1 ] || fail "not one line: $(cat "$scratch/told")"
grep -q '^The page is not built: no node.*; tools/setup test installs it$' "$scratch/told" ||
    fail "it is not told what is missing: $(cat "$scratch/told")"
configure
[ ! -s "$scratch/told" ] || fail "it is told again: $(cat "$scratch/told")"
