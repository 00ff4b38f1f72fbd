/* race_engine.spec.js — the races without a browser: exact counts, mutants of the deque, links */
"use strict";
const assert = require("node:assert/strict");
const { before, test } = require("node:test");
const { mkdtempSync, readFileSync, rmSync, writeFileSync } = require("node:fs");
const { tmpdir } = require("node:os");
const path = require("node:path");

const web = path.join(process.env.SKUA_SOURCE, "web"),
  dequeFile = path.join(process.env.SKUA_SOURCE, "src/sched/deque.c");
const sourceOf = file =>
  readFileSync(file === "deque.c" ? dequeFile : path.join(web, "wasm", file), "utf8");
/* The linker may have its version in its name: tests/browser/run finds it. */
const tools = { linker: process.env.WASM_LD };

let buildWasm, loadMachine, Race, RACES, readLink, writeLink, texts, excerpt, machine;
before(async () => {
  ({ buildWasm } = await import(path.join(web, "build.js")));
  ({ loadMachine, Race } = await import(path.join(web, "page/race_engine.js")));
  ({ readLink, writeLink } = await import(path.join(web, "page/race_link.js")));
  ({ excerpt } = await import(path.join(web, "page/race_draw.js")));
  texts = await import(path.join(web, "page/race_texts.js"));
  ({ RACES } = texts);
  machine = await loadMachine(buildWasm(tools));
});
const specOf = id => RACES.find(spec => spec.id === id);
const raceOf = (id, more = {}, on = machine) => new Race(on, { ...specOf(id), ...more });
const total = race => race.count(race.first);

/*
 * Schedules, and how many of them have the race's fault; then how many are wrong in any way.  Two
 * thieves of a and b steps have (a + b)! / (a! b!) schedules.  A naive thief has 5: it begins, then
 * 4 accesses.  Ours has 8: it begins, reads top, looks at bottom, passes the fence, reads bottom,
 * the buffer and the slot, and claims it; so 16! / (8! 8!) = 12870.
 */
const COUNTS = {
  double: [252, 240, 240],
  skip: [924, 430, 850],
  last: [118, 48, 48],
  early: [252, 70, 70],
  stale: [236, 63, 63],
  fence: [4131, 105, 105],
  thieves: [12870, 0, 0],
  ends: [3440, 0, 0],
  fenced: [163007, 0, 0],
};

test("exact counts", () => {
  assert.deepEqual(
    RACES.map(spec => spec.id),
    Object.keys(COUNTS),
  );
  for (const [id, wanted] of Object.entries(COUNTS)) {
    const { schedules, bad, wrong } = total(raceOf(id));
    assert.deepEqual([schedules, bad, wrong], wanted, id);
  }
  const without = total(raceOf("fence", { hasBuffers: false }));
  assert.deepEqual([without.schedules, without.wrong], [399, 0], "right without store buffers");
  assert.match(specOf("fence").lesson, /all of its 399 schedules/);
  const { lost, twice } = total(raceOf("stale"));
  assert.deepEqual([lost, twice], [63, 63]);
});

/* Every schedule one by one, without the memory of equal states that count() has. */
function* schedulesOf(race, state = race.first, sofar = "") {
  const moves = race.moves(state);
  if (!moves.length) yield [sofar, race.verdict(state)];
  for (const move of moves) yield* schedulesOf(race, race.step(state, move), sofar + move);
}

test("counting and listing agree with walking through all schedules", () => {
  for (const id of Object.keys(COUNTS).filter(id => id !== "fenced")) {
    const race = raceOf(id),
      all = [...schedulesOf(race)],
      bad = all.filter(([, verdict]) => verdict.isBad).map(([schedule]) => schedule);
    assert.equal(all.length, COUNTS[id][0], id);
    assert.equal(new Set(all.map(([schedule]) => schedule)).size, all.length, "each once");
    assert.deepEqual(
      bad.map((_, rank) => race.badSchedule(rank)),
      bad,
      id,
    );
    assert.equal(race.badSchedule(bad.length), null);
    assert.equal(race.badSchedule(-1), null);
    for (const schedule of bad.slice(0, 20))
      assert.equal(race.follow(schedule).length, schedule.length + 1);
  }
});

/* --- it is src/sched/deque.c --- */

async function mutated(from, to) {
  const source = sourceOf("deque.c"),
    work = mkdtempSync(path.join(tmpdir(), "skua_mutant."));
  assert.equal(source.split(from).length, 2, `${from} is there once`);
  try {
    const deque = path.join(work, "deque.c");
    writeFileSync(
      deque,
      source.replace(from, () => to),
    );
    return await loadMachine(buildWasm({ ...tools, deque }));
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

for (const [what, from, to, id, kind] of [
  [
    "a steal that writes top instead of claiming it",
    "if (!skua_cas(&d->top, &top, top + 1, release, relaxed))",
    "skua_store(&d->top, top + 1, release);\n\tif (0)",
    "thieves",
    "twice",
  ],
  [
    "a pop that takes the last without a claim",
    "bool is_ours = skua_cas(&d->top, &top, top + 1, relaxed, relaxed);",
    "bool is_ours = true; skua_store(&d->top, top + 1, relaxed);",
    "ends",
    "twice",
  ],
  [
    "a pop without its fence",
    "\telse\n\t\tskua_fence(&d->top, seq_cst);\n\tint64_t top",
    "\tint64_t top",
    "fenced",
    "twice",
  ],
  [
    "a pop that loses what it popped",
    "\tif (!is_ours)\n\t\treturn SKUA_TAKE_EMPTY;",
    "\tif (is_ours)\n\t\treturn SKUA_TAKE_EMPTY;",
    "ends",
    "lost",
  ],
])
  test(`a mutant of deque.c goes wrong: ${what}`, async () => {
    const counts = total(raceOf(id, {}, await mutated(from, to)));
    assert.ok(counts.wrong > 0 && counts[kind] > 0, JSON.stringify(counts));
  });

test("an access to a word that is not drawn stops the engine", async () => {
  const other = await mutated(
    "int64_t top = skua_load(&d->top, relaxed);\n\n\t/* order deque.steal.0",
    "int64_t top = (int64_t)skua_load(&d->owner, relaxed);\n\n\t/* order deque.steal.0",
  );
  assert.throws(
    () => total(raceOf("thieves", {}, other)),
    /deque\.c:\d+: skua_load\(&d->owner, relaxed\)/,
  );
});

/* --- states and words --- */

/* Every state that can be reached, each once. */
function statesOf(race) {
  const found = new Map(),
    ahead = [race.first];
  while (ahead.length) {
    const state = ahead.pop(),
      key = JSON.stringify(state);
    if (found.has(key)) continue;
    found.set(key, state);
    for (const move of race.moves(state)) ahead.push(race.step(state, move));
  }
  return [...found.values()];
}

test("a step changes nothing that was: the state before is the same after", () => {
  for (const id of Object.keys(COUNTS)) {
    const race = raceOf(id);
    for (const state of statesOf(race)) {
      const old = JSON.stringify(state);
      for (const move of race.moves(state)) race.step(state, move);
      assert.equal(JSON.stringify(state), old);
    }
  }
});

test("each access stands on the line of the source that is shown", () => {
  for (const id of Object.keys(COUNTS)) {
    const race = raceOf(id),
      lines = sourceOf(race.spec.file).split("\n");
    const shown = race.spec.code.map(functions =>
      functions.flatMap(name => excerpt(sourceOf(race.spec.file), name)).map(line => line.number),
    );
    let seen = 0;
    for (const { threads } of statesOf(race))
      threads.forEach(({ next }, number) => {
        if (!next) return;
        assert.equal(next.file, race.spec.file);
        assert.ok(
          lines[next.line - 1].includes(next.text.slice(0, next.text.indexOf("("))),
          next.text,
        );
        assert.ok(shown[number].includes(next.line), `${id} shows line ${next.line}`);
        seen++;
      });
    assert.ok(seen > 10, id);
  }
});

test("an excerpt is one whole function, and knows its comments", () => {
  const lines = excerpt(sourceOf("deque.c"), "skua_deque_steal");
  assert.match(lines[0].text, /^enum skua_take skua_deque_steal\(/);
  assert.equal(lines.at(-1).text, "}");
  const code = lines.filter(line => !line.isComment).map(line => line.text);
  assert.equal(code.filter(text => /skua_(load|fence|cas)\(/.test(text)).length, 7);
  assert.ok(
    code.every(text => !/^\s*(\* |\/\*)/.test(text)),
    "comments are told from code",
  );
});

test("every step has a sentence, and every thread says what comes next", () => {
  const said = new Set();
  for (const id of Object.keys(COUNTS)) {
    const race = raceOf(id);
    for (const state of statesOf(race)) {
      said.add(texts.tellStep(race, state));
      for (const thread of state.threads) said.add(`It ${texts.tellNext(race, thread)}.`);
    }
    said.add(texts.tellCounts(race.spec, total(race)));
  }
  for (const sentence of said) {
    assert.doesNotMatch(sentence, /undefined|null|NaN|\[object/, sentence);
    assert.match(sentence, /^[A-Z0-9].*\.$/, sentence);
  }
  assert.ok(said.has("Thief B reads slot 0: task 1."));
  assert.ok(
    said.has("924 schedules, 850 go wrong: 430 lose a task, 420 hand a task out twice."),
  );
});

test("a store waits in its buffer, where only its thread sees it; a fence waits for it", () => {
  const race = raceOf("fenced"),
    { bottom } = race.indexOf;
  const before = race.follow("AAA").at(-1); /* begun, read bottom, written it */
  assert.deepEqual(before.threads[0].buffer, [{ cell: bottom, value: 1 }]);
  assert.equal(before.words[bottom], 2);
  assert.deepEqual(race.seen(before, 0, bottom), { value: 1, isOwn: true });
  assert.deepEqual(race.seen(before, 1, bottom), { value: 2, isOwn: false });
  assert.equal(before.threads[0].next.kind, "fence");
  assert.deepEqual(race.moves(before), ["B", "a"]);
  assert.match(texts.tellNext(race, before.threads[0]), /once its store buffer is empty$/);
  const after = race.step(before, "a");
  assert.equal(after.words[bottom], 1);
  assert.deepEqual(race.moves(after), ["A", "B"]);
});

test("a compare-and-swap that fails changes nothing, and says so", () => {
  const early = raceOf("early"),
    [, , , , , , , , , won, lost] = early.follow("AABBAAABBB");
  assert.deepEqual(lost.words, won.words);
  assert.equal(
    texts.tellStep(early, lost),
    "Thief B's compare-and-swap fails: top is 1, not 0. It is done: " +
      "it lost the race and would try again. Right: every task was handed out once or is still there.",
  );
});

test("a schedule is followed as far as it goes", () => {
  const race = raceOf("double");
  assert.equal(race.follow("AAAAAAAAAA").length, 6, "A has five steps");
  assert.equal(race.follow("Aa").length, 2, "no store buffers here");
  assert.equal(race.follow("").length, 1);
});

test("links: written and read, and read from strangers", () => {
  const ids = RACES.map(spec => spec.id);
  for (const link of [
    { id: "skip", schedule: "AABB", at: 2 },
    { id: "fence", schedule: "AaBb", at: 4 },
    { id: "ends", schedule: "", at: 0 },
    { id: "ends", schedule: "A", at: 0 },
  ])
    assert.deepEqual(readLink(writeLink(link), ids), { ...link, isWhole: true });
  assert.deepEqual(readLink("", ids), { id: "double", schedule: "", at: 0, isWhole: true });
  for (const [text, wanted] of [
    ["<script>", { id: "double", schedule: "", at: 0 }],
    ["__proto__/AB", { id: "double", schedule: "", at: 0 }],
    ["skip/AB<img src=x>", { id: "skip", schedule: "AB", at: 2 }],
    ["skip/AB/-1", { id: "skip", schedule: "AB", at: 2 }],
    ["skip/AB/999", { id: "skip", schedule: "AB", at: 2 }],
    ["skip/AB/1e0", { id: "skip", schedule: "AB", at: 2 }],
    ["skip/" + "A".repeat(1e5), { id: "skip", schedule: "A".repeat(64), at: 64 }],
    ["skip/%41", { id: "skip", schedule: "", at: 0 }],
  ])
    assert.deepEqual(readLink(text, ids), { ...wanted, isWhole: false }, text.slice(0, 40));
});
