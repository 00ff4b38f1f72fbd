#!/bin/sh
# usage.sh — a slip on the command line is shown, underlined and answered with a suggestion
. "$SKUA_SOURCE/tests/cli/lib"

blamed() { # WHAT: exit 2, only stderr, three or four lines, these words
	expect_status 2
	expect_silent_out
	expect_err "$1"
	expect "a short message" [ "$(wc -l <"$err")" -le 4 ]
	refuse "no control bytes in the message" has_control_bytes "$err"
}

run "$SKUA" doctr
blamed "skua: there is no command 'doctr'"
expect_err_line '    skua doctr'
expect_err_line '         ~~~~~'
expect_err_line '    did you mean doctor?'

for slip in Doctor dcotor doc docto doctoor; do
	run "$SKUA" $slip
	blamed 'did you mean doctor?'
done
run "$SKUA" tuor
blamed 'did you mean tour?'
run "$SKUA" zzzzz
blamed "'skua help' lists the commands"
refuse_err 'did you mean'
run "$SKUA" ''
blamed "there is no command ''"
run "$SKUA" help docter
blamed 'did you mean doctor?'
expect_err_line '    skua help docter'
expect_err_line '              ~~~~~~'

run "$SKUA" doctor --jsn
blamed 'skua doctor: there is no option --jsn'
expect_err_line '    skua doctor --jsn'
expect_err_line '                ~~~~~'
expect_err_line '    did you mean --json?'
run "$SKUA" doctor --jsn=3
blamed 'did you mean --json?'
run "$SKUA" doctor -json
blamed 'did you mean --json?'
run "$SKUA" doctor -x
blamed "'skua help doctor' lists its options"
run "$SKUA" doctor --
expect_status 0
run "$SKUA" --hepl
blamed 'did you mean --help?'
run "$SKUA" --json doctor
blamed 'a command comes first'
run "$SKUA" --
blamed 'there is no option --'
expect_err 'a command comes first'
run "$SKUA" --vers
blamed 'did you mean --version?'

run "$SKUA" doctor --json=yes
blamed '--json takes no value'
run "$SKUA" doctor --root
blamed '--root needs a value'
expect_err 'expected --root=DIR'
run "$SKUA" doctor extra
blamed 'one argument too many: extra'
run "$SKUA" doctor -- --json
blamed 'one argument too many: --json'
run "$SKUA" doctor -
blamed 'one argument too many: -'
run "$SKUA" tour one two
blamed 'one argument too many: one'
run "$SKUA" help doctor tour
blamed 'one argument too many: tour'
run "$SKUA" --version now
blamed '--version stands alone'

# A root that is none: exit 2, named, with the reason.
run "$SKUA" doctor --root "$work/nowhere"
blamed "cannot read the root '$work/nowhere': No such file or directory"
run "$SKUA" doctor --json --root="$work/nowhere"
blamed 'No such file or directory'
: >"$work/file"
run "$SKUA" doctor --root "$work/file"
blamed 'it is not a folder'
run "$SKUA" doctor --root ''
blamed "cannot read the root ''"
run "$SKUA" tour --root "$work/nowhere"
blamed 'No such file or directory'

# Words with bytes that would play tricks on a terminal.
escape=$(printf '\033[31mred\007')
run "$SKUA" "$escape"
blamed '\x1b[31mred\x07'
run "$SKUA" doctor "$(printf 'a\nb\rc')"
blamed 'a\x0ab\x0dc'
run "$SKUA" "$(printf '\377\376')"
blamed '\xff\xfe'
run "$SKUA" "$(printf 'a\342\200\256b')" # turns the direction of writing
blamed '\xe2\x80\xae'
run "$SKUA" "$(printf 'a\302\233b')" # a terminal may take U+009B for ESC [
blamed '\xc2\x9b'
run "$SKUA" "$(printf 'a\302\255b')" # a hyphen that is seen at the end of a line only
blamed '\xc2\xad'
run "$SKUA" "$(printf 'a\300\257b')" # a slash written in two bytes
blamed '\xc0\xaf'
run "$SKUA" "$(printf 'a\260\220\200\200b')" # the middle of something longer
blamed '\xb0\x90\x80\x80'
run "$SKUA" "$(printf 'caf\303\251')" last
expect_err 'café'
expect_err_line '         ~~~~'
run env LC_ALL=C "$SKUA" "$(printf 'caf\303\251')"
blamed 'caf\xc3\xa9'

# Long words and long lines are cut, the guilty word stays.
long=$(printf '%2000s' '' | tr ' ' y)
run "$SKUA" doctor "$long"
blamed 'yyy...'
refuse "the message keeps to the width" grep -qE '^.{121}' "$err"
run "$SKUA" tour --root a --root b --root c --root d --root e --root f --root g --root h --root i \
	--rot j --root k --root l --root m --root n --root o --root p
blamed '... '
expect_err '--rot j'
expect_err 'did you mean --root?'
refuse "the line keeps to the width" grep -qE '^.{81}' "$err"
run "$SKUA" doctor 'two words'
expect_err "skua doctor 'two words'"
