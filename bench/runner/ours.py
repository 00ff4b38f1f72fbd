"""ours.py — `skua bench --json` read as a peer's lines: skua itself, and the plain serial program

Both are measured by one process, in turn.  It tells medians of its rounds, not each of them.
"""

import json

from measure import Failed, Line

SKUA, SERIAL = "skua", "serial"
# What stands for the time of a run where that is not what the row compares.
TIME_FIGURES = {"tick": "burst_p50", "latency": "parked_p50"}
NO_CPU = ("latency",)   # its CPU time is that of a search which peers do not make


def _figures(kernel: dict, variant: str) -> dict[str, float]:
    return {figure["name"]: figure["median_ns"] / 1e9 for figure in kernel["figures"]
            if figure["variant"] == variant and figure["median_ns"] is not None}


def _cpu_s(kernel: dict, variant: str, figures: dict[str, float]) -> list[float]:
    name = kernel["name"]
    if name == "idle":
        return [figures["cpu"]] if "cpu" in figures else []
    if name == "tick" and "cpu" in figures:    # of one tick
        return [figures["cpu"] * kernel["size"]]
    if variant == SERIAL or name in NO_CPU or kernel["cpu_s"] is None:
        return []
    return [kernel["cpu_s"]]


def _whole(kernel: dict, variant: str, version: str, problem: str) -> Line:
    """A kernel that is one row."""
    figures = _figures(kernel, variant)
    seconds = figures.get(TIME_FIGURES.get(kernel["name"], ""),
                          kernel["serial_s" if variant == SERIAL else "seconds"])
    forks = kernel["tasks"] / kernel["rounds"] if kernel["rounds"] and kernel["tasks"] else None
    how = "plain C" if variant == SERIAL else f"skua bench {problem}"
    return Line(variant, version, problem, "", "", how, kernel["workers"], [seconds],
                _cpu_s(kernel, variant, figures), kernel["check"], forks)


def _cases(kernel: dict, variant: str, version: str, problem: str,
           elements: dict[str, int]) -> list[Line]:
    """A kernel whose figures are rows, in nanoseconds for an element."""
    how = "plain C" if variant == SERIAL else f"skua bench {problem}"
    return [Line(variant, version, problem, case, "", how, kernel["workers"],
                 [each * elements[case]], [], kernel["check"])
            for case, each in _figures(kernel, variant).items() if case in elements]


def read_skua(text: str, problem: str, elements: dict[str, int]) -> list[Line]:
    """elements: of each case that is a row; empty: the kernel is one row."""
    try:
        report = json.loads(text)
        lines = []
        for kernel in report["kernels"]:
            for variant in (SKUA, SERIAL):
                args = kernel, variant, report["skua_version"], problem
                lines += _cases(*args, elements) if elements else [_whole(*args)]
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise Failed(f"the output of skua bench is not understood: {error!r}") from None
    if not lines:
        raise Failed("skua bench printed no figures")
    return lines
