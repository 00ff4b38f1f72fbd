#!/bin/sh
# typed.sh — typed macros of the algorithms: in C++ as in C, and mistakes with types do not compile
. "$(dirname "$0")/common"
fresh
warnings='-Wall -Wextra -Werror'

for compiler in g++ clang++; do
    # shellcheck disable=SC2086 # the warnings are several words
    quietly "algorithms with $compiler" "$compiler" -std=c++17 -O2 $warnings -I"$SKUA_SOURCE/include" \
        "$SKUA_SOURCE/tests/build/consumer/algorithms.cpp" "$SKUA_BUILD/libskua.a" -pthread -o "$scratch/algorithms"
    quietly "algorithms of $compiler" "$scratch/algorithms"
done

# refused LANGUAGE WHAT: the text on standard input must not compile, and without the line WRONG it must
refused()
{
    source=$scratch/refused.$1
    { printf '#include <skua/skua.h>\n#include <string.h>\n'; cat; } >"$source"
    compiler=gcc
    [ "$1" = cpp ] && compiler='g++ -std=c++17'
    if $compiler -I"$SKUA_SOURCE/include" -fsyntax-only "$source" 2>/dev/null; then
        fail "$2 compiles"
    fi
    sed '/WRONG/d' "$source" >"$source.right.$1"
    # shellcheck disable=SC2086 # the compiler has an option
    quietly "what is right beside: $2" $compiler -I"$SKUA_SOURCE/include" -fsyntax-only "$source.right.$1"
}
refused c "a merge of another type than its fold" <<'C'
SKUA_FOLD(add, long, sum, long *, x, i) { *sum += x[i]; }
SKUA_FOLD_MERGE(add, int, sum, next) { *sum += *next; } /* WRONG */
C
refused c "an init that the merge does not use" <<'C'
SKUA_FOLD(add, long, sum, long *, x, i) { *sum += x[i]; }
SKUA_FOLD_INIT(add, long, sum) { *sum = 1; } /* WRONG */
SKUA_FOLD_MERGE(add, long, sum, next) { *sum += *next; }
C
refused c "a pointer of another type as where" <<'C'
#pragma GCC diagnostic error "-Wincompatible-pointer-types"
SKUA_LOOP(body, int *, x, i) { x[i]++; }
int run(struct skua_group *group, int *x) { return skua_for(group, 0, 1, body, x, NULL); } /* WRONG */
C
refused cpp "a sort of what is not plain bytes" <<'C'
#include <string>
SKUA_SORT(by_text, std::string, a, b) { return *a < *b; } /* WRONG */
C
echo "typed macros work in C++ too, and four mistakes do not compile"
