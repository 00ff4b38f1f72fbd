"""measure.py — one process: started, timed, its lines read; every way it can go wrong has a name

A program is started by launch.c, which tells what it used.  Where that could not be built, wait4(2)
of ours does the same, but a peak of memory below our own is not to be seen then.
"""

import json
import math
import os
import re
import signal
import subprocess
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

OUTPUT_MOST = 1 << 20   # bytes; a program that prints more has lost its way
NOT_OFFERED = 3         # a peer's exit status for a problem it does not have


class NotOffered(Exception):
    """The runtime has no such problem."""


class GaveUp(Exception):
    """It took longer than it may."""


class Failed(Exception):
    """It crashed, or its output is not what a peer prints."""


@dataclass
class Used:
    """What a process used from its start to its end."""
    status: int             # as subprocess has it: negative is a signal
    wall_s: float
    cpu_s: float
    peak_kib: int
    voluntary: int          # context switches: it had nothing to do
    involuntary: int        # and: others were given the CPU


@dataclass
class Line:
    """One figure of one process."""
    name: str
    version: str
    problem: str
    case: str
    variant: str
    how: str
    workers: int
    seconds: list[float]
    cpu_s: list[float]
    check: bool
    forks: float | None = None  # in one run; known of skua alone


@dataclass
class Run:
    """One process and its lines."""
    used: Used
    lines: list[Line] = field(default_factory=list)


def _kill_group(process: subprocess.Popen, killed: threading.Event) -> None:
    killed.set()
    try:
        os.killpg(process.pid, signal.SIGKILL)  # it was started as the leader of its own group
    except ProcessLookupError:
        pass


def _wait(process: subprocess.Popen, begin: float) -> Used:
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return Used(process.returncode, time.monotonic() - begin, used.ru_utime + used.ru_stime,
                used.ru_maxrss, used.ru_nvcsw, used.ru_nivcsw)


def _read_answer(answer: IO[bytes]) -> Used | None:
    answer.seek(0)
    words = [int(word) for word in answer.read().split()]
    if len(words) != 7:
        return None
    status, wall, user, system, peak, voluntary, involuntary = words
    return Used(os.waitstatus_to_exitcode(status), wall / 1e9, (user + system) / 1e6, peak,
                voluntary, involuntary)


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read(OUTPUT_MOST).decode(errors="replace")


def run_process(command: list[str], limit_s: float,
                launcher: Path | None = None) -> tuple[Used, str, str]:
    """Run it to its end; what it used, its output, its complaints."""
    with (tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err,
          tempfile.TemporaryFile() as answer):
        start = [str(launcher), str(answer.fileno())] if launcher else []
        begin = time.monotonic()
        try:
            process = subprocess.Popen([*start, *command], stdin=subprocess.DEVNULL, stdout=out,
                                       stderr=err, start_new_session=True,
                                       pass_fds=[answer.fileno()] if launcher else [])
        except OSError as error:
            raise Failed(f"it cannot be started: {error}") from None
        killed = threading.Event()
        timer = threading.Timer(limit_s, _kill_group, (process, killed))
        timer.start()
        try:
            used = _wait(process, begin)
        except BaseException:   # an interrupt: it must not go on without us
            _kill_group(process, killed)
            process.wait()
            raise
        finally:
            timer.cancel()
        if killed.is_set():
            raise GaveUp(f"gave up after {limit_s:.0f} s")
        if launcher and not (used := _read_answer(answer)):
            raise Failed(f"{launcher} did not say what the program used")
        return used, _text(out), _text(err)


def _last_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1][:200] if lines else "it said nothing"


def judge_status(used: Used, err: str) -> None:
    """Raise what the exit status means; 0 and 1 have lines to read."""
    if used.status == NOT_OFFERED:  # programs say who they are and what was asked for: known
        raise NotOffered(re.sub(r"^\S+: (\S+ is not offered: )?", "", _last_line(err)))
    if used.status < 0:
        try:
            name = signal.Signals(-used.status).name
        except ValueError:
            name = f"signal {-used.status}"
        raise Failed(f"it was ended by {name}: {_last_line(err)}")
    if used.status > 1:
        raise Failed(f"it ended with status {used.status}: {_last_line(err)}")


def _numbers(entry: dict, key: str, elements: int | None) -> list[float]:
    """A list of seconds; algo's programs have nanoseconds an element instead."""
    if key == "seconds" and "ns" in entry and "seconds" not in entry:
        if not elements:
            raise ValueError("ns for a problem whose number of elements is not known")
        return [float(entry["ns"]) * elements / 1e9]
    values = entry.get(key, []) if key == "cpu_s" else entry[key]
    values = [float(value) for value in (values if isinstance(values, list) else [values])]
    if any(not math.isfinite(value) or value < 0 for value in values):
        raise ValueError(f"{key} has a value that is no time")
    if key == "seconds" and not values:
        raise ValueError("seconds has no values")
    return values


def read_lines(text: str, elements: dict[str, int]) -> list[Line]:
    """A peer's output: one JSON object a line.

    elements: of each case that is wanted, those of one run, for programs that tell ns of one;
    empty: the problem has no cases.
    """
    lines, rows = [], [row for row in map(str.strip, text.splitlines()) if row]
    for row in rows:
        try:
            entry = json.loads(row)
            case = entry.get("case", "")
            if elements and case not in elements:
                continue
            lines.append(Line(
                str(entry["name"]), str(entry["version"]), str(entry["problem"]), str(case),
                str(entry.get("variant", "")), str(entry.get("how", "")), int(entry["workers"]),
                _numbers(entry, "seconds", elements.get(case)), _numbers(entry, "cpu_s", None),
                entry["check"] is True))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise Failed(f"its output is not understood ({error!r}): {row[:100]!r}") from None
    if not rows:
        raise Failed("it printed no figures")
    if not lines:
        raise NotOffered(f"it has none of {', '.join(elements)}")
    return lines
