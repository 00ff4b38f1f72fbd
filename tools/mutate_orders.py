#!/usr/bin/env python3
"""mutate_orders.py — weaken each order of src/sched by one step; some model case must notice

    tools/mutate_orders.py [--write] [FILE...]     default: every file of src/sched, and INLINED

Each tagged operation is weakened in a copy of its file: an acquire, release, fence or membarrier is taken
away, acq_rel loses one half.  The copy is compiled against the model checker (build/model) and run through
the cases of tests/model/model_<file>.c, all but those called large_*; a header that others inline,
through those of the file that INLINED names.  A file with nothing to weaken needs no cases;
one that only makes sense with real threads says `Unmodelled: why` in its first comment.  A mutant that no case
notices must carry a reason at its tag, `survives because ...`; otherwise the run is red.  The results are
kept in tests/model/killed.txt, from which lint_orders.py fills the ledger; --write writes it, without it a
difference is red.
"""

import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "tests/model/killed.txt"
HEADER = "# killed.txt — what notices each order weakened by a step; tools/mutate_orders.py --write\n"
BUILD = Path(os.environ.get("SKUA_BUILD", ROOT / "build/model"))
INLINED = {ROOT / "include/skua/detail/slot.h": "forks",  # headers with operations: whose cases judge them
           ROOT / "src/sched/settle.h": "settle", ROOT / "src/trace/evring.h": "evring",
           ROOT / "bench/rivals/mpmc_ring.h": "mpmc_ring"}
FLAGS = ["-std=gnu11", "-O2", "-D_GNU_SOURCE", "-DNDEBUG", "-DSKUA_ATOMICS_MODEL=1", "-DSKUA_ATOMS_OF_HOUSE=1", "-w",
         *(f"-I{ROOT}/{folder}" for folder in ("src", "include", "check", "bench", "bench/rivals")), "-include", f"{ROOT}/src/base/atomic.h"]
LIMIT = r"too large|not deterministic|more than \d+ (?:steps|choices|different)|no way to go on|no execution came to its end"  # the checker gave up
WEAKER = {"seq_cst": ["acq_rel"], "acq_rel": ["acquire", "release"], "acquire": ["relaxed"], "release": ["relaxed"]}
PIECE = re.compile(r"/\*.*?\*/|\bskua_(?:atom_)?(?:load|store|exchange|cas_weak|cas|add|sub|or|and|fence|light_fence)\s*\(|\bskuai_membarrier\(\)",
                   re.S)
TAG = re.compile(r"\border\s+([a-z0-9_.]+)\s*:")


@dataclass
class Mutant:
    tag: str
    change: str      # what was done, in words
    source: str      # the whole mutated file
    reason: str      # why it may survive; empty: it may not
    killed_by: str = ""


def call(text: str, start: int) -> int:
    """One past the call whose name starts at `start`."""
    depth = 0
    for place in range(text.index("(", start), len(text)):
        depth += {"(": 1, ")": -1}.get(text[place], 0)
        if depth == 0:
            return place + 1
    raise ValueError("unbalanced call")


def weakened(operation: str) -> list[tuple[str, str]]:
    """(what was done, the operation after it) for every single step down."""
    if operation.startswith("skuai_membarrier"):
        return [("membarrier removed", "0")]
    if re.match(r"skua_(?:atom_)?light_fence", operation):
        return [("light fence removed", "((void)0)")]
    if re.match(r"skua_(?:atom_)?fence", operation):
        order = re.search(r"(\w+)\s*\)$", operation)[1]
        return [(f"fence {order} -> {weaker}", operation.replace(order, weaker)) for weaker in WEAKER.get(order, [])] + \
               [("fence removed", "((void)0)")]
    orders = list(re.finditer(r"\b(relaxed|acquire|release|acq_rel|seq_cst)\b", operation))
    if operation.startswith("skua_cas"):
        orders = orders[-2:]
    else:
        orders = orders[-1:]
    return [(f"{order[1]} -> {weaker}", operation[:order.start()] + weaker + operation[order.end():])
            for order in orders for weaker in WEAKER.get(order[1], [])]


def mutants_of(text: str) -> list[Mutant]:
    found, tag, reason = [], "", ""
    for piece in PIECE.finditer(text):
        if piece[0].startswith("/*"):
            if TAG.search(piece[0]):
                tag = TAG.search(piece[0])[1]
                words = re.sub(r"\s*\n\s*\*\s*", " ", piece[0][2:-2].strip())
                because = re.search(r"survives because (.*?)(?: (?:shape|forbids|weaker|red|cost) |$)", words)
                reason = because[1] if because else ""
            continue
        end = call(text, piece.start())
        line_end = text.index("\n", end)
        behind = TAG.search(text[end:line_end])
        for change, operation in weakened(text[piece.start():end]):
            found.append(Mutant(behind[1] if behind else tag, change, text[:piece.start()] + operation + text[end:],
                                "" if behind else reason))
    return found


def try_mutant(number: int, mutant: Mutant, file: Path) -> None:
    """Build it and run the cases until one fails; its name goes to killed_by."""
    stem = INLINED.get(file, file.stem)
    with tempfile.TemporaryDirectory(prefix=f"{file.stem}_{number}_", dir=BUILD / "mutants") as folder:
        changed, program = Path(folder, file.name), Path(folder, "program")
        if file in INLINED:                          # found before the true one, by all that include it
            changed = Path(folder, *file.relative_to(ROOT).parts[1:])
            changed.parent.mkdir(parents=True)
        changed.write_text(mutant.source)
        source = ROOT / f"src/sched/{stem}.c" if file in INLINED else changed
        subprocess.run(["gcc", f"-I{folder}", *FLAGS, *([str(source)] if source.exists() else []), str(ROOT / f"tests/model/model_{stem}.c"),
                        str(BUILD / "libskua.a"), "-o", str(program)], check=True)
        cases = subprocess.run([program, "--list"], check=True, capture_output=True, text=True).stdout.split()
        for case in (case for case in cases if not case.startswith("large_")):
            done = subprocess.run([program, "--quiet", case], cwd=folder, capture_output=True, text=True)
            if done.returncode not in (0, 1) or re.search(LIMIT, done.stdout):
                raise SystemExit(f"mutate_orders: {mutant.tag}, {mutant.change}: {case} did not judge it:\n{done.stdout}{done.stderr}")
            if done.returncode:
                mutant.killed_by = case
                break


def why_unmodelled(file: Path) -> str:
    why = re.search(r"^ \* Unmodelled: (.*?)(?:\n \*\n|\n \*/)", file.read_text(), re.M | re.S)
    return re.sub(r"\s*\n \* ", " ", why[1]) if why else ""


def fate_of(mutant: Mutant, file: Path) -> str:
    if not model_of(file).exists():
        return f"not tried: {why_unmodelled(file)}"
    return f"killed by {mutant.killed_by}" if mutant.killed_by else f"survives: {mutant.reason or 'UNEXPLAINED'}"


def model_of(file: Path) -> Path:
    return ROOT / f"tests/model/model_{INLINED.get(file, file.stem)}.c"


def judge(mutants: dict[Path, list[Mutant]]) -> None:
    """Try all of them, two at a time; those that are to survive first, since they go through all cases."""
    tries = [(mutant, file, number) for file in mutants if model_of(file).exists()
             for number, mutant in enumerate(mutants[file])]
    if "--write" in sys.argv:                        # else the model tests themselves have said so
        tries += [(Mutant("", "unchanged", file.read_text(), "it is"), file, -1)
                  for file in mutants if mutants[file] and model_of(file).exists()]
    tries.sort(key=lambda entry: not entry[0].reason)
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda entry: try_mutant(entry[2], entry[0], entry[1]), tries))
    for mutant, file, _ in tries:
        if not mutant.tag and mutant.killed_by:
            sys.exit(f"mutate_orders: {file} fails {mutant.killed_by} as it is; mend that first")


def main() -> None:
    every = [*sorted((ROOT / "src/sched").glob("*.c")), *INLINED]
    named = [Path(a).resolve() for a in sys.argv[1:] if not a.startswith("--")] or every
    named += [file for file in every if file not in named and file.stem in {other.stem for other in named}]
    (BUILD / "mutants").mkdir(parents=True, exist_ok=True)
    before: dict[str, list[str]] = {}                # what is kept of each file, by its name
    for line in RESULTS.read_text().splitlines()[1:]:
        before.setdefault(line.split(".")[0], []).append(line)
    mutants = {file: mutants_of(file.read_text()) for file in named}
    judge(mutants)
    after, wrong = before | {file.stem: [] for file in named}, 0
    for file in named:
        if mutants[file] and not model_of(file).exists() and not why_unmodelled(file):
            print(f"{file}:1: {len(mutants[file])} orders to weaken, and no {model_of(file).relative_to(ROOT)} to notice")
            wrong += 1
        for mutant in mutants[file]:
            fate = fate_of(mutant, file)
            wrong += fate == "survives: UNEXPLAINED"
            after[file.stem].append(f"{mutant.tag}\t{mutant.change}\t{fate}")
            print(f"{mutant.tag:18} {mutant.change:28} {fate}")
    kept = HEADER + "".join(f"{line}\n" for stem in dict.fromkeys(file.stem for file in every)
                            for line in after.get(stem, []))
    if "--write" in sys.argv:
        RESULTS.write_text(kept)
    elif RESULTS.read_text() != kept:
        print("tests/model/killed.txt:1: stale: other orders or other cases; run tools/mutate_orders.py --write")
        wrong += 1
    print(f"mutate_orders: {sum(map(len, mutants.values()))} mutants, {wrong} to mend")
    sys.exit(wrong != 0)


main()
