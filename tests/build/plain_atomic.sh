#!/bin/sh
# plain_atomic.sh — an _Atomic touched without the macros of base/atomic.h is an error of clang
. "$(dirname "$0")/common"
fresh

# A project of one file with our flags.
cat >"$scratch/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.25)
project(bite C)
add_subdirectory(${SKUA_SOURCE} skua)
add_library(bite OBJECT bite.c)
target_include_directories(bite PRIVATE ${SKUA_SOURCE}/src)
target_link_libraries(bite PRIVATE skua_flags)
CMAKE

# compiles STATEMENT: a function that does this to an _Atomic int
compiles()
{
    printf '#include "base/atomic.h"\n\nint bite(_Atomic int *word);\nint bite(_Atomic int *word)\n{\n\t%s\n}\n' "$1" >"$scratch/bite.c"
    cmake --build "$scratch/build" --target bite >"$scratch/log" 2>&1
}

compiles_not()
{
    ! compiles "$1" || fail "clang has nothing against: $1"
    grep -q 'error: implicit use of sequentially-consistent atomic' "$scratch/log" || { cat "$scratch/log" >&2; fail "clang is against '$1' for another reason"; }
}

touch "$scratch/bite.c"
quietly "configuring with clang" cmake -G Ninja -S "$scratch" -B "$scratch/build" -DSKUA_SOURCE="$SKUA_SOURCE" -DCMAKE_C_COMPILER=clang -DSKUA_WERROR=ON
compiles 'return skua_load(word, relaxed);' || { cat "$scratch/log" >&2; fail "clang is against skua_load"; }
compiles_not 'return *word;'
compiles_not '*word = 1; return 0;'
compiles_not 'return (*word)++;'
echo "plain_atomic: a plain read, write and increment are errors, skua_load is not"
