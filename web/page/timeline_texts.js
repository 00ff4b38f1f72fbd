/* timeline_texts.js — what the room of traces says: times, slices, sums, keys */
import { STATES } from "./trace_walk.js";

export const KEYS = [
  ["Left, Right", "earlier, later"],
  ["+, -", "zoom in, zoom out"],
  ["Home", "the whole trace"],
  ["Up, Down", "choose a worker"],
  [", .", "the slice before, the slice after, on that worker"],
  ["Enter", "zoom to the chosen slice"],
  ["/", "search for a name"],
  ["N, P", "the next match, the match before"],
];
export const LEGEND = [
  ["running", "in a task; tints tell neighbouring tasks apart, and have no meaning of their own"],
  ["searching", "awake, looks for work"],
  ["waiting", "for a task or job, with nothing else to run"],
  ["blocked", "in a blocking section"],
  ["asleep", "a thin line at the bottom"],
  ["unseen", "nothing is known: before its first and behind its last record"],
];
export const HOW_TO =
  "A program that uses skua records a trace when it runs with SKUA_TRACE=run.trace in its " +
  "environment. Choose that file here or drop it anywhere on this page, or let " +
  "\u201cskua view run.trace\u201d write a page with the trace in it. The file stays on your " +
  "machine: this page cannot send anything.";

const UNITS = [
  [1e9, "s"],
  [1e6, "ms"],
  [1e3, "\u00b5s"],
  [1, "ns"],
];

/* 1234567 -> "1.235 ms"; `step`: as many digits as tell two marks apart that lie so far apart. */
export function sayTime(ns, step) {
  if (ns === 0) return "0 s";
  const [size, unit] = UNITS.find(([least]) => Math.abs(ns) >= least) ?? UNITS.at(-1);
  const digits =
    step === undefined
      ? size === 1
        ? 0
        : 3
      : Math.min(9, Math.max(0, Math.ceil(-Math.log10(step / size) - 1e-9)));
  return `${(ns / size).toFixed(digits)} ${unit}`;
}
export const sayShare = share => `${(100 * share).toFixed(1)} %`;
export const sayCount = number => number.toLocaleString("en");
export const counted = (number, word) => `${sayCount(number)} ${word}${number === 1 ? "" : "s"}`;

export const laneTitle = lane => (lane.isOutside ? "other threads" : `worker ${lane.ring.worker}`);

/* One sentence about a whole trace. */
export function tellTrace(trace, sums) {
  const program = trace.facts.get("program"),
    parts = [
      counted(sums.workers.length, "worker"),
      sayTime(sums.lengthNs),
      counted(trace.records, "record"),
      counted(sums.counts.tasks, "task"),
      counted(sums.counts.steals, "steal"),
    ];
  const used = sums.utilisation === null ? "" : `; ${sayShare(sums.utilisation)} of it running`;
  return `${program ? `Trace of ${program}` : "A trace"}: ${parts.join(", ")}${used}.`;
}

/* What should be known before anything is believed. */
export function warnings(trace, sums) {
  const list = [];
  if (trace.isTruncated)
    list.push("The file is cut short: this is what is in it. Record it again where there is room.");
  if (trace.dropped)
    list.push(
      `${sayCount(trace.dropped)} records were overwritten: the oldest part is missing. ` +
        "Record a shorter time, or enlarge the rings.",
    );
  if (!trace.isCalibrated)
    list.push("Its clock did not move: a tick is taken for a nanosecond, times are only an order.");
  if (sums.unknownRecords || trace.unknownSections)
    list.push(
      `It has ${counted(sums.unknownRecords, "record")} and ` +
        `${counted(trace.unknownSections, "section")} of a kind that this page does not know.`,
    );
  return list;
}

export function tellView(view, sums, steals) {
  const length = view.to - view.from,
    all = sums.reduce((sum, ns) => sum + ns, 0),
    running = all > 0 ? sayShare(sums[0] / all) : "nothing";
  return (
    `${sayTime(length)} shown, from ${sayTime(view.from, length / 100)} on: ` +
    `${running} running, ${counted(steals, "steal")}.`
  );
}

export function tellSlice(slice) {
  const { lane, from, to, name, state } = slice,
    isWhole = from !== null && to !== null,
    parts = [
      name === null || name === STATES[state] ? STATES[state] : `${name} (${STATES[state]})`,
      from === null ? "begun before the trace" : `from ${sayTime(from)}`,
    ];
  if (isWhole) parts[1] += ` for ${sayTime(to - from)}`;
  else if (to === null) parts[1] += ", and not ended";
  if (slice.stolenFrom !== undefined) parts.push(`stolen from worker ${slice.stolenFrom}`);
  const title = laneTitle(lane);
  return `${title[0].toUpperCase()}${title.slice(1)}: ${parts.join(", ")}.`;
}
