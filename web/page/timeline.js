/* timeline.js — the room of traces: a recorded run as lanes, to be zoomed, searched and read */
import { setUsable } from "./dom.js";
import { coarseLane, Overview, Painter, readColours } from "./timeline_draw.js";
import { buildTimeline } from "./timeline_parts.js";
import { drawTables } from "./timeline_tables.js";
import { counted, laneTitle, sayCount } from "./timeline_texts.js";
import { tellSlice, tellTrace, tellView, warnings } from "./timeline_texts.js";
import { usePointers } from "./timeline_touch.js";
import { countIn, laneSums, nextBegin, prepareLane, recordAt } from "./trace_lanes.js";
import { sliceAt, sliceOf } from "./trace_lanes.js";
import { cleanText, KIND, MAGIC, readTrace } from "./trace_read.js";
import { hasEmbedded, takeCoarse, takeEmbedded, takeFile } from "./trace_source.js";
import { walkTrace } from "./trace_walk.js";

const LANES_MAX = 16; /* shown at once */
const SPAN_LEAST = 20; /* nanoseconds */
const SETTLED_MS = 250; /* after the last move, sums and tables follow */
const SLICE_MS = 40; /* of reading, between two frames */
const NOT_UNDERSTOOD = "The link is not understood; this is the whole trace.";
const frame = () => new Promise(resolve => setTimeout(resolve, 0));

class Room {
  constructor(page) {
    this.page = page;
    const { parts, element } = buildTimeline(this);
    Object.assign(this, { parts, element });
    this.painter = new Painter(parts.canvas);
    this.overview = new Overview(parts.overview);
    this.loads = 0; /* so that a slow file does not replace a later one */
    this.wanted = ""; /* the address to follow when there is a trace */
    this.warnings = []; /* about the trace */
    this.notice = ""; /* about the link that led here */
    element.addEventListener("keydown", event => this.key(event));
    usePointers(this);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
      this.colours = null;
      this.redraw();
    });
    new ResizeObserver(() => this.redraw()).observe(element);
  }

  /* --- a trace comes --- */

  openFile(file) {
    this.wanted = this.notice = "";
    this.load(() => takeFile(file));
  }

  async load(take) {
    const turn = ++this.loads,
      { parts } = this;
    parts.progress.hidden = false;
    parts.progress.value = 0;
    this.warn([]);
    this.say("Reading the trace.");
    try {
      const { name, buffer } = await take(share => {
        if (turn === this.loads) parts.progress.value = share / 2;
      });
      if (turn !== this.loads) return;
      await this.read(turn, name, buffer);
    } catch (error) {
      if (turn !== this.loads) return;
      const at = error.at === undefined ? "" : `at byte ${error.at}: `;
      this.say(this.trace ? tellTrace(this.trace, this.sums) : "");
      parts.inside.hidden = !this.trace;
      parts.how.hidden = Boolean(this.trace);
      this.warn([`The trace cannot be read: ${at}${error.message}.`]);
      document.documentElement.dataset.timeline = "refused";
    }
    if (turn === this.loads) parts.progress.hidden = true;
  }

  /* A few columns for each lane, which stand before the trace itself: something to see at once. */
  paintCoarse() {
    const coarse = takeCoarse(),
      { parts } = this;
    if (!coarse) return;
    parts.inside.hidden = false;
    parts.inside.inert = true;
    parts.how.hidden = true;
    const lanes = coarse.lanes.map(coarseLane),
      width = parts.canvas.parentElement.clientWidth;
    if (!width) return;
    this.colours ??= readColours(this.element);
    this.painter.fit(width, lanes.length);
    this.painter.draw({ view: coarse, lanes, shown: lanes, colours: this.colours });
    performance.mark("timeline-first");
  }

  /* In pieces, so that the page stays alive meanwhile. */
  async read(turn, name, buffer) {
    const trace = readTrace(buffer),
      lanes = [];
    const walk = walkTrace(trace, lanes);
    let began = performance.now(),
      ready = 0;
    for (;;) {
      const { done, value } = walk.next();
      for (; ready < lanes.length; ready++) prepareLane(lanes[ready], trace);
      if (done) {
        this.settle(trace, value, name);
        return;
      }
      if (performance.now() - began < SLICE_MS) continue;
      this.parts.progress.value = 0.5 + value / (2 * trace.records || 1);
      await frame();
      if (turn !== this.loads) return;
      began = performance.now();
    }
  }

  settle(trace, { lanes, sums }, name) {
    const { parts } = this;
    Object.assign(this, { trace, lanes, sums, name, first: 0, slice: null, isHit: null });
    this.isTold = false;
    this.span = Math.max(SPAN_LEAST, trace.endNs * 1e-12);
    this.chosen = lanes[0] ?? null;
    this.whole = { from: trace.beginNs, to: Math.max(trace.endNs, trace.beginNs + this.span) };
    this.view = { ...this.whole };
    parts.inside.hidden = parts.inside.inert = false;
    parts.how.hidden = true;
    parts.title.textContent = cleanText(name) || "Timeline";
    parts.search.word.value = "";
    this.search("");
    this.warn(warnings(trace, sums));
    this.say(tellTrace(trace, sums));
    this.tell = drawTables(parts.tables, trace, { lanes, sums }, this);
    this.follow(this.wanted);
    this.writeAddress(); /* the link to this room may be about another trace */
    this.sayView(); /* at once: a line that came later would move what one is about to press */
    this.paint();
    performance.mark("timeline-painted");
    document.documentElement.dataset.timeline = "painted";
  }

  warn(about, notice = this.notice) {
    const { warning } = this.parts,
      texts = notice ? [...about, notice] : about;
    this.warnings = about;
    this.notice = notice;
    warning.replaceChildren(
      ...texts.map(text => Object.assign(document.createElement("p"), { textContent: text })),
    );
    warning.hidden = texts.length === 0;
  }
  say(text) {
    this.parts.about.textContent = text;
  }

  /* --- where we are --- */

  /* "1000-2000": nanoseconds, written by whom we do not know. */
  follow(rest) {
    this.wanted = rest;
    if (!this.trace) return;
    const found = /^(\d{1,19})-(\d{1,19})$/.exec(rest),
      isGood = found && Number(found[1]) < Number(found[2]);
    if (isGood) this.setView(Number(found[1]), Number(found[2]));
    else if (rest !== "") this.showAll();
    this.warn(this.warnings, isGood || rest === "" ? "" : NOT_UNDERSTOOD);
  }

  setView(from, to) {
    const { whole } = this,
      length = Math.min(Math.max(to - from, this.span), whole.to - whole.from),
      middle = (from + to) / 2,
      start = Math.min(Math.max(middle - length / 2, whole.from), whole.to - length);
    this.view = { from: start, to: start + length };
    this.isTold = false;
    this.redraw();
  }

  /* By a share of what is shown. */
  pan(share) {
    const { from, to } = this.view,
      step = share * (to - from);
    this.setView(from + step, to + step);
  }

  /* Around a moment, the middle unless told: it stays where it is on the screen. */
  zoom(factor, around = (this.view.from + this.view.to) / 2) {
    const { from, to } = this.view,
      { whole } = this,
      length = Math.min(Math.max((to - from) * factor, this.span), whole.to - whole.from),
      share = (around - from) / (to - from),
      start = Math.min(Math.max(around - share * length, whole.from), whole.to - length);
    this.setView(start, start + length);
  }

  showAll() {
    this.setView(this.whole.from, this.whole.to);
  }

  scroll(direction) {
    const most = Math.max(0, this.lanes.length - LANES_MAX);
    this.first = Math.min(Math.max(this.first + direction * LANES_MAX, 0), most);
    this.redraw();
  }

  reveal(lane) {
    const at = this.lanes.indexOf(lane);
    if (at < this.first) this.first = at;
    else if (at >= this.first + LANES_MAX) this.first = at - LANES_MAX + 1;
  }

  /* --- slices and matches --- */

  choose(lane, slice) {
    this.chosen = lane;
    this.slice = slice;
    this.reveal(lane);
    this.isTold = false;
    if (slice) this.tellChosen(tellSlice(slice));
    this.redraw();
  }

  /* Stands until the view moves, or something else is chosen. */
  tellChosen(text) {
    this.parts.said.textContent = text;
    this.isTold = true;
  }

  pick(x, y) {
    const lane = this.shown()[this.painter.laneAt(y)];
    if (!lane || x < this.painter.gutter) return;
    this.choose(lane, sliceAt(this.trace, lane, this.painter.timeAt(x, this.view)));
  }

  moveLane(direction) {
    const at = this.lanes.indexOf(this.chosen) + direction,
      lane = this.lanes[at];
    if (!lane) return;
    const { from, to } = this.view,
      time = this.slice?.from ?? (from + to) / 2;
    this.choose(lane, sliceAt(this.trace, lane, time));
  }

  /* The slice after or before the chosen one, on its lane. */
  step(direction) {
    const lane = this.chosen;
    if (!lane) return;
    const { slice, view } = this,
      isHere = slice?.lane === lane && slice.mark >= 0,
      at = isHere ? slice.mark >> 1 : recordAt(lane, slice?.from ?? view.from),
      next = nextBegin(lane, at, direction);
    if (next < 0) {
      const where = direction > 0 ? "after" : "before";
      this.tellChosen(`There is no slice ${where} on ${laneTitle(lane)}.`);
      return;
    }
    this.goToRecord(lane, next);
  }

  /* Shows it, and moves the view if it has to. */
  goToRecord(lane, record) {
    const time = lane.ns[record],
      length = this.view.to - this.view.from;
    if (time < this.view.from || time >= this.view.to)
      this.setView(time - length / 2, time + length / 2);
    const kind = (lane.ring.words[4 * record + 3] >>> 16) & 0xff;
    if (kind !== KIND.MARK) {
      this.choose(lane, sliceOf(this.trace, lane, 2 * record));
      return;
    }
    const name = this.trace.names[this.trace.findName(lane.ring.words[4 * record + 2])]?.text;
    this.choose(lane, {
      lane,
      mark: 2 * record,
      state: lane.state[record],
      name: `mark ${name ?? ""}`,
      from: time,
      to: time,
    });
  }

  zoomToSlice() {
    const { slice, trace } = this;
    if (!slice) return;
    const from = slice.from ?? trace.beginNs,
      to = slice.to ?? trace.endNs,
      around = Math.max(to - from, this.span) * 0.1;
    this.setView(from - around, to + around);
  }

  goToGap(gap) {
    this.setView(gap.start - gap.ns * 0.25, gap.start + gap.ns * 1.25);
    const lane = this.lanes.find(other => other.ring.worker === gap.worker);
    this.choose(lane, sliceAt(this.trace, lane, gap.start));
    this.parts.canvas.focus();
  }

  searchFor(name) {
    this.parts.search.word.value = name;
    this.search(name);
    this.slice = null;
    this.goToMatch(1, this.whole.from);
    this.parts.canvas.focus();
  }

  search(word) {
    const { found, previous, next } = this.parts.search,
      { trace } = this;
    this.isHit = null;
    found.textContent = "";
    if (word && trace) {
      const small = word.toLowerCase(),
        hits = new Uint8Array(trace.names.length);
      let names = 0;
      trace.names.forEach((name, i) => {
        if (name.text.toLowerCase().includes(small)) names += hits[i] = 1;
      });
      this.isHit = name => name >= 0 && hits[name] === 1;
      const tasks = this.sums.tasks.reduce(
        (sum, task) => sum + (this.isHit(task.name) ? task.count : 0),
        0,
      );
      found.textContent = names
        ? `${counted(names, "name")}, ${counted(tasks, "task")}`
        : "No name has that in it.";
    }
    const isUsable = this.isHit !== null && !/^No/.test(found.textContent);
    setUsable(previous, isUsable);
    setUsable(next, isUsable);
    if (this.trace) this.redraw();
  }

  /*
   * The nearest match after what is chosen, or `first`, or before it, on whichever lane; of two at
   * the same moment the one on the upper lane is the earlier.
   */
  goToMatch(direction, first = direction > 0 ? this.view.from : this.view.to) {
    const { slice, lanes, trace } = this;
    if (!this.isHit) return;
    const here = slice
      ? { time: slice.from ?? trace.beginNs, row: lanes.indexOf(slice.lane), slice }
      : { time: first, row: direction > 0 ? -1 : lanes.length };
    let best = null;
    lanes.forEach((lane, row) => {
      const record = this.matchOn(lane, this.matchStart(lane, row, here, direction), direction),
        time = lane.ns[record];
      if (record < 0) return;
      if (!best || (direction > 0 ? time < best.time : time >= best.time))
        best = { lane, record, time };
    });
    if (best) this.goToRecord(best.lane, best.record);
    else this.tellChosen(`There is no match ${direction > 0 ? "after" : "before"} this.`);
  }

  /* The first record of a lane that comes into question; times are whole. */
  matchStart(lane, row, { time, row: chosen, slice }, direction) {
    if (row === chosen) {
      const known = slice.mark >= 0 && !(slice.mark & 1);
      return (known ? slice.mark >> 1 : recordAt(lane, time)) + direction;
    }
    const isBelow = row > chosen;
    if (direction > 0) return recordAt(lane, isBelow ? Math.ceil(time) - 0.5 : time) + 1;
    return recordAt(lane, isBelow ? Math.ceil(time) - 0.5 : time);
  }

  matchOn(lane, first, direction) {
    const { words } = lane.ring;
    for (let i = first; i >= 0 && i < lane.count; i += direction) {
      const kind = (words[4 * i + 3] >>> 16) & 0xff;
      if (kind !== KIND.TASK && kind !== KIND.SPAN && kind !== KIND.MARK) continue;
      if (this.isHit(this.trace.findName(words[4 * i + 2]))) return i;
    }
    return -1;
  }

  key(event) {
    const { target, key } = event;
    if (event.ctrlKey || event.altKey || event.metaKey || !this.trace) return;
    if (target.matches("input")) return;
    const keys = {
      ArrowLeft: () => this.pan(-0.1),
      ArrowRight: () => this.pan(0.1),
      ArrowUp: () => this.moveLane(-1),
      ArrowDown: () => this.moveLane(1),
      "+": () => this.zoom(0.5),
      "=": () => this.zoom(0.5),
      "-": () => this.zoom(2),
      Home: () => this.showAll(),
      ",": () => this.step(-1),
      ".": () => this.step(1),
      "/": () => this.parts.search.word.focus(),
      n: () => this.goToMatch(1),
      p: () => this.goToMatch(-1),
    };
    const isTable = target.matches(".scroll") && /^Arrow|Home/.test(key);
    const isChoice = key === "Enter" && target === this.parts.canvas,
      use = isChoice ? () => this.zoomToSlice() : keys[key];
    if (!use || isTable) return;
    event.preventDefault();
    use();
  }

  /* --- drawing --- */

  shown() {
    return this.lanes.slice(this.first, this.first + LANES_MAX);
  }

  scene() {
    const { trace, lanes, view, slice, chosen, isHit } = this;
    this.colours ??= readColours(this.element);
    return { trace, lanes, view, slice, chosen, isHit, shown: this.shown(), colours: this.colours };
  }

  redraw() {
    if (!this.trace || this.pending) return;
    this.pending = requestAnimationFrame(() => {
      this.pending = null;
      this.paint();
    });
  }

  paint() {
    const width = this.parts.canvas.parentElement.clientWidth;
    if (!width) return; /* another room is shown */
    const scene = this.scene();
    this.painter.fit(width, scene.shown.length);
    this.painter.draw(scene);
    this.overview.draw(scene, Math.round(width));
    this.drawButtons(scene);
    clearTimeout(this.settling);
    this.settling = setTimeout(() => this.settled(), SETTLED_MS);
  }

  drawButtons({ view }) {
    const { parts, whole } = this,
      isAll = view.from <= whole.from && view.to >= whole.to;
    setUsable(parts.zoomOut, !isAll);
    setUsable(parts.all, !isAll);
    setUsable(parts.zoomIn, view.to - view.from > this.span);
    setUsable(parts.less, view.from > whole.from);
    setUsable(parts.more, view.to < whole.to);
    setUsable(parts.toSlice, this.slice !== null);
    parts.scrolls.hidden = this.lanes.length <= LANES_MAX;
    setUsable(parts.higher, this.first > 0);
    setUsable(parts.lower, this.first + LANES_MAX < this.lanes.length);
    const last = Math.min(this.first + LANES_MAX, this.lanes.length);
    parts.which.textContent = `${this.first + 1} to ${last} of ${sayCount(this.lanes.length)}`;
  }

  sayView() {
    const { view } = this,
      sums = new Float64Array(6);
    let steals = 0;
    for (const lane of this.lanes) {
      steals += countIn(lane, lane.steals, view.from, view.to);
      if (!lane.isOutside) laneSums(lane, view.from, view.to).forEach((ns, i) => (sums[i] += ns));
    }
    this.parts.said.textContent = tellView(view, sums, steals);
  }

  /* The view has come to rest: say what it shows, and let the address tell it. */
  settled() {
    if (!this.isTold) this.sayView();
    this.tell(this.scene());
    this.writeAddress();
  }

  writeAddress() {
    const { view, whole } = this,
      isAll = view.from <= whole.from && view.to >= whole.to;
    this.page.setRest(isAll ? "" : `${Math.floor(view.from)}-${Math.ceil(view.to)}`);
  }

  leave() {
    clearTimeout(this.settling);
    if (this.trace) this.writeAddress();
  }
}

/* The room, as page.js takes it; the page begins with it where it has a trace in it. */
export const timelineRoom = {
  id: "timeline",
  title: "Timeline",
  isWanted: hasEmbedded,
  isForFiles: true,
  knows: head => head.startsWith(MAGIC),
  open(place, page) {
    const room = new Room(page);
    place.append(room.element);
    let isFirst = hasEmbedded();
    if (isFirst) room.load(tell => takeEmbedded((done, all) => tell(done / (all || 1))));
    return {
      show(rest) {
        if (isFirst && !room.trace) room.paintCoarse();
        isFirst = false;
        room.follow(rest);
        room.redraw();
      },
      hide: () => room.leave(),
      take: file => room.openFile(file),
    };
  },
};
