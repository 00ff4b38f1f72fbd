"""report_html.py — the report as one page without scripts or links to files: plots, then tables

Opens from disk.  Light or dark as the reader's system is; every plot has its table below it.
"""

import re
from html import escape

import wording as say
from ours import SERIAL, SKUA
from plots import Dot, Plot, draw, legend
from report_md import METHOD, THREATS

STYLE = """
:root { color-scheme: light dark; --ink: #1b1b1b; --soft: #5a5a5a; --paper: #fdfdfb;
  --rule: #d9d9d4; --good: #00593f; --bad: #8f3700; --s0: #0072b2; --s1: #a84800; --s2: #006d50;
  --s3: #8a4a73; --s4: #6b5d00; --s5: #1b1b1b; }
@media (prefers-color-scheme: dark) { :root { --ink: #ececec; --soft: #b3b3b3; --paper: #161718;
  --rule: #3a3c3e; --good: #4fd1a5; --bad: #f0a070; --s0: #56b4e9; --s1: #e69f00; --s2: #2fc79a;
  --s3: #e09cc4; --s4: #f0e442; --s5: #ececec; } }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper);
  max-width: 72rem; margin: 0 auto; padding: 1rem; }
h1 { font-size: 1.6rem; } h2 { margin-top: 2.2rem; border-bottom: 1px solid var(--rule); }
code { font-size: 0.95em; } .note { color: var(--soft); }
.plots { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(27rem, 100%), 1fr));
  gap: 0.8rem 1.6rem; }
figure { margin: 0; } figcaption { font-weight: 600; } figcaption span { font-weight: 400; }
svg { width: 100%; height: auto; } .legend svg { width: 16px; height: 16px; vertical-align: -3px; }
.key { margin-right: 1.2rem; white-space: nowrap; }
svg text { font: 12px system-ui, sans-serif; fill: var(--ink); }
svg .name { text-anchor: end; } svg .strong { font-weight: 700; }
svg .tick, svg .axis { text-anchor: middle; fill: var(--soft); }
svg .grid, svg .row { stroke: var(--rule); } svg .row { stroke-dasharray: 1 3; }
svg .mark { stroke: var(--ink); stroke-dasharray: 4 3; }
.s0 { fill: var(--s0); stroke: var(--s0); } .s1 { fill: var(--s1); stroke: var(--s1); }
.s2 { fill: var(--s2); stroke: var(--s2); } .s3 { fill: var(--s3); stroke: var(--s3); }
.s4 { fill: var(--s4); stroke: var(--s4); } .s5 { fill: var(--s5); stroke: var(--s5); }
.scroll { overflow-x: auto; margin: 0.6rem 0 1.4rem; } table { border-collapse: collapse; }
.figures table { font-size: 0.88rem; }
.scroll:focus-visible { outline: 3px solid var(--s0); outline-offset: 2px; }
caption { text-align: left; color: var(--soft); padding-bottom: 0.3rem; }
th[scope=row] code { white-space: nowrap; }
th, td { padding: 0.15rem 0.6rem; border-bottom: 1px solid var(--rule); text-align: left;
  vertical-align: top; } td.n, th.n { text-align: right; font-variant-numeric: tabular-nums;
  white-space: nowrap; } tr.ours th, tr.ours td { font-weight: 700; }
.behind { color: var(--bad); font-weight: 700; } .leads { color: var(--good); }
summary { cursor: pointer; min-height: 2.75rem; padding-top: 0.6rem; }
summary:focus-visible { outline: 3px solid var(--s0); }
@media (max-width: 40rem) {
  svg text { font-size: 15px; } .legend svg { width: 20px; height: 20px; vertical-align: -4px; }
  .prose :is(table, tbody, tr, th, td, caption) { display: block; padding-left: 0; border: 0; }
  .prose thead { display: none; }
  .prose tr { border-bottom: 1px solid var(--rule); padding: 0.5rem 0; }
  .figures td:not(.n) { min-width: 9rem; }
  ul { padding-left: 1.2rem; } }
"""


def _rich(text: str) -> str:
    """The little Markdown that sentences have: code, strong, emphasis."""
    text = re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text, quote=False))
    text = re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", text)
    return re.sub(r"\*([^*]+)\*", r"<em>\1</em>", text)


def _table(caption: str, head: list[str], lines: list[list[str]], texts: int = 1) -> str:
    """The first column names the line; columns from `texts` on are numbers.  No head: no titles."""
    def kind(i: int) -> str:
        return ' class="n"' if i >= texts else ""
    # A table wider than the screen is scrolled by keys too, so it can be focused and has a name.
    name = escape(re.sub(r"[`*]", "", caption))
    what = "prose" if lines and texts > len(lines[0]) else "figures"
    out = [f'<div class="scroll {what}" role="region" tabindex="0" aria-label="{name}">'
           f"<table><caption>{_rich(caption)}</caption>"]
    if head:
        titles = (f'<th scope="col"{kind(i)}>{_rich(title)}</th>' for i, title in enumerate(head))
        out += ["<thead><tr>", *titles, "</tr></thead>"]
    out.append("<tbody>")
    for line in lines:
        ours = ' class="ours"' if line[0] == SKUA else ""
        out.append(f'<tr{ours}><th scope="row">{_rich(line[0])}</th>')
        out += [f"<td{kind(i)}>{_rich(text)}</td>" for i, text in enumerate(line[1:], 1)]
        out.append("</tr>")
    return "".join([*out, "</tbody></table></div>\n"])


# --- plots ---

def _dots(rows: list[dict], runtime: str, figure, counts: list[int]) -> list[Dot]:
    """figure(cell): the value and its ends, or None."""
    dots = []
    for row in rows:
        cell = say.cells_of(row).get(runtime)
        found = figure(cell) if cell and cell["check"] else None
        if found:
            text = f"{runtime}, {say.workers(row['workers'])}: {found[0]:.4g}"
            dots.append(Dot(counts.index(row["workers"]), *found, text))
    return dots


def _speedup(cell: dict) -> tuple[float, float, float] | None:
    found = cell["speedup"]
    return (found["middle"], found["low"], found["high"]) if found else None


def _single(key: str, factor: float):
    """A figure without an interval."""
    def figure(cell: dict) -> tuple[float, float, float] | None:
        return None if cell[key] is None else (cell[key] * factor,) * 3
    return figure


# title, what is said of it, scale, figure, a line at, which rows
PLOTS = [
    ("Speed-up", "the plain serial program's time over a runtime's, with 95 % intervals; right of "
     "the line is faster than serial", "times as fast as plain C", _speedup, 1.0,
     lambda row: True),
    ("Nanoseconds a fork", "what a fork and its join cost over plain calls, with one worker",
     "ns", _single("fork_ns", 1.0), None, lambda row: True),
    ("Memory", "the largest resident memory of a process", "MiB",
     _single("peak_kib", 1 / 1024), None, lambda row: True),
    ("CPU burned while waiting", "CPU seconds of a run that consists mostly of pauses; less is "
     "better", "CPU ms", _single("cpu_s", 1e3), None,
     lambda row: row["problem"].partition(":")[0] in ("tick", "idle")),
]


def _told(report: dict) -> int:
    """The series with figures at the right: the most workers that have a CPU each."""
    counts = say.worker_counts(report)
    fit = [count for count in counts if count <= report["machine"]["cpus"]] or counts
    return counts.index(max(fit))


def _plot_section(report: dict, which: tuple) -> str:
    title, role, axis, figure, mark, wanted = which
    counts, told = say.worker_counts(report), _told(report)
    names = [name for name in say.names_of(report) if name != SERIAL or title.startswith("CPU")]
    figures = []
    for name, rows in say.rows_by_name(report).items():
        rows = [row for row in rows if wanted(row)]
        lines = [(runtime, _dots(rows, runtime, figure, counts)) for runtime in names]
        series = {dot.series for _, dots in lines for dot in dots}
        shown = told if told in series else min(series, default=0)
        if drawn := draw(Plot(f"{title}, {name}", axis, lines, shown, mark)):
            what = f" <span>{escape(rows[0]['title'])}</span>"
            figures.append(f"<figure><figcaption><code>{escape(name)}</code>{what}</figcaption>"
                           f"{drawn}</figure>")
    if not figures:
        return ""
    return (f"<h2>{title}</h2><p>{escape(role[0].upper() + role[1:])}. Figures at the right: "
            f"{say.workers(counts[told])}, or fewer where only they are shown.</p>{legend(counts)}"
            f'<div class="plots">{"".join(figures)}</div>\n')


# --- tables ---

def _overview(report: dict) -> str:
    names, out = say.names_of(report), []
    for workers in say.worker_counts(report):
        lines = []
        for row in (row for row in report["rows"] if row["workers"] == workers):
            cells, lost = say.cells_of(row), {one["runtime"]: one for one in row["missing"]}
            line = [f"`{row['name']}`", say.ratio(say.ours_to_best(row)), say.MARKS[row["verdict"]]]
            for name in names:
                cell, kind = cells.get(name), lost.get(name, {}).get("kind", "not offered")
                text = "–" if kind == "not offered" else kind
                if cell:
                    text = say.duration(cell["median_s"]) + ("" if cell["check"] else " WRONG")
                line.append(f"**{text}**" if cell and name == row["best_peer"] else text)
            lines.append(line)
        caption = (f"Medians with {say.workers(workers)}; the best peer is bold, and skua's time "
                   "over its stands first; a dash: it does not offer that")
        out.append(_table(caption, ["row", "to best peer", "verdict", *names], lines))
    return "".join(out)


def _winners(report: dict) -> str:
    out = []
    for name, rows in say.rows_by_name(report).items():
        parts = [f'<li class="{row["verdict"]}">{say.workers(row["workers"])}: '
                 f"{_rich(say.how_far(row))}.</li>" for row in rows]
        parts += [f"<li><em>{_rich(why)}</em></li>" for why in say.whys(rows)]
        out.append(f"<li><code>{escape(name)}</code><ul>{''.join(parts)}</ul></li>")
    return f"<ul>{''.join(out)}</ul>"


def _losses(report: dict) -> str:
    lines = [[f"`{row['name']}`", row["best_peer"] or "–", row["why"] or "not known yet",
              str(row["workers"]), say.ratio_interval(say.ours_to_best(row))]
             for row in say.losses(report)]
    if not lines:
        return "<p>In no row.</p>"
    return _table("The worst first; the ratio is skua's time over the best peer's, with its 95 % "
                  "interval", ["row", "best peer", "why", "workers", "ratio"], lines, 3)


def _details(report: dict) -> str:
    out = []
    for name, rows in say.rows_by_name(report).items():
        lines = [[cell["runtime"], cell["variant"] or cell["how"], str(row["workers"]),
                  say.duration(cell["median_s"]) + ("" if cell["check"] else " WRONG"),
                  say.interval(cell), say.duration(cell["mad_s"]),
                  say.ratio_interval(cell["ratio"]), say.duration(cell["cpu_s"]),
                  say.memory(cell["peak_kib"]), say.count(cell["switches"]), say.samples(cell)]
                 for row in rows for cell in row["cells"]]
        head = ["runtime", "how", "workers", "median", "95 % interval", "MAD", "ratio to best peer",
                "CPU", "peak memory", "switches", "samples"]
        what = "CPU time" if rows[0]["measure"] == "cpu" else "time"
        table = _table(f"Compared is the {what} of a run", head, lines, 2)
        out.append(f"<details><summary><code>{escape(name)}</code> {escape(rows[0]['title'])}"
                   f"</summary>{table}</details>")
    return "".join(out)


def _items(lines: list[str]) -> str:
    return f"<ul>{''.join(f'<li>{_rich(line)}</li>' for line in lines)}</ul>"


def _prediction(report: dict) -> str:
    lines = [[f"`{name}`", rows[0]["title"], rows[0]["prediction"]]
             for name, rows in say.rows_by_name(report).items()]
    head = ["row", "what is measured", "prediction"]
    return (_table("Written before the numbers", head, lines, 9)
            + f"<p>{_rich(report['oversubscribed'])}</p>")


def write_html(report: dict) -> str:
    versions = ", ".join(f"{name} ({title})" for name, title in report["runtimes"].items())
    gaps = [f"{name}: {why}" for name, why in report["left_out"].items()] + say.gaps(report)
    short = ", the short form" if report["is_quick"] else ""
    short += ", **broken off**" if report["is_broken_off"] else ""
    sections = [
        ("What we expected", _prediction(report)),
        ("Machine and versions", _table("The machine", [], [
            [name, value] for name, value in say.machine_lines(report)], 9)
         + f"<p>Runtimes: {escape(versions) or 'none'}.</p>"),
        ("Who wins where, and why", _winners(report)), ("Where skua is behind", _losses(report)),
        ("All medians", _overview(report)), ("Every figure", _details(report)),
        ("Left out, and why", _items(gaps) if gaps else "<p>Nothing.</p>"),
        ("How it was measured", _items(METHOD) + f"<p>Threats: {escape(THREATS)}</p>"
         f"<p>Redo: <code>{escape(report['command'])}</code></p>")]
    plots = [_plot_section(report, which) for which in PLOTS]
    body = [f"<h2>{title}</h2>{text}\n" for title, text in sections]
    return "".join([
        '<!doctype html>\n<html lang="en">\n'
        "<!-- latest.html — the latest report of bench/runner, with plots; opens from disk -->\n"
        '<head><meta charset="utf-8"><meta name="viewport" content="width=device-width">\n'
        f"<title>Benchmarks: skua beside other runtimes</title><style>{STYLE}</style></head>\n"
        "<body><main><h1>Benchmarks: skua beside other runtimes</h1>",
        f"<p class=\"note\">{escape(report['made'])}, skua "
        f"{escape(report['skua_version'] or '(not measured)')}, {report['rounds']} rounds in "
        f"{report['seconds'] / 60:.1f} minutes{_rich(short)}</p>"
        f"<p>{_rich(say.head(report))}</p><p>{_rich(say.noise(report))}</p>\n",
        *body[:2], *plots, *body[2:], "</main></body>\n</html>\n"])
