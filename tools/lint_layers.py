#!/usr/bin/env python3
"""lint_layers.py — who includes whom as LAYERS says; no cycles, raw atomics, stray platform #if, borrowed internals"""

import re
from collections import defaultdict
from pathlib import PurePosixPath as Path

import house

PLATFORM = re.compile(
    r"\b(__linux(__)?|linux|__gnu_linux__|__APPLE__|__MACH__|__FreeBSD__|__NetBSD__|__OpenBSD__|__unix(__)?|_WIN32|_WIN64"
    r"|_MSC_VER|__CYGWIN__|__ANDROID__|__x86_64(__)?|__amd64(__)?|__i386(__)?|__aarch64__|__arm__|__riscv|__powerpc(64)?__"
    r"|__ppc64__|__s390x__|__loongarch__|__GLIBC__|__GLIBC_PREREQ|__MUSL__)\b")
CONDITION = re.compile(r"^[ \t]*#[ \t]*(?:if|ifdef|ifndef|elif)\b(?:\\\n|.)*", re.M)
RAW_ATOMIC = re.compile(r"\b(?:atomic_\w+|__atomic_\w+|__c11_atomic_\w+|__sync_\w+|\w+_[lsm]fence)\b|<stdatomic\.h>|<atomic>")
ASM_FENCE = re.compile(r"\b(?:[lsm]fence|dmb)\b")  # looked for in strings too: that is where asm is
KERNEL = re.compile(r"(?:linux|asm)/.*|(?:sys/)?syscall\.h")
SHIM = "check/shim/stdatomic.h"  # stands before the system's file of that name and includes it
ODD_INCLUDE = re.compile(r'^[ \t]*#[ \t]*(?:import\b|include(?![ \t]*[<"])).*', re.M)
PUBLIC_ONLY = ("tool", "examples", "bench", "dist")  # they prove that the public headers are enough


def read_layers() -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """The folders with what they may include, and the @homes."""
    layers: dict[str, list[str]] = {}
    homes: dict[str, list[str]] = {}
    for line in house.read("LAYERS").splitlines():
        words = line.split("#")[0].replace(":", " : ", 1).split()
        if words and words[0].startswith("@"):
            homes[words[0]] = words[1:]
        elif words:
            layers[words[0]] = words[2:]
    return layers, homes


def inside(name: str, places: list[str]) -> bool:
    return any(place == "*" or name == place or name.startswith(place + "/") for place in places)


def check_edges(found: house.Findings, layers: dict[str, list[str]],
                homes: dict[str, list[str]]) -> dict[str, list[tuple[int, str]]]:
    graph: dict[str, list[tuple[int, str]]] = defaultdict(list)
    for name in house.files(*house.C_SUFFIXES):
        own = max((layer for layer in layers if inside(name, [layer])), key=len, default=None)
        if own is None:
            found.add(name, 1, "this folder is not in LAYERS, so nobody knows what it may include; add a line there")
            continue
        text = house.blank(house.read(name), strings=False)
        for odd in ODD_INCLUDE.finditer(text) if name != SHIM else ():
            found.add(name, house.line_of(text, odd.start()),
                      f'{odd[0].strip()}: what it includes cannot be seen here; write #include "file.h" or <file.h>')
        for line, quote, written, target in house.includes(name):
            if (target or quote == '"') and not written.endswith(".h"):
                found.add(name, line, f"includes the source file {written}; it would be compiled twice; include a header"
                          if written.endswith((".c", ".cpp")) else f"includes {written}; what is included is called .h; rename it")
            if KERNEL.fullmatch(written) and not inside(name, homes["@kernel"]):
                found.add(name, line, f"kernel header <{written}> outside {' '.join(homes['@kernel'])}; "
                          "a port must touch one folder only; hide it behind a function there")
            if target is None:
                if quote == '"':
                    found.add(name, line, f'"{written}" is no file of ours; write <{written}> for a system header')
                continue
            graph[name].append((line, target))
            if not inside(target, [own, *layers[own]]):
                may = " ".join(layers[own]) or "nothing of ours"
                found.add(name, line, f"wrong edge: {own} may not include {target} (LAYERS: {may}); "
                          "move the code or pass what is needed as an argument")
    return graph


def check_cycles(found: house.Findings, graph: dict[str, list[tuple[int, str]]]) -> None:
    done: set[str] = set()

    def visit(name: str, path: list[str]) -> None:
        if name in done:
            return
        for line, target in graph.get(name, []):
            if target in [*path, name]:
                ring = [*path, name][[*path, name].index(target):]
                found.add(name, line, f"include cycle: {' -> '.join([*ring, target])}; split what both need into a third file")
            else:
                visit(target, [*path, name])
        done.add(name)

    for name in sorted(graph):
        visit(name, [])


def check_words(found: house.Findings, layers: dict[str, list[str]], homes: dict[str, list[str]]) -> None:
    for name in house.files(*house.C_SUFFIXES):
        text = house.blank(house.read(name))
        if not inside(name, homes["@platform"]):
            for condition in CONDITION.finditer(text):
                if word := PLATFORM.search(condition[0]):
                    found.add(name, house.line_of(text, condition.start()),
                              f"platform #if on {word[0]} outside {' '.join(homes['@platform'])}; "
                              "a port must touch one folder only; hide it behind a function there")
        if not inside(name, homes["@atomics"]):
            for word in [*RAW_ATOMIC.finditer(text), *ASM_FENCE.finditer(house.blank(house.read(name), strings=False))]:
                found.add(name, house.line_of(text, word.start()),
                          f"raw atomic {word[0]}; the model checker and TSan see only the layer; use base/atomic.h")
        if (top := name.split("/")[0]) in PUBLIC_ONLY:
            lent = " ".join(house.read(f) for f in house.files(".h", under=("src/",)) if inside(f, layers[top]))
            for word in re.finditer(r"\bskuai_\w+", text):
                if not re.search(rf"\b{word[0]}\b", lent):
                    found.add(name, house.line_of(text, word.start()),
                              f"{word[0]} is internal; {top} uses public names only, as every user must; use or add one in include/")
        for word in re.finditer(r"\bpthread_cond_\w+", text):
            found.add(name, house.line_of(text, word.start()),
                      f"{word[0]}: glibc's condition variables lose wake-ups (bug 25847); wait on a word, os/wait.h")


def check_names(found: house.Findings) -> None:
    """One .c and one .h of a base name, side by side or with the .h in include/; nothing else twice."""
    by_stem: dict[str, list[Path]] = defaultdict(list)
    for name in house.files(*house.C_SUFFIXES, ".S"):
        by_stem[Path(name).stem].append(Path(name))
    for paths in by_stem.values():
        for path in paths[1:]:
            first = paths[0]
            sides = {first.suffix, path.suffix} == {".c", ".h"} and len(paths) == 2
            header = path if path.suffix == ".h" else first
            if not (sides and (first.parent == path.parent or header.parts[0] == "include")):
                found.add(str(path), 1, f"base name taken by {first}; names are unique so that one search finds a file; rename")


def main() -> None:
    found = house.Findings()
    layers, homes = read_layers()
    graph = check_edges(found, layers, homes)
    check_cycles(found, graph)
    check_words(found, layers, homes)
    check_names(found)
    found.finish(f"{len(house.files(*house.C_SUFFIXES))} C files, {sum(map(len, graph.values()))} includes of ours")


main()
