#!/usr/bin/env python3
"""lint_size.py — names files and functions that have grown large; a report, never a failure"""

import re

import house

FILE_LINES, FUNCTION_LINES, PARAMETERS = 600, 60, 5
# In this house a function's body opens with { and closes with } in the first column.
SIGNATURE = re.compile(r"(?:^|(?<=\n))((?:[A-Za-z_][^;{}#=\n]*\n?)(?:[ \t]+[^;{}#=\n]*\n)*)\{", re.M)


def parameters(signature: str) -> int:
    """Commas of the outermost parameter list, plus one."""
    inner = signature[signature.index("(") + 1:signature.rindex(")")]
    depth, commas = 0, 0
    for character in inner:
        depth += (character == "(") - (character == ")")
        commas += character == "," and depth == 0
    return 0 if inner.strip() in ("", "void") else commas + 1


def main() -> None:
    notes, functions = [], 0
    names = house.files(*house.C_SUFFIXES)
    for name in names:
        text = house.blank(house.read(name))
        if (lines := text.count("\n")) > FILE_LINES:
            notes.append(f"{name}:1: {lines} lines, more than {FILE_LINES}; is there a seam to split it at?")
        for match in SIGNATURE.finditer(text):
            name_of = re.search(r"(\w+)\s*\(", match[1])
            end = text.find("\n}", match.end())
            if not name_of or ")" not in match[1] or end < 0:
                continue
            functions += 1
            line = house.line_of(text, match.start(1))
            body = text.count("\n", match.end(), end)
            if body > FUNCTION_LINES:
                notes.append(f"{name}:{line}: {name_of[1]} has {body} lines, more than {FUNCTION_LINES}; does a part of it have a name?")
            if (count := parameters(match[1])) > PARAMETERS:
                notes.append(f"{name}:{line}: {name_of[1]} has {count} parameters, more than {PARAMETERS}; do some of them belong together?")
    print("\n".join(notes + [f"lint_size: {len(notes)} large, {len(names)} files and {functions} functions looked at (a report only)"]))


main()
