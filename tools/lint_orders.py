#!/usr/bin/env python3
"""lint_orders.py — every atomic operation says why its order is enough; pairs agree; ledger

An operation of base/atomic.h carries a tag, in a comment behind it or directly above:

    skua_store(&d->bottom, b, relaxed); /* order deque.pop.1: carried by .2 */

<file>.<op>.<n>: the file's base name, what is being done, a number.  Unique in the repository.
`pairs deque.steal.2, deque.push.5` must be answered by each of them; `by .2` must exist.  One tag above
an if/else covers the two operations that are its branches: one thing done in two ways.
--table prints the ledger that `make docs` writes to docs/orders.md; a stale one is a finding.  Rivals and kernels of
the benchmarks are checked too, but the ledger is the library's.
"""

import re
import sys
from dataclasses import dataclass, field
from pathlib import Path

import house

LEDGER = "docs/orders.md"
KILLED = "tests/model/killed.txt"
WORDS = ("relaxed", "acquire", "release", "acq_rel", "seq_cst", "light", "membarrier")  # the last two: calls that name no order
OPERATION = re.compile(r"\bskua_(?:atom_)?(load|store|exchange|cas_weak|cas|add|sub|or|and|fence|light_fence)[ \t]*\(|"
                       r"\bskuai_(membarrier)\((?=\))")
TAG = re.compile(r"\border[ ]+([a-z0-9_]+\.[a-z0-9_]+\.[0-9]+)[ ]*:")
ONE = r"(?:[a-z0-9_]+\.[a-z0-9_]+)?\.[0-9]+"
LIST = rf"({ONE}(?:(?:,[ ]*|[ ]+and[ ]+|,[ ]*and[ ]+){ONE})*)"
PAIRS = re.compile(rf"\bpairs[ ]+{LIST}")
BY = re.compile(rf"\bby[ ]+{LIST}")
HOMES = {word for line in house.read("LAYERS").splitlines() if line.startswith("@atomics") for word in line.split()[1:]}


@dataclass
class Order:
    """One tag with the operation it stands at."""
    tag: str
    file: str
    line: int
    text: str                                       # its comment, one line
    operations: list[str] = field(default_factory=list)  # one, or the two branches of an if/else
    orders: list[str] = field(default_factory=list)
    pairs: list[str] = field(default_factory=list)


def full(reference: str, tag: str) -> str:
    """.2 beside deque.pop.1 means deque.pop.2"""
    return tag.rsplit(".", 1)[0] + reference if reference.startswith(".") else reference


def plain(comment: str) -> str:
    """A comment without its stars, on one line."""
    text = re.sub(r"^/[*/]+|\*/$", "", comment)
    return " ".join(re.sub(r"^[ \t]*\*[ \t]?", "", line.rstrip("\\ \t")) for line in text.split("\n")).strip()


def call_end(text: str, opening: int) -> int:
    depth = 0
    for place in range(opening, len(text)):
        depth += {"(": 1, ")": -1}.get(text[place], 0)
        if depth == 0:
            return place
    return len(text)


def tags_of(name: str, line: int, comment: str) -> list[Order]:
    text, orders = plain(comment), []
    marks = list(TAG.finditer(text))
    for mark, after in zip(marks, [m.start() for m in marks[1:]] + [len(text)]):
        words = re.sub(r"\s+", " ", text[mark.end():after]).strip()
        pairs = [full(p, mark[1]) for m in PAIRS.finditer(words) for p in re.findall(ONE, m[1])]
        orders.append(Order(mark[1], name, line, words, pairs=pairs))
    return orders


def scan(name: str, found: house.Findings) -> list[Order]:
    """Match the operations of one file with the tags of the comments at them."""
    text = house.read(name)
    code = house.blank(text)
    lines = code.split("\n")
    by_first, by_last = {}, {}                       # comments by the line they start and end on
    for start, end in house.comments(text):
        first, last = house.line_of(text, start), house.line_of(text, end)
        tags = tags_of(name, first, text[start:end])
        by_first.setdefault(first, []).extend(tags)
        if not lines[first - 1][:start - text.rfind("\n", 0, start) - 1].strip():
            by_last[last] = tags                     # stands alone, so it speaks of what follows
    every = [order for tags in by_first.values() for order in tags]
    previous: tuple[int, Order] | None = None        # where the operation before ended, and the tag above its statement
    for operation in OPERATION.finditer(code):
        first = house.line_of(code, operation.start())
        end = call_end(code, operation.end() - 1)
        last = house.line_of(code, end)
        while not re.search(r"[;{}\\]\s*$", lines[last - 1]) and last < len(lines) and not OPERATION.search(lines[last]):
            last += 1                                # to the end of the statement
        start = first
        while start > 1 and lines[start - 2].strip() and not re.search(r"[;{}:]\s*\\?$|^\s*#", lines[start - 2]):
            start -= 1                               # to the start of the statement
        near = by_last.get(first - 1, []) + by_last.get(start - 1, [])
        near += [tag for line in range(start, last + 1) for tag in by_first.get(line, [])]
        mine = next((tag for tag in near if not tag.operations), None)
        if mine is None and previous and re.fullmatch(r"\)\s*;[\s}]*else[\s{]*(?:if\s*\()?", code[previous[0]:operation.start()]):
            mine = previous[1] if len(previous[1].operations) == 1 else None
        called = f"skua_{operation[1]}" if operation[1] else f"skuai_{operation[2]}"
        if mine is None:
            found.add(name, first, f"{called} has no order tag; nobody can tell whether its order is enough; "
                      f"write /* order {Path(name).stem}.<op>.<n>: why */ behind or above it")
            continue
        previous = (end, mine) if mine in by_last.get(start - 1, []) else None
        mine.line = mine.line if mine.operations else first
        mine.operations.append(called)
        mine.orders += [word for word in re.findall(r"\w+", code[operation.end():end]) if word in WORDS]
        mine.orders += {"light_fence": ["light"], None: ["membarrier"]}.get(operation[1], [])
    for order in every:
        said = re.match(rf"(?:[a-z]+ )?({'|'.join(WORDS)})\b", order.text)
        if order.orders and said and said[1] not in order.orders:
            found.add(name, order.line, f"order {order.tag} says {said[1]}, the code says {order.orders[0]}; one of them is wrong")
        if not order.operations:
            found.add(name, order.line, f"order {order.tag} stands at no atomic operation; move or remove it")
        elif order.tag.split(".")[0] != Path(name).stem:
            found.add(name, order.line, f"order {order.tag}: its first part must be the file's name, {Path(name).stem}")
        elif not order.text:
            found.add(name, order.line, f"order {order.tag} gives no reason; say in a few words why it is enough")
    return every


def check_references(orders: list[Order], found: house.Findings) -> None:
    known: dict[str, Order] = {}
    for order in orders:
        if order.tag in known:
            other = known[order.tag]
            found.add(order.file, order.line, f"order {order.tag} is taken by {other.file}:{other.line}; give it another number")
        known.setdefault(order.tag, order)
    for order in orders:
        for reference in [r for m in BY.finditer(order.text) for r in re.findall(ONE, m[1])] + order.pairs:
            if full(reference, order.tag) not in known:
                found.add(order.file, order.line, f"order {order.tag} names {reference}, which does not exist; correct the tag")
        for pair in order.pairs:
            if pair in known and order.tag not in known[pair].pairs:
                found.add(order.file, order.line, f"order {order.tag} pairs {pair}, but that one does not pair back; "
                          f"add `pairs {order.tag}` at {known[pair].file}:{known[pair].line}")


def table(orders: list[Order]) -> str:
    rows = ["# Ledger of atomic orders", "",
            "Every atomic operation of the library, with the reason its order is enough. Generated by",
            "`tools/lint_orders.py --table` (`make docs`) from the `order` comments; do not edit. The last column",
            "says which model case notices when that order is weakened by one step (`tools/mutate_orders.py`).", "",
            "| tag | operation | order | where | why | pairs | weakened |", "|---|---|---|---|---|---|---|"]
    fates: dict[str, list[str]] = {}
    for line in house.read(KILLED).splitlines()[1:]:
        tag, change, fate = line.split("\t")
        fates.setdefault(tag, []).append(f"{change}: {fate}")
    for order in sorted(orders, key=lambda o: [int(p) if p.isdigit() else p for p in o.tag.split(".")]):
        why = re.split(r"(?<=[a-z0-9)])[.;] |\s+(?:shape|forbids|weaker|red|cost)\s", order.text)[0]
        why = re.sub(r",?\s*\bpairs .*$", "", why) if order.pairs else why
        why = (why if len(why) <= 72 else why[:72].rsplit(" ", 1)[0] + " …").replace("|", "\\|")
        where = f"[{order.file}:{order.line}](../{order.file}#L{order.line})"
        rows.append(f"| {order.tag} | {', '.join(order.operations)} | {', '.join(order.orders)} | {where} | {why} | {', '.join(order.pairs)} | "
                    f"{'; '.join(fates.get(order.tag, []))} |")
    return "\n".join(rows) + "\n"


def main() -> None:
    found = house.Findings()
    names = [n for n in house.files(*house.C_SUFFIXES, under=("src/", "include/", "tool/", "bench/")) if n not in HOMES]
    orders = [order for name in names for order in scan(name, found)]
    check_references(orders, found)
    ledger = table([order for order in orders if not order.file.startswith("bench/")])
    if "--table" in sys.argv[1:]:
        print(ledger, end="")
        return
    if LEDGER not in house.all_files() or house.read(LEDGER) != ledger:
        found.add(LEDGER, 1, "stale: the order comments have changed since it was written; run `make docs`")
    found.finish(f"{len(orders)} atomic operations, each with its order")


main()
