/* plot.js — speed-up by workers as SVG, both axes by doubling, with bounds; and as a table */
import { h } from "./dom.js";

const WIDE = { width: 760, height: 460 },
  NARROW = { width: 380, height: 360 }; /* on a phone, so that its text stays legible */
const LEFT = 56,
  RIGHT = 18,
  TOP = 14,
  BOTTOM = 46;
const SHAPES = 6,
  COLOURS = 8;
const NUMBER = new Intl.NumberFormat("en", { maximumSignificantDigits: 3 });
const WHOLE = new Intl.NumberFormat("en"); /* what is counted, not measured */
const sayPower = power => (power < 0 ? NUMBER : WHOLE).format(2 ** power);

function s(tag, properties = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(properties)) element.setAttribute(name, String(value));
  element.append(...children);
  return element;
}
const around = value => Math.round(10 * value) / 10;

/* --- places --- */

function axesOf({ curves, bounds }, { width, height }) {
  const points = curves.flatMap(curve => curve.points),
    workers = points.map(point => point.workers),
    most = Math.max(2, ...workers),
    least = Math.min(1, ...points.map(point => point.low)),
    top = Math.max(2, ...points.map(point => point.high), bounds ? limit(bounds, most) : 1);
  const across = [0, Math.log2(most)],
    up = [Math.max(-6, Math.floor(Math.log2(least))), Math.min(26, Math.ceil(Math.log2(top)))];
  const x = value =>
    LEFT + ((width - LEFT - RIGHT) * Math.log2(value)) / Math.max(across[1], 0.001);
  const y = value => {
    const part = (Math.log2(Math.max(value, 2 ** up[0])) - up[0]) / (up[1] - up[0]);
    return height - BOTTOM - (height - TOP - BOTTOM) * Math.min(part, 1);
  };
  return { x, y, most, up, width, height };
}

/* min(P, T1/Tinf), and what a greedy schedule reaches at least. */
const limit = ({ work, span }, workers) => Math.min(workers, work / span);
const greedy = ({ work, span }, workers) => work / (work / workers + span);

/* --- drawing --- */

function drawGrid({ x, y, most, up, width, height }) {
  const parts = [],
    stride = Math.max(1, Math.ceil((Math.log2(most) * 60) / width)),
    rise = Math.max(1, Math.ceil((up[1] - up[0]) / 8));
  for (let i = up[0]; i <= up[1]; i += rise) {
    const at = around(y(2 ** i));
    parts.push(s("line", { class: "grid", x1: LEFT, x2: width - RIGHT, y1: at, y2: at }));
    parts.push(s("text", { class: "tick right", x: LEFT - 8, y: at + 5 }, sayPower(i)));
  }
  for (let i = 0; 2 ** i <= most; i += stride) {
    const at = around(x(2 ** i));
    parts.push(s("line", { class: "grid", x1: at, x2: at, y1: TOP, y2: height - BOTTOM }));
    parts.push(s("text", { class: "tick", x: at, y: height - BOTTOM + 20 }, sayPower(i)));
  }
  parts.push(
    s("text", { class: "tick", x: (LEFT + width - RIGHT) / 2, y: height - 6 }, "workers"),
    s("text", { class: "tick left", x: LEFT + 8, y: TOP + 18 }, "speed-up"),
  );
  return parts;
}

function drawBound({ x, y, most }, looks, of) {
  const steps = 60,
    path = [];
  for (let i = 0; i <= steps; i++) {
    const workers = 2 ** ((i * Math.log2(most)) / steps);
    path.push(`${around(x(workers))},${around(y(of(workers)))}`);
  }
  return s("polyline", { class: "bound-line " + looks, points: path.join(" ") });
}

/* Shapes as well as colours; a point's is 10 across. */
function drawShape(shape, x, y) {
  const at = (dx, dy) => `${around(x + dx)},${around(y + dy)}`,
    polygon = (...corners) => s("polygon", { points: corners.map(one => at(...one)).join(" ") });
  switch (shape) {
    case 1:
      return polygon([-4, -4], [4, -4], [4, 4], [-4, 4]);
    case 2:
      return polygon([0, -6], [5, 4], [-5, 4]);
    case 3:
      return polygon([0, -6], [6, 0], [0, 6], [-6, 0]);
    case 4:
      return polygon([-5, -4], [5, -4], [0, 6]);
    case 5:
      return polygon([-2, -6], [2, -6], [2, 6], [-2, 6]);
    default:
      return s("circle", { cx: around(x), cy: around(y), r: 4.5 });
  }
}

function drawCurve({ x, y }, { points }, index) {
  const looks = `curve origin-${index % COLOURS}`,
    group = s("g", { class: looks });
  group.append(
    s("polyline", {
      points: points.map(one => `${around(x(one.workers))},${around(y(one.speedup))}`).join(" "),
    }),
  );
  for (const { workers, speedup, low, high } of points) {
    const at = around(x(workers));
    if (y(low) - y(high) > 8)
      group.append(s("line", { x1: at, x2: at, y1: around(y(low)), y2: around(y(high)) }));
    group.append(drawShape(index % SHAPES, at, y(speedup)));
  }
  return group;
}

function drawLegend({ curves, bounds }) {
  const entry = (picture, text) => {
    const box = s("svg", { class: "plot-key", width: 34, height: 18, "aria-hidden": "true" });
    box.append(picture);
    return h("li", {}, box, text);
  };
  const line = looks => s("polyline", { class: "bound-line " + looks, points: "2,9 32,9" });
  const entries = curves.map(({ name }, i) => {
    const group = s("g", { class: `curve origin-${i % COLOURS}` });
    group.append(s("polyline", { points: "2,9 32,9" }), drawShape(i % SHAPES, 17, 9));
    return entry(group, name);
  });
  entries.push(
    entry(line("ideal-line"), bounds ? "min(P, T1/T\u221e)" : "P, the number of workers"),
  );
  if (bounds) entries.push(entry(line("greedy-line"), "T1 / (T1/P + T\u221e)"));
  return h("ul", { class: "legend" }, ...entries);
}

function drawTable({ curves, bounds }) {
  const counts = [...new Set(curves.flatMap(({ points }) => points.map(one => one.workers)))].sort(
    (a, b) => a - b,
  );
  const heads = ["workers", ...curves.map(curve => curve.name)];
  if (bounds) heads.push("min(P, T1/T\u221e)", "T1 / (T1/P + T\u221e)");
  const row = workers => {
    const cells = curves.map(({ points }) => points.find(one => one.workers === workers)),
      values = cells.map(cell => (cell ? NUMBER.format(cell.speedup) : "\u2013"));
    if (bounds)
      values.push(NUMBER.format(limit(bounds, workers)), NUMBER.format(greedy(bounds, workers)));
    return h(
      "tr",
      {},
      h("th", { scope: "row" }, WHOLE.format(workers)),
      ...values.map(value => h("td", {}, value)),
    );
  };
  return h(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": "Speed-ups as a table" },
    h(
      "table",
      {},
      h("caption", { class: "hidden" }, "Speed-up by number of workers"),
      h("thead", {}, h("tr", {}, ...heads.map(head => h("th", { scope: "col" }, head)))),
      h("tbody", {}, ...counts.map(row)),
    ),
  );
}

/* What readScale gives, as a picture with a legend, and a table with the same numbers. */
export function drawPlot(data) {
  const size = matchMedia("(max-width: 40rem)").matches ? NARROW : WIDE,
    axes = axesOf(data, size),
    { bounds } = data;
  const label =
    `Speed-up by workers, up to ${axes.most}, of ${data.curves.map(one => one.name).join(", ")}. ` +
    "The table below has the numbers.";
  const svg = s("svg", {
    ...{
      class: "plot",
      viewBox: `0 0 ${size.width} ${size.height}`,
      role: "img",
      "aria-label": label,
    },
  });
  svg.append(
    ...drawGrid(axes),
    drawBound(axes, "ideal-line", workers => (bounds ? limit(bounds, workers) : workers)),
    ...(bounds ? [drawBound(axes, "greedy-line", workers => greedy(bounds, workers))] : []),
    ...data.curves.map((curve, i) => drawCurve(axes, curve, i)),
  );
  return h("figure", { class: "plotted" }, svg, drawLegend(data), drawTable(data));
}
