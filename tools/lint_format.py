#!/usr/bin/env python3
"""lint_format.py — clang-format, 100 columns, comments and SPDX for C; white space and line ends for all text"""

import os
import re
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import PurePosixPath as Path

import house

COLUMNS = 100
SPDX = "/* SPDX-License-Identifier: MIT */"
SPACES_ONLY = (".py", ".cmake", ".json", ".yml", "CMakeLists.txt")  # as .editorconfig says


def check_text(found: house.Findings, name: str) -> None:
    text = house.read(name)
    if "\ufffd" in text:
        found.add(name, house.line_of(text, text.index("\ufffd")), "not UTF-8; convert it, or mark it binary in .gitattributes")
    if text and not text.endswith("\n"):
        found.add(name, text.count("\n") + 1, "no newline at the end of the file; tools that join files trip; add one")
    if text.endswith("\n\n"):
        found.add(name, text.count("\n"), "empty line at the end of the file; remove it")
    for number, line in enumerate(text.split("\n"), 1):
        if line.endswith("\r"):
            found.add(name, number, "CRLF line end; scripts break on it; save with LF")
        elif line != line.rstrip(" \t"):
            found.add(name, number, "white space at the end of the line; it makes noise in diffs; remove it")
        if "\t" in line and name.endswith(SPACES_ONLY):
            found.add(name, number, "tab in a file that is indented with spaces (.editorconfig); use spaces")


def check_c(found: house.Findings, name: str) -> None:
    text = house.read(name)
    if text.split("\n", 1)[0] != SPDX:
        found.add(name, 1, f"line 1 is not the licence mark, which tools and lawyers look for; write {SPDX}")
    for number, (line, code) in enumerate(zip(text.split("\n"), house.blank(text, strings=False).split("\n")), 1):
        # A message is not broken over lines: whoever meets it must find it with one search.
        if len(line.expandtabs(8)) > COLUMNS and not re.search(r'"[^"]+"[ ),;}]*$', code):
            found.add(name, number, f"{len(line.expandtabs(8))} columns, more than {COLUMNS}; break the line")
    for start, end in house.comments(text):
        for glued in re.finditer(r"^[ \t]*\*[^\s*/]", text[start:end], re.M):
            found.add(name, house.line_of(text, start + glued.start()),
                      "no blank behind the * of a comment: a tool has joined lines here; lay it out by hand")


def clang_format(program: str, names: list[str]) -> list[tuple[str, int]]:
    """(file, line) of what clang-format would change."""
    run = subprocess.run([program, "--dry-run", "--style=file", *names], cwd=house.ROOT, capture_output=True, text=True)
    places = re.findall(r"^(.+?):(\d+):\d+: (?:warning|error): code should be clang-formatted", run.stderr, re.M)
    if not places and (run.returncode or "error" in run.stderr):
        return [(run.stderr.strip().replace("\n", " "), 0)]
    return [(name, int(line)) for name, line in places]


def main() -> None:
    found = house.Findings()
    names = [n for n in house.all_files() if n not in house.data_files()]
    for name in names:
        check_text(found, name)
    sources = [n for n in names if Path(n).suffix in house.C_SUFFIXES]
    for name in sources:
        check_c(found, name)
    program = shutil.which("clang-format-14") or shutil.which("clang-format")
    if program is None:
        found.add(".clang-format", 1, "clang-format is not installed, so nothing was compared; run tools/setup")
        sources = []
    workers = os.cpu_count() or 1
    with ThreadPoolExecutor(workers) as pool:
        for places in pool.map(lambda part: clang_format(program, part), [p for i in range(workers) if (p := sources[i::workers])]):
            for name in dict.fromkeys(name for name, _ in places):
                lines = [line for other, line in places if other == name]
                found.add(name, lines[0], f"{len(lines)} place(s) not as clang-format 14 lays them out; run clang-format -i {name}"
                          if lines[0] else "clang-format failed")
    found.finish(f"{len(names)} text files, {len(sources)} of C")


main()
