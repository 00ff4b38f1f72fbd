/* timeline_reader.spec.js — the page's reader of traces beside the command's */
"use strict";
const assert = require("node:assert/strict");
const { before, after, test } = require("node:test");
const { execFileSync, spawnSync } = require("node:child_process");
const { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } = require("node:fs");
const { tmpdir } = require("node:os");
const path = require("node:path");
const { makeTrace } = require("../../bench/page/big_trace.js");

const { SKUA, SKUA_BUILD, SKUA_SOURCE } = process.env;
const web = path.join(SKUA_SOURCE, "web/page");
const COUNTED = ["worker", "tasks", "steals", "stolen", "robbed", "misses", "written", "dropped"];
const RUNS = ["02_fork_join", "07_groups", "10_graph", "19_blocking", "27_pipeline"];
let work, reader, walker, lanes, draw;

before(async () => {
  work = mkdtempSync(path.join(tmpdir(), "skua_reader."));
  reader = await import(path.join(web, "trace_read.js"));
  walker = await import(path.join(web, "trace_walk.js"));
  lanes = await import(path.join(web, "trace_lanes.js"));
  draw = await import(path.join(web, "timeline_draw.js"));
});
after(() => rmSync(work, { recursive: true, force: true }));

const bufferOf = bytes => bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
/* What the page makes of bytes: { trace, lanes, sums }, or { fault }. */
function readHere(bytes) {
  try {
    const trace = reader.readTrace(bufferOf(bytes));
    return { trace, ...walker.walkWhole(trace) };
  } catch (fault) {
    if (!(fault instanceof reader.TraceFault)) throw fault;
    return { fault };
  }
}
/* And the command: { summary }, or { error }. */
function readThere(bytes) {
  const file = path.join(work, "one.trace");
  writeFileSync(file, bytes);
  const { status, stdout, stderr } = spawnSync(SKUA, ["trace", "summary", "--json", file], {
    maxBuffer: 1 << 28,
    encoding: "utf8",
  });
  return status <= 1 ? { summary: JSON.parse(stdout) } : { error: stderr };
}

const near = (here, there, what) => {
  if (here === there) return;
  const isNear = Math.abs(here - there) <= 1e-12 + 1e-11 * Math.abs(there);
  assert.ok(here !== null && there !== null && isNear, `${what}: ${here}, the command: ${there}`);
};
/* The command gives bytes as they are; the page shows no controls and nothing that turns text. */
const TREACHEROUS =
  /[\p{Cc}\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffd]+/gu;
const readable = name => (name === null ? null : name.replaceAll(TREACHEROUS, "\ufffd"));

function compareWorkers(sums, summary, what) {
  assert.equal(sums.workers.length, summary.workers.length, what);
  sums.workers.forEach((worker, i) => {
    const wanted = summary.workers[i];
    walker.STATES.forEach((state, s) =>
      near(worker.ns[s] / 1e9, wanted[state + "_s"], `${what}: ${state} of ${i}`),
    );
    for (const key of COUNTED)
      near(worker[key], wanted[key], `${what}: ${key} of ${i}`);
  });
}

function compare(bytes, what) {
  const here = readHere(bytes),
    there = readThere(bytes);
  if (here.fault || there.error) {
    assert.ok(here.fault && there.error, `${what}: ${here.fault?.message}, ${there.error}`);
    const at = /at byte (\d+): (.*)/.exec(there.error);
    assert.equal(here.fault.at, Number(at[1]), what);
    if (here.fault.at !== 8) assert.equal(here.fault.message, at[2], what);
    return false;
  }
  const { trace, sums } = here,
    { summary } = there;
  compareWorkers(sums, summary, what);
  near(sums.lengthNs / 1e9, summary.seconds, what + ": length");
  near(sums.utilisation, summary.utilisation, what + ": utilisation");
  near(sums.imbalance, summary.imbalance, what + ": imbalance");
  for (const [key, count] of Object.entries(sums.counts))
    near(count, summary.counts[key], `${what}: ${key}`);
  assert.equal(trace.isTruncated, summary.truncated, what);
  assert.equal(trace.isCalibrated, summary.calibrated, what);
  assert.equal(trace.records, summary.records, what);
  near(trace.dropped, summary.dropped, what + ": dropped");
  assert.equal(trace.trailing, summary.trailing_bytes, what);
  assert.equal(sums.unknownRecords, summary.unknown_records, what);
  assert.equal(trace.unknownSections, summary.unknown_sections, what);
  assert.deepEqual(sums.steals, summary.steals, what);
  assert.deepEqual(
    sums.gaps.map(gap => [gap.worker, walker.STATES[gap.state]]),
    summary.gaps.map(gap => [gap.worker, gap.state]),
    what,
  );
  sums.gaps.forEach((gap, i) => {
    near(gap.start / 1e9, summary.gaps[i].at_s, what + ": gap");
    near(gap.ns / 1e9, summary.gaps[i].seconds, what + ": gap");
  });
  const order = (a, b) =>
    b.s - a.s || b.count - a.count || (String(a.name) < String(b.name) ? -1 : 1);
  const tasks = sums.tasks
      .map(task => ({
        name: task.name < 0 ? null : readable(trace.names[task.name].text),
        count: task.count,
        s: task.ns / 1e9,
        longest: task.longest / 1e9,
      }))
      .sort(order),
    wanted = summary.tasks
      .map(task => ({
        name: readable(task.name),
        count: task.count,
        s: task.seconds,
        longest: task.longest_s,
      }))
      .sort(order);
  assert.equal(tasks.length, wanted.length, what);
  tasks.forEach((task, i) => {
    assert.deepEqual([task.name, task.count], [wanted[i].name, wanted[i].count], what);
    near(task.s, wanted[i].s, what);
    near(task.longest, wanted[i].longest, what);
  });
  sums.waits.forEach((wait, i) => {
    const other = summary.waits[i];
    assert.deepEqual([wait.word, wait.count], [other.reason, other.count], what);
    near(wait.ns / 1e9, other.seconds, what);
    near(wait.idleNs / 1e9, other.idle_s, what);
  });
  assert.equal(sums.waits.length, summary.waits.length, what);
  return true;
}

test("traces with known answers, good and hostile", () => {
  const folder = path.join(work, "made");
  execFileSync("python3", [path.join(SKUA_SOURCE, "tests/trace/make_trace"), folder]);
  const files = readdirSync(folder);
  assert.ok(files.length > 30, `${files.length} traces`);
  const read = files.filter(name => compare(readFileSync(path.join(folder, name)), name));
  assert.ok(read.length > 15 && read.length < files.length - 8, `${read.length} could be read`);
});

test("traces of real runs", t => {
  const file = path.join(work, "run.trace");
  for (const name of RUNS) {
    const program = path.join(SKUA_BUILD, "examples", name),
      env = { ...process.env, SKUA_TRACE: file, SKUA_WORKERS: "3" };
    const { status } = spawnSync(program, [], { env, timeout: 300000, stdio: "ignore" });
    assert.equal(status, 0, name);
    assert.ok(compare(readFileSync(file), name), name);
    t.diagnostic(`${name}: ${readFileSync(file).length} bytes`);
    rmSync(file);
  }
});

test("a made trace of many records", () => assert.ok(compare(makeTrace(200000, 5), "made")));

test("cut at any byte, it is read as far as it goes, or refused as the command does", () => {
  const whole = makeTrace(60, 3);
  for (let size = 0; size < whole.length; size += size < 400 ? 13 : 101)
    compare(whole.subarray(0, size), `${size} bytes`);
  for (let size = 0; size <= whole.length; size++) readHere(whole.subarray(0, size));
});

test("more workers than a record can name are damage", () => {
  const whole = makeTrace(20, 2);
  whole.writeUInt32LE(65535, 16);
  assert.equal(readHere(whole).trace?.workers, 65535);
  for (const workers of [65536, 0x7fffffff, 0xffffffff]) {
    whole.writeUInt32LE(workers, 16);
    const { fault } = readHere(whole);
    assert.equal(fault?.at, 16);
    compare(whole, `${workers} workers`);
    assert.equal(
      fault.message,
      `its header says to have ${workers} workers: it is damaged; record a trace again`,
    );
  }
});

test("there is a chance to draw after each ring, even where it is empty", () => {
  const trace = reader.readTrace(bufferOf(makeTrace(0, 500))),
    found = [];
  let most = 0,
    before = 0;
  for (const walk = walker.walkTrace(trace, found); !walk.next().done; ) {
    most = Math.max(most, found.length - before);
    before = found.length;
  }
  assert.equal(found.length, 500);
  assert.equal(most, 1, "rings between two chances");
});

test("controls and what turns text are not in names and facts", () => {
  const rude = "a\u202eb\u2066c\x1b[31m\x7f\x9b\ufeff\u{e0041}d \u200bna\u00efve \u20ac",
    clean = "a\ufffdb\ufffdc\ufffd[31m\ufffd\ufffd\ufffd\ufffdd \ufffdna\u00efve \u20ac";
  const padded = bytes => Buffer.concat([bytes, Buffer.alloc((8 - (bytes.length % 8)) % 8)]),
    section = (kind, body) => {
      const head = Buffer.alloc(16);
      head.writeUInt32LE(kind, 0);
      head.writeUInt32LE(body.length, 8);
      return Buffer.concat([head, body]);
    };
  const name = Buffer.alloc(8);
  name.writeUInt32LE(99, 0);
  name.writeUInt32LE(Buffer.byteLength(rude), 4);
  const whole = makeTrace(0, 1),
    bytes = Buffer.concat([
      whole.subarray(0, 72),
      section(2, Buffer.concat([name, padded(Buffer.from(rude))])),
      section(1, padded(Buffer.from(`program=${rude}\n${rude}=1\n`))),
      whole.subarray(72),
    ]);
  const { trace } = readHere(bytes);
  assert.equal(trace.names[0].text, clean);
  assert.equal(trace.facts.get("program"), clean);
  assert.equal(trace.facts.get(clean), "1");
});

test("a flipped bit anywhere is survived", () => {
  const whole = makeTrace(50, 2);
  for (let bit = 0; bit < 8 * whole.length; bit++) {
    const bytes = Buffer.from(whole);
    bytes[bit >> 3] ^= 1 << (bit & 7);
    const here = readHere(bytes);
    if (here.fault) assert.ok(here.fault.at <= bytes.length && here.fault.message);
    if (bit % 397 === 0) compare(bytes, `bit ${bit}`);
  }
});

test("spans that cross, near and far, end what the command ends", () => {
  for (const deep of [2, 5, 60, 66, 90]) {
    const whole = makeTrace(2 * deep, 1),
      first = whole.length - 16 - 16 * 2 * deep;
    for (let i = 0; i < 2 * deep; i++) {
      whole.writeUInt32LE(1 + ((i % deep) % 8), first + 16 * i + 8);
      whole[first + 16 * i + 14] = i < deep ? 15 : 16;
    }
    whole[first + 14] = 1; /* a task around them, */
    whole[first + 16 * (deep - 1) + 14] = 11; /* and in them a wait, which ends with what it is in */
    assert.ok(compare(whole, `${deep} spans`));
  }
});

test("random bytes behind a good header are survived", () => {
  let state = 12345;
  const random = () => (state = (Math.imul(state, 1103515245) + 12345) >>> 0) >>> 8;
  for (let round = 0; round < 3000; round++) {
    const bytes = Buffer.from(makeTrace(4, 2));
    for (let i = 0; i < 8; i++) bytes[72 + (random() % (bytes.length - 72))] = random();
    const here = readHere(bytes);
    if (!here.fault && round % 100 === 0) compare(bytes, `round ${round}`);
  }
});

test("ticks become nanoseconds as in 128 bits", () => {
  let state = 99n;
  const draw = bits => {
    state = (state * 6364136223846793005n + 1442695040888963407n) & (2n ** 64n - 1n);
    return state >> (64n - BigInt(bits));
  };
  for (let round = 0; round < 300; round++) {
    const length = 1n + draw(1 + (round % 50)),
      ticks = 1n + draw(1 + ((round * 7) % 54)),
      start = draw(40),
      header = { startNs: 7n, endNs: 7n + length, startTicks: start, endTicks: start + ticks };
    const clock = reader.makeClock(header, true);
    for (let i = 0; i < 200; i++) {
      const at = i < 3 ? start + (ticks * BigInt(i)) / 2n : draw(i % 2 ? 44 : 63),
        moved = at < start ? start - at : at - start;
      let ns = (moved * length) / ticks;
      if (ns > 2n ** 62n - 1n) ns = 2n ** 62n - 1n;
      const found = clock(Number(at & 0xffffffffn), Number(at >> 32n)),
        wanted = at < start ? -Number(ns) : Number(ns);
      assert.equal(found, wanted, `${at} ${length} ${ticks} ${start}`);
    }
  }
});

test("columns of any zoom add up to the sums", () => {
  const { trace, lanes: all } = readHere(makeTrace(100000, 4));
  for (const lane of all) {
    lanes.prepareLane(lane, trace);
    for (const [columns, parts] of [
      [1, 1],
      [7, 1],
      [1000, 1],
      [64, 300],
    ]) {
      const shares = new Float64Array(5 * columns),
        place = new Int32Array(columns),
        sums = new Float64Array(5),
        length = (trace.endNs - trace.beginNs) / parts;
      for (let part = 0; part < parts; part++) {
        const from = trace.beginNs + part * length;
        lanes.laneColumns(lane, from, from + length, columns, shares, place);
        for (let c = 0; c < columns; c++)
          for (let s = 0; s < 5; s++) sums[s] += (shares[5 * c + s] * length) / columns;
      }
      for (let s = 0; s < 5; s++)
        assert.ok(Math.abs(sums[s] - lane.sum.ns[s]) < 1, `${columns} columns, state ${s}`);
    }
  }
});

test("any piece of time has the sums of a slow count", () => {
  const { trace, lanes: all } = readHere(makeTrace(3000, 2));
  for (const lane of all) {
    lanes.prepareLane(lane, trace);
    for (let i = 0; i < 60; i++) {
      const from = trace.beginNs + (trace.endNs * i) / 70.7,
        to = from + (trace.endNs - from) * (i % 3 ? 0.03 : 0.9),
        sums = lanes.laneSums(lane, from, to),
        slow = new Float64Array(6);
      for (let at = -1; at < lane.count; at++) {
        const begin = Math.max(from, at < 0 ? trace.beginNs : lane.ns[at]),
          end = Math.min(to, at + 1 < lane.count ? lane.ns[at + 1] : trace.endNs);
        if (end > begin) slow[at < 0 ? lane.leadState : lane.state[at]] += end - begin;
      }
      for (let s = 0; s < 6; s++) assert.ok(Math.abs(sums[s] - slow[s]) < 1e-3, `${i}, ${s}`);
      let steals = 0;
      for (let k = 0; k < lane.steals.count; k++) {
        const time = lane.ns[lane.steals.all[k]];
        if (time >= from && time < to) steals++;
      }
      assert.equal(lanes.countIn(lane, lane.steals, from, to), steals);
    }
  }
});

test("the deepest of any columns is that of a slow look", () => {
  const { trace, lanes: all } = readHere(makeTrace(40000, 2));
  for (const lane of all) {
    lanes.prepareLane(lane, trace);
    const out = new Uint32Array(50);
    for (const share of [1, 0.3, 0.001]) {
      const from = trace.endNs * 0.2,
        to = from + (trace.endNs - from) * share,
        width = (to - from) / 50;
      lanes.depthColumns(lane, from, to, 50, out);
      for (let c = 0; c < 50; c++) {
        let most = 0,
          before = 0;
        for (let k = 0; k < lane.depths.count; k++) {
          const time = lane.ns[lane.depths.all[k]],
            depth = lane.ring.words[4 * lane.depths.all[k] + 2];
          if (time < from + c * width) before = depth;
          else if (time < from + (c + 1) * width) most = Math.max(most, depth);
        }
        assert.equal(out[c], Math.max(most, before), `column ${c} of ${share}`);
      }
    }
  }
});

/* --- what a frame costs, counted: a time would tell more of the machine than of the page --- */

const LANES = 8,
  COLUMNS = 100; /* few, so that to look at every record would be far more */
/* An array that counts how often something in it is looked at. */
const watched = (array, count) =>
  new Proxy(array, {
    get(inside, key) {
      if (key < inside.length) count.reads++;
      return inside[key];
    },
  });
/* A canvas that counts what is drawn on it. */
function watchedCanvas(count) {
  const context = new Proxy(
    { createImageData: (w, h) => ({ data: new Uint8ClampedArray(4 * w * h) }) },
    { get: (inside, key) => inside[key] ?? (() => count.calls++) },
  );
  return { width: 0, height: 44, style: {}, getContext: () => context };
}
/* The lanes and the strip above them as the room paints them; paint(from, to) says what it cost. */
function watchedFrame(records, workers = LANES) {
  const count = { reads: 0, calls: 0 },
    { trace, lanes: all } = readHere(makeTrace(records, workers)),
    length = trace.endNs - trace.beginNs;
  for (const lane of all) {
    lanes.prepareLane(lane, trace);
    for (const key of ["ns", "state", "mark"]) lane[key] = watched(lane[key], count);
    for (const key of ["steals", "points", "depths"]) lane[key].all = watched(lane[key].all, count);
    lane.ring.words = watched(lane.ring.words, count);
    lane.depthLevels = lane.depthLevels.map(level => watched(level, count));
  }
  const painter = new draw.Painter(watchedCanvas(count)),
    overview = new draw.Overview(watchedCanvas(count)),
    shown = all.slice(0, LANES),
    colours = { text: {}, word: {} };
  painter.fit(COLUMNS + 34, LANES);
  return (from, to) => {
    const view = { from: trace.beginNs + from * length, to: trace.beginNs + to * length };
    Object.assign(count, { reads: 0, calls: 0 });
    const scene = { trace, lanes: all, shown, view, colours, slice: null, chosen: null };
    painter.draw(scene);
    overview.draw(scene, COLUMNS + 34);
    return { ...count };
  };
}

test("a frame looks at what the screen has room for, not at what the trace has in it", t => {
  const few = watchedFrame(1e4),
    many = watchedFrame(1e6);
  few(0, 1); /* the strip of the whole trace is made with the first picture, and kept */
  many(0, 1);
  for (const [from, to] of [
    [0, 1],
    [0.2, 1],
    [0.5, 0.6],
    [0.51, 0.61],
    [0.7, 0.7001],
  ]) {
    const less = few(from, to),
      more = many(from, to),
      place = more.reads / (COLUMNS * LANES);
    const told =
      `${from} to ${to}: ${less.reads} and ${more.reads} reads, ` +
      `${less.calls} and ${more.calls} calls`;
    t.diagnostic(told);
    /* a search of 17 steps, 64 records behind a kept sum, 16 to tell slices apart, depths */
    assert.ok(place < 400, `${place} reads for a column of a lane: ${told}`);
    /* four hundred arrows at most, and a line for each column */
    assert.ok(more.calls < 6000, told);
  }
});

test("a frame of very many lanes looks at each a few times at most", t => {
  const workers = 40000,
    paint = watchedFrame(workers, workers);
  const [first, later] = [paint(0, 1), paint(0.2, 0.8)];
  t.diagnostic(`${first.reads} reads for the first picture, ${later.reads} for another`);
  assert.ok(later.reads < 20 * workers, `${later.reads} reads`);
  assert.ok(first.reads < 150 * workers, `${first.reads} reads`);
});
