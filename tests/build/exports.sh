#!/bin/sh
# exports.sh — the libraries give away skua_* and nothing else, and all that the headers promise
. "$(dirname "$0")/common"
mkdir -p "$scratch"
targets="skua_shared skua_static"
release_build "$scratch/release"
shared=$scratch/release/libskua.so
archive=$scratch/release/libskua.a

# The shared library: exactly the public functions.
public_functions >"$scratch/promised"
[ -s "$scratch/promised" ] || fail "no SKUA_API function found in include/"
nm -D --defined-only "$shared" | awk '{ print $NF }' | sort -u >"$scratch/exported"
grep -v '^skua_' "$scratch/exported" >"$scratch/foreign" &&
    fail "libskua.so exports names that are not ours: $(tr '\n' ' ' <"$scratch/foreign")"
same "libskua.so must export what include/ marks SKUA_API, no more and no less" "$scratch/promised" "$scratch/exported"

# The archive: hidden names are global there, so they carry our other prefix.
nm -g --defined-only "$archive" | awk 'NF == 3 { print $3 }' | sort -u >"$scratch/global"
grep -v -E '^skuai?_' "$scratch/global" >"$scratch/foreign" &&
    fail "libskua.a has global names without our prefix: $(tr '\n' ' ' <"$scratch/foreign")"

# What the shared library is and needs.
readelf -dW "$shared" >"$scratch/dynamic"
grep -q 'SONAME.*\[libskua\.so\.0\]' "$scratch/dynamic" ||
    fail "soname is not libskua.so.0: $(grep SONAME "$scratch/dynamic" || echo none)"
needed=$(sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' "$scratch/dynamic" | grep -v -E '^(libc\.so\.6|ld-linux.*\.so\.[0-9])$' || true)
[ -z "$needed" ] || fail "libskua.so needs more than libc: $needed"
grep -q TEXTREL "$scratch/dynamic" && fail "libskua.so has text relocations; something is not position independent"
readelf -lW "$shared" | grep GNU_STACK | grep -q 'RWE' && fail "libskua.so asks for an executable stack"
readelf -lW "$shared" | grep -q GNU_STACK || fail "libskua.so does not say that its stack is not executable"
# Its threads' own storage must fit into what the system keeps free for libraries that are loaded later, beside libgomp.
tls=$(($(readelf -lW "$shared" | awk '$1 == "TLS" { print $6 }')))
[ "$tls" -gt 0 ] && [ "$tls" -le 1280 ] || fail "libskua.so has $tls bytes for each thread; dlopen() of it may fail with more than 1280"
echo "exports: $(wc -l <"$scratch/exported") functions, soname libskua.so.0, needs libc only"
