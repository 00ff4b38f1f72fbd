"""asked.py — a program that stays, stopped, and runs one case each time it is asked

Programs that measure side by side must not disturb each other: some let their threads turn for a fifth of a second behind a
loop, in case another follows.  So a program is stopped (SIGSTOP) but for its own turns, which are then milliseconds apart: a
slow spell of the machine, of which there are many and short ones on a shared host, falls on all alike.
"""

import ctypes
import json
import math
import os
import select
import signal
import subprocess
import tempfile
import time

PR_SET_PDEATHSIG = 1
LIBC = ctypes.CDLL(None)


class Broken(Exception):
    """Why a program has no more turns."""


def _end_with_parent() -> None:
    """A stopped program would stay for ever if we were killed."""
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


class Asked:
    """One that is started with `--repeat 0`: bench/peers/README.md tells what it says."""

    KEYS = {"name", "version", "problem", "case", "variant", "how", "workers"}

    def __init__(self, command: list[str], limit_s: float) -> None:
        self.limit_s, self._rest = limit_s, b""
        self._errors = tempfile.TemporaryFile()
        try:
            self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors,
                                             bufsize=0, preexec_fn=_end_with_parent)
        except OSError as error:
            raise Broken(f"it does not start: {error.strerror}") from None
        self.ways: list[dict] = []  # what can be asked for
        try:
            while line := self._line():
                self.ways.append(self._object(line, self.KEYS))
        except Broken:
            self.end()
            raise
        self._process.send_signal(signal.SIGSTOP)

    def ask(self, number: int) -> tuple[float, bool]:
        """Nanoseconds of one run of ways[number], and whether all results were right so far."""
        self._process.send_signal(signal.SIGCONT)
        try:
            self._process.stdin.write(b"%d\n" % number)
        except OSError as error:
            raise Broken(error.strerror) from None
        answer = self._object(self._line(), {"ns", "check"})
        self._process.send_signal(signal.SIGSTOP)
        if not isinstance(answer["ns"], (int, float)) or not 0 < answer["ns"] < math.inf:
            raise Broken(f"its output is not understood: {answer['ns']} ns")
        return answer["ns"], answer["check"] is True

    def end(self) -> None:
        """As often as one likes."""
        self._process.kill()
        self._process.wait()
        self._process.stdin.close()
        self._process.stdout.close()
        self._errors.close()

    @staticmethod
    def _object(line: str, keys: set[str]) -> dict:
        try:
            found = json.loads(line)
        except json.JSONDecodeError as error:
            raise Broken(f"its output is not understood: {error}") from None
        if not isinstance(found, dict) or not keys <= found.keys():
            raise Broken(f"its output is not understood: {line[:80]}")
        return found

    def _line(self) -> str:
        """Without its end; Broken: there is none, or not in time."""
        end = time.monotonic() + self.limit_s
        while b"\n" not in self._rest:
            if not select.select([self._process.stdout], [], [], max(0.0, end - time.monotonic()))[0]:
                raise Broken("it did not end in time")
            more = os.read(self._process.stdout.fileno(), 65536)
            if not more:
                raise Broken(self._last_words())
            self._rest += more
        line, _, self._rest = self._rest.partition(b"\n")
        return line.decode(errors="replace")

    def _last_words(self) -> str:
        try:
            status = self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            return "it closed its output and went on"
        self._errors.seek(0)
        return f"status {status}: {self._errors.read().decode(errors='replace').strip()[-200:]}"
