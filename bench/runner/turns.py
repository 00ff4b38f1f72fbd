"""turns.py — one turn of one runtime: which command it is, and what its lines must be"""

from argparse import Namespace
from pathlib import Path

import ours
from measure import NOT_OFFERED, Failed, NotOffered, Run, judge_status, read_lines, run_process
from peers import Runtime, fill
from rounds import Turn


class Measurer:
    """Called with a turn, it measures."""

    def __init__(self, options: Namespace, runtimes: list[Runtime], launcher: Path | None) -> None:
        self.skua, self.limit_s, self.launcher = options.skua, options.limit, launcher
        self.runtimes = {runtime.name: runtime for runtime in runtimes}
        self.repeat: dict[str, int] = {}
        self.cases: dict[str, dict[str, int]] = {}  # of a problem: its cases and their elements
        for row in options.rows:
            self.repeat[row.problem] = max(row.repeat, self.repeat.get(row.problem, 0))
            cases = self.cases.setdefault(row.problem, {})
            if row.case:
                cases[row.case] = row.elements or 0

    def __call__(self, turn: Turn, is_short: bool = False) -> Run:
        repeat = 1 if is_short else self.repeat[turn.problem]
        run = (self.run_skua(turn, repeat) if turn.runtime == ours.SKUA
               else self.run_peer(turn, repeat))
        for line in run.lines:
            if (line.problem, line.workers) != (turn.problem, turn.workers):
                raise Failed(f"asked for {turn.problem} with {turn.workers}, it measured "
                             f"{line.problem} with {line.workers}")
        return run

    def run_skua(self, turn: Turn, repeat: int) -> Run:
        command = [str(self.skua), "bench", turn.problem, f"--workers={turn.workers}",
                   f"--repeat={repeat}", "--json"]
        used, out, err = run_process(command, self.limit_s, self.launcher)
        if used.status == 2 and ("there is no kernel" in err or "has no size" in err):
            raise NotOffered(err.splitlines()[0])
        if used.status == NOT_OFFERED:     # of ours it means something else
            raise Failed(f"it could not be measured: {err.strip()[-200:]}")
        judge_status(used, err)
        return Run(used, ours.read_skua(out, turn.problem, self.cases[turn.problem]))

    def run_peer(self, turn: Turn, repeat: int) -> Run:
        program = self.runtimes[turn.runtime].command(turn.problem.partition(":")[0])
        command = fill(program or [], turn.problem, turn.workers, repeat)
        used, out, err = run_process(command, self.limit_s, self.launcher)
        judge_status(used, err)
        return Run(used, read_lines(out, self.cases[turn.problem]))


def turns_of(options: Namespace, runtimes: list[Runtime],
             has_skua: bool) -> list[Turn]:
    found = []
    for problem in dict.fromkeys(row.problem for row in options.rows):
        kernel = problem.partition(":")[0]
        names = [ours.SKUA] * has_skua + [runtime.name for runtime in runtimes
                                          if runtime.command(kernel)]
        found += [Turn(name, problem, workers) for workers in options.workers
                  for name in names]
    return found
