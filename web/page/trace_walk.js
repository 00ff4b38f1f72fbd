/* trace_walk.js — a ring's records as slices that nest, and what they come to */
import { factNumber, isOutside, isWorker, KIND, KINDS_KNOWN } from "./trace_read.js";

/*
 * As tool/trace/trace_walk.c and trace_sum.c, to the nanosecond.  Beside the sums a lane is made:
 * for each record when it was, which state begins with it, and which slice is the innermost from
 * it on.  Numbers lie in typed arrays, and there is no object for a record.
 */
export const STATES = ["running", "searching", "asleep", "waiting", "blocked", "unseen"];
export const [RUNNING, SEARCHING, ASLEEP, WAITING, BLOCKED, UNSEEN] = [0, 1, 2, 3, 4, 5];
export const SLICES = ["tasks", "waits", "parks", "blocks", "spans"];
const [TASK, WAIT, , , SPAN] = [0, 1, 2, 3, 4];
const NONE = -1;
const STATE_OF_SLICE = Uint8Array.of(RUNNING, WAITING, ASLEEP, BLOCKED, RUNNING);
const GAPS = 5; /* longest ones that are kept */
const REASONS = 7; /* of waits; the last is "other" */
export const REASON_WORDS = ["join", "job", "group", "future", "graph", "pipeline", "other"];
const SPANS_BACK = 64; /* how far the begin of a span is looked for */
const RECORDS_AT_ONCE = 1 << 17; /* between two chances to draw */
const FOLLOWED_MAX = 1 << 20; /* records that are looked at for one end */

/* The slice that a kind of record begins, or ends, or 5. */
const NO_SLICE = 5,
  BEGINS = new Uint8Array(256).fill(NO_SLICE),
  ENDS = new Uint8Array(256).fill(NO_SLICE);
[KIND.TASK, KIND.WAIT, KIND.PARK, KIND.BLOCK, KIND.SPAN].forEach((kind, i) => (BEGINS[kind] = i));
[KIND.TASK_END, KIND.WAIT_END, KIND.UNPARK, KIND.BLOCK_END, KIND.SPAN_END].forEach(
  (kind, i) => (ENDS[kind] = i),
);

/*
 * When the slice that the record `number` began ends: it is followed until its end, for a million
 * records at most.  Null: not so soon, or not at all.
 */
export function findEnd(ring, number) {
  const { words } = ring,
    stack = new Stack(),
    most = Math.min(ring.count, number + FOLLOWED_MAX);
  for (let i = number; i < most; i++) {
    const kind = (words[4 * i + 3] >>> 16) & 0xff;
    if (BEGINS[kind] !== NO_SLICE) stack.push(BEGINS[kind], 2 * i, words[4 * i + 2], 0, 0);
    else if (ENDS[kind] !== NO_SLICE) {
      const at = stack.find(ENDS[kind], words[4 * i + 2]);
      if (at !== NONE) stack.cut(at);
      if (!stack.depth) return i;
    }
  }
  return null;
}
export const beginsSlice = kind => BEGINS[kind] !== NO_SLICE;

/* Open slices, the outermost first.  `mark` is the record's number twice, plus 1 for an end. */
class Stack {
  constructor() {
    this.depth = 0;
    this.open = new Int32Array(5);
    this.grow(32);
  }

  grow(room) {
    for (const column of ["kind", "state", "mark", "name", "task", "wait", "detail"]) {
      const larger = new Int32Array(room);
      if (this[column]) larger.set(this[column]);
      this[column] = larger;
    }
    const began = new Float64Array(room);
    if (this.began) began.set(this.began);
    this.began = began;
    this.room = room;
  }

  push(kind, mark, name, detail, ns) {
    if (this.depth === this.room) this.grow(2 * this.room);
    const at = this.depth++,
      below = at - 1;
    this.kind[at] = kind;
    this.state[at] = kind === SPAN && at ? this.state[below] : STATE_OF_SLICE[kind];
    this.mark[at] = mark;
    this.name[at] = name;
    this.detail[at] = detail;
    this.began[at] = ns;
    this.task[at] = kind === TASK ? at : at ? this.task[below] : NONE;
    this.wait[at] = kind === TASK ? NONE : kind === WAIT ? at : at ? this.wait[below] : NONE;
    this.open[kind]++;
  }

  /* Where the slice is that an end means; -1: nowhere. */
  find(kind, name) {
    if (!this.open[kind]) return NONE;
    const least = kind === SPAN && this.depth > SPANS_BACK ? this.depth - SPANS_BACK : 0;
    for (let i = this.depth - 1; i >= least; i--)
      if (this.kind[i] === kind && (kind !== SPAN || this.name[i] === (name | 0))) return i;
    return NONE;
  }

  /* Close slices until so many are left. */
  cut(depth) {
    while (this.depth > depth) this.open[this.kind[--this.depth]]--;
  }
}

/* Ends that meet an empty stack: slices from before the first record, the innermost first. */
function findBefore(ring) {
  const { words, count } = ring,
    stack = new Stack(),
    before = [];
  for (let i = 0; i < count; i++) {
    const last = words[4 * i + 3],
      kind = (last >>> 16) & 0xff;
    if (BEGINS[kind] !== NO_SLICE) stack.push(BEGINS[kind], 2 * i, words[4 * i + 2], 0, 0);
    else if (ENDS[kind] !== NO_SLICE) {
      const at = stack.find(ENDS[kind], words[4 * i + 2]);
      if (at !== NONE) stack.cut(at);
      else if (!stack.depth) before.push(i);
    }
  }
  return before;
}

/* Numbers of records, in order, in an array that grows. */
class Places {
  constructor() {
    this.all = new Int32Array(64);
    this.count = 0;
  }
  add(place) {
    if (this.count === this.all.length) {
      const larger = new Int32Array(2 * this.count);
      larger.set(this.all);
      this.all = larger;
    }
    this.all[this.count++] = place;
  }
}

/* One ring on its way through. */
class Walk {
  constructor(trace, ring, sums) {
    this.trace = trace;
    this.ring = ring;
    this.sums = sums;
    this.isOutside = isOutside(trace, ring);
    this.stack = new Stack();
    this.now = trace.beginNs; /* of the walk */
    this.done = trace.beginNs; /* all before is accounted for */
    this.gapStart = NONE;
    this.gap = new Float64Array(6);
    const { count } = ring;
    this.lane = {
      ring,
      isOutside: this.isOutside,
      ns: new Float64Array(count),
      state: new Uint8Array(count),
      mark: new Int32Array(count),
      count,
      leadState: UNSEEN,
      leadMark: NONE,
      steals: new Places(),
      depths: new Places(),
      points: new Places(),
      sum: {
        worker: ring.worker,
        ns: new Float64Array(6),
        slices: new Float64Array(5),
        tasks: 0,
        steals: 0,
        stolen: 0,
        robbed: 0,
        misses: 0,
        written: ring.written,
        dropped: ring.dropped,
      },
    };
  }

  clamp(ns) {
    const early = ns > this.trace.endNs ? this.trace.endNs : ns;
    return early > this.now ? early : this.now;
  }

  start() {
    const { ring, trace, stack, lane } = this,
      { words } = ring,
      before = findBefore(ring);
    if (ring.dropped && ring.count) this.now = this.clamp(trace.clock(words[0], words[1]));
    for (let i = before.length - 1; i >= 0; i--) {
      const last = words[4 * before[i] + 3],
        kind = ENDS[(last >>> 16) & 0xff];
      stack.push(kind, 2 * before[i] + 1, words[4 * before[i] + 2], last >>> 24, this.now);
      this.countOpen(kind);
    }
    this.before = before.length;
    if (before.length && !ring.dropped) {
      lane.leadState = stack.state[stack.depth - 1];
      lane.leadMark = stack.mark[stack.depth - 1];
    }
  }

  countOpen(kind) {
    const { sum } = this.lane;
    sum.slices[kind]++;
    if (kind === TASK) sum.tasks++;
  }

  /* The time up to `ns` belongs to `state` and to what is open. */
  account(ns, state) {
    const passed = ns - this.done;
    if (passed <= 0) return;
    const from = this.done;
    this.done = ns;
    if (this.isOutside) return;
    this.lane.sum.ns[state] += passed;
    const { stack } = this,
      top = stack.depth - 1;
    if (top >= 0 && state !== UNSEEN) {
      if (state === RUNNING && stack.task[top] !== NONE)
        this.taskOf(stack.task[top]).ns += passed;
      else if (state !== BLOCKED && stack.wait[top] !== NONE)
        this.waitOf(stack.wait[top]).idleNs += passed;
    }
    if (state === RUNNING || state === UNSEEN) this.endGap(from);
    else {
      if (this.gapStart === NONE) this.gapStart = from;
      this.gap[state] += passed;
    }
  }

  endGap(ns) {
    if (this.gapStart === NONE) return;
    let state = 0;
    for (let i = 0; i < 6; i++) if (this.gap[i] > this.gap[state]) state = i;
    const gap = { worker: this.ring.worker, start: this.gapStart, ns: ns - this.gapStart, state };
    this.gapStart = NONE;
    this.gap.fill(0);
    if (gap.ns <= 0) return;
    const { gaps } = this.sums;
    let place = gaps.length;
    while (place && gaps[place - 1].ns < gap.ns) place--;
    gaps.splice(place, 0, gap);
    if (gaps.length > GAPS) gaps.pop();
  }

  taskOf(at) {
    const { stack, sums } = this,
      name = stack.mark[at] & 1 ? NONE : this.trace.findName(stack.name[at] >>> 0);
    return sums.taskOf(name);
  }

  waitOf(at) {
    const { stack, sums } = this,
      reason = stack.mark[at] & 1 ? REASONS : stack.detail[at];
    return sums.waits[reason < REASONS - 1 ? reason : REASONS - 1];
  }

  /* Close slices until so many are left; who is counted at its end is counted now. */
  shut(depth) {
    const { stack } = this;
    while (stack.depth > depth) {
      const at = stack.depth - 1,
        kind = stack.kind[at],
        length = this.now - stack.began[at];
      if (kind === TASK) {
        const task = this.taskOf(at);
        task.count++;
        if (length > task.longest) task.longest = length;
      } else if (kind === WAIT) {
        const wait = this.waitOf(at);
        wait.count++;
        wait.ns += length;
        if (length > wait.longest) wait.longest = length;
      }
      stack.cut(at);
    }
  }

  point(kind, i, argument, peer, detail) {
    const { lane, sums } = this,
      { sum } = lane;
    if (kind === KIND.STEAL) {
      sum.steals++;
      sum.stolen += argument;
      lane.steals.add(i);
      if (isWorker(this.trace, peer)) sums.addSteal(sum.worker, peer, argument);
    } else if (kind === KIND.DEPTH) lane.depths.add(i);
    else if (kind === KIND.MARK) lane.points.add(i);
    else if (kind === KIND.FORK) sums.forks += 2 ** Math.min(detail, 63);
    else if (kind === KIND.MISS) {
      sum.misses += argument;
      sums.misses += argument;
    } else if (kind === KIND.INJECT) sums.injected += argument;
    else if (kind === KIND.SHARE) sums.shared += argument;
  }

  /* Records from `first` to before `end`. */
  go(first, end) {
    const { lane, stack, sums, trace, ring } = this,
      { words } = ring,
      { clock } = trace;
    for (let i = first; i < end; i++) {
      const argument = words[4 * i + 2],
        last = words[4 * i + 3],
        kind = (last >>> 16) & 0xff,
        ns = this.clamp(clock(words[4 * i], words[4 * i + 1]));
      sums.counts[kind]++;
      this.account(ns, i ? lane.state[i - 1] : lane.leadState);
      this.now = ns;
      lane.ns[i] = ns;
      if (BEGINS[kind] !== NO_SLICE) {
        stack.push(BEGINS[kind], 2 * i, argument, last >>> 24, ns);
        this.countOpen(BEGINS[kind]);
      } else if (ENDS[kind] !== NO_SLICE) {
        const at = stack.find(ENDS[kind], argument);
        if (at !== NONE) this.shut(at);
      } else this.point(kind, i, argument, last & 0xffff, last >>> 24);
      const top = stack.depth - 1;
      lane.state[i] = top >= 0 ? stack.state[top] : i === ring.count - 1 ? UNSEEN : SEARCHING;
      lane.mark[i] = top >= 0 ? stack.mark[top] : NONE;
    }
  }

  finish() {
    const { lane, trace, ring } = this,
      { endNs } = trace;
    this.account(endNs, ring.count ? lane.state[ring.count - 1] : lane.leadState);
    this.now = Math.max(this.now, endNs);
    this.shut(0);
    if (!this.isOutside) this.endGap(this.done);
  }
}

class Sums {
  constructor(trace) {
    this.counts = new Float64Array(256);
    this.gaps = [];
    this.forks = this.misses = this.injected = this.shared = 0;
    this.waits = REASON_WORDS.map(word => ({ word, count: 0, ns: 0, idleNs: 0, longest: 0 }));
    this.tasks = new Array(trace.names.length + 1).fill(null); /* by name; the last has none */
    this.pairs = new Map();
  }
  taskOf(name) {
    const at = name === NONE ? this.tasks.length - 1 : name;
    return (this.tasks[at] ??= { name, count: 0, ns: 0, longest: 0 });
  }
  addSteal(thief, victim, tasks) {
    const key = thief * 65536 + victim;
    let pair = this.pairs.get(key);
    if (!pair) this.pairs.set(key, (pair = { thief, victim, steals: 0, tasks: 0 }));
    pair.steals++;
    pair.tasks += tasks;
  }
}

/* What all rings come to, in the words of `skua trace summary --json`; times in nanoseconds. */
function sumUp(trace, sums, lanes) {
  const workers = lanes.filter(lane => !lane.isOutside).map(lane => lane.sum),
    lengthNs = trace.endNs - trace.beginNs,
    running = workers.map(worker => worker.ns[RUNNING]),
    all = running.reduce((sum, ns) => sum + ns, 0),
    spares = factNumber(trace, "spares"),
    wanted = spares < workers.length ? workers.length - spares : workers.length,
    busiest = running.reduce((most, ns) => Math.max(most, ns), 0),
    steals = [...sums.pairs.values()].sort((a, b) => a.thief - b.thief || a.victim - b.victim);
  const byWorker = new Map(lanes.map(lane => [lane.sum.worker, lane.sum]));
  for (const pair of steals) {
    const victim = byWorker.get(pair.victim);
    if (victim) victim.robbed += pair.steals;
  }
  const counts = {};
  SLICES.forEach((word, i) => {
    counts[word] = lanes.reduce((sum, lane) => sum + lane.sum.slices[i], 0);
  });
  Object.assign(counts, {
    steals: sums.counts[KIND.STEAL],
    depths: sums.counts[KIND.DEPTH],
    marks: sums.counts[KIND.MARK],
    wakes: sums.counts[KIND.WAKE],
    forks: sums.forks,
    misses: sums.misses,
    injected: sums.injected,
    shared: sums.shared,
  });
  let unknownRecords = sums.counts[0];
  for (let i = KINDS_KNOWN + 1; i < 256; i++) unknownRecords += sums.counts[i];
  return {
    lengthNs,
    utilisation: workers.length && lengthNs > 0 ? all / lengthNs / wanted : null,
    imbalance: all > 0 ? (busiest * wanted) / all : null,
    counts,
    unknownRecords,
    workers,
    steals,
    waits: sums.waits.filter(wait => wait.count),
    tasks: sums.tasks
      .filter(task => task?.count)
      .sort((a, b) => b.ns - a.ns || b.count - a.count),
    gaps: sums.gaps,
  };
}

/*
 * Walk all rings; a lane is added to `lanes` when its ring is done.  A generator, so that a page
 * stays alive: it yields how many records are done, each time some more are and after each ring,
 * and returns { lanes, sums }.
 */
export function* walkTrace(trace, lanes = []) {
  const sums = new Sums(trace);
  let done = 0;
  for (const ring of trace.rings) {
    const walk = new Walk(trace, ring, sums);
    walk.start();
    for (let at = 0; at < ring.count; at += RECORDS_AT_ONCE) {
      const end = Math.min(at + RECORDS_AT_ONCE, ring.count);
      walk.go(at, end);
      done += end - at;
      yield done;
    }
    walk.finish();
    lanes.push(walk.lane);
    yield done; /* there may be many rings with nothing in them */
  }
  return { lanes, sums: sumUp(trace, sums, lanes) };
}

/* All at once, for who has the time. */
export function walkWhole(trace) {
  const walk = walkTrace(trace);
  for (;;) {
    const { done, value } = walk.next();
    if (done) return value;
  }
}
