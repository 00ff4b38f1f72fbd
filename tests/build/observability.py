"""observability.py — replay the sessions of a page in one shell, and compare what they print

    observability.py PAGE BUILD SCRATCH

All ```console whole blocks of the page are one session.  Measured numbers, units of time, bars,
states of workers and the lengths of blanks may differ from what the page shows; all else may not, nor
may numbers that are no matter of chance: the FACTS.  A line of three dots stands for any lines.  What a scheduler did is a matter of chance on a busy machine: a
session that came out otherwise is replayed, some times, before it counts.
"""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

TRIES = 20
SECONDS = 600
BLOCK = re.compile(r"^```console whole\n(.*?)^```$", re.M | re.S)
STATE = r"(?:running|waiting|searching|asleep)"
TASK = r"(?:skua_run|with_lo\S*\.\.\.)(?: \d[\d.]* s)?"    # as wide as there is room
FACTS = re.compile(r"(\d+ triangles|the limit is [\d.]+ s|every [\d.]+ s|\d+ of \d+ workers up|"
                   r"\d+ workers?\b|workers +\d[\d ]*|\d+ violations|\d+ rings|\d+ dropped)")
FREE = re.compile(rf"({TASK}|\b{STATE}\b|\d[\d.]*(?: (?:ns|us|ms|s)\b)?|[■·]+|\s+)")


class Step(NamedTuple):
    command: str
    shown: list[str]


def steps_of(page: str) -> list[Step]:
    steps: list[Step] = []
    for block in BLOCK.findall(page):
        for line in block.splitlines():
            if line.startswith("$ "):
                steps.append(Step(line[2:], []))
            else:
                steps[-1].shown.append(line)
    return steps


def script_of(steps: list[Step]) -> str:
    """One shell for all, each command's output and status in files of its own."""
    lines = []
    for number, step in enumerate(steps):
        lines.append(f"{{ {step.command}\n}} >out.{number} 2>&1\necho $? >status.{number}")
    return "\n".join(lines) + "\n"


def pattern_of(line: str) -> re.Pattern[str]:
    parts = [re.escape(piece) if number % 2 else measured(piece)
             for number, piece in enumerate(FACTS.split(line.strip()))]
    return re.compile(r"\s*" + "".join(parts) + r"\s*")


def measured(text: str) -> str:
    """A pattern for text in which numbers are a matter of chance."""
    parts = []
    for piece in FREE.split(text):
        if piece[:1].isdigit():
            parts.append(r"\d[\d.]*" + (" (?:ns|us|ms|s)" if " " in piece else ""))
        elif piece and piece[0] in "■·":
            parts.append("[■·]+")
        elif piece.isspace():
            parts.append(r"\s+")
        else:
            known = (free for free in (STATE, TASK) if re.fullmatch(free, piece))
            parts.append(next(known, re.escape(piece)))
    return "".join(parts)


def difference(step: Step, found: list[str]) -> str | None:
    """What the page shows and was not found, or the other way round."""
    parts = [[]]    # lines that follow each other; dots stand between parts
    for line in step.shown:
        if line == "...":
            parts.append([])
        else:
            parts[-1].append(pattern_of(line))
    at = 0
    for number, part in enumerate(parts):
        first, last = number == 0, number == len(parts) - 1
        places = [at] if first else range(at, len(found) - len(part) + 1)
        if last and not first:
            places = [max(at, len(found) - len(part))] if part else [len(found)]
        fits = [place for place in places if len(part) <= len(found) - place and
                all(p.fullmatch(f) for p, f in zip(part, found[place:]))]
        if not fits:
            return "not found: " + "\n".join(p.pattern for p in part)
        at = fits[0] + len(part)
    return None if at == len(found) else f"the page does not show: {found[at]}"


def replay(steps: list[Step], folder: Path, build: Path) -> str | None:
    """What is wrong, if anything."""
    (folder / "bin").mkdir(parents=True)
    (folder / "build").mkdir()
    (folder / "run").mkdir(mode=0o700)
    (folder / "bin" / "skua").symlink_to(build / "skua")
    (folder / "build" / "release").symlink_to(build)
    clean = {k: v for k, v in os.environ.items() if not k.startswith("SKUA_")}
    clean |= {"PATH": f"{folder}/bin:{os.environ['PATH']}", "XDG_RUNTIME_DIR": f"{folder}/run",
              "LC_ALL": "C.UTF-8", "NO_COLOR": "1"}
    clean.pop("COLUMNS", None)
    subprocess.run(["sh", "-c", script_of(steps)], cwd=folder, env=clean, timeout=SECONDS,
                   stdin=subprocess.DEVNULL, check=True)
    for number, step in enumerate(steps):
        said = (folder / f"out.{number}").read_text(errors="replace")
        status = (folder / f"status.{number}").read_text().strip()
        if status != "0":
            return f"$ {step.command}\nends with status {status}: {said}"
        if wrong := difference(step, said.splitlines()):
            return f"$ {step.command}\n{wrong}\nall of it:\n{said}"
    return None


def main() -> None:
    page, build, scratch = (Path(word).resolve() for word in sys.argv[1:4])
    steps = steps_of(page.read_text())
    if not steps:
        sys.exit(f"observability: {page} has no sessions")
    for attempt in range(1, TRIES + 1):
        wrong = replay(steps, scratch / str(attempt), build)
        if not wrong:
            print(f"{len(steps)} commands, replay {attempt}")
            return
        print(f"replay {attempt} of {TRIES}: {wrong}", file=sys.stderr)
    sys.exit("observability: the page is not what the commands show")


main()
