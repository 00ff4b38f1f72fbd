#!/bin/sh
# headers.sh — each public header alone and twice, as C11 and C++17, gcc and clang, no warning
. "$(dirname "$0")/common"
fresh
warnings='-Wall -Wextra -Wpedantic -Wconversion -Wundef -Wshadow -Werror'
count=0

# each LANGUAGE COMPILER STANDARD: all headers through one compiler
each()
{
    for header in $headers; do
        source=$scratch/alone.$1
        printf '#include <%s>\n#include <%s>\nint alone(void);\n' "$header" "$header" >"$source"
        # shellcheck disable=SC2086 # the warnings are several words
        quietly "<$header> as $3 with $2" "$2" "-std=$3" $warnings -I"$SKUA_SOURCE/include" -fsyntax-only "$source"
        count=$((count + 1))
    done
}

headers=$(cd "$SKUA_SOURCE/include" && find skua -name '*.h' | sort)
[ -n "$headers" ] || fail "no public headers under $SKUA_SOURCE/include"
each c gcc c11
each c clang c11
each cpp g++ c++17
each cpp clang++ c++17
echo "headers: $count compilations without a warning"
