#!/bin/sh
# scan_signals.sh — a scan that is interrupted, asked how far it is, or watched on a terminal
. "$SKUA_SOURCE/tests/cli/lib"
need_python

# What takes a while: forty thousand names of one file, with one worker.
big=$work/$(printf 'b\033[31m') # it would paint a terminal red
mkdir "$big"
: >"$work/seed"
python3 - "$work/seed" "$big" <<'PYTHON'
import os, sys
for i in range(40):
    os.mkdir(f"{sys.argv[2]}/{i}")
    for j in range(1000):
        os.link(sys.argv[1], f"{sys.argv[2]}/{i}/{j}")
PYTHON
cat >"$work/drive" <<'PYTHON'
import fcntl, json, os, pty, signal, struct, subprocess, sys, termios, time
skua, what, path = sys.argv[1:]
WAITS = (0.01, 0.02, 0.005, 0.04, 0.003, 0.08, 0.002, 0.15, 0.3)  # until one hits the middle of a scan


def start(*words, stderr=subprocess.PIPE, before=None):
    return subprocess.Popen([skua, "scan", "--workers=1", *words, path], stdout=subprocess.PIPE, stderr=stderr,
                            preexec_fn=before)


def stop_for(process, seconds, number=None):
    """Longer than the scan would take: what is due meanwhile comes when it goes on."""
    process.send_signal(signal.SIGSTOP)
    if number:
        process.send_signal(number)
    time.sleep(seconds)
    process.send_signal(signal.SIGCONT)


def interrupt(wait):
    process = start("--json")
    time.sleep(wait)
    process.send_signal(signal.SIGINT)
    said, errors = process.communicate()
    if process.returncode == 130:
        scan = json.loads(said.decode("utf-8"))
        if scan["partial"] is not True or scan["files"] > 40000:
            sys.exit(f"not marked as partial: {scan['files']}")
        return scan["files"] < 40000  # or it came with the last of them
    # too early, before the handler: killed; too late: done
    if process.returncode not in (0, -signal.SIGINT):
        sys.exit(f"status {process.returncode}: {errors.decode()}")
    return False


def question(wait):
    process = start("--json")
    time.sleep(wait)
    stop_for(process, 0.15, signal.SIGUSR1)
    _, errors = process.communicate()
    lines = [line for line in errors.decode("utf-8").split("\n") if " entries, " in line]
    if not lines and process.returncode not in (0, -signal.SIGUSR1):
        sys.exit(f"status {process.returncode}")
    if lines and " 0 entries, " in lines[0]:
        return False  # asked before it was anywhere
    if lines and not (lines[0].startswith("skua scan: ") and "/s" in lines[0] and ", in /" in lines[0]):
        sys.exit(f"{lines}")
    return bool(lines)


def terminal(wait, columns):
    main, side = pty.openpty()
    fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    process = start(stderr=side)
    os.close(side)
    time.sleep(wait)
    stop_for(process, 0.6)
    shown = b""
    try:
        while piece := os.read(main, 4096):
            shown += piece
    except OSError:
        pass
    os.close(main)
    process.communicate()
    lines = [line.removesuffix(b"\x1b[K") for line in shown.split(b"\r") if b" entries, " in line]
    if all(b" 0 entries, " in b" " + line for line in lines):
        return False  # over too soon, or shown before it was anywhere
    if not shown.endswith(b"\r\x1b[K"):
        sys.exit(f"not wiped: {shown[-200:]}")
    if max(len(line.decode("utf-8")) for line in lines) >= columns:
        sys.exit(f"longer than the terminal is wide: {lines}")
    if any(byte < 32 for line in lines for byte in line):
        sys.exit(f"what is in names reached the terminal: {lines}")
    if columns == 100 and not any(b", in /" in line and b"b\\x1b[31m" in line for line in lines):
        sys.exit(f"it does not say where: {lines}")
    return True


def ignored():
    """By who started us: it stays so."""
    process = start("--json", before=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN))
    while process.poll() is None:
        process.send_signal(signal.SIGINT)
        time.sleep(0.001)
    scan = json.loads(process.stdout.read().decode("utf-8"))
    if process.returncode != 0 or scan["partial"] or scan["files"] != 40000:
        sys.exit(f"status {process.returncode}: {scan}")
    return True


def search(wait, number):
    """Two files of holes, equal to the end: the walk is nothing, reading them takes a while."""
    process = start("--json", "--duplicates")
    time.sleep(wait)
    if number == signal.SIGUSR1:
        stop_for(process, 0.15, number)
    else:
        process.send_signal(number)
    said, errors = process.communicate()
    lines = [line for line in errors.decode("utf-8").split("\n") if "duplicates: " in line]
    if number == signal.SIGUSR1:
        if lines and not (lines[0].startswith("skua scan: duplicates: ") and " of at most " in lines[0] and "/s" in lines[0]):
            sys.exit(f"{lines}")
        return bool(lines)
    if process.returncode in (0, -number):
        return False
    scan = json.loads(said.decode("utf-8"))
    if scan["partial"]:
        return False  # still in the walk
    if process.returncode == 130 and scan["duplicates"] and scan["duplicates"]["groups"] == 1:
        return False  # it came when all was found
    if process.returncode != 130 or scan["duplicates"] is not None or scan["files"] != 2:
        sys.exit(f"status {process.returncode}: {scan}")
    return True


def partial(wait):
    """A walk that was interrupted: no search begins."""
    process = start("--duplicates")
    time.sleep(wait)
    process.send_signal(signal.SIGINT)
    said, _ = process.communicate()
    if process.returncode == 130 and b"(partial)" in said and b"  interrupted: not looked for" not in said:
        sys.exit(f"{said}")
    return process.returncode == 130 and b"(partial)" in said


done = {"partial": lambda: any(map(partial, WAITS)),
        "search": lambda: any(search(wait, signal.SIGUSR1) for wait in WAITS),
        "give_up": lambda: any(search(wait, signal.SIGINT) for wait in WAITS),
        "interrupt": lambda: any(map(interrupt, WAITS)), "question": lambda: any(map(question, WAITS)),
        "wide": lambda: any(terminal(wait, 100) for wait in WAITS),
        "narrow": lambda: any(terminal(wait, 40) for wait in WAITS), "ignored": ignored}[what]()
sys.exit(0 if done else 77)
PYTHON

holes=$work/holes
mkdir "$holes"
case "${SKUA_BUILD##*/}" in asan | msan) size=100M ;; *) size=1G ;; esac
truncate -s $size "$holes/one" "$holes/two"
has_search=yes
"$SKUA" scan --duplicates "$work/seed" 2>&1 | grep -q 'not to be had' && has_search=no
for what in interrupt question wide narrow ignored partial search give_up; do
	tree=$big
	case $what:$has_search in
	partial:no | search:no | give_up:no) continue ;;
	search:* | give_up:*) tree=$holes ;;
	esac
	run python3 "$work/drive" "$SKUA" $what "$tree"
	if [ "$status" -eq 77 ]; then # the machine is too fast for it
		echo "skipped: $what: the scan was over too soon"
		continue
	fi
	expect_status 0
done
