#!/bin/sh
# man.sh — the manual pages are well made, and say what the command does
. "$SKUA_SOURCE/tests/cli/lib"
command -v mandoc >/dev/null || skip "no mandoc"

for page in "$SKUA_SOURCE"/docs/man/*.[1-9]; do
	run mandoc -Tlint -Wwarning "$page"
	expect_status 0
	expect_silent_out
done
for command in tour scan bench race sim trace view top doctor; do
	for section in NAME SYNOPSIS DESCRIPTION 'EXIT STATUS' EXAMPLES 'SEE ALSO'; do
		expect "$section in skua-$command(1)" grep -q "^\.Sh $section" \
			"$SKUA_SOURCE/docs/man/skua-$command.1"
	done
done
for word in SKUA_WORKERS SKUA_MONITOR SKUA_WATCHDOG NO_COLOR SKUA_FAULT; do
	expect "$word in skua-environment(7)" grep -q "$word" "$SKUA_SOURCE/docs/man/skua-environment.7"
done
