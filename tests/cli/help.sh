#!/bin/sh
# help.sh — help is found by every way people look for it, and lists what there is
. "$SKUA_SOURCE/tests/cli/lib"

run "$SKUA"
expect_status 2
expect_silent_out
expect_err 'usage: skua COMMAND'
expect_err 'skua tour'

for words in help --help -h; do
	run "$SKUA" $words
	expect_status 0
	expect_silent_err
	expect_out 'usage: skua COMMAND'
	for command in tour scan bench race sim trace view top doctor help; do
		expect_out "  $command "
	done
	cp "$out" "$work/help_$words"
done
expect 'help and --help say the same' cmp -s "$work/help_help" "$work/help_--help"

for command in tour scan bench race sim trace view top doctor help; do
	run "$SKUA" help $command
	expect_status 0
	expect_silent_err
	expect_out "usage: skua $command"
	expect_out '-h, --help'
	cp "$out" "$work/one"
	for words in "$command --help" "$command -h" "--help $command"; do
		run "$SKUA" $words
		expect_status 0
		expect "skua $words says what skua help $command says" cmp -s "$work/one" "$out"
	done
done

# Every option of the help is in the manual and the other way round.
run "$SKUA" help doctor
for option in json root; do
	expect_out "--$option"
	expect "--$option is in skua-doctor(1)" grep -q "^\.It .*Fl -$option" \
		"$SKUA_SOURCE/docs/man/skua-doctor.1"
done
run "$SKUA" help bench
for option in workers repeat list json; do
	expect_out "--$option"
	expect "--$option is in skua-bench(1)" grep -q "^\.It .*Fl -$option" \
		"$SKUA_SOURCE/docs/man/skua-bench.1"
done

run "$SKUA" help view
for option in output force serve port; do
	expect_out "--$option"
	expect "--$option is in skua-view(1)" grep -qE "^\.It .*(Fl |, )-$option( |$)" \
		"$SKUA_SOURCE/docs/man/skua-view.1"
done

run "$SKUA" help race
for option in rivals workers jobs repeat seed list json csv; do
	expect_out "--$option"
	expect "--$option is in skua-race(1)" grep -q "^\.It .*Fl -$option" \
		"$SKUA_SOURCE/docs/man/skua-race.1"
done

run "$SKUA" help sim
for option in $(grep -oE '^  (-., )?--[a-z-]+' "$out" | sed 's/.*--//'); do
	[ "$option" = help ] || expect "--$option is in skua-sim(1)" grep -qE "^\.It .*(Fl |, )-$option( |$)" \
		"$SKUA_SOURCE/docs/man/skua-sim.1"
done

run "$SKUA" help trace
for option in json most bound whole output format; do
	expect_out "--$option"
	expect "--$option is in skua-trace(1)" grep -qE "^\.It .*(Fl |, )-$option( |$)" \
		"$SKUA_SOURCE/docs/man/skua-trace.1"
done

run "$SKUA" help top
for option in interval count once plain json; do
	expect_out "--$option"
	expect "--$option is in skua-top(1)" grep -qE "^\.It .*(Fl |, )-$option( |$)" \
		"$SKUA_SOURCE/docs/man/skua-top.1"
done

run "$SKUA" help scan
for option in $(grep -oE '^  (-., )?--[a-z-]+' "$out" | sed 's/.*--//'); do
	[ "$option" = help ] || expect "--$option is in skua-scan(1)" grep -qE "^\.It .*(Fl |, )-$option( |$)" \
		"$SKUA_SOURCE/docs/man/skua-scan.1"
done

for words in --version -V; do
	run "$SKUA" $words
	expect_status 0
	expect "a version and nothing else" grep -qxE 'skua [0-9]+\.[0-9]+\.[0-9]+' "$out"
	expect_silent_err
done
major=$(sed -n 's/^#define SKUA_VERSION_MAJOR //p' "$SKUA_SOURCE/include/skua/version.h")
minor=$(sed -n 's/^#define SKUA_VERSION_MINOR //p' "$SKUA_SOURCE/include/skua/version.h")
patch=$(sed -n 's/^#define SKUA_VERSION_PATCH //p' "$SKUA_SOURCE/include/skua/version.h")
expect_line "skua $major.$minor.$patch"

# Help fits a terminal.
for words in help 'help doctor' 'help tour' 'help bench' 'help race' 'help sim' 'help trace' 'help scan' 'help help'; do
	run "$SKUA" $words
	refuse "80 columns are enough for: $words" grep -qE '^.{81}' "$out"
done
