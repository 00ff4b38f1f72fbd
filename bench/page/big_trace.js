/* big_trace.js — a trace of many records that looks like a run: for the bench and tests of the page */
"use strict";

const [TASK, TASK_END, STEAL, MISS, PARK, UNPARK, DEPTH, WAIT, WAIT_END] = [
  1, 2, 4, 5, 6, 7, 10, 11, 12,
];
const NOBODY = 0xffff;
const NAMES = ["fib", "sort", "merge", "row", "hash", "walk", "leaf", "fold"];
const START = 1000000n;
const TICKS_PER_NS = 2.4;

/* Numbers that are the same each time, and random enough. */
function makeDraw(seed) {
  let state = seed >>> 0 || 1;
  return below => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 4294967296) * below);
  };
}

function section(kind, number, body) {
  const head = Buffer.alloc(16),
    rest = Buffer.alloc((8 - (body.length % 8)) % 8);
  head.writeUInt32LE(kind, 0);
  head.writeUInt32LE(number, 4);
  head.writeBigUInt64LE(BigInt(body.length + rest.length), 8);
  return [head, body, rest];
}

/* Tasks in tasks, thefts, waits and sleeps, until `count` records are there; its end in ticks. */
function fillRing(body, count, worker, workers) {
  const draw = makeDraw(worker + 1);
  let at = 16,
    ticks = Number(START),
    depth = 0;
  const put = (kind, argument = 0, peer = NOBODY, detail = 0) => {
    if (at >= body.length) return;
    body.writeUInt32LE(ticks % 4294967296, at);
    body.writeUInt32LE(Math.floor(ticks / 4294967296), at + 4);
    body.writeUInt32LE(argument, at + 8);
    body.writeUInt16LE(peer, at + 12);
    body[at + 14] = kind;
    body[at + 15] = detail;
    at += 16;
  };
  body.writeBigUInt64LE(BigInt(count), 0);
  while (at < body.length) {
    const what = draw(100);
    ticks += 100 + draw(1 << (4 + draw(12)));
    if (what < 45 && depth < 40) {
      put(TASK, 1 + draw(NAMES.length), NOBODY, 0);
      depth++;
    } else if (what < 88 && depth) {
      put(TASK_END);
      depth--;
    } else if (what < 92) put(DEPTH, draw(50));
    else if (what < 94 && depth) {
      put(WAIT, 0, NOBODY, 0);
      ticks += draw(20000);
      put(WAIT_END);
    } else if (!depth && workers > 1) {
      put(MISS, 1 + draw(9));
      if (draw(4) === 0) {
        put(PARK);
        ticks += draw(400000);
        put(UNPARK);
      }
      put(STEAL, 1, (worker + 1 + draw(workers - 1)) % workers, 1 + draw(4));
    }
  }
  return ticks;
}

/* The bytes of a trace with so many records. */
function makeTrace(records, workers = 8) {
  const rings = [];
  let end = 0;
  for (let worker = 0; worker < workers; worker++) {
    const count = Math.floor(records / workers) + (worker < records % workers ? 1 : 0),
      body = Buffer.alloc(16 + 16 * count);
    end = Math.max(end, fillRing(body, count, worker, workers));
    rings.push(...section(3, worker, body));
  }
  const names = NAMES.map((name, i) => {
    const one = Buffer.alloc(8 + Math.ceil(name.length / 8) * 8);
    one.writeUInt32LE(i + 1, 0);
    one.writeUInt32LE(name.length, 4);
    one.write(name, 8);
    return one;
  });
  const header = Buffer.alloc(72),
    ticks = BigInt(end) - START;
  header.write("SKUATRC\n", 0, "latin1");
  header.writeUInt32LE(1, 8);
  header.writeUInt32LE(72, 12);
  header.writeUInt32LE(workers, 16);
  header.writeBigInt64LE(5000000000n, 32);
  header.writeBigUInt64LE(START, 40);
  header.writeBigInt64LE(5000000000n + BigInt(Math.round(Number(ticks) / TICKS_PER_NS)), 48);
  header.writeBigUInt64LE(BigInt(end), 56);
  header.writeBigInt64LE(1700000000000000000n, 64);
  const facts = Buffer.from(`program=made\nversion=0\nworkers=${workers}\n`);
  return Buffer.concat([
    header,
    ...section(1, 0, facts),
    ...section(2, 0, Buffer.concat(names)),
    ...rings,
    ...section(4, 0, Buffer.alloc(0)),
  ]);
}

module.exports = { makeTrace };
