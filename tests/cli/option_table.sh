#!/bin/sh
# option_table.sh — the option parser and the JSON writer, by a command with every kind of option
. "$SKUA_SOURCE/tests/cli/lib"
need_python
cache=$SKUA_BUILD/CMakeCache.txt
cc=$(sed -n 's/^CMAKE_C_COMPILER:[A-Z]*=//p' "$cache")
sanitize=$(sed -n 's/^SKUA_SANITIZE:[A-Z]*=//p' "$cache")
sources=$(ls "$SKUA_SOURCE"/tool/*.c | grep -v -e /main.c -e /words.c)
"$cc" -std=gnu11 -g -D_GNU_SOURCE ${sanitize:+-fsanitize=$sanitize} -I"$SKUA_SOURCE/include" \
	-I"$SKUA_SOURCE/tool" "$SKUA_SOURCE/tests/cli/option_table.c" $sources -o "$work/skua" || exit 3
probe="$work/skua probe"

run $probe file
expect_status 0
expect_json all false brief false word null number 7 operands '["file"]'
expect_json 'no keys' '{}' 'no values' '[]'
expect_json numbers '[18446744073709551615, null, 0.1, 0.3333333333333333, 1.8446744073709552e+19]'

# All the ways to write an option, before, between and after operands.
for words in '--all --word x --number 9 f g' 'f --all g --word=x --number=9' 'f g -a -w x -n 9' \
	'-awx f -n9 g' '-a -wx -n9 -- f g' '--all --word y --word x --number 1 --number 9 f g' \
	'--number 009 -aw x f g'; do
	run $probe $words
	expect_status 0
	expect_json all true brief false word x number 9 operands '["f", "g"]'
done
run $probe -ab f
expect_json all true brief true
run $probe -- --all -
expect_json all false operands '["--all", "-"]'
run $probe --word= f
expect_json word ''
run $probe --word --all f # a value may look like an option
expect_json word --all all false
run $probe -w=x f
expect_json word =x

# Numbers: the range and nothing but digits.
for good in 1 256; do
	run $probe --number=$good f
	expect_json number $good
done
for bad in 0 257 18446744073709551615; do
	run $probe --number=$bad f
	expect_status 2
	expect_silent_out
	expect_err_line "skua probe: --number=$bad is out of range"
	expect_err_line "    skua probe --number=$bad f"
	expect_err_line '    expected a whole number, 1..256'
done
for bad in '' -1 +1 1x x 0x10 1.5 ' 1' '1 ' 18446744073709551616 99999999999999999999999999; do
	run $probe "--number=$bad" f
	expect_status 2
	expect_err "skua probe: --number=$bad is not a number in range"
done
run $probe f --number 0
expect_err_line '    skua probe f --number 0'
expect_err_line '                          ~'

# Missing and wrong.
run $probe
expect_status 2
expect_err 'an argument is missing'
expect_err 'expected FILE [FILE]'
run $probe a b c
expect_err 'one argument too many: c'
for words in --word -w 'f -aw'; do
	run $probe $words
	expect_status 2
	expect_err '--word needs a value'
done
run $probe -az f
expect_status 2
expect_err 'there is no option -az'
run $probe --numbr=3 f
expect_err 'did you mean --number?'
run $probe --all=1 f
expect_err '--all takes no value'
run $probe --help
expect_status 0
expect_out 'usage: skua probe [--all] [--brief] [--word=WORD] [--number=N] FILE [FILE]'
expect_out '  -n, --number=N    a number'

# A closed output is not replaced by a file that is opened later.
run_line "PROBE_FILE='$work/late' $probe f >&- 2>'$err'"
expect_status 3
expect_err 'cannot write to standard output: it is closed'
refuse "the late file stays empty" [ -s "$work/late" ]
run_line "PROBE_FILE='$work/late' $probe 2>&- >'$out'"
expect_status 2
refuse "the late file stays empty" [ -s "$work/late" ]
