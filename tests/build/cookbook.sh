#!/bin/sh
# cookbook.sh — the programs in docs/cookbook.md compile without a warning and print what it says
. "$(dirname "$0")/common"
fresh

# Blocks of ```c are programs, the block after each is what it prints.
awk -v to="$scratch" '
    /^```c$/ { number++; file = sprintf("%s/%02d.c", to, number); next }
    /^```$/ && file == "" && number { file = sprintf("%s/%02d.expected", to, number); next }
    /^```/ { if (file) close(file); file = ""; next }
    file { print > file }' "$SKUA_SOURCE/docs/cookbook.md"

count=0
for source in "$scratch"/*.c; do
    recipe=${source%.c}
    [ -e "$recipe.expected" ] || fail "recipe $(basename "$recipe") does not say what it prints"
    quietly "compiling recipe $(basename "$recipe")" gcc -O2 -Wall -Wextra -Werror -I"$SKUA_SOURCE/include" \
        "$source" "$SKUA_BUILD/libskua.a" -pthread -o "$recipe"
    status=0
    "$recipe" >"$recipe.found" || status=$?
    [ "$status" = 0 ] || fail "recipe $(basename "$recipe") ended with $status"
    same "recipe $(basename "$recipe")" "$recipe.expected" "$recipe.found"
    count=$((count + 1))
done
[ "$count" = 12 ] || fail "$count recipes, not 12"
entries=$(grep -cE '^\| [0-9]+ \|' "$SKUA_SOURCE/docs/cookbook.md")
[ "$entries" = "$count" ] || fail "$entries recipes in the list, $count below"

echo "$count recipes"
