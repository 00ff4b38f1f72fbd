"""house.py — what the lints share: the list of files, C without comments, findings"""

import fnmatch
import os
import re
import subprocess
import sys
from functools import lru_cache
from pathlib import Path
from typing import NoReturn

ROOT = Path(__file__).resolve().parent.parent
C_SUFFIXES = (".c", ".h", ".cpp")


def git(*arguments: str, stdin: bytes | None = None) -> list[str] | None:
    """The NUL-separated answer of git in ROOT; None when ROOT is not a working tree of its own."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}  # a hook sets those
    try:
        top = subprocess.run(["git", "rev-parse", "--show-toplevel"], cwd=ROOT, env=clean, capture_output=True, text=True)
        if top.returncode or Path(top.stdout.strip()).resolve() != ROOT:
            return None
        done = subprocess.run(["git", *arguments], cwd=ROOT, env=clean, input=stdin, capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return [os.fsdecode(word) for word in done.stdout.split(b"\0") if word]


@lru_cache
def all_files() -> list[str]:
    """Every file of the tree, new ones included and ignored ones not, relative to ROOT, sorted."""
    names = git("ls-files", "-z", "--cached", "--others", "--exclude-standard")
    if names is None:  # an unpacked archive: take what is there
        names = []
        for folder, below, found in os.walk(ROOT):
            ignored = {".git", ".cache", "__pycache__"} | ({"build"} if Path(folder) == ROOT else set())
            below[:] = [b for b in below if b not in ignored]
            names += [os.path.relpath(os.path.join(folder, name), ROOT) for name in found]
    return sorted({name for name in names if (ROOT / name).is_file()})


def files(*suffixes: str, under: tuple[str, ...] = ("",)) -> list[str]:
    """Files whose name ends in one of the suffixes, below one of the folders ("src/")."""
    return [f for f in all_files() if f.endswith(suffixes or "") and f.startswith(under)]


@lru_cache
def data_files() -> frozenset[str]:
    """Files that are bytes, not text of ours: marked binary in .gitattributes, or holding a NUL."""
    answer = git("check-attr", "-z", "--stdin", "binary", stdin=b"\0".join(map(os.fsencode, all_files())) + b"\0")
    if answer is None:  # an unpacked archive: the patterns themselves; one without a slash means any folder
        lines = [line.split() for line in read(".gitattributes").splitlines()]
        patterns = [words[0] for words in lines if "binary" in words[1:]]
        marked = {f for f in all_files() for p in patterns if fnmatch.fnmatchcase(f if "/" in p else Path(f).name, p)}
    else:
        marked = {answer[i] for i in range(0, len(answer), 3) if answer[i + 2] == "set"}
    return frozenset(marked | {f for f in all_files() if b"\0" in (ROOT / f).read_bytes()})


@lru_cache
def read(name: str) -> str:
    """The text of a file; line ends as they are in it."""
    return (ROOT / name).read_bytes().decode("utf-8", "replace")


_LITERAL = re.compile(r"""//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'""", re.S)


def comments(text: str) -> list[tuple[int, int]]:
    """(start, end) of every comment of a C text."""
    return [m.span() for m in _LITERAL.finditer(text) if m[0][0] == "/"]


def blank(text: str, strings: bool = True) -> str:
    """A C text with comments (and the insides of strings) made spaces: places and lines stay."""

    def empty(match: re.Match[str]) -> str:
        if match[0][0] == "/":
            return re.sub(r"[^\n]", " ", match[0])
        return match[0][0] + " " * (len(match[0]) - 2) + match[0][-1] if strings else match[0]

    return _LITERAL.sub(empty, text)


def line_of(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1


_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"\n]+)[>"]', re.M)


def includes(name: str) -> list[tuple[int, str, str, str | None]]:
    """(line, '<' or '"', what is written, the file of ours it means or None) of every #include."""
    text = blank(read(name), strings=False)
    known, found = set(all_files()), []
    top = name.split("/")[0]
    for match in _INCLUDE.finditer(text):
        places = ["include", "src"] if match[1] == "<" else [str(Path(name).parent), "src", top, "include"]
        places += ["tool", "check", "bench"] if top == "tests" else []
        tried = (os.path.normpath(os.path.join(place, match[2])) for place in places)
        found.append((line_of(text, match.start()), match[1], match[2], next((t for t in tried if t in known), None)))
    return found


class Findings:
    """What a lint found.  Each is one line: `file:line: what, why, what to do`."""

    def __init__(self) -> None:
        self.found: list[tuple[str, int, str]] = []

    def add(self, name: str, line: int, text: str) -> None:
        self.found.append((name, line, text))

    def finish(self, summary: str) -> NoReturn:
        """Print and end: 1 with findings, else 0 and one line that says what was looked at."""
        for name, line, text in sorted(set(self.found)):
            print(f"{name}:{line}: {text}")
        lint = Path(sys.argv[0]).stem
        print(f"{lint}: {len(set(self.found))} to mend" if self.found else f"{lint}: clean, {summary}")
        sys.exit(1 if self.found else 0)
