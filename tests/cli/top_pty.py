"""top_pty.py — `skua top` in a terminal of its own: top_pty.py WHAT SKUA PID

What is asked of it stands in the functions below.  Exits 0 when all of it is so; else says what is not."""
import fcntl
import os
import pty
import select
import signal
import struct
import sys
import termios
import time

ENTER, LEAVE = b"\x1b[?1049h", b"\x1b[?1049l"
PATIENCE = 60


class Terminal:
    """A terminal, and the command in it."""

    def __init__(self, command, ignores=(), lines=24, columns=100):
        self.main, self.side = pty.openpty()
        self.resize(lines, columns)
        self.before = termios.tcgetattr(self.side)
        self.seen = b""
        self.child = os.fork()
        if self.child == 0:
            os.setsid()
            fcntl.ioctl(self.side, termios.TIOCSCTTY, 0)
            for fd in range(3):
                os.dup2(self.side, fd)
            for number in ignores:
                signal.signal(number, signal.SIG_IGN)
            os.execv(command[0], command)

    def resize(self, lines, columns):
        fcntl.ioctl(self.side, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def wait_for(self, *texts):
        """Read until all of these have come since the last call; what came."""
        deadline = time.monotonic() + PATIENCE
        while not all(text in self.seen for text in texts):
            if time.monotonic() > deadline or not select.select([self.main], [], [], PATIENCE)[0]:
                sys.exit(f"never seen: {texts}; but {self.seen[-800:]!r}")
            try:
                self.seen += os.read(self.main, 65536)
            except OSError:
                sys.exit(f"it ended before {texts}: {self.seen[-800:]!r}")
        said, self.seen = self.seen, b""
        return said

    def press(self, keys):
        os.write(self.main, keys)

    def end(self):
        """Wait for its end, reading meanwhile; what it said, and its status."""
        said = self.seen
        while True:
            if select.select([self.main], [], [], 0.05)[0]:
                said += os.read(self.main, 65536)
            done, status = os.waitpid(self.child, os.WNOHANG)
            if done and not select.select([self.main], [], [], 0)[0]:
                return said, status

    def hang_up(self):
        """The terminal is gone, as when its window is closed; wait until the child is gone, too."""
        os.close(self.main)
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            if os.waitpid(self.child, os.WNOHANG)[0]:
                return
            time.sleep(0.01)
        os.kill(self.child, signal.SIGKILL)
        os.waitpid(self.child, 0)
        sys.exit("its terminal is gone, and it runs on")

    def must_be_given_back(self, said):
        if said.count(LEAVE) < 1 or b"\x1b[?25h" not in said or b"\x1b[?7h" not in said:
            sys.exit(f"the terminal was not given back: {said[-300:]!r}")
        if termios.tcgetattr(self.side) != self.before:
            sys.exit("the terminal's settings are not what they were")


def quits(terminal, pid):
    """Two refreshes, the second or a later one with rates; q ends it; the terminal is as it was."""
    said = terminal.wait_for(ENTER, b"tasks/s", b"q quits", b"pool ", b"\x1b[J")
    if b"- %" not in said:
        sys.exit(f"the first picture has no rates yet, and should say so: {said!r}")
    deadline = time.monotonic() + PATIENCE
    while b"- %" in (said := terminal.wait_for(b"all", b"\x1b[J")):
        if time.monotonic() > deadline: # what it watches has not written its file again: for so long?
            sys.exit(f"there are never rates: {said!r}")
    terminal.press(b"xq")
    said, status = terminal.end()
    if status != 0:
        sys.exit(f"status {status}")
    terminal.must_be_given_back(said)


def resizes(terminal, pid):
    """A window too low for all lines says so, a larger one shows them again, each at once."""
    terminal.wait_for(ENTER, b"all")
    terminal.resize(4, 100)
    terminal.wait_for(b"more below")
    terminal.resize(40, 30)
    terminal.seen = b""
    terminal.wait_for(b"all", b"\x1b[J")
    terminal.press(b"q")
    said, status = terminal.end()
    if status != 0 or said.count(b"more below"):
        sys.exit(f"status {status}: {said[-300:]!r}")


def signals(terminal, pid):
    """A signal ends it as the signal does, with the terminal given back first."""
    terminal.wait_for(ENTER, b"all")
    os.kill(terminal.child, signal.SIGTERM)
    said, status = terminal.end()
    if not os.WIFSIGNALED(status) or os.WTERMSIG(status) != signal.SIGTERM:
        sys.exit(f"status {status}")
    terminal.must_be_given_back(said)


def interrupts(terminal, pid):
    """The same for Ctrl-C."""
    terminal.wait_for(ENTER, b"all")
    terminal.press(b"\x03")
    said, status = terminal.end()
    if not os.WIFSIGNALED(status) or os.WTERMSIG(status) != signal.SIGINT:
        sys.exit(f"status {status}")
    terminal.must_be_given_back(said)


def stops(terminal, pid):
    """Ctrl-Z gives the terminal back; going on takes it again."""
    terminal.wait_for(ENTER, b"all")
    terminal.press(b"\x1a")
    terminal.wait_for(LEAVE)
    deadline = time.monotonic() + PATIENCE
    while True:
        done, status = os.waitpid(terminal.child, os.WUNTRACED | os.WNOHANG)
        if done and os.WIFSTOPPED(status):
            break
        if time.monotonic() > deadline:
            sys.exit("it never stopped")
        time.sleep(0.01)
    if termios.tcgetattr(terminal.side) != terminal.before:
        sys.exit("stopped, it keeps the terminal's settings")
    os.kill(terminal.child, signal.SIGCONT)
    terminal.wait_for(ENTER, b"all")
    terminal.press(b"q")
    said, status = terminal.end()
    if status != 0:
        sys.exit(f"status {status}")
    terminal.must_be_given_back(said)


def ends(terminal, pid):
    """The process ends: that is said on the terminal as it was, and is no failure."""
    terminal.wait_for(ENTER, b"all")
    os.kill(pid, signal.SIGKILL)
    said, status = terminal.end()
    if status != 0 or f"process {pid} has ended".encode() not in said:
        sys.exit(f"status {status}: {said[-300:]!r}")
    terminal.must_be_given_back(said)


def hangs_up(terminal, pid):
    """The terminal is gone, and so is the command: by the signal, or by what its input says."""
    terminal.wait_for(ENTER, b"all")
    terminal.hang_up()


def hangs_up_unheard(terminal, pid):
    """The same where the signal is ignored, as below nohup."""
    hangs_up(terminal, pid)


WHAT = {f.__name__: f for f in (quits, resizes, signals, interrupts, stops, ends, hangs_up,
                                hangs_up_unheard)}
IGNORED = {"hangs_up_unheard": [signal.SIGHUP]}


def main():
    what, skua, pid = sys.argv[1:4]
    WHAT[what](Terminal([skua, "top", "--interval=0.2", pid], IGNORED.get(what, ())), int(pid))


main()
