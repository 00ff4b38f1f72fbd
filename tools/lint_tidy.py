#!/usr/bin/env python3
"""lint_tidy.py — clang-tidy over the library and the command, as .clang-tidy says

What was clean and has not changed since (itself, any header, .clang-tidy) is not looked at again;
the memory of that is in $SKUA_BUILD/lint_tidy.json.  With file names, just those, always.

The analyzer follows the paths of a function only so far, to be done in a third of the time; as far as
clang's own limit with file names, and in `make test-long` (SKUA_TEST_SCALE).
"""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import house

FLAGS = ["-std=gnu11", "-D_GNU_SOURCE", "-DSKUA_FAULTS=1", "-Iinclude", "-Isrc", "-Itool", "-Wno-everything"]
if not sys.argv[1:] and os.environ.get("SKUA_TEST_SCALE", "1") == "1":
    FLAGS += ["-Xclang", "-analyzer-config", "-Xclang", "max-nodes=75000"]  # of 225,000
MEMORY = Path(os.environ.get("SKUA_BUILD", house.ROOT / "build")) / "lint_tidy.json"


def digest(names: list[str]) -> str:
    return hashlib.sha256("\0".join(name + house.read(name) for name in names).encode()).hexdigest()


def tidy(name: str) -> list[tuple[str, int, str]]:
    # One file per process: clang-tidy 14 invents va_list findings when given several.
    run = subprocess.run(["clang-tidy", "--quiet", name, "--", *FLAGS], cwd=house.ROOT, capture_output=True, text=True)
    pattern = r"^(?:" + re.escape(str(house.ROOT)) + r"/)?([^:\n]+):(\d+):\d+: (?:warning|error): (.*?)(?:,-warnings-as-errors)?\]$"
    places = [(file, int(line), f"{what}]; mend it, or say why not with NOLINT") for file, line, what in re.findall(pattern, run.stdout, re.M)]
    return places or ([(name, 1, f"clang-tidy failed: {(run.stdout + run.stderr).strip()[-300:]}")] if run.returncode else [])


def main() -> None:
    found = house.Findings()
    names = sys.argv[1:] or house.files(".c", under=("src/", "tool/"))
    shared = "".join(FLAGS) + digest([".clang-tidy", *house.files(".h", under=("src/", "tool/", "include/")), "tools/lint_tidy.py"])
    keys = {name: hashlib.sha256((shared + digest([name])).encode()).hexdigest() for name in names}
    try:
        clean = set(json.loads(MEMORY.read_text()))
    except (OSError, ValueError):
        clean = set()
    todo = [name for name in names if keys[name] not in clean or sys.argv[1:]]
    if todo and shutil.which("clang-tidy") is None:
        found.add(".clang-tidy", 1, "clang-tidy is not installed, so nothing was looked at; run tools/setup")
        todo = []
    good = {keys[name] for name in names if keys[name] in clean}
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, places in zip(todo, pool.map(tidy, todo)):
            for place in places:
                found.add(*place)
            if not places:
                good.add(keys[name])
    if MEMORY.parent.is_dir() and not sys.argv[1:]:
        MEMORY.write_text(json.dumps(sorted(good)))
    found.finish(f"{len(names)} files, {len(todo)} of them new or changed")


main()
