#!/bin/sh
# observability.sh — every command of docs/observability.md, replayed in its order, shows what it says
. "$(dirname "$0")/common"
fresh
command -v python3 >/dev/null || { echo "$test_name: python3 is not installed" >&2; exit 77; }
[ -x "$SKUA_BUILD/examples/32_imbalanced" ] || fail "the example 32_imbalanced is not built"
python3 "$SKUA_SOURCE/tests/build/observability.py" "$SKUA_SOURCE/docs/observability.md" "$SKUA_BUILD" "$scratch"
