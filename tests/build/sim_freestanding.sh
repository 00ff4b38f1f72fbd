#!/bin/sh
# sim_freestanding.sh — the simulator needs no libc, and gives the same bytes with any compiler, in wasm too
. "$(dirname "$0")/common"
fresh
cd "$scratch"

parts="$SKUA_SOURCE/tests/build/sim_digest.c $SKUA_SOURCE/bench/work/sha1.c"
for part in "$SKUA_SOURCE"/tool/sim/sim_*.c; do
    case $part in
    */sim_host.c) ;; # the one that is for hosts with a libc
    *) parts="$parts $part" ;;
    esac
done
include="-I$SKUA_SOURCE/tool -I$SKUA_SOURCE/src"

# native NAME COMPILER OPTION...: build for this machine; what it prints must be what the first one did
natives=0
native()
{
    name=$1
    shift
    if ! command -v "$1" >/dev/null; then
        echo "sim_freestanding: no $1, so not built with it"
        return 0
    fi
    # shellcheck disable=SC2086 # lists of words
    quietly "building with $*" "$@" -std=c11 $include $parts -o "$name"
    ./"$name" >"$name.out"
    [ "$natives" = 0 ] && cp "$name.out" expected
    same "$* gives other results" expected "$name.out"
    natives=$((natives + 1))
}
native plain gcc -O2
native slow gcc -O0
native fast clang -O3 -ffast-math
grep -q '^0*0$' expected && fail "a simulation failed"

# Without a libc; sha1.c wants one function of string.h, which sim_port.c brings along.
if ! command -v clang >/dev/null || ! command -v wasm-ld >/dev/null; then
    echo "sim_freestanding: no clang or wasm-ld, so no WebAssembly was made; $natives native builds agree"
    exit 0
fi
mkdir -p free
echo '#include <stddef.h>
void *memcpy(void *to, const void *from, size_t count);' >free/string.h
# shellcheck disable=SC2086
quietly "building WebAssembly" clang --target=wasm32 -std=c11 -O2 -ffreestanding -nostdlib -DSIM_FREESTANDING \
    -Wl,--no-entry -Wl,--export=sim_digest -isystem free $include $parts -o sim.wasm
if ! command -v node >/dev/null; then
    echo "sim_freestanding: $natives native builds agree; WebAssembly was made, but there is no node to run it"
    exit 0
fi
node -e '
const fs = require("fs");
WebAssembly.instantiate(fs.readFileSync("sim.wasm")).then(({ instance }) =>
    console.log((instance.exports.sim_digest() >>> 0).toString(16).padStart(8, "0")));
' >wasm.out
same "WebAssembly gives other results" expected wasm.out
echo "sim_freestanding: $natives native builds and WebAssembly agree on $(cat expected)"
