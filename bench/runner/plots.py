"""plots.py — plots as inline SVG: dots on one line for each runtime, whiskers, a scale by decades

A number of workers is told by shape and by colour (Okabe and Ito's, which the colour-blind can
tell apart), a runtime by its name beside its line.  Colours are classes: the page sets them for
light and dark.  No script, no font and no file is needed.
"""

import math
from dataclasses import dataclass
from html import escape

LEFT, RIGHT, LINE, TOP, BOTTOM, WIDTH = 108, 64, 19, 10, 38, 470
SHAPES = ("circle", "square", "diamond", "triangle", "wedge", "bar")


@dataclass
class Dot:
    """One figure; series is an index: shape and colour."""
    series: int
    value: float
    low: float
    high: float
    text: str       # what a pointer resting on it is told


@dataclass
class Plot:
    title: str
    axis: str                           # what the scale counts
    lines: list[tuple[str, list[Dot]]]  # a runtime's name, and its figures
    told: int                           # the series whose figures stand at the right
    mark: float | None = None           # a vertical line: where nothing is gained or lost


def _number(value: float) -> str:
    """As short as it is still a figure."""
    return f"{value:.0f}" if value >= 1000 else f"{value:.3g}" if value >= 0.1 else f"{value:.2g}"


def _ticks(low: float, high: float) -> list[float]:
    """1, 2, 5 of each decade; decades alone where those would be too many."""
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    steps = (1, 2, 5) if last - first <= 2 else (1,)
    every = max(1, (last - first) // 6)
    ticks = [step * 10.0**decade for decade in range(first, last + 1) for step in steps
             if (decade - first) % every == 0]
    return [tick for tick in ticks if low <= tick <= high * 1.0001]


class _Scale:
    """Logarithmic: ratios look alike wherever they are."""

    def __init__(self, plot: Plot) -> None:
        values = [end for _, dots in plot.lines for dot in dots
                  for end in (dot.low, dot.value, dot.high) if end > 0]
        values += [plot.mark] if plot.mark else []
        self.low, self.high = min(values) / 1.25, max(values) * 1.25

    def at(self, value: float) -> float:
        """What is not above zero stands at the left edge."""
        share = math.log(max(value, self.low) / self.low) / math.log(self.high / self.low)
        return round(LEFT + share * (WIDTH - LEFT - RIGHT), 1)


def _shape(kind: str, x: float, y: float) -> str:
    if kind == "circle":
        return f'<circle cx="{x}" cy="{y}" r="4.5"/>'
    if kind == "square":
        return f'<rect x="{x - 4}" y="{y - 4}" width="8" height="8"/>'
    points = {"diamond": ((0, -5.5), (5.5, 0), (0, 5.5), (-5.5, 0)),
              "triangle": ((0, -5.5), (5.2, 4.2), (-5.2, 4.2)),
              "wedge": ((0, 5.5), (5.2, -4.2), (-5.2, -4.2)),
              "bar": ((-2, -6), (2, -6), (2, 6), (-2, 6))}[kind]
    return f'<polygon points="{" ".join(f"{x + dx:.1f},{y + dy:.1f}" for dx, dy in points)}"/>'


def _dot(dot: Dot, y: float, scale: _Scale) -> str:
    x = scale.at(dot.value)
    whisker = (f'<line x1="{scale.at(dot.low)}" y1="{y}" x2="{scale.at(dot.high)}" y2="{y}"/>'
               if dot.high > dot.low else "")
    kind = SHAPES[dot.series % len(SHAPES)]
    return (f'<g class="s{dot.series % len(SHAPES)}"><title>{escape(dot.text)}</title>{whisker}'
            f"{_shape(kind, x, y)}</g>")


def _grid(plot: Plot, scale: _Scale, bottom: float) -> list[str]:
    out = []
    for tick in _ticks(scale.low, scale.high):
        x = scale.at(tick)
        out.append(f'<line class="grid" x1="{x}" y1="{TOP}" x2="{x}" y2="{bottom}"/>')
        out.append(f'<text class="tick" x="{x}" y="{bottom + 14}">{_number(tick)}</text>')
    if plot.mark:
        x = scale.at(plot.mark)
        out.append(f'<line class="mark" x1="{x}" y1="{TOP}" x2="{x}" y2="{bottom}"/>')
    out.append(f'<text class="axis" x="{(LEFT + WIDTH - RIGHT) / 2:.0f}" y="{bottom + 31}">'
               f"{escape(plot.axis)}</text>")
    return out


def draw(plot: Plot, strong: str = "skua") -> str:
    """The plot as an SVG element; empty where there is nothing to show."""
    lines = [(name, [dot for dot in dots if math.isfinite(dot.value)]) for name, dots in plot.lines]
    lines = [(name, dots) for name, dots in lines if dots]
    if not any(dot.value > 0 for _, dots in lines for dot in dots):
        return ""
    scale, bottom = _Scale(plot), TOP + LINE * len(lines) + 4
    out = [f'<svg viewBox="0 0 {WIDTH} {bottom + BOTTOM}" role="img" '
           f'aria-label="{escape(plot.title)}: {escape(plot.axis)}">', *_grid(plot, scale, bottom)]
    for i, (name, dots) in enumerate(lines):
        y = TOP + LINE * (i + 0.6)
        weight = ' class="name strong"' if name == strong else ' class="name"'
        out.append(f'<text{weight} x="{LEFT - 10}" y="{y + 4}">{escape(name)}</text>')
        out.append(f'<line class="row" x1="{LEFT}" y1="{y}" x2="{WIDTH - RIGHT}" y2="{y}"/>')
        out += [_dot(dot, y, scale) for dot in dots]
        out += [f'<text x="{WIDTH - RIGHT + 8}" y="{y + 4}">{_number(dot.value)}</text>'
                for dot in dots if dot.series == plot.told]
    return "".join([*out, "</svg>"])


def legend(workers: list[int]) -> str:
    """Which shape is which number of workers."""
    out = []
    for i, count in enumerate(workers):
        shape = _shape(SHAPES[i % len(SHAPES)], 8, 8)
        out.append(f'<span class="key"><svg viewBox="0 0 16 16" width="16" height="16" '
                   f'aria-hidden="true"><g class="s{i % len(SHAPES)}">{shape}</g></svg> '
                   f"{count} worker{'s' * (count != 1)}</span>")
    return f'<p class="legend">{" ".join(out)}</p>'
