"""report_md.py — the report as Markdown: prediction, machine, winners, losses, figures"""

import wording as say
from ours import SKUA

METHOD = [
    "In a round every runtime has one turn at each problem and number of workers: one process, "
    "which prepares its data, runs once untimed, then up to three times, once where that takes "
    "more than a second, each result checked. Turns of one problem and number of workers come "
    "together, in random order.",
    "A sample is the median of a process; figures are medians of the samples with their 95 % "
    "interval by the bootstrap. The first round is left out where three others are there. Outliers "
    "are counted, none is taken out.",
    "*Ratio* is the time over that of the best peer of the row: below 1 is faster than every peer. "
    "*CPU* is of one run; *peak* memory and context *switches* are of the whole process, warm-up "
    "included, and of skua's process, which runs the plain program in turn with it, together.",
    "A row is *level* where the interval of the ratio holds 1 or the ratio is within 2 % of it "
    "(10 % with fewer than three samples), or where the difference is too small to matter.",
    "C, C++ and Rust share data, leaf code and judge with skua; Go and Java have leaves of their "
    "own, in the same algorithm. Settings of all runtimes are their defaults; Java has a heap of "
    "2 GiB and the parallel collector, with as many threads as there are workers.",
]
THREATS = ("One machine; few CPUs; kernels that were chosen by us. The peers' programs were "
           "written by us too, as their manuals advise; corrections are welcome.")


def _escape(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "\\<")


def _table(head: list[str], lines: list[list[str]], numbers_from: int = 1) -> list[str]:
    """Markdown; columns from there on are flush right."""
    rules = ["---" if i < numbers_from else "---:" for i in range(len(head))]
    return ["| " + " | ".join(map(_escape, line)) + " |" for line in (head, rules, *lines)] + [""]


def _prediction(report: dict) -> list[str]:
    lines = [[f"`{name}`", rows[0]["title"], rows[0]["prediction"]]
             for name, rows in say.rows_by_name(report).items()]
    return ["## What we expected", "",
            "Question: what do forks, loops, wake-ups and silence cost in skua, and what in the "
            "runtimes a user could install in its place? Written before the numbers:", "",
            *_table(["row", "what is measured", "prediction"], lines, 9),
            report["oversubscribed"], ""]


def _machine(report: dict) -> list[str]:
    lines = [[name, value] for name, value in say.machine_lines(report)]
    versions = ", ".join(f"{name} ({title})" for name, title in report["runtimes"].items())
    return ["## Machine and versions", "", *_table(["", ""], lines, 9),
            f"Runtimes: {versions or 'none'}.", ""]


def _winners(report: dict) -> list[str]:
    out = ["## Who wins where, and why", ""]
    for name, rows in say.rows_by_name(report).items():
        out += [f"- `{name}`"]
        out += [f"  - {say.workers(row['workers'])}: {say.how_far(row)}." for row in rows]
        out += [f"  - *{why}*" for why in say.whys(rows)]
    return [*out, ""]


def _losses(report: dict) -> list[str]:
    lines = [[f"`{row['name']}`", str(row["workers"]), row["best_peer"] or "–",
              say.ratio_interval(say.ours_to_best(row)), row["why"] or "not known yet"]
             for row in say.losses(report)]
    if not lines:
        return ["## Where skua is behind", "", "In no row.", ""]
    return ["## Where skua is behind", "",
            "The worst first; the ratio is skua's time over the peer's.", "",
            *_table(["row", "workers", "best peer", "ratio [95 %]", "why"], lines, 9)]


def _overview(report: dict) -> list[str]:
    out = ["## All medians", ""]
    names = say.names_of(report)
    for workers in say.worker_counts(report):
        lines = []
        for row in (row for row in report["rows"] if row["workers"] == workers):
            cells = say.cells_of(row)
            lost = {one["runtime"]: one["kind"] for one in row["missing"]}
            lines.append([f"`{row['name']}`", *(_overview_cell(cells.get(name), lost.get(name),
                                                               name == row["best_peer"])
                                                for name in names),
                          say.ratio(say.ours_to_best(row)), say.MARKS[row["verdict"]]])
        note = ", more than there are CPUs" if any(
            row["is_oversubscribed"] for row in report["rows"] if row["workers"] == workers) else ""
        out += [f"### {say.workers(workers)}{note}", "",
                *_table(["row", *names, "skua / best peer", "skua"], lines)]
    return [*out, "The best peer is **bold**; a dash: it does not offer that.", ""]


def _overview_cell(cell: dict | None, lost: str | None, is_best: bool) -> str:
    if not cell:
        return "–" if lost in (None, "not offered") else lost
    text = say.duration(cell["median_s"]) + ("" if cell["check"] else " WRONG")
    return f"**{text}**" if is_best else text


def _cell_line(row: dict, cell: dict) -> list[str]:
    name = cell["runtime"] + (f" {cell['variant']}" if cell["variant"] else "")
    return [f"**{name}**" if cell["runtime"] == SKUA else name, str(row["workers"]),
            say.duration(cell["median_s"]) + ("" if cell["check"] else " WRONG"),
            say.interval(cell), say.ratio(cell["ratio"]), say.duration(cell["cpu_s"]),
            say.memory(cell["peak_kib"]), say.count(cell["switches"]), say.samples(cell)]


def _details(report: dict) -> list[str]:
    out = ["## Every figure", ""]
    for name, rows in say.rows_by_name(report).items():
        lines = [_cell_line(row, cell) for row in rows for cell in row["cells"]]
        noisy = sum(row["noisy_rounds"] for row in rows)
        what = "CPU time" if rows[0]["measure"] == "cpu" else "time"
        rounds = sum(row["rounds"] for row in rows)
        note = f" {noisy} of {rounds} rounds were noisy." if noisy else ""
        out += [f"### `{name}`: {rows[0]['title']}", "",
                f"Compared is the {what} of a run.{note}", "",
                *_table(["runtime", "workers", "median", "95 % interval", "ratio", "CPU", "peak",
                         "switches", "samples"], lines)]
    return out


def _left_out(report: dict) -> list[str]:
    out = ["## Left out, and why", ""]
    out += [f"- {name}: {why}" for name, why in report["left_out"].items()]
    out += [f"- {line}" for line in say.gaps(report)]
    return [*(out if len(out) > 2 else [*out, "Nothing."]), ""]


def write_md(report: dict) -> str:
    first = [
        "# Benchmarks: skua beside other runtimes", "",
        f"{report['made']}, skua {report['skua_version'] or '(not measured)'}, "
        f"{report['rounds']} rounds in {report['seconds'] / 60:.1f} minutes"
        f"{', the short form' if report['is_quick'] else ''}"
        f"{', **broken off**' if report['is_broken_off'] else ''}; raw samples in `latest.csv`, "
        "plots in `latest.html`.", "", say.head(report), "", say.noise(report), ""]
    method = ["## How it was measured", "", *(f"- {line}" for line in METHOD), "",
              f"Threats: {THREATS}", "", "Redo: ", "", "```sh", report["command"], "```", ""]
    parts = [first, _prediction(report), _machine(report), _winners(report), _losses(report),
             _overview(report), _details(report), _left_out(report), method]
    return "\n".join(line.rstrip() for part in parts for line in part)
