#!/bin/sh
# colour.sh — colour on a terminal that wants it, and nowhere else; ASCII where UTF-8 is not spoken
. "$SKUA_SOURCE/tests/cli/lib"
need_roots
tour="tour --root $roots/numa" # a copied machine: nothing runs there, so it is quick

has_escape() { LC_ALL=C grep -q "$(printf '\033')" "$1"; }

# A pipe or a file: never.
for words in tour "$tour" doctor 'doctor --json' help 'help doctor'; do
	run "$SKUA" $words
	refuse "no escape bytes in a file: $words" has_escape "$out"
done
run "$SKUA" nonsense
refuse "no escape bytes in a file: nonsense" has_escape "$err"

# ASCII only, for a locale without UTF-8.
for locale in C POSIX; do
	run env LC_ALL=$locale "$SKUA" $tour
	refuse "only ASCII in $locale" has_control_bytes "$out"
	expect "only ASCII in $locale" [ -z "$(LC_ALL=C tr -d '\n\040-\176' <"$out")" ]
	expect_out '+--'
done
run "$SKUA" $tour
expect_out '┌──'
run env LC_ALL=no_SUCH.UTF-8 "$SKUA" $tour
expect_status 0

# A terminal, made by script(1).
command -v script >/dev/null || exit 0
script -qec true /dev/null </dev/null >/dev/null 2>&1 || exit 0
on_terminal() { # ENVIRONMENT... WORDS
	ran="on a terminal: $*"
	status=0
	script -qec "env $*" /dev/null >"$out" 2>"$err" </dev/null || status=$?
}
for words in "$tour" doctor help; do
	on_terminal TERM=xterm "$SKUA" $words
	expect "colour on a terminal: $words" has_escape "$out"
	on_terminal TERM=xterm NO_COLOR=1 "$SKUA" $words
	refuse "no colour with NO_COLOR: $words" has_escape "$out"
	on_terminal TERM=dumb "$SKUA" $words
	refuse "no colour on a dumb terminal: $words" has_escape "$out"
	on_terminal -u TERM "$SKUA" $words
	refuse "no colour without TERM: $words" has_escape "$out"
done
on_terminal TERM=xterm NO_COLOR= "$SKUA" doctor
expect "an empty NO_COLOR is not set" has_escape "$out"
on_terminal TERM=xterm "$SKUA" doctor --json
refuse "JSON has no colour even on a terminal" has_escape "$out"
on_terminal TERM=xterm "$SKUA" nonsense
expect "the underline is coloured on a terminal" has_escape "$out"
