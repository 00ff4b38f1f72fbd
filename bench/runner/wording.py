"""wording.py — figures as people read them, and the sentences that both reports share"""

from collections import Counter

from ours import SERIAL, SKUA

MARKS = {"leads": "leads", "level": "level", "behind": "BEHIND", "alone": "no peer",
         "missing": "not measured", "wrong": "WRONG"}


def duration(seconds: float | None) -> str:
    """Three digits and a unit."""
    if seconds is None:
        return "–"
    for factor, unit in ((1, "s"), (1e3, "ms"), (1e6, "us")):
        if seconds * factor >= 1:
            return f"{digits(seconds * factor)} {unit}"
    return f"{digits(seconds * 1e9)} ns" if seconds > 0 else "0"


def digits(value: float) -> str:
    """Three of them, never as 1e+03."""
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def interval(cell: dict) -> str:
    """Both ends in the unit of the larger; one sample has none."""
    if cell["samples"] < 2:
        return "–"
    high = duration(cell["high_s"])
    unit = high.partition(" ")[2]
    factor = {"s": 1, "ms": 1e3, "us": 1e6, "ns": 1e9}.get(unit, 1)
    return f"{digits(cell['low_s'] * factor)} to {high}"


def ratio(value: dict | None) -> str:
    return "–" if value is None else digits(value["middle"])


def ratio_interval(value: dict | None) -> str:
    if value is None:
        return "–"
    return f"{digits(value['middle'])} [{digits(value['low'])}, {digits(value['high'])}]"


def memory(kib: float | None) -> str:
    if kib is None:
        return "–"
    return f"{kib / 1024:.1f} MiB" if kib < 10240 else f"{kib / 1024:.0f} MiB"


def count(value: float | None) -> str:
    return "–" if value is None else f"{value:.0f}"


def samples(cell: dict) -> str:
    """How many, and how many of them lie far from the others."""
    return f"{cell['samples']}{f', {n} far off' if (n := cell['outliers']) else ''}"


def percent(share: float | None) -> str:
    return "not known" if share is None else f"{100 * share:.1f} %"


def workers(number: int) -> str:
    return f"{number} worker{'s' * (number != 1)}"


def cells_of(row: dict) -> dict[str, dict]:
    return {cell["runtime"]: cell for cell in row["cells"]}


def ours_to_best(row: dict) -> dict | None:
    ours = cells_of(row).get(SKUA)
    return ours["ratio"] if ours else None


def names_of(report: dict) -> list[str]:
    """The runtimes that have figures, ours and the plain program first."""
    found = dict.fromkeys(cell["runtime"] for row in report["rows"] for cell in row["cells"])
    known = [SKUA, SERIAL, *report["runtimes"]]
    return sorted(found, key=lambda name: known.index(name) if name in known else len(known))


def worker_counts(report: dict) -> list[int]:
    return list(dict.fromkeys(row["workers"] for row in report["rows"]))


def rows_by_name(report: dict) -> dict[str, list[dict]]:
    """The same problem with several numbers of workers."""
    rows: dict[str, list[dict]] = {}
    for row in report["rows"]:
        rows.setdefault(row["name"], []).append(row)
    return rows


def head(report: dict) -> str:
    """The result in one sentence or two."""
    tally = Counter(row["verdict"] for row in report["rows"])
    compared = tally["leads"] + tally["level"] + tally["behind"]
    if not compared:
        return "No row has both skua and a peer: there is nothing to compare."
    text = (f"Of {compared} row{'s' * (compared != 1)} skua leads {tally['leads']}, is level with "
            f"the best peer in {tally['level']} and behind it in {tally['behind']}.")
    parts = [f"{digits(mean['to_best'])} with {workers(mean['workers'])}"
             for mean in report["means"]]
    if parts:
        text += (f" Its time over that of the best peer of each row, geometric mean: "
                 f"{', '.join(parts)}; below 1 is faster.")
    return text


def noise(report: dict) -> str:
    found = report["noise"]
    if found["other_cpus"] is None:
        return ("How quiet the machine was is not known: this system does not say, or it took less "
                "than half a second.")
    text = (f"Meanwhile the host gave {percent(found['steal'])} of the CPUs' time to others, and "
            f"other processes used {found['other_cpus']:.2f} CPUs.")
    if not found["is_noisy"]:
        return f"{text} That is quiet."
    return (f"**This was a noisy run**: {text[0].lower()}{text[1:]} More than "
            f"{percent(found['steal_most'])} or {found['other_cpus_most']} CPUs are noisy, for the "
            f"whole or for one row's round, of which {found['noisy_group_runs']} of "
            f"{found['group_runs']} were. Differences of some per cent mean nothing here.")


def how_far(row: dict) -> str:
    """skua against the best peer of a row, in words."""
    ours, best = cells_of(row).get(SKUA), cells_of(row).get(row["best_peer"] or "")
    verdict = row["verdict"]
    if verdict == "missing":
        lost = [one["text"] for one in row["missing"] if one["runtime"] == SKUA]
        return f"skua was not measured{': ' + lost[0] if lost else ''}"
    if verdict == "wrong":
        return "skua's result was WRONG"
    figure = duration(ours["median_s"])
    if verdict == "alone":
        return f"skua {figure}, no peer"
    other = f"{best['runtime']}{' ' + best['variant'] if best['variant'] else ''}"
    versus = f"skua {figure}, {other} {duration(best['median_s'])}"
    if verdict == "level" or not ours["ratio"]:
        return f"level: {versus}"
    low, high = ours["ratio"]["low"], ours["ratio"]["high"]
    if verdict == "behind":
        return (f"**behind {other}** by {100 * (ours['ratio']['middle'] - 1):.0f} % "
                f"[{100 * (low - 1):.0f}, {100 * (high - 1):.0f}]: {versus}")
    return f"skua leads, {digits(1 / ours['ratio']['middle'])} times as fast: {versus}"


def whys(rows: list[dict]) -> list[str]:
    """The reasons of one problem, each once, with the workers they are for."""
    known: dict[tuple[str, str], list[int]] = {}
    for row in rows:
        if row["verdict"] in ("leads", "level", "behind"):
            first = {"leads": SKUA, "behind": row["best_peer"]}.get(row["verdict"], "level")
            why = row["why"] or "the reason is not known yet."
            known.setdefault((first, why), []).append(row["workers"])
    several = len(known) > 1
    return [f"{'Level' if first == 'level' else first + ' first'}"
            f"{' (with ' + ', '.join(map(str, where)) + ')' if several else ''}: {why}"
            for (first, why), where in known.items()]


def losses(report: dict) -> list[dict]:
    """Rows where a peer is faster, the worst first."""
    behind = [row for row in report["rows"] if row["verdict"] in ("behind", "wrong")]
    return sorted(behind, key=lambda row: -((ours_to_best(row) or {}).get("middle", 1e9)))


def gaps(report: dict) -> list[str]:
    """Turns without figures; those with the same reason are one line."""
    numbers: dict[tuple[str, str, str, str], list[int]] = {}
    for row in report["rows"]:
        for lost in row["missing"]:
            key = lost["runtime"], lost["kind"], lost["text"], row["problem"]
            if row["workers"] not in numbers.setdefault(key, []):
                numbers[key].append(row["workers"])
    problems: dict[tuple, list[str]] = {}
    for (runtime, kind, text, problem), found in numbers.items():
        where = () if kind == "not offered" else tuple(found)
        problems.setdefault((runtime, kind, text, where), []).append(f"`{problem}`")
    runtimes: dict[tuple, list[str]] = {}
    for (runtime, *reason), found in problems.items():
        runtimes.setdefault((*reason, tuple(found)), []).append(runtime)
    lines = []
    for (kind, text, where, found), names in runtimes.items():
        with_workers = f" with {workers_list(where)}" if where else ""
        said = text if text.startswith(kind) else f"{kind}: {text}"
        lines.append(f"{', '.join(names)}: {', '.join(found)}{with_workers}: {said}")
    return sorted(lines)


def workers_list(numbers: tuple[int, ...]) -> str:
    return f"{', '.join(map(str, numbers))} worker{'s' * (numbers != (1,))}"


def machine_lines(report: dict) -> list[tuple[str, str]]:
    known = report["machine"]
    names = {"cpu": "CPU", "cpus": "CPUs we may use", "cpus_online": "CPUs online",
             "smt": "hardware threads (SMT)", "hypervisor": "virtual machine", "caches": "caches",
             "memory_mib": "memory, MiB", "kernel": "kernel", "governor": "frequency governor",
             "libc": "C library", "gcc": "gcc", "clang": "clang", "rustc": "rustc", "go": "go",
             "java": "java", "python": "python", "skua_commit": "commit of skua",
             "settings": "settings in the environment"}
    return [(title, str(known[name])) for name, title in names.items()
            if known.get(name) is not None] + [
        (title, "not known") for name, title in names.items()
        if name in ("governor", "smt") and known.get(name) is None]
