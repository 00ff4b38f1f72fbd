#!/bin/sh
# workers_env.sh — SKUA_WORKERS: taken when it is a number from 1 to 1024, else named and ignored
. "$SKUA_SOURCE/tests/cli/lib"
need_python
"$SKUA" doctor --json >"$out"
usual=$(json workers.count)

for good in 1 3 1024 0007; do
	run env SKUA_WORKERS=$good "$SKUA" doctor --json
	expect_json workers.count "$(echo $good | sed 's/^0*//')" workers.reason env workers.env "$good"
	expect_json workers.env_ignored false
	run env SKUA_WORKERS=$good "$SKUA" doctor
	expect_out "SKUA_WORKERS=$good says so"
	refuse_out 'was ignored'
done

for bad in 0 1025 -1 +2 2x x2 2.5 0x2 99999999999999999999999999 18446744073709551617 ' ' '1 2' auto; do
	run env SKUA_WORKERS="$bad" "$SKUA" doctor --json
	expect_json workers.count "$usual" workers.env "$bad" workers.env_ignored true
	run env SKUA_WORKERS="$bad" "$SKUA" doctor
	expect "an ignored setting is no failure" [ "$status" -le 1 ]
	expect_out "SKUA_WORKERS='$bad' was ignored"
	expect_out '1..1024'
done

# Empty is as good as not set: scripts clear a variable that way.
run env SKUA_WORKERS= "$SKUA" doctor --json
expect_json workers.count "$usual" workers.env '' workers.env_ignored false
run env SKUA_WORKERS= "$SKUA" doctor
refuse_out SKUA_WORKERS

run env SKUA_WORKERS="$(printf 'a\033[2Jb')" "$SKUA" doctor
refuse "no control bytes of the environment" has_control_bytes "$out"
expect_out 'a\x1b[2Jb'
run env SKUA_WORKERS=nonsense "$SKUA" tour
expect_status 0
expect_out 'SKUA_WORKERS was ignored'
