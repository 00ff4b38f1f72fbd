#!/bin/sh
# output_faults.sh — closed, full and broken outputs are noticed, and no other file is written to
. "$SKUA_SOURCE/tests/cli/lib"

# Full.  Human and JSON, small outputs and larger ones.
if [ -c /dev/full ]; then
	for words in doctor 'doctor --json' tour help --version 'help doctor'; do
		run_line "'$SKUA' $words >/dev/full 2>'$err'"
		expect_status 3
		expect_err 'cannot write to standard output: No space left on device'
	done
	expect_err 'skua help: '
	run_line "'$SKUA' doctor >/dev/full 2>'$err'"
	expect_err_line 'skua doctor: cannot write to standard output: No space left on device'
	# nothing to write to standard output: its state does not matter
	run_line "'$SKUA' nonsense >/dev/full 2>'$err'"
	expect_status 2
	refuse_err 'standard output'
fi

# Closed.
for words in doctor 'doctor --json' tour help --version; do
	run_line "'$SKUA' $words >&- 2>'$err'"
	expect_status 3
	expect_err 'cannot write to standard output: it is closed'
done
run_line "'$SKUA' nonsense >&- 2>'$err'"
expect_status 2

# Open, but for reading only.
run_line "'$SKUA' doctor 1</dev/null 2>'$err'"
expect_status 3
expect_err 'cannot write to standard output'

# A closed stdin and a closed stderr change nothing; not even both, or all three.
"$SKUA" doctor >"$work/usual" 2>/dev/null
usual=$?
for closed in '<&-' '2>&-' '<&- 2>&-'; do
	run_line "'$SKUA' doctor $closed >'$out'"
	expect_status $usual
	expect "the same report with $closed" cmp -s "$out" "$work/usual"
done
run_line "'$SKUA' nonsense <&- 2>&- >'$out'"
expect_status 2
expect_silent_out
run_line "'$SKUA' doctor <&- >&- 2>&-"
expect_status 3
run_line "'$SKUA' doctor 2>/dev/full >'$out'"
expect_status $usual

# A reader that went away: by default the signal ends us, quietly; where it is ignored we say so.
run_line "{ '$SKUA' doctor; echo \$? >'$work/code'; } 2>'$err' | true"
code=$(cat "$work/code" 2>/dev/null)
expect "ended by SIGPIPE, or was faster than the reader: $code" [ "$code" = 141 -o "$code" = "$usual" ]
expect_silent_err
# The write must come after the reader has gone: a pipe without a reader, made on purpose.
if command -v python3 >/dev/null; then
	cat >"$work/no_reader" <<'END'
import os, signal, subprocess, sys
for ignored, wanted in ((False, -signal.SIGPIPE), (True, 3)):
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run([sys.argv[1], "doctor"], stdout=writer, stderr=subprocess.PIPE,
        restore_signals=False, preexec_fn=lambda: signal.signal(
            signal.SIGPIPE, signal.SIG_IGN if ignored else signal.SIG_DFL))
    os.close(writer)
    print(ignored, done.returncode, done.stderr.decode())
    if done.returncode != wanted:
        sys.exit(f"ignored={ignored}: status {done.returncode}, wanted {wanted}")
    if ignored and b"cannot write to standard output: Broken pipe" not in done.stderr:
        sys.exit("no message about the broken pipe")
END
	run python3 "$work/no_reader" "$SKUA"
	expect_status 0
fi
