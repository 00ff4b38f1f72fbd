/* trace_lanes.js — a worker's lane at any zoom: states, steals and depths of any time */
import { KIND, NOBODY } from "./trace_read.js";
import { beginsSlice, findEnd, REASON_WORDS, UNSEEN } from "./trace_walk.js";

/*
 * Level of detail without levels: what the states came to is kept at every 64th record, so the sum
 * up to any moment is a search and at most 64 additions, and a pixel is the difference of two such
 * sums.  It costs the same for a nanosecond and for an hour, and nothing is ever left out.
 */
const STEP = 64,
  KEPT = 5; /* states; unseen is the rest */
const FANOUT = 16; /* of the pyramid of depths */
const LOOKED = 16; /* records that are looked at for one pixel */

/* What is kept of a lane for questions; call it once. */
export function prepareLane(lane, trace) {
  const { ns, state, count } = lane,
    running = new Float64Array(KEPT),
    kept = new Float64Array(KEPT * (Math.floor(count / STEP) + 1));
  if (count && lane.leadState < KEPT) running[lane.leadState] += ns[0] - trace.beginNs;
  for (let i = 0; i < count; i++) {
    if (i % STEP === 0) kept.set(running, (KEPT * i) / STEP);
    const next = i + 1 < count ? ns[i + 1] : trace.endNs;
    if (state[i] < KEPT) running[state[i]] += next - ns[i];
  }
  lane.kept = kept;
  lane.beginNs = trace.beginNs;
  lane.endNs = trace.endNs;
  lane.depthLevels = buildPyramid(lane);
  return lane;
}

/* The last record at or before a moment; -1: it is earlier than all. */
export function recordAt(lane, time, from = 0) {
  const { ns } = lane;
  let low = from,
    high = lane.count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ns[middle] <= time) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/* Into `sums`: nanoseconds of each state from the beginning up to `time`, whose record is `at`. */
function sumUntil(lane, at, time, sums) {
  const { ns, state, kept } = lane;
  if (at < 0) {
    sums.fill(0);
    if (lane.leadState < KEPT) sums[lane.leadState] = time - lane.beginNs;
    return;
  }
  const first = at - (at % STEP),
    base = (KEPT * first) / STEP;
  for (let s = 0; s < KEPT; s++) sums[s] = kept[base + s];
  for (let i = first; i < at; i++) if (state[i] < KEPT) sums[state[i]] += ns[i + 1] - ns[i];
  if (state[at] < KEPT) sums[state[at]] += time - ns[at];
}

/* Nothing but points between two records, as far as one look tells. */
function isOneSlice(lane, left, right) {
  if (left < 0 || right - left > LOOKED) return false;
  for (let i = left; i < right; i++)
    if (lane.mark[i] !== lane.mark[right] || lane.state[i] !== lane.state[right]) return false;
  return true;
}

/*
 * The time from `from` to `to` in `count` columns.  shares[5 * c + s] becomes state s's share of
 * column c; place[c] the last record of the one slice that the whole column belongs to, -1: what
 * was before all records, -2: there are several slices.
 */
export function laneColumns(lane, from, to, count, shares, place) {
  let before = new Float64Array(KEPT),
    now = new Float64Array(KEPT),
    left = recordAt(lane, from);
  const width = (to - from) / count;
  sumUntil(lane, left, from, before);
  for (let c = 0; c < count; c++) {
    const time = from + (c + 1) * width,
      right = recordAt(lane, time, Math.max(left, 0));
    sumUntil(lane, right, time, now);
    for (let s = 0; s < KEPT; s++) shares[KEPT * c + s] = (now[s] - before[s]) / width;
    place[c] = right === left || isOneSlice(lane, left, right) ? right : -2;
    [before, now] = [now, before];
    left = right;
  }
}

/* Nanoseconds of all six states in a piece of time. */
export function laneSums(lane, from, to) {
  const early = new Float64Array(KEPT),
    late = new Float64Array(KEPT),
    sums = new Float64Array(KEPT + 1);
  sumUntil(lane, recordAt(lane, from), from, early);
  sumUntil(lane, recordAt(lane, to), to, late);
  let seen = 0;
  for (let s = 0; s < KEPT; s++) seen += sums[s] = late[s] - early[s];
  sums[UNSEEN] = Math.max(0, to - from - seen);
  return sums;
}

/* The first of `places`, numbers of records, at or behind a moment. */
export function placeFrom(lane, places, time) {
  let low = 0,
    high = places.count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (lane.ns[places.all[middle]] < time) low = middle + 1;
    else high = middle;
  }
  return low;
}
export const countIn = (lane, places, from, to) =>
  placeFrom(lane, places, to) - placeFrom(lane, places, from);

/* --- depths --- */

function buildPyramid(lane) {
  const { depths, ring } = lane,
    ground = new Uint32Array(depths.count);
  for (let i = 0; i < depths.count; i++) ground[i] = ring.words[4 * depths.all[i] + 2];
  const levels = [ground];
  while (levels.at(-1).length > FANOUT) {
    const below = levels.at(-1),
      level = new Uint32Array(Math.ceil(below.length / FANOUT));
    for (let i = 0; i < below.length; i++) {
      const up = Math.floor(i / FANOUT);
      if (below[i] > level[up]) level[up] = below[i];
    }
    levels.push(level);
  }
  return levels;
}

/* The largest of the depths `first` to before `end`. */
function deepest(levels, first, end) {
  let most = 0,
    level = 0;
  for (; first < end; level++) {
    const values = levels[level];
    while (first < end && (first % FANOUT || level === levels.length - 1)) {
      if (values[first] > most) most = values[first];
      first++;
    }
    while (first < end && end % FANOUT) {
      end--;
      if (values[end] > most) most = values[end];
    }
    first /= FANOUT;
    end /= FANOUT;
  }
  return most;
}

export const deepestOf = lane => deepest(lane.depthLevels, 0, lane.depths.count);

/* The largest depth of each of `count` columns; one lasts until the next. */
export function depthColumns(lane, from, to, count, out) {
  const width = (to - from) / count;
  let first = placeFrom(lane, lane.depths, from);
  for (let c = 0; c < count; c++) {
    const end = placeFrom(lane, lane.depths, from + (c + 1) * width);
    out[c] = deepest(lane.depthLevels, first > 0 ? first - 1 : 0, end);
    first = end;
  }
}

/* --- slices --- */

/* What a slice is called; `mark` as trace_walk.js has it. */
export function sliceName(trace, lane, mark) {
  const i = mark >> 1,
    isEnd = mark & 1,
    { words } = lane.ring,
    kind = (words[4 * i + 3] >>> 16) & 0xff,
    nameOf = () => trace.names[trace.findName(words[4 * i + 2])]?.text;
  if (kind === KIND.PARK || kind === KIND.UNPARK) return "asleep";
  if (kind === KIND.BLOCK || kind === KIND.BLOCK_END) return "blocked";
  if (kind === KIND.SPAN || kind === KIND.SPAN_END) return nameOf() ?? "span";
  if (kind === KIND.TASK) return nameOf() ?? "task";
  if (kind === KIND.WAIT && !isEnd) {
    const reason = REASON_WORDS[words[4 * i + 3] >>> 24];
    return reason && reason !== "other" ? `wait for a ${reason}` : "wait";
  }
  return kind === KIND.WAIT_END ? "wait" : "task";
}

/* The name's place in trace.names of the task or span that a mark is of; -1: none. */
export function nameOfMark(trace, lane, mark) {
  const i = mark >> 1,
    { words } = lane.ring,
    kind = (words[4 * i + 3] >>> 16) & 0xff;
  if (mark < 0 || (kind !== KIND.TASK && kind !== KIND.SPAN)) return -1;
  return trace.findName(words[4 * i + 2]);
}

/*
 * What a lane does at a moment: the innermost slice with its borders, or the state alone.  `from`
 * and `to` are null where the slice reaches out of what is known.
 */
export function sliceAt(trace, lane, time) {
  const at = recordAt(lane, time),
    mark = at < 0 ? lane.leadMark : lane.mark[at],
    state = at < 0 ? lane.leadState : lane.state[at];
  if (mark < 0) {
    return {
      lane,
      state,
      mark,
      name: null,
      from: at < 0 ? lane.beginNs : lane.ns[at],
      to: at + 1 < lane.count ? lane.ns[at + 1] : lane.endNs,
    };
  }
  return sliceOf(trace, lane, mark, state);
}

export function sliceOf(trace, lane, mark, state) {
  const number = mark >> 1,
    isEnd = mark & 1,
    { words } = lane.ring,
    last = words[4 * number + 3],
    end = isEnd ? number : findEnd(lane.ring, number);
  const slice = {
    lane,
    mark,
    state: state ?? lane.state[number],
    name: sliceName(trace, lane, mark),
    from: isEnd ? null : lane.ns[number],
    to: end === null ? null : lane.ns[end],
  };
  const isTask = !isEnd && ((last >>> 16) & 0xff) === KIND.TASK;
  if (isTask && (last & 0xffff) !== NOBODY) slice.stolenFrom = last & 0xffff;
  return slice;
}

/* The next record in a direction that begins a slice and `fits`; -1: there is none. */
export function nextBegin(lane, at, direction, fits = () => true) {
  const { words } = lane.ring;
  for (let i = at + direction; i >= 0 && i < lane.count; i += direction)
    if (beginsSlice((words[4 * i + 3] >>> 16) & 0xff) && fits(i)) return i;
  return -1;
}
