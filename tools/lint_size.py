#!/usr/bin/env python3
"""lint_size.py — names files and functions that have grown large; a report, never a failure"""

import re

import house

FILE_LINES, FUNCTION_LINES, PARAMETERS = 600, 60, 5


def signatures(text: str):
    """Each function: where its signature begins, the signature, where its body begins.

    In this house a body opens with { and closes with } in the first column; above it stand
    lines of the signature that begin with a blank, and one that does not.
    """
    for brace in re.finditer(r"^\{", text, re.M):
        start = text.rfind("\n", 0, max(brace.start() - 1, 0)) + 1
        while start and text[start] in " \t":
            start = text.rfind("\n", 0, start - 1) + 1
        signature = text[start:brace.start()]
        if re.match(r"[A-Za-z_]", signature) and not re.search(r"[;{}#=]", signature):
            yield start, signature, brace.end()


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
        for start, signature, begin in signatures(text):
            name_of = re.search(r"(\w+)\s*\(", signature)
            end = text.find("\n}", begin)
            if not name_of or ")" not in signature or end < 0:
                continue
            functions += 1
            line = house.line_of(text, start)
            body = text.count("\n", begin, end)
            if body > FUNCTION_LINES:
                notes.append(f"{name}:{line}: {name_of[1]} has {body} lines, more than {FUNCTION_LINES}; does a part of it have a name?")
            if (count := parameters(signature)) > PARAMETERS:
                notes.append(f"{name}:{line}: {name_of[1]} has {count} parameters, more than {PARAMETERS}; do some of them belong together?")
    print("\n".join(notes + [f"lint_size: {len(notes)} large, {len(names)} files and {functions} functions looked at (a report only)"]))


main()
