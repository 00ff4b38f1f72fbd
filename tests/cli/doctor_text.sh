#!/bin/sh
# doctor_text.sh — the report for people says everything it promises, about this very machine
. "$SKUA_SOURCE/tests/cli/lib"

run "$SKUA" doctor
expect "0, or 1 where this machine hides something" [ "$status" -le 1 ]
expect_silent_err
for label in Model System CPUs Cores NUMA Caches cgroup 'CPU quota' futex membarrier Workers; do
	expect_out "  $label "
done
expect_out "$(uname -m)"
expect_out "$(uname -r)"
expect_out "may use $(nproc)"
refuse "no control bytes in a pipe" has_control_bytes "$out"
# Only a word longer than the line, such as a path, may stick out; it then stands alone.
is_wider() { grep -E "^.{$(($1 + 1))}" "$out" | grep -qvE '^ {14}[^ ]+$'; }
refuse "80 columns where no terminal says otherwise" is_wider 80

run env COLUMNS=50 "$SKUA" doctor
refuse "50 columns" is_wider 50

if [ "$status" -eq 1 ]; then
	expect_out 'Could not be read'
else
	refuse_out 'Could not be read'
fi

# Text from files is cleaned before it is shown.
mkdir -p "$work/root/proc" "$work/root/sys"
printf 'model name\t: Evil \033[2J CPU\377\n' >"$work/root/proc/cpuinfo"
run "$SKUA" doctor --root "$work/root"
refuse "no control bytes of a file" has_control_bytes "$out"
run "$SKUA" tour --root "$work/root"
refuse "no control bytes of a file" has_control_bytes "$out"
