#!/bin/sh
# scan_signals.sh — a scan that is interrupted, asked how far it is, or watched on a terminal
. "$SKUA_SOURCE/tests/cli/lib"
need_python

# What takes a while: forty thousand names of one file three times over, then the whole machine, with one worker.
big=$work/big
mkdir "$big"
: >"$work/seed"
cat >"$work/drive" <<'PYTHON'
import json, os, pty, select, signal, subprocess, sys, time
skua, what, *paths = sys.argv[1:]

def start(*words, stderr=subprocess.PIPE, before=None):
    return subprocess.Popen([skua, "scan", *words], stdout=subprocess.PIPE, stderr=stderr, preexec_fn=before)

if what == "interrupt":
    for wait in (0.05, 0.02, 0.1, 0.2, 0.01, 0.3):
        process = start("--json", "--kernel", "--workers=1", *paths)
        time.sleep(wait)
        process.send_signal(signal.SIGINT)
        said, errors = process.communicate()
        if process.returncode == 130:
            scan = json.loads(said.decode("utf-8"))
            if scan["partial"] is not True:
                sys.exit("not marked as partial")
            print("interrupted", scan["files"])
            sys.exit(0)
        # too early, before the handler: killed; too late: done
        if process.returncode not in (0, 1, -signal.SIGINT):
            sys.exit(f"status {process.returncode}: {errors.decode()}")
    sys.exit(77)
if what == "question":
    for wait in (0.05, 0.02, 0.1, 0.2, 0.01, 0.3):
        process = start("--json", "--kernel", "--workers=1", *paths)
        time.sleep(wait)
        process.send_signal(signal.SIGUSR1)
        said, errors = process.communicate()
        lines = [line for line in errors.decode("utf-8", "replace").split("\n") if " entries, " in line]
        if lines and process.returncode in (0, 1):
            if not lines[0].startswith("skua scan: ") or "/s" not in lines[0]:
                sys.exit(f"{lines}")
            sys.exit(0)
        if process.returncode not in (0, 1, -signal.SIGUSR1):
            sys.exit(f"status {process.returncode}")
    sys.exit(77)
if what == "terminal":
    main, side = pty.openpty()
    process = start("--count", "--kernel", "--workers=1", *paths, stderr=side)
    os.close(side)
    shown = b""
    while True:
        try:
            piece = os.read(main, 4096)
        except OSError:
            break
        if not piece:
            break
        shown += piece
        if b" entries, " in piece: # seen: it need not go to the end
            process.send_signal(signal.SIGINT)
    if b" entries, " not in shown:
        sys.exit(77)
    if b"\r" not in shown or not shown.replace(b"\r\x1b[K", b"\0").count(b"\0"):
        sys.exit(f"not wiped: {shown[-200:]}")
if what == "ignored":
    process = start("--json", "--workers=1", paths[0], before=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN))
    while process.poll() is None:
        process.send_signal(signal.SIGINT)
        time.sleep(0.001)
    scan = json.loads(process.stdout.read().decode("utf-8"))
    if process.returncode != 0 or scan["partial"] or scan["files"] != 40000:
        sys.exit(f"status {process.returncode}: {scan}")
PYTHON
python3 - "$work" <<'PYTHON'
import os, sys
os.chdir(sys.argv[1])
for i in range(40):
    os.mkdir(f"big/{i}")
    for j in range(1000):
        os.link("seed", f"big/{i}/{j}")
PYTHON

drive() { # WHAT: 77 where the machine is too fast for it
	run python3 "$work/drive" "$SKUA" "$1" "$big" "$big/" "$big/." / /proc
	[ "$status" -eq 77 ] && echo "skipped: $1: the scan was over too soon" && return
	expect_status 0
}
drive interrupt
drive question
drive terminal

drive ignored # by who started us: it stays so
