#!/bin/sh
# doctor_json.sh — the JSON is valid, is what docs/json.md says, and agrees with the machine
. "$SKUA_SOURCE/tests/cli/lib"
need_python
check_json=$SKUA_SOURCE/tests/cli/check_json
need_roots

run "$SKUA" doctor --json
expect "0, or 1 where this machine hides something" [ "$status" -le 1 ]
expect_json_valid
expect_json schema skua-doctor-1 root null cpus.allowed "$(nproc)"
expect_json kernel.page_bytes "$(getconf PAGE_SIZE)" kernel.arch "$(uname -m)"
expect_json kernel.name "$(uname -s) $(uname -r)" workers.env null workers.env_ignored false
expect_json workers.most 1024
cp "$out" "$work/here.json"

# Documented = written, over outputs that between them hold every object.
for root in v2_1500m v2_unreadable numa no_proc; do
	run "$SKUA" doctor --json --root "$roots/$root"
	expect_json_valid
	cp "$out" "$work/$root.json"
done
SKUA_WORKERS=3 "$SKUA" doctor --json >"$work/env.json"
cd "$work" || exit 3
run python3 "$check_json" "$SKUA_SOURCE/docs/json.md" skua-doctor-1 here.json v2_1500m.json \
	v2_unreadable.json numa.json no_proc.json env.json
expect_status 0
expect_silent_out

# The manual names every key too.
for key in $(python3 -c '
import json, sys
def keys(value):
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from keys(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from keys(inner)
print(*sorted(set(k for name in sys.argv[1:] for k in keys(json.load(open(name))))))' \
	here.json v2_1500m.json v2_unreadable.json); do
	expect "skua-doctor(1) names $key" grep -qE "^\.(It )?Ic $key( |$)" \
		"$SKUA_SOURCE/docs/man/skua-doctor.1"
done

# Any bytes in, valid JSON out: quotes, a backslash, a line feed, an escape, bytes that are not
# UTF-8 (overlong, cut short, a surrogate, beyond the last character).
name=$(printf 'q"b\\s\nl\033e\177 \303\251 \377 \300\257 \342\202 \355\240\200 \364\220\200\200 \340\200\257')
mkdir "$work/$name"
run "$SKUA" doctor --json --root "$work/$name"
expect_json_valid
refuse "no control bytes in JSON" has_control_bytes "$out"
shown=$(json root | tail -n 1)
expect "a letter beyond ASCII is kept, found $shown" [ "${shown#*é}" != "$shown" ]
expect "what is not UTF-8 became U+FFFD" grep -qF '\ufffd \ufffd\ufffd \ufffd\ufffd \ufffd\ufffd\ufffd \ufffd\ufffd\ufffd\ufffd \ufffd\ufffd\ufffd"' "$out"
SKUA_WORKERS=$(printf '\001\377"')
export SKUA_WORKERS
run "$SKUA" doctor --json
expect_json_valid
expect_json workers.env_ignored true
expect_out '"env": "\u0001\ufffd\""'
# The controls above ASCII are written as numbers too, the letters beyond them are not.
SKUA_WORKERS=$(printf '\177\302\200\302\237\302\241')
run "$SKUA" doctor --json
expect_json_valid
expect_out '"env": "\u007f\u0080\u009f¡"'
# A lone middle byte starts nothing.
SKUA_WORKERS=$(printf '\260\220\200\200')
run "$SKUA" doctor --json
expect_out '"env": "\ufffd\ufffd\ufffd\ufffd"'

# A country that writes 1,5 still gets 1.5; without UTF-8 the JSON is UTF-8 all the same.
unset SKUA_WORKERS
for locale in C $(locale -a 2>/dev/null | grep -i '^de_DE' | head -n 1); do
	run env LC_ALL="$locale" "$SKUA" doctor --json --root "$roots/v2_1500m"
	expect_json cgroup.quota.cpus 1.5
done

# Something unread: the status says so, JSON says what, and so does standard error.
run "$SKUA" doctor --json --root "$roots/v2_unreadable"
expect_status 1
expect_err 'skua doctor: could not read a cgroup CPU quota in '
expect_json unreadable.0.part quota
