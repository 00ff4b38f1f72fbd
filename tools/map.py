#!/usr/bin/env python3
"""map.py — writes MAP.md: every file with its role, taken from the file's own first lines

The role line is `name — role` in a comment: line 2 of C files, among the first lines elsewhere;
a markdown file gives its first heading, a man page its .Nd.  Files that cannot hold a comment have
their role in ROLES below, folders in FOLDERS.
"""

import re
import sys
from collections import defaultdict
from pathlib import PurePosixPath as Path

import house

FOLDERS = {
    ".": "the house: two commands are `make run` and `make test`",
    ".ci": "what the build server calls",
    "bench": "kernels, rivals, peers and reports",
    "cmake": "parts of the build",
    "check": "the model checker: the production source of src/sched under explored schedules",
    "dist": "more than one machine; uses include/ only",
    "docs": "tour, words, and the reasons",
    "docs/decisions": "what was decided, why, and when to look again",
    "docs/design": "one page per mechanism",
    "docs/pictures": "two screenshots, for the README",
    "docs/man": "manual pages: 1 commands, 3 functions, 7 the rest",
    "examples": "numbered, short, each checks its own answer",
    "include/skua": "public headers; include <skua/skua.h>",
    "include/skua/detail": "pieces of the public headers, not for users",
    "src": "the library; who may include whom: LAYERS",
    "src/base": "atomics, diagnostics, allocation: libc only, no threads",
    "src/os": "threads, waiting, clocks, CPUs, memory: the only home of platform #if",
    "src/trace": "events, rings, trace files",
    "src/topo": "the machine: CPUs, caches, nodes, how many workers",
    "src/sched": "deque, injector, idle protocol, worker loop",
    "src/par": "groups, futures, loops, reductions, scans, sorts",
    "src/fiber": "fibers, channels, timers, I/O",
    "tests": "what `make test` runs; a test is found by its place and name",
    "tests/browser": "the page, driven in a real browser",
    "tests/build": "headers, symbols, installs, the amalgamation, and that the lints bite",
    "tests/build/consumer": "a project outside the tree that uses an installed skua",
    "tests/cli": "the `skua` command as its users see it",
    "tests/fuzz": "parsers fed with random bytes",
    "tests/model": "every interleaving of small programs",
    "tests/roots": "fake and hostile /proc and /sys trees",
    "tests/stress": "many rounds, seeded, also under sanitizers",
    "tests/unit": "one file per source file",
    "tool": "the `skua` command: main.c and one folder per subcommand",
    "tools": "scripts that check, draw and package the source",
    "web": "what is shown in a browser: the page, and what `skua scan --html` writes",
    "web/page": "the page: one module per room and part",
    "web/sim": "the simulator's way into the page",
    "web/wasm": "C code that the page runs step by step, as WebAssembly",
    "web/wasm/libc": "the little of a C library that this code needs",
}
ROLES = {
    "docs/pictures/sandbox.png": "the page's sandbox: two schedulers on the same tasks",
    "docs/pictures/timeline.png": "the page's timeline: a made trace",
    ".clang-format": "how C is laid out",
    ".clang-tidy": "which mistakes clang looks for",
    ".editorconfig": "tabs and line ends, for editors",
    ".gitattributes": "line ends, and which files are data",
    ".gitignore": "what is not source",
    "AUTHORS": "who wrote it",
    "bench/reports/latest.csv": "every sample of the latest report",
    "bench/reports/latest.json": "figures of the latest report",
    "CMakePresets.json": "release, dev, and one preset per sanitizer",
    "LICENSE": "MIT",
    "tests/browser/package.json": "which browser driver and accessibility checker the tests use",
    "tests/browser/package-lock.json": "their exact versions and checksums",
    "web/package.json": "with what the page is put together",
    "web/package-lock.json": "its exact version and checksums",
    "cmake/skua.pc.in": "what pkg-config says of an installed skua",
}
# What may open the comment that holds a role line: C, sh/py/cmake, //, HTML, roff, python docstring.
ROLE_LINE = r'^(?:/\*+|#+|//+|<!--|\.\\"|""")\s*{name} — (.+?)\s*(?:\*/|-->|""")?\s*$'


def role_of(name: str) -> str | None:
    """What a file says it is; None when it does not."""
    path, head = Path(name), house.read(name).split("\n", 6)[:6]
    if name in ROLES:
        return ROLES[name]
    if path.suffix == ".md":
        heading = re.search(r"^# +(.+?)\s*$", house.read(name), re.M)
        return re.sub(r"`", "", heading[1]) if heading else None
    if re.fullmatch(r"\.[1-9]", path.suffix) and path.parent.name == "man":
        if alias := re.match(r"\.so +(?:man./)?(\S+)", head[0]):
            return f"another name of {alias[1]}"
        title = re.search(r'^\.Nd +"?(.+?)"?\s*$', house.read(name), re.M)
        return title[1] if title else None
    lines = head[1:2] if path.suffix in house.C_SUFFIXES else head[:4]
    pattern = re.compile(ROLE_LINE.format(name=re.escape(path.name)))
    return next((m[1] for line in lines if (m := pattern.match(line))), None)


def entries(names: list[str]) -> list[tuple[str, str]]:
    """(shown name, role) of the files of one folder; a .c and .h with one role are one line."""
    rows: dict[tuple[str, str], list[Path]] = defaultdict(list)
    for name in names:
        path, role = Path(name), role_of(name) or "?"
        pair = path.stem if path.suffix in (".c", ".h") else path.name
        rows[pair, role].append(path)
    return sorted((f"{pair}.[ch]" if len(paths) == 2 else paths[0].name, role) for (pair, role), paths in rows.items())


def render() -> str:
    folders: dict[str, list[str]] = defaultdict(list)
    for name in house.all_files():
        if name != "MAP.md":
            folders[str(Path(name).parent)].append(name)
    for folder in list(folders):                     # a folder that holds only folders is shown too
        for above in map(str, Path(folder).parents):
            if above in FOLDERS:
                folders.setdefault(above, [])
    out = ["# Map of the house", "",
           "Every file and its role, generated by `tools/map.py` (`make docs`) from the files' own first lines.", "",
           "```text"]
    order = sorted(folders, key=lambda f: (f.startswith(".") and f != ".", Path(f).parts))
    blocks, data = [], house.data_files()
    for folder in order:
        text = [n for n in folders[folder] if n not in data]
        rows = entries(text)
        if count := len(folders[folder]) - len(text):
            rows.append((f"({count} data file{'s' * (count > 1)})", ""))
        title = "./" if folder == "." else f"{folder}/"
        blocks.append((title, FOLDERS.get(folder, ""), rows))
    width = max([len(title) for title, _, _ in blocks] + [len(shown) + 4 for _, _, rows in blocks for shown, _ in rows]) + 2
    for title, role, rows in blocks:
        out += ["", f"{title:<{width}}{role}".rstrip()]
        out += [f"{'    ' + shown:<{width}}{text}".rstrip() for shown, text in rows]
    return "\n".join(out + ["```", ""]).replace("```text\n\n", "```text\n")


if __name__ == "__main__":
    if sys.argv[1:] == ["--print"]:
        print(render(), end="")
    else:
        (house.ROOT / "MAP.md").write_text(render())
