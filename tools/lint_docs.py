#!/usr/bin/env python3
"""lint_docs.py — what the docs say is true: links, C blocks, shell sessions, fields, man pages

    links      every relative link and #anchor of every .md file leads somewhere
    code       a ```c block compiles against include/; with a main() it is also linked, run, and must exit 0
               (```c fragment is only shown)
    sessions   a ```console line `$ skua ...` is replayed with the built command and must exit 0 (```console exits 2);
               ```console whole is replayed by a test of its own, tests/build/observability.sh
    headers    every public function has the six fields, See names real files, a man page names it or its header
    man        mandoc finds nothing, .Xr to our own pages exist, every getenv is in skua-environment.7,
               every subcommand has a page

Needs a build: SKUA_BUILD (default build/release), and SKUA for the command.  Arguments choose some of
links, code, sessions, headers, man; without any, all are checked.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import house

BUILD = Path(os.environ.get("SKUA_BUILD", house.ROOT / "build/release"))
SKUA = Path(os.environ.get("SKUA", BUILD / "skua"))
FLAGS = ["-std=gnu11", "-Wall", "-Wextra", "-Werror", "-x", "c"]
FIELDS = ["Thread", "Memory", "Ordering", "Fails", "Cost", "See"]
ENVIRONMENT = "docs/man/skua-environment.7"
COMMANDS = "tool/command.h"
FENCE = re.compile(r"^( *)(```+|~~~+)[ ]*([^\n`]*)\n(.*?)(?:^\1\2[`~]*[ ]*$|\Z)", re.M | re.S)
SESSION = re.compile(r"^\$ ((?:[A-Z_]+=\S* )*)(?:build/release/)?skua(?= |$)(.*)$")


def slug(heading: str) -> str:
    """A heading's anchor, as GitHub makes it."""
    text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").replace("*", "")
    return re.sub(r"[^\w\- ]", "", text.strip().lower()).replace(" ", "-")


def anchors(name: str) -> set[str]:
    """What can follow # in a link to this file; the second heading of one text gets -1, and so on."""
    prose = FENCE.sub("", house.read(name))
    slugs = [slug(heading) for heading in re.findall(r"^#{1,6} +(.+?)[ #]*$", prose, re.M)]
    known = {s if not (earlier := slugs[:i].count(s)) else f"{s}-{earlier}" for i, s in enumerate(slugs)}
    return known | set(re.findall(r'<a (?:id|name)="([^"]+)"', prose))


def check_links(found: house.Findings) -> int:
    known, count = set(house.all_files()), 0
    folders = {str(p) for name in known for p in Path(name).parents}
    for name in house.files(".md"):
        text = house.read(name)
        prose = FENCE.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), text)
        prose = re.sub(r"`[^`\n]*`", lambda m: " " * len(m[0]), prose)
        links = [*re.finditer(r"\]\(<?([^)\s>]+)>?(?: \"[^\"]*\")?\)", prose), *re.finditer(r"^\[[^]]+\]: +(\S+)", prose, re.M)]
        for link in links:
            target, _, anchor = link[1].partition("#")
            line = house.line_of(text, link.start())
            if re.match(r"[a-z]+:", target):
                continue
            count += 1
            path = os.path.normpath(os.path.join(os.path.dirname(name), target)) if target else name
            if path not in known and path not in folders:
                found.add(name, line, f"broken link: {target} does not exist; correct the path, or remove the link")
            elif anchor and path.endswith(".md") and anchor not in anchors(path):
                found.add(name, line, f"broken anchor: {path} has no heading #{anchor}; correct one of the two")
            elif (number := re.fullmatch(r"L(\d+)", anchor)) and int(number[1]) > house.read(path).count("\n"):
                found.add(name, line, f"broken anchor: {path} has no line {number[1]}; run `make docs`")
    return count


def blocks(kind: str) -> list[tuple[str, int, str, str]]:
    """(file, line, words behind the kind, text) of the fenced blocks whose first word is kind."""
    out = []
    for name in house.files(".md"):
        if name == "README.md" or (name.startswith("docs/") and not name.startswith("docs/decisions/")):
            for fence in FENCE.finditer(house.read(name)):
                words = fence[3].split()
                if words and words[0] == kind:
                    body = re.sub(rf"^{fence[1]}", "", fence[4], flags=re.M) if fence[1] else fence[4]
                    out.append((name, house.line_of(house.read(name), fence.start()), " ".join(words[1:]), body))
    return out


def run(command: list[str], folder: str, seconds: int = 120) -> tuple[int, str]:
    environment = os.environ | {"PATH": f"{folder}/bin:{os.environ['PATH']}", "HOME": folder, "NO_COLOR": "1"}
    try:
        done = subprocess.run(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, timeout=seconds,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    except subprocess.TimeoutExpired:
        return 124, f"not done after {seconds} s"
    return done.returncode, done.stdout.decode(errors="replace").strip()


def check_code(found: house.Findings, folder: str) -> int:
    """Compile every C block; link and run those that are whole programs."""
    todo = [block for block in blocks("c") if block[2] != "fragment"]
    library = BUILD / "libskua.a"

    def one(number: int) -> None:
        name, line, _, text = todo[number]
        source, program = f"{folder}/block{number}.c", f"{folder}/block{number}"
        # The block stands on its own lines of the document, so that messages name the right ones.
        Path(source).write_text(f'#line {line + 1} "{name}"\n{text}')
        whole = re.search(r"^int main\(", text, re.M)
        if whole and not library.exists():
            found.add(name, line, f"a whole program, but there is no {library} to link it with; run `make`, or set SKUA_BUILD")
            return
        command = ["cc", *FLAGS, f"-I{house.ROOT}/include", source, "-o", program]
        command += ["-x", "none", str(library), "-pthread"] if whole else ["-fsyntax-only"]
        status, said = run(command, folder)
        if status:
            error = re.search(rf"^{re.escape(name)}:(\d+):\d+: (?:fatal )?error: (.*)$", said, re.M)
            found.add(name, int(error[1]) if error else line, "C block does not compile: "
                      f"{error[2] if error else said[-300:]}; mend it, or mark it ```c fragment")
        elif whole and (answer := run([program], folder))[0]:
            found.add(name, line, f"C block compiles, but ends with status {answer[0]}: {answer[1][-200:]}")

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(one, range(len(todo))))
    return len(todo)


def check_sessions(found: house.Findings, folder: str) -> int:
    """Replay shell sessions in a folder that looks like the top of the tree but takes what they write."""
    count, seen = 0, {}
    for name in {n.split("/")[0] for n in house.all_files()}:
        os.symlink(house.ROOT / name, f"{folder}/{name}")
    os.mkdir(f"{folder}/bin")
    os.symlink(SKUA.resolve(), f"{folder}/bin/skua")
    for name, line, words, text in blocks("console"):
        if words == "whole":
            continue
        wanted = int(words.removeprefix("exits ")) if words.startswith("exits ") else 0
        for offset, session in enumerate(text.split("\n"), 1):
            if not (match := SESSION.match(session)):
                continue
            count += 1
            command = f"{match[1]}skua{match[2]}"
            if not SKUA.exists():
                found.add(name, line + offset, f"cannot replay `{command}`: there is no {SKUA}; run `make`, or set SKUA")
                continue
            if command not in seen:
                seen[command] = run(["sh", "-c", command], folder)
            status, said = seen[command]
            if status != wanted:
                found.add(name, line + offset, f"`{command}` ends with status {status}, not {wanted}: {said[-200:]}")
    return count


def public_functions() -> list[tuple[str, int, str, str]]:
    """(header, line, name, its /** comment or "") of every function marked SKUA_API."""
    out = []
    for header in house.files(".h", under=("include/",)):
        text = house.read(header)
        code = house.blank(text)
        for match in re.finditer(r"^SKUA_API\s[^;{}]*?\b(skua_\w+)\s*\(", code, re.M):
            comment = re.search(r"/\*\*(?:(?!\*/).)*\*/\s*(?:#define (?:[^\n]*\\\n)*[^\n]*\n)?\Z", text[:match.start()], re.S)
            out.append((header, house.line_of(text, match.start(1)), match[1], comment[0] if comment else ""))
    return out


def check_headers(found: house.Findings) -> int:
    manuals = "\n".join(map(house.read, house.files(under=("docs/man/",))))
    umbrella = house.read("include/skua/skua.h")
    for header in house.files(".h", under=("include/skua/",)):
        short = header.removeprefix("include/")
        if short.count("/") == 1 and short != "skua/skua.h" and f"<{short}>" not in umbrella:
            found.add(header, 1, f"public header that <skua/skua.h> does not include; add #include <{short}> there")
        code = house.blank(house.read(header))
        for bare in re.finditer(r"^(?!SKUA_API\b|SKUA_BEGIN_C\b|SKUA_END_C\b|SKUA_INLINE\b|static\b|template\b|typedef\b)[A-Za-z_][^;{}()=#]*?\b(skua_\w+)\s*\(", code, re.M):
            found.add(header, house.line_of(code, bare.start(1)), f"{bare[1]} has no SKUA_API, so the shared library hides it; add the mark")
    for header, line, name, comment in public_functions():
        if "/detail/" in header:                     # called by what the public headers inline, not by users
            continue
        has = [field for field in FIELDS if re.search(rf"^ \* {field}\s+\S", comment, re.M)]
        if has != FIELDS:
            missing = ", ".join(field for field in FIELDS if field not in has)
            found.add(header, line, f"{name}: no {missing} in the comment above it; callers ask all six before reading a body; add")
        for path in re.findall(r"\b(?:[\w.-]+/)+[\w.-]+\.(?:c|h|md|sh)\b", comment.partition("* See")[2]):
            if path not in house.all_files():
                found.add(header, line, f"{name}: See names {path}, which does not exist; correct it")
        if not re.search(rf"\b{name}\b|^\.In +{header.removeprefix('include/')}$", manuals, re.M):
            found.add(header, line, f"{name}: no man page names it or its header; write docs/man/{name}.3, or add it to one of its kin")
    return len(public_functions())


def check_manuals(found: house.Findings) -> int:
    pages = [p for p in house.files(*(f".{n}" for n in range(1, 10)), under=("docs/man/",))]
    known = {Path(page).name for page in pages}
    for page in pages:
        text = house.read(page)
        for reference in re.finditer(r"^\.Xr +(skua\S*) +(\d)", text, re.M):
            if f"{reference[1]}.{reference[2]}" not in known:
                found.add(page, house.line_of(text, reference.start()), f".Xr {reference[1]} {reference[2]}: there is no such page")
    table = re.search(r"#define COMMANDS\(X\)((?:.*\\\n)*.*)", house.read(COMMANDS)) if COMMANDS in house.all_files() else None
    for command in re.findall(r"X\((\w+)\)", table[1] if table else ""):
        if command != "help" and f"skua-{command}.1" not in known:
            found.add(COMMANDS, house.line_of(house.read(COMMANDS), table.start()),
                      f"the command {command} has no manual page; write docs/man/skua-{command}.1")
    if (mandoc := shutil.which("mandoc")) and pages:
        done = subprocess.run([mandoc, "-Tlint", "-Wstyle", *pages], cwd=house.ROOT, capture_output=True, text=True)
        for page, line, what in re.findall(r"^mandoc: (\S+?):(\d+):\d+: (.*)$", done.stdout + done.stderr, re.M):
            if "referenced manual not found" not in what and "longer than 80 bytes" not in what:
                found.add(page, int(line), f"mandoc: {what}")
    documented = house.read(ENVIRONMENT) if ENVIRONMENT in house.all_files() else ""
    for name in house.files(".c", ".h", under=("src/", "tool/")):
        text = house.blank(house.read(name), strings=False)
        for call in re.finditer(r'\b(?:secure_)?getenv\s*\(\s*"([^"]+)"', text):
            if not re.search(rf"\b{call[1]}\b", documented):
                found.add(name, house.line_of(text, call.start()), f"{call[1]} is read from the environment, but {ENVIRONMENT} does not name it")
    return len(pages)


def main() -> None:
    found = house.Findings()
    with tempfile.TemporaryDirectory(prefix="skua_docs.") as folder:
        checks = {"links": lambda: f"{check_links(found)} links", "code": lambda: f"{check_code(found, folder)} C blocks",
                  "sessions": lambda: f"{check_sessions(found, folder)} sessions",
                  "headers": lambda: f"{check_headers(found)} public functions", "man": lambda: f"{check_manuals(found)} man pages"}
        looked = [checks[name]() for name in sys.argv[1:] or checks]
    found.finish(", ".join(looked))


main()
