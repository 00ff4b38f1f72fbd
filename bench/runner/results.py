"""results.py — samples become the figures of a report: one object, schema skua-report-1

Everything that reports print is in that object, which is also latest.json: a report can be written
again from it.  README.md beside this file describes its keys.
"""

import zlib
from collections.abc import Iterable
from dataclasses import dataclass, field

from machine import OTHERS_MOST, STEAL_MOST
from ours import SERIAL, SKUA
from problems import CPU, Row
from rounds import Measured, Sample
from stats import (Interval, geometric_mean, mad, median, outliers, percentiles, ratio_of,
                   resampled_medians)

SCHEMA = "skua-report-1"
ENOUGH = 3          # samples; with fewer an interval says nothing
EVEN = 0.02         # so close to 1 is level, whatever the intervals say
EVEN_FEW = 0.10     # the same where there are too few samples for one


@dataclass
class Cell:
    """One runtime in one row with one number of workers."""
    runtime: str
    samples: list[Sample]
    values: list[float]     # what the row compares, one for each process
    is_warm: bool           # the first round was left out
    draws: list[float] = field(default_factory=list)    # resampled medians

    @property
    def middle(self) -> float:
        return median(self.values)

    @property
    def is_right(self) -> bool:
        return all(sample.line.check for sample in self.samples)


def _value(sample: Sample, row: Row) -> float | None:
    numbers = sample.line.cpu_s if row.measure == CPU else sample.line.seconds
    return median(numbers) if numbers else None


def _cell(runtime: str, samples: list[Sample], row: Row, seed: int) -> Cell | None:
    """The first round is a warm-up where enough is left without it."""
    known = [(sample, value) for sample in samples if (value := _value(sample, row)) is not None]
    later = [pair for pair in known if pair[0].round > 0]
    is_warm = len(later) >= ENOUGH
    kept = later if is_warm else known
    if not kept:
        return None
    cell = Cell(runtime, [sample for sample, _ in kept], [value for _, value in kept], is_warm)
    name = f"{row.name} {kept[0][0].turn.workers} {runtime}"    # every cell draws for itself
    cell.draws = resampled_medians(cell.values, seed ^ zlib.crc32(name.encode()))
    return cell


def _cells(samples: Iterable[Sample], row: Row, seed: int) -> dict[str, Cell]:
    """By runtime; where one has several ways, the fastest."""
    ways: dict[tuple[str, str], list[Sample]] = {}
    for sample in samples:
        runtime = sample.line.name if sample.turn.runtime == SKUA else sample.turn.runtime
        if runtime != SERIAL or row.has_serial:
            ways.setdefault((runtime, sample.line.variant), []).append(sample)
    cells: dict[str, Cell] = {}
    for (runtime, _), found in ways.items():
        cell = _cell(runtime, found, row, seed)
        if cell and (runtime not in cells or cell.middle < cells[runtime].middle):
            cells[runtime] = cell
    return cells


def _ratio(above: Cell, below: Cell) -> Interval | None:
    return ratio_of(above.values, below.values, above.draws, below.draws)


def _shown(interval: Interval | None) -> dict | None:
    return dict(zip(("middle", "low", "high"), map(_short, interval))) if interval else None


def _short(value: float) -> float:
    """Six digits: more is noise, and makes every report a large difference."""
    return float(f"{value:.6g}")


def _middle_of(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return _short(median(known)) if known else None


def best_peer(cells: dict[str, Cell]) -> Cell | None:
    """The fastest that is right and is neither ours nor the plain program."""
    peers = [cell for name, cell in cells.items() if name not in (SKUA, SERIAL) and cell.is_right]
    return min(peers, key=lambda cell: cell.middle, default=None)


def verdict(ours: Cell | None, best: Cell | None, floor_s: float) -> str:
    """leads, level, behind; alone: there is no peer; missing: we are not there; wrong: we are."""
    if not ours:
        return "missing"
    if not ours.is_right:
        return "wrong"
    if not best:
        return "alone"
    ratio = _ratio(ours, best)
    if abs(ours.middle - best.middle) <= floor_s or not ratio:
        return "level"
    if min(len(ours.values), len(best.values)) < ENOUGH:
        even, is_below, is_above = EVEN_FEW, ratio.middle < 1, ratio.middle > 1
    else:
        even, is_below, is_above = EVEN, ratio.high < 1, ratio.low > 1
    if abs(ratio.middle - 1) <= even:
        return "level"
    return "leads" if is_below else "behind" if is_above else "level"


def _fork_ns(cell: Cell, cells: dict[str, Cell], row: Row, workers: int) -> float | None:
    """What a fork costs over the plain program, with one worker."""
    serial, ours = cells.get(SERIAL), cells.get(SKUA)
    forks = ours.samples[0].line.forks if ours else None
    if workers != 1 or not row.has_forks or not serial or not forks or cell is serial:
        return None
    return _short((cell.middle - serial.middle) / forks * 1e9)


def _cell_object(cell: Cell, cells: dict[str, Cell], row: Row, workers: int) -> dict:
    best, serial, line = best_peer(cells), cells.get(SERIAL), cell.samples[0].line
    has_process = row.has_memory and cell.runtime != SERIAL
    used = [sample.used for sample in cell.samples] if has_process else []
    low, high = percentiles(cell.draws)
    return {
        "runtime": cell.runtime, "variant": line.variant, "how": line.how, "check": cell.is_right,
        "samples": len(cell.values), "is_warm": cell.is_warm,
        "median_s": _short(cell.middle), "low_s": _short(low), "high_s": _short(high),
        "mad_s": _short(mad(cell.values)), "outliers": len(outliers(cell.values)),
        "cpu_s": _middle_of(median(sample.line.cpu_s) if sample.line.cpu_s else None
                            for sample in cell.samples),
        "peak_kib": _middle_of(one.peak_kib for one in used),
        "switches": _middle_of(one.voluntary + one.involuntary for one in used),
        "ratio": _shown(_ratio(cell, best)) if best else None,
        "speedup": _shown(_ratio(serial, cell)) if serial and row.measure != CPU else None,
        "fork_ns": _fork_ns(cell, cells, row, workers),
    }


def _why(row: Row, outcome: str, best: Cell | None) -> str | None:
    first = {"leads": SKUA, "behind": best.runtime if best else ""}.get(outcome, "")
    return row.why.get(first) or row.why.get("")


def _row_object(row: Row, workers: int, measured: Measured, seed: int, cpus: int) -> dict | None:
    here = [sample for sample in measured.samples
            if (sample.turn.problem, sample.line.case, sample.turn.workers)
            == (row.problem, row.case, workers)]
    cells = _cells(here, row, seed)
    runs = [run for run in measured.runs if (run.problem, run.workers) == (row.problem, workers)]
    lost = [missing for missing in measured.missing
            if (missing.turn.problem, missing.turn.workers) == (row.problem, workers)]
    if not runs and not lost:
        return None
    best, ours = best_peer(cells), cells.get(SKUA)
    outcome = verdict(ours, best, row.floor_s)
    order = sorted(cells.values(), key=lambda cell: (not cell.is_right, cell.middle))
    return {
        "name": row.name, "problem": row.problem, "case": row.case, "title": row.title,
        "measure": row.measure, "workers": workers, "is_oversubscribed": workers > cpus,
        "prediction": row.prediction, "rounds": len(runs),
        "noisy_rounds": sum(run.noise.is_noisy for run in runs),
        "best_peer": best.runtime if best else None, "verdict": outcome,
        "why": _why(row, outcome, best),
        "cells": [_cell_object(cell, cells, row, workers) for cell in order],
        "missing": [{"runtime": missing.turn.runtime, "kind": missing.kind, "text": missing.text}
                    for missing in lost],
    }


def means(rows: list[dict]) -> list[dict]:
    """skua's time over others', geometric means of the rows; ratios of CPU time are left out."""
    out = []
    for workers in dict.fromkeys(row["workers"] for row in rows):
        best: list[float] = []
        each: dict[str, list[float]] = {}
        for row in rows:
            cells = {cell["runtime"]: cell for cell in row["cells"] if cell["check"]}
            if row["workers"] != workers or row["measure"] == CPU or SKUA not in cells:
                continue
            ours = cells[SKUA]["median_s"]
            best += [cells[SKUA]["ratio"]["middle"]] if cells[SKUA]["ratio"] else []
            for name, cell in cells.items():
                if name not in (SKUA, SERIAL) and cell["median_s"] > 0:
                    each.setdefault(name, []).append(ours / cell["median_s"])
        if mean := geometric_mean(best):
            out.append({"workers": workers, "rows": len(best), "to_best": _short(mean),
                        "to_each": {name: {"mean": _short(geometric_mean(ratios) or 0),
                                           "rows": len(ratios)} for name, ratios in each.items()}})
    return out


def noise_object(measured: Measured) -> dict:
    noisy = sum(run.noise.is_noisy for run in measured.runs)
    return {"steal": measured.whole.steal, "other_cpus": measured.whole.others,
            "steal_most": STEAL_MOST, "other_cpus_most": OTHERS_MOST,
            "group_runs": len(measured.runs), "noisy_group_runs": noisy,
            "is_noisy": noisy > 0 or measured.whole.is_noisy}


def versions(measured: Measured, order: list[str]) -> dict[str, str]:
    """What each runtime calls itself."""
    found = {sample.turn.runtime: f"{sample.line.name} {sample.line.version}"
             for sample in measured.samples if sample.line.name != SERIAL}
    return {name: found[name] for name in sorted(found, key=order.index)}


def report_object(rows: list[Row], workers: list[int], measured: Measured, seed: int,
                  about: dict) -> dict:
    """about: what is known without the samples; machine, command, what was left out."""
    order = list(dict.fromkeys([SKUA, *about.pop("order", []),
                                *(sample.turn.runtime for sample in measured.samples)]))
    cpus = about["machine"]["cpus"]
    objects = [found for row in rows for count in workers
               if (found := _row_object(row, count, measured, seed, cpus))]
    return {"schema": SCHEMA, **about, "seed": seed, "rounds": measured.rounds,
            "seconds": round(measured.seconds, 1), "is_broken_off": measured.is_broken_off,
            "noise": noise_object(measured), "runtimes": versions(measured, order),
            "means": means(objects), "rows": objects}
