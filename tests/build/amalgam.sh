#!/bin/sh
# amalgam.sh — the one-file library compiles without a warning and works, in C and in C++
. "$(dirname "$0")/common"
fresh
quietly "amalgamating" "$SKUA_SOURCE/tools/amalgamate.py" "$scratch"
grep -q 'Permission is hereby granted, free of charge' "$scratch/skua.c" || fail "skua.c does not carry the licence"
grep -q '^#line' "$scratch/skua.c" && fail "skua.c has #line directives"

# The programs an installed skua is tried with, changed the way a user would.
for source in consumer.c consumer_cxx.cpp; do
    sed 's|<skua/skua.h>|"skua.h"|' "$SKUA_SOURCE/tests/build/consumer/$source" >"$scratch/$source"
done
cd "$scratch"
warnings='-Wall -Wextra -Werror'
count=0
for compiler in gcc:g++ clang:clang++; do
    for level in -O0 -O2; do
        # shellcheck disable=SC2086 # the warnings are several words
        {
            quietly "skua.c with ${compiler%:*} $level" "${compiler%:*}" -std=gnu11 $level $warnings -pthread -c skua.c -o skua.o
            quietly "a C program" "${compiler%:*}" -std=c11 $level $warnings consumer.c skua.o -pthread -o in_c
            quietly "a C++ program" "${compiler#*:}" -std=c++17 $level $warnings consumer_cxx.cpp skua.o -pthread -o in_cxx
        }
        quietly "the C program with ${compiler%:*} $level" ./in_c
        quietly "the C++ program with ${compiler#*:} $level" ./in_cxx
        count=$((count + 2))
    done
done
echo "amalgam: $count programs ran with one skua.c of $(wc -l <skua.c) lines"
