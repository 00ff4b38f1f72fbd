#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# cross_check.py — the checker against the axioms: random programs, RC11 graphs by brute force
"""Compares check/ with a second opinion that shares nothing with it.

The checker runs programs on a machine of views.  This enumerates execution graphs (who reads from
whom, modification orders) and keeps those the axioms of RC11 allow, seq_cst accesses as acq_rel:

    hb = (sb + synchronizes-with)+ is irreflexive; so is hb ; (rf + mo + fr)+
    an RMW is next in mo to what it read; sb + rf has no cycle
    psc, the order of seq_cst fences by hb and hb;eco;hb, has no cycle, nor has sb + rf + psc

The last half line is more than RC11 asks: see isa2_fences_relaxed_middle in model_litmus.c.  Programs
where it matters are counted.  Every program must show the same outcomes and the same number of
graphs in both.  The table of model_litmus.c goes first, then random programs.

usage: cross_check.py MODEL_LITMUS [--count N] [--seed S] [--events N]
"""
import argparse
import itertools
import os
import random
import re
import subprocess
import sys
import tempfile

ACQUIRE, RELEASE = {"acq", "ar", "sc"}, {"rel", "ar", "sc"}


class Op:
    """One operation of the language at the top of model_litmus.c."""

    def __init__(self, word):
        self.word, self.guarded = word, word[0] == "?"
        body, _, order = word.lstrip("?").partition(".")
        self.kind, self.order = body[0], order or "rlx"
        self.var = body[1] if self.kind in "RWAXC" else None
        numbers = [int(n) for n in re.findall(r"\d+", body[2:])]
        self.value = numbers[0] if numbers else 0
        self.desired = numbers[1] if len(numbers) > 1 else 0
        self.reads, self.writes = self.kind in "RAXC", self.kind in "WAXC"


class Event:
    """An operation as it ran: a CAS has succeeded or not."""

    def __init__(self, thread, place, op, done=True):
        self.thread, self.place, self.op = thread, place, op
        self.var, self.kind, self.done = op.var, op.kind, done
        self.reads, self.writes = op.reads, op.writes and done
        self.rmw, self.order = self.reads and self.writes, op.order
        if op.kind == "C" and not done:
            self.order = "acq" if op.order in ("acq", "ar") else "rlx"


def parse(text):
    text, _, finals = text.partition("=")
    threads = [[Op(w) for w in t.split()] for t in text.removeprefix("0:").split("|")]
    return threads, finals.replace(" ", "")


def ways(thread, ops):
    """All runs of one thread: (events, [(place of a read, must it be nonzero)])."""

    def go(place, last):
        if place == len(ops):
            yield [], []
            return
        op = ops[place]
        if op.guarded:
            for events, facts in go(place + 1, last):
                yield events, facts + ([(last, False)] if last is not None else [])
            if last is None:
                return
        facts_here = [(last, True)] if op.guarded else []
        for done in (True, False) if op.kind == "C" else (True,):
            for events, facts in go(place + 1, place if op.reads else last):
                yield [Event(thread, place, op, done)] + events, facts + facts_here

    return list(go(0, None))


def closed(rows):
    """The transitive closure of a relation, a row of bits for each event; None if it has a cycle."""
    rows = rows[:]
    for k in range(len(rows)):
        for i in range(len(rows)):
            if rows[i] >> k & 1:
                rows[i] |= rows[k]
    return None if any(row >> i & 1 for i, row in enumerate(rows)) else rows


def then(first, second):
    return [
        sum_bits(second[j] for j in range(len(second)) if row >> j & 1) for row in first
    ]


def sum_bits(rows):
    total = 0
    for row in rows:
        total |= row
    return total


def values_of(events, rf, before):
    """What each event reads and writes, or None: a CAS would have gone the other way."""
    got, put = {}, {}
    for i in sorted(range(len(events)), key=lambda i: sum(row >> i & 1 for row in before)):
        event = events[i]
        if event.reads:
            got[i] = put[rf[i]]
        if event.kind == "C" and (got[i] == event.op.value) != event.done:
            return None
        if event.writes:
            put[i] = {"A": got.get(i, 0) + event.op.value, "C": event.op.desired}.get(
                event.kind, event.op.value
            )
    return got, put


def synchronised(events, sb, rf):
    """sb and synchronizes-with; a release sequence is continued by RMWs alone."""
    hb = sb[:]
    fences = [i for i, e in enumerate(events) if e.kind == "F"]
    for read, write in rf.items():
        ends = [f for f in fences if sb[read] >> f & 1 and events[f].order in ACQUIRE]
        ends += [read] if events[read].order in ACQUIRE else []
        while True:
            heads = [f for f in fences if sb[f] >> write & 1 and events[f].order in RELEASE]
            heads += [write] if events[write].order in RELEASE else []
            for head in heads:
                hb[head] |= sum_bits(1 << end for end in ends)
            if not events[write].rmw:
                break
            write = rf[write]
    return hb


def communication(events, rf, orders):
    """(rf + mo + fr)+, or None: a cycle, or an RMW that is not next to what it read."""
    eco = [0] * len(events)
    for order in orders:
        for at, write in enumerate(order):
            later = sum_bits(1 << other for other in order[at + 1 :])
            eco[write] |= later
            for read in (r for r, source in rf.items() if source == write):
                if events[read].rmw and order[at + 1 : at + 2] != (read,):
                    return None
                eco[write] |= 1 << read
                eco[read] |= later & ~(1 << read)
    return closed(eco)


def graphs_of(events, variables):
    """Yields (rf, orders, got, put, is_promise_free) for every graph the axioms allow."""
    count = len(events)
    sb = [
        sum_bits(
            1 << j
            for j in range(count)
            if i < len(variables) <= j
            or (i < j and events[i].thread == events[j].thread >= 0)
        )
        for i in range(count)
    ]
    writes = {v: [i for i, e in enumerate(events) if e.writes and e.var == v] for v in variables}
    reads = [i for i, e in enumerate(events) if e.reads]
    fences = [i for i, e in enumerate(events) if e.kind == "F" and e.order == "sc"]
    for sources in itertools.product(*[writes[events[r].var] for r in reads]):
        rf = dict(zip(reads, sources))
        porf = [row | sum_bits(1 << r for r in reads if rf[r] == i) for i, row in enumerate(sb)]
        before = closed(porf)
        values = before and values_of(events, rf, before)
        hb = values and closed(synchronised(events, sb, rf))
        if not hb:
            continue
        for orders in itertools.product(
            *[[(w[0],) + p for p in itertools.permutations(w[1:])] for w in writes.values()]
        ):
            eco = communication(events, rf, orders)
            if not eco or any(row >> i & 1 for i, row in enumerate(then(hb, eco))):
                continue
            far, mask = then(then(hb, eco), hb), sum_bits(1 << f for f in fences)
            psc = [(hb[i] | far[i]) & mask if i in fences else 0 for i in range(count)]
            if closed(psc):
                both = closed([a | b for a, b in zip(porf, psc)])
                yield rf, orders, values[0], values[1], both is not None


def solve(text):
    """(outcomes, graphs, graphs that RC11 has besides) of a program."""
    threads, finals = parse(text)
    variables = sorted({op.var for ops in threads for op in ops if op.var} | set(finals))
    start = [Event(-1, 0, Op(f"W{v}0")) for v in variables]
    outcomes, graphs, besides = set(), 0, 0
    for runs in itertools.product(*[ways(t, ops) for t, ops in enumerate(threads)]):
        events = start + [event for run in runs for event in run[0]]
        index = {(e.thread, e.place): i for i, e in enumerate(events)}
        facts = [(index[t, p], wanted) for t, run in enumerate(runs) for p, wanted in run[1]]
        for _, orders, got, put, is_promise_free in graphs_of(events, variables):
            if any((got[i] != 0) != wanted for i, wanted in facts):
                continue
            if not is_promise_free:
                besides += 1
                continue
            graphs += 1
            words = [
                str(got[index[t, p]]) if (t, p) in index else "-"
                for t, ops in enumerate(threads)
                for p, op in enumerate(ops)
                if op.reads
            ]
            words += [str(put[orders[variables.index(v)][-1]]) for v in finals]
            outcomes.add(",".join(words))
    return outcomes, graphs, besides


SHAPES = """Wx F Ry|Wy F Rx; Wx F Wy|Ry F Rx; Wx F Wy|Wy F Rx; Wx F Wy|Wy F Wx; Wx|Rx F Wy|Ry F Rx
Wx F Wy|Ry F Wx; Wx|Rx F Ry|Wy F Rx; Rx F Wy|Ry F Wx; Wx|Wy|Rx F Ry|Ry F Rx; Wx F Wy|Ay|Ry F Rx
Wx Wy|Ry Az|Rz F Rx; Wx F Wy|Ry Wz|Rz F Rx; Ax F Ry|Ay F Rx; Wx F Ry|Wy F Wz|Wz F Rx; Wx|Wx|Rx Rx
Wx F Wy|Xy|Ry F Rx; Cx F Wy|Ry F Cx; Wx Wy|Ry ?Wx|Rx F Ry; Wx F Wy|F Ry Rx
F Ry Rx|Wx F Wy; Wx F Wy|F Ry F Rx|Wx F Ry; Wx F Wy F Wz|F Rz Rx|F Ry Rx""".replace("\n", ";").split(";")


def with_orders(words, rng):
    """Words like "Wx" become whole operations: a fresh value, a random order."""
    value, text = 0, []
    for word in words:
        kind = word.lstrip("?")[0]
        orders = {"R": "rlx rlx acq sc", "W": "rlx rlx rel sc", "F": "acq rel sc sc"}
        order = rng.choice(orders.get(kind, "rlx acq rel ar").split())
        value += kind in "WXC"
        number = {"W": value, "X": value, "A": 10, "C": f"{rng.choice((0, 0, 1))}>{value}"}
        if kind == "|":
            text.append("|")
        elif kind != "F" or rng.random() < 0.85:
            text.append(f"{word}{number.get(kind, '')}.{order}")
    return " ".join(text)


def random_program(rng, most):
    if rng.random() < 0.5:
        words = rng.choice(SHAPES).replace("|", " | ").split()
        text = with_orders(words, rng) + " = x y z"
    else:
        threads = [[] for _ in range(rng.choice((2, 3, 3)))]
        for _ in range(rng.randint(4, most)):
            kind = rng.choice("RRRRRRRWWWWWWWAXCFFF")
            guard = "?" if rng.random() < 0.2 and kind != "F" else ""
            rng.choice(threads).append(guard + kind + (rng.choice("xy") if kind != "F" else ""))
        words = " | ".join(" ".join(t) for t in threads if t).split()
        text = with_orders(words, rng) + " = x y"
    return ("0: " if rng.random() < 0.3 else "") + text


def table_programs(path):
    """The table of model_litmus.c, as far as this language here goes (no L, M, plain cells)."""
    source = open(path, encoding="utf-8").read()
    for name, text in re.findall(r'\{ "(\w+)", "([^"]+)"', source):
        if not re.search(r"[LMrw]", re.sub(r"\.\w+", "", text)):
            yield name, text


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("model_litmus")
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--events", type=int, default=7)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    here = os.path.dirname(os.path.abspath(__file__))
    programs = list(table_programs(os.path.join(here, "model_litmus.c")))
    programs += [(f"random_{i}", random_program(rng, options.events)) for i in range(options.count)]
    besides = 0
    with tempfile.NamedTemporaryFile("w", suffix=".litmus") as file:
        for name, text in programs:
            outcomes, graphs, more = solve(text)
            besides += more > 0
            print(f"{name}; {text}; {' '.join(sorted(outcomes))}; {graphs}", file=file)
        file.flush()
        run = subprocess.run(
            [options.model_litmus, "--programs", file.name], stdout=subprocess.PIPE, text=True
        )
    wrong = [line for line in run.stdout.splitlines() if not line.endswith(" ok")]
    print("\n".join(wrong[:40]))
    print(
        f"{len(programs)} programs (seed {options.seed}) by brute force and by the checker; "
        f"in {besides} RC11 has graphs that need load buffering through a fence"
    )
    return run.returncode


if __name__ == "__main__":
    sys.exit(main())
