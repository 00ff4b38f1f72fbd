/* timeline_draw.js — lanes, arrows, depths and times on a canvas, within a frame */
import { countIn, depthColumns, deepestOf, laneColumns, nameOfMark } from "./trace_lanes.js";
import { placeFrom, sliceName } from "./trace_lanes.js";
import { isWorker } from "./trace_read.js";
import { ASLEEP, BLOCKED, RUNNING, SEARCHING, WAITING } from "./trace_walk.js";
import { laneTitle, sayTime } from "./timeline_texts.js";

/* In CSS pixels. */
export const AXIS = 26,
  STRIP = 44, /* utilisation */
  LANE = 46,
  BAR = 28, /* of a lane; below it are depths */
  DEPTHS = 12;
const LABEL_LEAST = 34; /* a narrower slice has no name on it */
const LETTER = 7; /* about as wide */
const RUN_LEAST = 3; /* columns of one slice that may have a frame */
const COLUMNS_MAX = 2 ** 20, /* of all lanes, in the overview: some tenths of a second */
  COLUMNS_LEAST = 16;
const ARROWS_MAX = 400; /* more are a grey mess: then ticks tell where they are */
const STRIP_WORK = 64; /* lanes times columns, in units of the width, that a frame has time for */
const TINTS = 4;

const COLOURS = ["card", "ink", "soft", "line", "mark", "hit"].concat(
  ["run-0", "run-1", "run-2", "run-3", "search", "wait", "block", "sleep", "deep", "void"],
  ["on-run"],
);
const toWord = hex => {
  const number = parseInt(hex.slice(1), 16);
  return (
    (0xff000000 | ((number & 0xff) << 16) | (number & 0xff00) | ((number >> 16) & 0xff)) >>> 0
  );
};

/* Colours of the style sheet: as text, and as the words of an image. */
export function readColours(element) {
  const style = getComputedStyle(element),
    text = {},
    word = {};
  for (const name of COLOURS) {
    text[name] = style.getPropertyValue("--" + name).trim();
    word[name] = toWord(text[name]);
  }
  return { text, word };
}

/* Round steps of time for so many marks. */
function tickStep(span, most) {
  const least = span / most,
    power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].map(factor => factor * power).find(step => step >= least);
}

/* Two places as laneColumns gives them; points in a slice do not divide it. */
const isSameSlice = (lane, a, b) =>
  a === b ||
  (a >= 0 && b >= 0 && lane.mark[a] === lane.mark[b] && lane.state[a] === lane.state[b]);

/* Four bytes for a column: running, blocked, waiting, searching; what is left is sleep. */
function coarseColumns(bytes, columns, shares, place) {
  for (let c = 0; c < columns; c++) {
    const at = 4 * Math.floor((c * bytes.length) / 4 / columns),
      base = 5 * c;
    shares[base + RUNNING] = bytes[at] / 255;
    shares[base + BLOCKED] = bytes[at + 1] / 255;
    shares[base + WAITING] = bytes[at + 2] / 255;
    shares[base + SEARCHING] = bytes[at + 3] / 255;
    shares[base + ASLEEP] =
      1 - (bytes[at] + bytes[at + 1] + bytes[at + 2] + bytes[at + 3]) / 255;
    place[c] = -2;
  }
}
/* Enough of a lane to be painted. */
export const coarseLane = ({ worker, shares }) => ({
  ring: { worker },
  isOutside: false,
  coarse: shares,
  steals: { count: 0 },
  depths: { count: 0 },
  points: { count: 0 },
});

export class Painter {
  constructor(canvas) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d", { alpha: false });
    this.room = 0;
  }

  /* As wide as its place, high enough for so many lanes; true where that changed. */
  fit(width, lanes) {
    const scale = Math.min(globalThis.devicePixelRatio || 1, 2),
      height = AXIS + STRIP + lanes * LANE;
    this.gutter = width < 500 ? 34 : 92;
    this.width = width;
    this.height = height;
    if (this.scale === scale && this.canvas.width === Math.round(width * scale)) {
      if (this.canvas.height === Math.round(height * scale)) return false;
    }
    this.scale = scale;
    this.canvas.width = Math.round(width * scale);
    this.canvas.height = Math.round(height * scale);
    this.canvas.style.height = height + "px";
    this.columns = Math.max(1, this.canvas.width - Math.round(this.gutter * scale));
    if (this.columns > this.room) {
      this.room = this.columns;
      this.shares = new Float64Array(5 * this.room);
      this.place = new Int32Array(this.room);
      this.values = new Float64Array(this.room);
      this.depths = new Uint32Array(this.room);
    }
    this.image = this.context.createImageData(this.columns, this.canvas.height);
    this.pixels = new Uint32Array(this.image.data.buffer);
    return true;
  }

  timeAt(x, view) {
    const share = (x - this.gutter) / (this.width - this.gutter);
    return view.from + Math.min(1, Math.max(0, share)) * (view.to - view.from);
  }
  xOf(time, view) {
    const share = (time - view.from) / (view.to - view.from);
    return this.gutter + share * (this.width - this.gutter);
  }
  laneAt(y) {
    return y < AXIS + STRIP ? -1 : Math.floor((y - AXIS - STRIP) / LANE);
  }

  /* --- the image: what is a colour for each pixel --- */

  fillBox(x, width, y, height, word) {
    const { pixels, columns } = this;
    for (let row = y; row < y + height; row++)
      pixels.fill(word, row * columns + x, row * columns + x + width);
  }

  /* States lie on each other in a column, running at the bottom; each has a hatching of its own. */
  paintLane(scene, lane, top) {
    const { columns, shares, place, pixels, scale } = this,
      { word } = scene.colours,
      high = Math.round(BAR * scale),
      bottom = top + high - 1,
      thin = Math.max(1, Math.round(scale));
    if (lane.coarse) coarseColumns(lane.coarse, columns, shares, place);
    else laneColumns(lane, scene.view.from, scene.view.to, columns, shares, place);
    lane.runs = [];
    let tint = word["run-0"],
      known = -2,
      began = 0;
    for (let c = 0; c < columns; c++) {
      const base = 5 * c,
        at = place[c],
        isOther = !isSameSlice(lane, at, known);
      let y = bottom;
      this.values[c] += shares[base + RUNNING];
      if (isOther) {
        if (known !== -2 && c - began >= RUN_LEAST) lane.runs.push([began, c, known]);
        tint = word["run-" + (at === -2 ? 0 : this.tintOf(scene, lane, at))];
        began = c;
      }
      const isEdge = isOther && at !== -2 && c > 0;
      known = at;
      const running = this.rows(shares[base + RUNNING], high);
      for (let i = 0; i < running; i++, y--) pixels[y * columns + c] = isEdge ? word.card : tint;
      const blocked = this.rows(shares[base + BLOCKED], y - top + 1, high);
      for (let i = 0; i < blocked; i++, y--)
        pixels[y * columns + c] = (c / thin) % 4 < 2 ? word.block : word.card;
      const waiting = this.rows(shares[base + WAITING], y - top + 1, high);
      for (let i = 0; i < waiting; i++, y--)
        pixels[y * columns + c] = ((c + y) / thin) % 6 < 3 ? word.wait : word.card;
      const searching = this.rows(shares[base + SEARCHING], y - top + 1, high);
      for (let i = 0; i < searching; i++, y--)
        pixels[y * columns + c] = (y / thin) % 4 < 2 ? word.search : word.card;
      const seen = shares[base] + shares[base + 1] + shares[base + 2] + shares[base + 3];
      if (seen + shares[base + 4] < 0.5 && y === bottom) {
        for (let row = top + (c % 8); row <= bottom; row += 8)
          pixels[row * columns + c] = word.void;
      } else if (y === bottom) {
        for (let i = 0; i < 2 * thin; i++) pixels[(bottom - i) * columns + c] = word.sleep;
      }
    }
    if (known !== -2) lane.runs.push([began, columns, known]);
  }

  rows(share, room, high = room) {
    const rows = share > 0 ? Math.max(share > 0.02 ? 1 : 0, Math.round(share * high)) : 0;
    return rows > room ? room : rows;
  }

  tintOf(scene, lane, at) {
    const mark = at < 0 ? lane.leadMark : lane.mark[at];
    return mark < 0 ? 0 : (nameOfMark(scene.trace, lane, mark) + 1) % TINTS;
  }

  paintDepths(scene, lane, top) {
    if (!lane.depths.count) return;
    const { columns, depths, pixels, scale } = this,
      high = Math.round(DEPTHS * scale),
      most = Math.max(1, (lane.deepest ??= deepestOf(lane)));
    depthColumns(lane, scene.view.from, scene.view.to, columns, depths);
    for (let c = 0; c < columns; c++) {
      const rows = Math.ceil((depths[c] / most) * high);
      for (let i = 0; i < rows; i++) pixels[(top + i) * columns + c] = scene.colours.word.deep;
    }
  }

  paintTicks(scene, lane, top) {
    const { columns, scale } = this,
      { from, to } = scene.view,
      size = Math.max(2, Math.round(3 * scale));
    let at = placeFrom(lane, lane.steals, from);
    while (at < lane.steals.count) {
      const time = lane.ns[lane.steals.all[at]];
      if (time >= to) break;
      const c = Math.min(columns - 1, Math.floor(((time - from) / (to - from)) * columns));
      this.fillBox(c, 1, top, size, scene.colours.word.ink);
      const next = placeFrom(lane, lane.steals, from + ((c + 1) / columns) * (to - from));
      at = Math.max(at + 1, next); /* rounding must not keep it here */
    }
  }

  /* How many of all workers run: those shown are in `values`, of many others fewer columns do. */
  paintStrip(scene) {
    const { shares, place, values, scale } = this,
      workers = scene.lanes.filter(lane => !lane.isOutside),
      others = workers.filter(lane => !scene.shown.includes(lane)),
      fewer = Math.max(1, Math.ceil(others.length / STRIP_WORK)),
      columns = Math.ceil(this.columns / fewer),
      top = Math.round((AXIS + 4) * scale),
      high = Math.round((STRIP - 12) * scale),
      ran = new Float64Array(columns);
    for (const lane of others) {
      laneColumns(lane, scene.view.from, scene.view.to, columns, shares, place);
      for (let c = 0; c < columns; c++) ran[c] += shares[5 * c + RUNNING];
    }
    for (let c = 0; c < this.columns; c++) values[c] += ran[Math.floor(c / fewer)];
    this.fillBox(0, this.columns, top, 1, scene.colours.word.line);
    for (let c = 0; c < this.columns; c++) {
      const share = workers.length ? values[c] / workers.length : 0,
        rows = Math.round(Math.min(1, share) * high);
      this.fillBox(c, 1, top + high - rows, rows, scene.colours.word.mark);
    }
  }

  paintImage(scene) {
    const { scale } = this;
    this.pixels.fill(scene.colours.word.card);
    this.values.fill(0);
    scene.shown.forEach((lane, i) => {
      const top = Math.round((AXIS + STRIP + i * LANE) * scale);
      if (!lane.isOutside) this.paintLane(scene, lane, top);
      this.paintDepths(scene, lane, top + Math.round((BAR + 1) * scale));
      if (!scene.hasArrows) this.paintTicks(scene, lane, top);
    });
    this.paintStrip(scene);
    this.context.putImageData(this.image, this.canvas.width - this.columns, 0);
  }

  /* --- on top of it: text, arrows, what is chosen --- */

  drawAxis(scene) {
    const { context, gutter, width } = this,
      { view, colours } = scene,
      span = view.to - view.from,
      step = tickStep(span, Math.max(2, (width - gutter) / 110));
    context.fillStyle = colours.text.soft;
    context.strokeStyle = colours.text.line;
    context.lineWidth = 1;
    context.beginPath();
    for (let tick = Math.ceil(view.from / step) * step; tick <= view.to; tick += step) {
      const x = Math.round(this.xOf(tick, view)) + 0.5;
      context.moveTo(x, AXIS - 6);
      context.lineTo(x, AXIS);
      if (x < width - 50) context.fillText(sayTime(tick, step), x + 3, AXIS - 12);
    }
    context.stroke();
  }

  drawTitles(scene) {
    const { context, gutter } = this,
      isNarrow = gutter < 60,
      { text } = scene.colours;
    context.fillStyle = text.card;
    context.fillRect(0, 0, gutter, this.height);
    context.fillStyle = text.soft;
    context.fillText(isNarrow ? "all" : "all workers", 2, AXIS + STRIP / 2);
    scene.shown.forEach((lane, i) => {
      const y = AXIS + STRIP + i * LANE,
        isChosen = lane === scene.chosen;
      context.fillStyle = isChosen ? text.mark : text.ink;
      const title = isNarrow ? (lane.isOutside ? "\u2026" : lane.ring.worker) : laneTitle(lane);
      context.fillText(`${isChosen ? "\u25b8" : ""}${title}`, 2, y + BAR / 2);
    });
  }

  /* Names on slices that are wide enough; what is searched for has a frame. */
  drawNames(scene, lane, top) {
    const { context, scale, gutter } = this,
      { trace, colours } = scene;
    for (const [begin, end, at] of lane.runs) {
      const mark = at < 0 ? lane.leadMark : lane.mark[at],
        wide = (end - begin) / scale,
        x = gutter + begin / scale;
      if (mark < 0) continue;
      const state = at < 0 ? lane.leadState : lane.state[at];
      if (scene.isHit && scene.isHit(nameOfMark(trace, lane, mark))) {
        context.strokeStyle = colours.text.hit;
        context.lineWidth = 3;
        context.strokeRect(x + 1.5, top + 1.5, wide - 3, BAR - 3);
      }
      if (wide < LABEL_LEAST) continue;
      const letters = Math.floor((wide - 6) / LETTER),
        name = sliceName(trace, lane, mark),
        shown = name.length > letters ? name.slice(0, letters - 1) + "\u2026" : name;
      if (state !== RUNNING) {
        context.fillStyle = colours.text.card;
        context.fillRect(x + 2, top + 5, Math.min(wide - 4, shown.length * LETTER + 6), BAR - 10);
      }
      context.fillStyle = state === RUNNING ? colours.text["on-run"] : colours.text.ink;
      context.fillText(shown, x + 4, top + BAR / 2);
    }
  }

  /* From the victim to the thief. */
  drawArrows(scene) {
    const { context } = this,
      { view, shown } = scene,
      rows = new Map(shown.map((lane, i) => [lane.ring.worker, i]));
    context.strokeStyle = context.fillStyle = scene.colours.text.ink;
    context.lineWidth = 1.5;
    shown.forEach((lane, row) => {
      for (let at = placeFrom(lane, lane.steals, view.from); at < lane.steals.count; at++) {
        const record = lane.steals.all[at],
          time = lane.ns[record];
        if (time >= view.to) break;
        const victim = lane.ring.words[4 * record + 3] & 0xffff,
          from = rows.get(victim);
        if (!isWorker(scene.trace, victim) || from === undefined || from === row) continue;
        this.drawArrow(this.xOf(time, view), from, row);
      }
    });
  }

  drawArrow(x, from, to) {
    const { context } = this,
      middle = row => AXIS + STRIP + row * LANE + BAR / 2,
      isDown = to > from,
      tip = middle(to) + (isDown ? -BAR / 2 : BAR / 2),
      back = isDown ? -7 : 7;
    context.beginPath();
    context.arc(x, middle(from), 2.5, 0, 7);
    context.fill();
    context.beginPath();
    context.moveTo(x, middle(from));
    context.lineTo(x, tip);
    context.stroke();
    context.beginPath();
    context.moveTo(x, tip);
    context.lineTo(x - 4, tip + back);
    context.lineTo(x + 4, tip + back);
    context.fill();
  }

  drawMarks(scene, lane, top) {
    const { context } = this,
      { view } = scene;
    if (countIn(lane, lane.points, view.from, view.to) > ARROWS_MAX) return;
    context.fillStyle = scene.colours.text.ink;
    for (let at = placeFrom(lane, lane.points, view.from); at < lane.points.count; at++) {
      const time = lane.ns[lane.points.all[at]];
      if (time >= view.to) return;
      const x = this.xOf(time, view);
      context.beginPath();
      context.moveTo(x, top + 9);
      context.lineTo(x - 4, top);
      context.lineTo(x + 4, top);
      context.fill();
    }
  }

  drawChosen(scene) {
    const { slice, shown, view } = scene,
      row = slice ? shown.indexOf(slice.lane) : -1;
    if (row < 0) return;
    const left = Math.max(this.gutter, this.xOf(slice.from ?? view.from, view)),
      right = Math.min(this.width, this.xOf(slice.to ?? view.to, view));
    if (right < this.gutter || left > this.width) return;
    this.context.strokeStyle = scene.colours.text.ink;
    this.context.lineWidth = 3;
    const y = AXIS + STRIP + row * LANE;
    this.context.strokeRect(left, y - 1, Math.max(3, right - left), BAR + 2);
  }

  draw(scene) {
    const { context, scale } = this,
      inView = scene.shown.reduce(
        (sum, lane) => sum + countIn(lane, lane.steals, scene.view.from, scene.view.to),
        0,
      );
    scene.hasArrows = inView <= ARROWS_MAX;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.fillStyle = scene.colours.text.card;
    context.fillRect(0, 0, this.canvas.width, this.canvas.height);
    this.paintImage(scene);
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.font = "13px system-ui, sans-serif";
    context.textBaseline = "middle";
    scene.shown.forEach((lane, i) => {
      const top = AXIS + STRIP + i * LANE;
      if (!lane.isOutside) this.drawNames(scene, lane, top);
      this.drawMarks(scene, lane, top);
    });
    if (scene.hasArrows) this.drawArrows(scene);
    this.drawChosen(scene);
    this.drawAxis(scene);
    this.drawTitles(scene);
  }
}

/* The whole trace in a strip: how many run, and a frame around what is shown below. */
export class Overview {
  constructor(canvas) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d", { alpha: false });
  }

  draw(scene, width) {
    const { canvas, context } = this,
      high = canvas.height,
      { text } = scene.colours,
      { beginNs, endNs } = scene.trace;
    if (canvas.width !== width || this.trace !== scene.trace) {
      canvas.width = width;
      this.trace = scene.trace;
      this.values = overviewValues(scene, width);
    }
    context.fillStyle = text.card;
    context.fillRect(0, 0, width, high);
    context.fillStyle = text.mark;
    for (let x = 0; x < width; x++) {
      const rows = Math.round(this.values[x] * (high - 4));
      context.fillRect(x, high - 2 - rows, 1, rows);
    }
    const length = endNs - beginNs || 1,
      left = ((scene.view.from - beginNs) / length) * width,
      wide = Math.max(3, ((scene.view.to - scene.view.from) / length) * width);
    context.strokeStyle = text.ink;
    context.lineWidth = 2;
    context.strokeRect(left + 1, 1, wide - 2, high - 2);
  }
}

function overviewValues(scene, width) {
  const workers = scene.lanes.filter(lane => !lane.isOutside),
    most = Math.max(COLUMNS_LEAST, Math.floor(COLUMNS_MAX / (workers.length || 1))),
    columns = Math.min(width, most),
    shares = new Float64Array(5 * columns),
    place = new Int32Array(columns),
    values = new Float64Array(columns),
    { beginNs, endNs } = scene.trace;
  if (endNs > beginNs)
    for (const lane of workers) {
      laneColumns(lane, beginNs, endNs, columns, shares, place);
      for (let c = 0; c < columns; c++)
        values[c] += Math.min(1, shares[5 * c + RUNNING]) / workers.length;
    }
  return Float64Array.from({ length: width }, (_, x) => values[Math.floor((x * columns) / width)]);
}
