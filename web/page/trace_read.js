/* trace_read.js — the bytes of a trace file made sense of; cut and hostile ones are safe */

/*
 * As tool/trace/trace_read.c, and docs/trace-format.md.  Records stay where they are: a ring is
 * a view of the file's bytes, four words of 32 bits for each record (everything in a file stands
 * at a multiple of 8), so that millions of records cost nothing to take over.  Browsers run on
 * little-endian machines; on another one a trace is refused.
 */
export const KIND = Object.freeze({
  TASK: 1,
  TASK_END: 2,
  FORK: 3,
  STEAL: 4,
  MISS: 5,
  PARK: 6,
  UNPARK: 7,
  WAKE: 8,
  INJECT: 9,
  DEPTH: 10,
  WAIT: 11,
  WAIT_END: 12,
  BLOCK: 13,
  BLOCK_END: 14,
  SPAN: 15,
  SPAN_END: 16,
  MARK: 17,
  SHARE: 18,
});
export const KINDS_KNOWN = 18;
export const NOBODY = 0xffff;

const HEADER_BYTES = 72,
  SECTION_BYTES = 16,
  RING_BYTES = 16,
  RECORD_BYTES = 16,
  NAME_BYTES = 1000; /* a longer name is cut */
const FACTS = 1,
  NAMES = 2,
  RING = 3,
  END = 4;
const IS_SNAPSHOT = 1,
  HAS_OUTSIDE = 2;
const NS_MAX = 2n ** 62n - 1n; /* what tool/trace takes for the largest time */
const TABLE_MAX = 1 << 20; /* names with small numbers are found by a table */
const WORKERS_MAX = 65535; /* a record names a worker in 16 bits, and one value is nobody */
export const MAGIC = "SKUATRC\n";

/* What is wrong with a file, and at which byte. */
export class TraceFault extends Error {
  constructor(at, what) {
    super(what);
    this.at = at;
  }
}
const blame = (at, what) => {
  throw new TraceFault(at, what);
};

function readHeader(view) {
  const size = view.byteLength;
  if (size === 0) blame(0, "it is empty; record a trace again");
  for (let i = 0; i < Math.min(MAGIC.length, size); i++)
    if (view.getUint8(i) !== MAGIC.charCodeAt(i))
      blame(0, "it is no trace of skua; record one with SKUA_TRACE=file");
  const version = size >= 12 ? view.getUint32(8, true) : 1;
  if (version !== 1)
    blame(
      8,
      `it is of version ${version}, and this page reads version 1; ` +
        "try the page of the skua that recorded it",
    );
  if (size < HEADER_BYTES) blame(size, "it is cut short in its header; record a trace again");
  const bytes = view.getUint32(12, true);
  if (bytes < HEADER_BYTES || bytes % 8)
    blame(12, `its header says to have ${bytes} bytes: it is damaged; record a trace again`);
  const workers = view.getUint32(16, true);
  if (workers > WORKERS_MAX)
    blame(16, `its header says to have ${workers} workers: it is damaged; record a trace again`);
  if (bytes > size) blame(size, "it is cut short in its header; record a trace again");
  return {
    bytes,
    workers,
    flags: view.getUint32(20, true),
    process: view.getBigUint64(24, true),
    startNs: view.getBigInt64(32, true),
    startTicks: view.getBigUint64(40, true),
    endNs: view.getBigInt64(48, true),
    endTicks: view.getBigUint64(56, true),
    wallNs: view.getBigInt64(64, true),
  };
}

/* Each section: its kind and number, the bytes that it says to have, and those that there are. */
function* sections(view, first) {
  let at = first;
  while (view.byteLength - at >= SECTION_BYTES) {
    const left = view.byteLength - at - SECTION_BYTES,
      told = view.getBigUint64(at + 8, true),
      isCut = told > BigInt(left),
      bytes = isCut ? left : Number(told);
    yield {
      kind: view.getUint32(at, true),
      number: view.getUint32(at + 4, true),
      body: at + SECTION_BYTES,
      at,
      told,
      bytes,
      isCut,
    };
    at += SECTION_BYTES + bytes;
    if (isCut) return;
  }
}

const DAMAGED = "it is damaged; record a trace again";

/* Null: it was cut before there was anything of it. */
function readRing(view, part, workers) {
  if (part.number >= workers)
    blame(
      part.at + 4,
      `it has a ring of worker ${part.number} and only ${workers} workers: ${DAMAGED}`,
    );
  if (part.bytes < RING_BYTES) {
    if (part.isCut) return null;
    blame(part.at + 8, `the ring of worker ${part.number} has no head: ${DAMAGED}`);
  }
  const written = view.getBigUint64(part.body, true),
    dropped = view.getBigUint64(part.body + 8, true),
    held = (part.told - BigInt(RING_BYTES)) / BigInt(RECORD_BYTES);
  if (dropped > written || written - dropped !== held || part.told % 16n)
    blame(
      part.at + 16,
      `the ring of worker ${part.number} does not have as many records as it says: ${DAMAGED}`,
    );
  const count = Math.floor((part.bytes - RING_BYTES) / RECORD_BYTES);
  return {
    worker: part.number,
    at: part.at,
    written: Number(written),
    dropped: Number(dropped),
    count,
    words: new Uint32Array(view.buffer, part.body + RING_BYTES, 4 * count),
  };
}

/*
 * Text of a stranger: controls, and what draws nothing but changes how its neighbours look (as
 * tool/text.c has it), could make one name look like another.
 */
const TREACHEROUS = new RegExp(
  "[\\p{Cc}\\u00ad\\u061c\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufeff" +
    "\\ufff9-\\ufffb\\u{e0000}-\\u{e0fff}]",
  "gu",
);
export const cleanText = text => text.replaceAll(TREACHEROUS, "\ufffd");

/* Not in the middle of a character, if it is one. */
function cutName(bytes, from, length) {
  if (length <= NAME_BYTES) return length;
  let cut = NAME_BYTES;
  for (let i = 0; i < 3 && bytes[from + cut] >> 6 === 2; i++) cut--;
  return cut;
}

function readNames(view, part, names) {
  const bytes = new Uint8Array(view.buffer),
    decoder = new TextDecoder(),
    end = part.body + part.bytes;
  let at = part.body;
  while (end - at >= 8) {
    const length = view.getUint32(at + 4, true);
    if (length > end - at - 8) break;
    const kept = bytes.subarray(at + 8, at + 8 + cutName(bytes, at + 8, length));
    names.push({
      number: view.getUint32(at, true),
      text: cleanText(decoder.decode(kept)),
    });
    at = Math.min(at + 8 + Math.ceil(length / 8) * 8, end);
  }
  if (at !== end && !part.isCut) blame(at, `a name is longer than its section: ${DAMAGED}`);
}

/* Lines "key=value"; of a key that is there twice the first counts. */
function readFacts(view, part, facts) {
  let bytes = new Uint8Array(view.buffer, part.body, part.bytes);
  const zero = bytes.indexOf(0);
  if (zero >= 0) bytes = bytes.subarray(0, zero);
  for (const line of new TextDecoder().decode(bytes).split("\n")) {
    const is = line.indexOf("="),
      key = cleanText(line.slice(0, Math.max(is, 0)));
    if (is >= 0 && !facts.has(key)) facts.set(key, cleanText(line.slice(is + 1)));
  }
}

function readSections(view, trace) {
  for (const part of sections(view, trace.header.bytes)) {
    if (part.kind === END) {
      if (part.told !== 0n) blame(part.at + 8, `its end is not empty: ${DAMAGED}`);
      trace.trailing = view.byteLength - part.body;
      return;
    }
    if (part.told % 8n)
      blame(part.at + 8, `a section has a size that is no multiple of 8: ${DAMAGED}`);
    if (part.kind === FACTS) readFacts(view, part, trace.facts);
    else if (part.kind === NAMES) readNames(view, part, trace.names);
    else if (part.kind === RING) {
      const ring = readRing(view, part, trace.header.workers);
      if (ring) trace.rings.push(ring);
    } else trace.unknownSections++;
  }
  trace.isTruncated = true;
}

/* --- time --- */

function divisor(a, b) {
  while (b) [a, b] = [b, a % b];
  return a;
}

/*
 * A function from the two words of a record's ticks to nanoseconds since the trace began, cut
 * to whole ones as tool/trace does it in 128 bits.  Doubles do as long as the result is far enough
 * from a whole number to be sure of it.
 */
export function makeClock(header, isCalibrated) {
  const scale = isCalibrated ? header.endNs - header.startNs : 1n,
    whole = isCalibrated ? header.endTicks - header.startTicks : 1n,
    shared = divisor(scale, whole),
    up = scale / shared,
    down = whole / shared,
    start = header.startTicks,
    startLow = Number(start & 0xffffffffn),
    startHigh = Number(start >> 32n),
    factor = Number(up),
    over = Number(down),
    ratio = factor / over,
    sure = 2 ** 53 / factor; /* so many ticks times `factor` are exact */
  const slowly = (low, high) => {
    const ticks = (BigInt(high) << 32n) | BigInt(low),
      moved = ticks < start ? start - ticks : ticks - start;
    let ns = (moved * up) / down;
    if (ns > NS_MAX) ns = NS_MAX;
    return ticks < start ? -Number(ns) : Number(ns);
  };
  return (low, high) => {
    const moved = (high - startHigh) * 4294967296 + (low - startLow),
      far = moved < 0 ? -moved : moved;
    if (far < sure) {
      const ns = Math.floor((far * factor) / over);
      return moved < 0 ? -ns : ns;
    }
    const about = far * ratio,
      ns = Math.floor(about),
      error = about * 1e-15 + 1e-9,
      rest = about - ns;
    if (far > 9e15 || about > 1e14 || rest < error || rest > 1 - error) return slowly(low, high);
    return moved < 0 ? -ns : ns;
  };
}

function findExtremes(trace) {
  let first = Infinity,
    last = -Infinity;
  for (const { words, count } of trace.rings)
    for (let i = 0; i < count; i++) {
      const ns = trace.clock(words[4 * i], words[4 * i + 1]);
      if (ns < first) first = ns;
      if (ns > last) last = ns;
    }
  return { first, last };
}

/* A clock that did not move is none; then the last record is the end. */
function findBorders(trace) {
  const { header } = trace,
    length = header.endNs - header.startNs;
  trace.isCalibrated = length > 0n && header.endTicks > header.startTicks && length <= NS_MAX;
  trace.clock = makeClock(header, trace.isCalibrated);
  if (trace.isCalibrated) trace.endNs = Number(length);
  if (trace.isCalibrated && !trace.isSnapshot) return;
  const { first, last } = findExtremes(trace);
  if (!trace.isCalibrated && last > 0) trace.endNs = last;
  if (trace.isSnapshot && first > 0 && first < Infinity)
    trace.beginNs = Math.min(first, trace.endNs);
}

/* A function from a name's number to its place in trace.names, or -1; the first of a number. */
function makeFinder(names) {
  const most = names.reduce((number, name) => Math.max(number, name.number), 0);
  if (most < TABLE_MAX) {
    const table = new Int32Array(most + 1).fill(-1);
    for (let i = names.length - 1; i >= 0; i--) table[names[i].number] = i;
    table[0] = -1;
    return number => (number <= most ? table[number] : -1);
  }
  const places = new Map();
  for (let i = names.length - 1; i >= 0; i--) places.set(names[i].number, i);
  places.delete(0);
  return number => places.get(number) ?? -1;
}

/*
 * Make sense of a file's bytes, an ArrayBuffer.  Throws a TraceFault where it cannot be read; what
 * is cut off at its end is no fault but isTruncated.
 */
export function readTrace(buffer) {
  if (new Uint8Array(new Uint32Array([1]).buffer)[0] !== 1)
    blame(0, "this machine writes numbers the other way round, and the page cannot");
  const view = new DataView(buffer),
    header = readHeader(view);
  const trace = {
    header,
    rings: [],
    names: [],
    facts: new Map(),
    isSnapshot: (header.flags & IS_SNAPSHOT) !== 0,
    hasOutside: (header.flags & HAS_OUTSIDE) !== 0,
    isTruncated: false,
    isCalibrated: false,
    unknownSections: 0,
    trailing: 0,
    beginNs: 0,
    endNs: 0,
  };
  readSections(view, trace);
  trace.rings.sort((a, b) => a.worker - b.worker || a.at - b.at);
  for (let i = 1; i < trace.rings.length; i++)
    if (trace.rings[i].worker === trace.rings[i - 1].worker)
      blame(trace.rings[i].at, `worker ${trace.rings[i].worker} has two rings: ${DAMAGED}`);
  trace.findName = makeFinder(trace.names);
  trace.workers = header.workers - (trace.hasOutside && header.workers ? 1 : 0);
  trace.records = trace.rings.reduce((sum, ring) => sum + ring.count, 0);
  trace.dropped = trace.rings.reduce((sum, ring) => sum + ring.dropped, 0);
  findBorders(trace);
  return trace;
}

export const isOutside = (trace, ring) =>
  trace.hasOutside && ring.worker === trace.header.workers - 1;
export const isWorker = (trace, peer) => peer !== NOBODY && peer < trace.workers;

/* A fact as a number, or 0. */
export function factNumber(trace, key) {
  const digits = /^\d{1,9}(?!\d)/.exec(trace.facts.get(key) ?? "");
  return digits ? Number(digits[0]) : 0;
}
