"""rounds.py — interleaved rounds in random order, within a budget of time

What is compared runs close together: a group is one problem with one number of workers, and in a
round every runtime has one turn in it, in random order.  So a slow spell of the machine falls on
all alike.  The first round also learns what each group costs.  After it the time that is left is
divided like water among vessels, in stages: as many groups as possible get enough rounds for an
interval before any gets more, and the cheap ones are filled first.  Where there are more workers
than CPUs a group counts double: such rows get fewer rounds.
"""

import random
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from machine import Clock, Noise
from measure import Failed, GaveUp, Line, NotOffered, Run, Used

GUESS_S = 1.5   # of a turn that nobody has seen; arbitrary, replaced by the mean of those seen
STAGES = (4, 7, 11)     # rounds that all should have before some get more; three and a warm-up
SLOW_S = 1.0    # a process that takes longer gets one timed run, not several; arbitrary


@dataclass(frozen=True)
class Turn:
    """One process: a runtime, a problem, a number of workers."""
    runtime: str
    problem: str
    workers: int


@dataclass
class Sample:
    """One line of one process."""
    round: int
    turn: Turn
    line: Line
    used: Used
    group_run: int      # which run of a group it belongs to; the noise is known of that


@dataclass
class Missing:
    """Why a turn has no figures, or no more of them."""
    turn: Turn
    kind: str           # "not offered", "gave up", "failed", "not tried"
    text: str


@dataclass
class GroupRun:
    """One group in one round, and how quiet the machine was."""
    round: int
    problem: str
    workers: int
    noise: Noise


@dataclass
class Group:
    problem: str
    workers: int
    turns: list[Turn]
    cost_s: float = 0.0     # of the last time
    rounds: int = 0


@dataclass
class Measured:
    samples: list[Sample] = field(default_factory=list)
    missing: list[Missing] = field(default_factory=list)
    runs: list[GroupRun] = field(default_factory=list)
    rounds: int = 0
    seconds: float = 0.0
    is_broken_off: bool = False
    whole: Noise = field(default_factory=lambda: Noise(None, None))


@dataclass
class Plan:
    """What to measure, and for how long."""
    turns: list[Turn]
    measure: Callable[[Turn, bool], Run]    # true: with one timed run only
    budget_s: float
    rounds: int
    seed: int
    cpus: int


class Progress:
    """A bar with the time left, on a terminal; else a line a round."""

    def __init__(self, stream=sys.stderr) -> None:
        self.stream = stream
        self.is_terminal = stream.isatty()
        self.width = 0

    def show(self, done: float, left_s: float, text: str) -> None:
        if not self.is_terminal:
            return
        filled = round(24 * min(max(done, 0.0), 1.0))
        line = (f"[{'#' * filled}{'.' * (24 - filled)}] {100 * min(done, 1.0):3.0f} %  "
                f"{int(left_s) // 60}:{int(left_s) % 60:02d} left  {text}")[:100]
        print(f"\r{line:<{self.width}}", end="", file=self.stream, flush=True)
        self.width = len(line)

    def say(self, text: str) -> None:
        begin = "\r" if self.is_terminal else ""
        print(f"{begin}{text:<{self.width}}", file=self.stream, flush=True)
        self.width = 0


def water_level(wanted: list[float], amount: float) -> float:
    """The level up to which each is filled, such that all together take the amount."""
    left, level = amount, 0.0
    for i, want in enumerate(sorted(wanted)):
        share = left / (len(wanted) - i)
        if want > share:
            return share
        level = want
        left -= want
    return level


class Rounds:
    """The state of one run."""

    def __init__(self, plan: Plan, progress: Progress) -> None:
        self.plan, self.progress = plan, progress
        self.random = random.Random(plan.seed)
        self.measured = Measured()
        self.dead: set[Turn] = set()
        self.slow: set[Turn] = set()
        self.spent: list[float] = []    # seconds of each turn so far
        self.begin = time.monotonic()
        names: dict[tuple[str, int], list[Turn]] = {}
        for turn in plan.turns:
            names.setdefault((turn.problem, turn.workers), []).append(turn)
        self.groups = [Group(*name, turns) for name, turns in names.items()]

    # --- time ---

    def left_s(self) -> float:
        return self.plan.budget_s - (time.monotonic() - self.begin)

    def guess_s(self, group: Group) -> float:
        if group.cost_s:
            return group.cost_s
        mean = sum(self.spent) / len(self.spent) if self.spent else GUESS_S
        return mean * len(self.alive(group))

    def alive(self, group: Group) -> list[Turn]:
        return [turn for turn in group.turns if turn not in self.dead]

    def choose(self) -> list[Group]:
        """The groups of the next round."""
        if self.measured.rounds == 0:   # few workers first: who gives up there need not try more
            return sorted(self.random.sample(self.groups, len(self.groups)),
                          key=lambda group: group.workers)
        for stage in sorted({min(stage, self.plan.rounds) for stage in (*STAGES, 1000)}):
            if chosen := self.choose_up_to(stage):
                return self.random.sample(chosen, len(chosen))
        return []

    def choose_up_to(self, rounds: int) -> list[Group]:
        left = self.left_s()
        below = [group for group in self.groups
                 if self.alive(group) and group.rounds < rounds and group.cost_s <= left]
        level = water_level([(rounds - group.rounds) * self.weighed(group) for group in below],
                            left)
        if chosen := [group for group in below if self.weighed(group) <= level]:
            return chosen
        # What an equal share does not pay for, the rest of the time may.
        return sorted(below, key=lambda group: (self.is_crowded(group), group.rounds,
                                                group.cost_s))[:1]

    def is_crowded(self, group: Group) -> bool:
        return group.workers > self.plan.cpus

    def weighed(self, group: Group) -> float:
        return group.cost_s * (2 if self.is_crowded(group) else 1)

    # --- turns ---

    def lose(self, turn: Turn, kind: str, text: str) -> None:
        self.dead.add(turn)
        self.measured.missing.append(Missing(turn, kind, text))

    def lose_others(self, turn: Turn, kind: str, text: str) -> None:
        """What one turn says of others: a problem it has not, or workers it need not try."""
        for other in self.plan.turns:
            if other in self.dead or (other.runtime, other.problem) != (turn.runtime, turn.problem):
                continue
            if kind == "not offered":
                self.lose(other, kind, text)
            elif kind == "gave up" and other.workers > turn.workers:
                self.lose(other, "not tried", f"{text} with {turn.workers} already")

    def run_turn(self, turn: Turn) -> None:
        try:
            run = self.plan.measure(turn, self.measured.rounds == 0 or turn in self.slow)
        except NotOffered as why:
            self.lose(turn, "not offered", str(why))
            self.lose_others(turn, "not offered", str(why))
        except GaveUp as why:
            self.lose(turn, "gave up", str(why))
            self.lose_others(turn, "gave up", str(why))
        except Failed as why:
            self.lose(turn, "failed", str(why))
        else:
            self.measured.samples += [Sample(self.measured.rounds, turn, line, run.used,
                                             len(self.measured.runs)) for line in run.lines]

    def run_group(self, group: Group) -> None:
        before, cost = Clock.read(), {}
        turns = self.alive(group)
        for turn in self.random.sample(turns, len(turns)):
            if turn in self.dead:
                continue
            self.show(turn)
            start = time.monotonic()
            self.run_turn(turn)
            cost[turn] = time.monotonic() - start
            if cost[turn] > SLOW_S:
                self.slow.add(turn)
        self.spent += cost.values()
        group.cost_s = sum(cost[turn] for turn in cost if turn not in self.dead)
        group.rounds += 1
        self.measured.runs.append(GroupRun(self.measured.rounds, group.problem, group.workers,
                                           Noise.between(before, Clock.read())))

    def show(self, turn: Turn) -> None:
        wanted = sum((self.plan.rounds - group.rounds) * self.guess_s(group)
                     for group in self.groups if self.alive(group))
        elapsed = time.monotonic() - self.begin
        left = max(0.0, min(self.left_s(), wanted))
        self.progress.show(elapsed / (elapsed + left) if elapsed + left else 0, left,
                           f"round {self.measured.rounds + 1}, {turn.problem} by {turn.runtime}, "
                           f"{turn.workers} worker{'s' * (turn.workers > 1)}")

    # --- rounds ---

    def run_round(self, groups: list[Group]) -> None:
        for group in groups:
            if self.measured.rounds > 0 and self.guess_s(group) > self.left_s():
                continue    # it would not end in time; a smaller one may
            if self.left_s() <= 0:
                for turn in self.alive(group):
                    self.lose(turn, "not tried", "the time was used up before its first turn")
                continue
            self.run_group(group)

    def tell_round(self, count: int) -> None:
        """Rounds of a group or two at the end are not worth a line."""
        if self.measured.rounds == 1 or count > len(self.groups) // 4:
            self.progress.say(f"round {self.measured.rounds}: {count} of {len(self.groups)} "
                              f"groups, {time.monotonic() - self.begin:.0f} s so far")

    def run(self) -> Measured:
        before = Clock.read()
        try:
            while groups := self.choose():
                count = len(self.measured.runs)
                self.run_round(groups)
                self.measured.rounds += 1
                if len(self.measured.runs) == count:
                    break
                self.tell_round(len(self.measured.runs) - count)
        except KeyboardInterrupt:
            self.measured.is_broken_off = True
            self.progress.say("broken off; the report has what was measured so far")
        self.measured.seconds = time.monotonic() - self.begin
        self.measured.whole = Noise.between(before, Clock.read())
        return self.measured
