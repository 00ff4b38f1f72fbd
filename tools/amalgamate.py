#!/usr/bin/env python3
"""amalgamate.py — the whole library as one skua.c and one skua.h: amalgamate.py FOLDER (make dist)

skua.h holds every public header once; skua.c every internal header where it is first needed, then
every source file in the order of LAYERS.  What a source file #defines ends with it, so macros do not
leak into the next; statics of one name in two files do clash: the result is compiled here to find out.
What only our tests switch on (fault table, chaos and model atomics) is left out.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import house

DIRECTIVE = re.compile(r"^[ \t]*#[ \t]*(if|ifdef|ifndef|elif|else|endif|include|define|undef)\b[ \t]*(.*)$")
NEVER = {"SKUA_ATOMICS_CHAOS", "SKUA_ATOMICS_MODEL", "SKUA_FAULTS"}


def version() -> str:
    text = house.read("include/skua/version.h")
    return ".".join(re.search(rf"SKUA_VERSION_{part} (\d+)", text)[1] for part in ("MAJOR", "MINOR", "PATCH"))


def preamble(what: str) -> str:
    licence = "\n".join(f" * {line}".rstrip() for line in house.read("LICENSE").strip().split("\n"))
    return (f"/* SPDX-License-Identifier: MIT */\n/* {what}, skua {version()}\n *\n"
            f" * Made by tools/amalgamate.py from the source tree; change it there.\n *\n{licence}\n */\n")


def live_lines(clean: list[str]) -> list[bool]:
    """Which lines stay when the NEVER macros are taken as undefined; their #ifdef lines go too."""
    live, stack = [], []                             # of each open #if: is its state known, is it true
    for line in clean:
        match = DIRECTIVE.match(line)
        word, rest = (match[1], match[2].split()) if match else ("", [])
        show = all(true for _, true in stack)
        if word in ("if", "ifdef", "ifndef"):
            known = word != "if" and rest[0] in NEVER
            stack.append((known, word != "ifdef" or not known))
            show = show and not known
        elif word in ("else", "elif", "endif") and stack[-1][0]:
            if word == "elif":
                sys.exit(f"amalgamate: #elif after #ifdef of {NEVER}; write #else and #if")
            known, true = stack.pop()
            if word == "else":
                stack.append((known, not true))
            show = False
        elif word == "endif":
            stack.pop()
        live.append(show)
    return live


class Amalgam:
    """One output file under construction."""

    def __init__(self, skip: str) -> None:
        self.lines: list[str] = []
        self.origin: list[tuple[str, int]] = []      # of each line: file and line it came from
        self.done: set[str] = set()
        self.skip = skip                             # files below are left out: already included whole

    def put(self, text: str, origin: tuple[str, int]) -> None:
        self.lines.append(text)
        self.origin.append(origin)

    def add(self, name: str) -> None:
        """Inline a file and, in place, the headers of ours it includes."""
        text = house.read(name)
        targets = {line: target for line, _, _, target in house.includes(name)}
        clean = house.blank(text, strings=False).split("\n")
        guarded = name.endswith(".h") and re.search(r"^#ifndef (\w+)\n#define \1\b", text, re.M) is not None
        depth = -1 if guarded else 0                 # inside the file's own include guard is the outside
        defined: list[str] = []
        live = live_lines(clean)
        self.put("", (name, 1))
        self.put(f"/* ---- {name} ---- */", (name, 1))
        for number, line in enumerate(text.rstrip("\n").split("\n"), 1):
            if not live[number - 1]:
                continue
            match = DIRECTIVE.match(clean[number - 1])
            word = match[1] if match else ""
            depth += {"if": 1, "ifdef": 1, "ifndef": 1, "endif": -1}.get(word, 0)
            if word in ("define", "undef"):
                macro = re.match(r"\w+", match[2])[0]
                defined = [d for d in defined if d != macro] + ([macro] if word == "define" else [])
            target = targets.get(number)
            if word == "include" and target:
                if not target.startswith(self.skip) and target not in self.done:
                    if depth == 0:                   # under an #if it may be needed again; its guard decides
                        self.done.add(target)
                    self.add(target)
            elif line != "/* SPDX-License-Identifier: MIT */":
                self.put(line, (name, number))
        if name.endswith(".c"):
            for macro in defined:
                self.put(f"#undef {macro}", (name, 1))

    def text(self) -> str:
        return "\n".join(self.lines) + "\n"


def sources() -> list[str]:
    """The library's C files, lowest layer first."""
    layers = [line.split(":")[0] for line in house.read("LAYERS").splitlines() if line.startswith("src/")]
    if other := house.files(".S", ".cpp", under=("src/",)):
        sys.exit(f"{other[0]}:1: only C files can be put into one; write it as C with asm")
    return [name for layer in layers for name in house.files(".c", under=(layer + "/",))]


def check(amalgam: Amalgam, first: int, folder: Path) -> None:
    """Compile the result; blame errors on the files the lines came from."""
    compiler = os.environ.get("CC", "cc").split()
    run = subprocess.run([*compiler, "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", folder / "skua.c"],
                         capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"})  # its words are read below
    if run.returncode == 0:
        return
    for number, what in re.findall(r"skua\.c:(\d+):\d+: (?:fatal )?error: (.*)$", run.stderr, re.M):
        place = int(number) - first
        name, line = amalgam.origin[place] if 0 <= place < len(amalgam.origin) else ("skua.c", int(number))
        print(f"{name}:{line}: {what}; in one file with the others; statics and types need a name of their own")
    sys.exit(f"amalgamate: {folder}/skua.c does not compile" if "skua.c:" in run.stderr else run.stderr)


def main() -> None:
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit("usage: amalgamate.py FOLDER")
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    header = Amalgam(skip="\0")
    header.add("include/skua/skua.h")
    for name in house.files(".h", under=("include/skua/",)):
        if name not in header.done and name != "include/skua/skua.h":
            header.add(name)
    (folder / "skua.h").write_text(preamble("skua.h — the public headers of skua in one file") + header.text())
    source = Amalgam(skip="include/")
    for name in sources():
        source.add(name)
    start = preamble("skua.c — the whole of skua in one file: compile it with your program, -pthread")
    start += '#ifdef __cplusplus\n#error "compile skua.c as C; skua.h is fine in C++"\n#endif\n'
    start += "#ifndef _GNU_SOURCE\n#define _GNU_SOURCE\n#endif\n#include \"skua.h\"\n"
    (folder / "skua.c").write_text(start + source.text())
    check(source, start.count("\n") + 1, folder)
    print(f"amalgamate: {folder}/skua.c ({len(source.lines)} lines) and skua.h ({len(header.lines)}), skua {version()}")


main()
