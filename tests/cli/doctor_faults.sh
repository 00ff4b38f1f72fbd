#!/bin/sh
# doctor_faults.sh — the n-th malloc, open, stat, ... fails, once and for ever: still a report
. "$SKUA_SOURCE/tests/cli/lib"
need_python
grep -q '^SKUA_FAULTS:BOOL=ON' "$SKUA_BUILD/CMakeCache.txt" || skip "built without the fault table"
need_roots

# The real machine, and a root with both kinds of cgroups.
sweep=$SKUA_SOURCE/tests/cli/fault_sweep
for words in '' "--root $roots/hybrid_1500m"; do
	run python3 "$sweep" "$SKUA" doctor --json $words
	expect_status 0
	echo "doctor --json $words"
	cat "$out"
done

# For people, too, and in the tour.
for fault in malloc:1:ever open:1:ever read:1:ever stat:1:ever affinity:1:ever open:7 read:7 stat:7; do
	run env SKUA_FAULT=$fault "$SKUA" doctor
	expect "0 or 1 with SKUA_FAULT=$fault" [ "$status" -le 1 ]
	expect_out '  Workers  '
	run env SKUA_FAULT=$fault "$SKUA" tour
	expect "0, or 1 where there is no memory for a deque" [ "$status" -le 1 ]
	expect_out 'Here skua starts '
done

# No memory is not the fault of any file.
run env SKUA_FAULT=malloc:1:ever "$SKUA" doctor --json --root "$roots/v2_1500m"
expect_status 1
expect_err 'could not read a cgroup CPU quota: '
refuse_err /proc
