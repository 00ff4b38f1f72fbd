/* page_timeline.spec.js — the page's room of traces, used as its readers do */
"use strict";
const assert = require("node:assert/strict");
const { after, before, test } = require("node:test");
const { execFileSync } = require("node:child_process");
const { existsSync, readdirSync, readFileSync, writeFileSync } = require("node:fs");
const path = require("node:path");
const { button, checkFingers, drop, goTo, openRoom } = require("./browser");
const { skua, start, stop, testLooks, withPage, work } = require("./browser");
const { makeTrace } = require("../../bench/page/big_trace.js");

const { SKUA_SOURCE } = process.env;
const made = path.join(work, "made");
const traceOf = name => path.join(made, name + ".trace");

const STRANGE = ["nonsense", "5-2", "-1-5", "1e3-2e9", "<img src=x onerror=alert(1)>"].concat(
  ["1-99999999999999999999", "1-2/3", "%31-2"],
);

before(async () => {
  execFileSync("python3", [path.join(SKUA_SOURCE, "tests/trace/make_trace"), made]);
  writeFileSync(traceOf("many"), makeTrace(120000, 6));
  writeFileSync(traceOf("crowd40"), makeTrace(4000, 40));
  writeFileSync(traceOf("crowd65535"), makeTrace(65535, 65535));
  await start();
});
after(stop);

/* A page with the trace in it; made once. */
function pageOf(name) {
  const file = path.join(work, name + ".html");
  if (!existsSync(file)) skua("view", "-o", file, traceOf(name));
  return file;
}
const settled = page =>
  page.waitForFunction(() => document.documentElement.dataset.timeline !== undefined);
const open = (name, use, options = {}, fragment = "") =>
  withPage(
    pageOf(name),
    options,
    async page => {
      await settled(page);
      await use(page);
    },
    fragment,
  );
const summaryOf = name => JSON.parse(skua("trace", "summary", "--json", traceOf(name)));
const said = page => page.locator("#trace-said");
const about = page => page.locator(".timeline .about").innerText();
const warned = page => page.locator(".timeline .warning");
/* Cells of a table by its caption, row by row. */
const cells = (page, caption) =>
  page
    .locator("table", { has: page.locator("caption", { hasText: caption }) })
    .evaluate(table =>
      [...table.tBodies[0].rows].map(row => [...row.cells].map(cell => cell.textContent)),
    );
/* The address is written a moment after the last move. */
const span = async page => {
  await page.waitForFunction(() => /^#timeline\/\d+-\d+$/.test(location.hash));
  const [from, to] = (await page.evaluate(() => location.hash.slice(10))).split("-").map(Number);
  return to - from;
};
/* After several moves: on a slow machine some between are written, too. */
const comesTo = (page, most) =>
  page.waitForFunction(most => {
    const [, from, to] = /^#timeline\/(\d+)-(\d+)$/.exec(location.hash) ?? [];
    return to - from <= most;
  }, most);
const count = number => number.toLocaleString("en");
const share = part => `${(100 * part).toFixed(1)} %`;

for (const name of ["good", "many", "every_wait", "snapshot", "dropped"])
  test(`${name}: the tables have the sums of skua trace summary`, () => {
    const wanted = summaryOf(name);
    return open(name, async page => {
      assert.equal(await page.locator(".timeline h2").innerText(), name + ".trace");
      const rows = await cells(page, "Workers, as shares");
      assert.equal(rows.length, wanted.workers.length);
      wanted.workers.forEach((worker, i) => {
        const states = ["running", "searching", "asleep", "waiting", "blocked", "unseen"];
        assert.deepEqual(rows[i].slice(0, 11), [
          `worker ${worker.worker}`,
          ...states.map(state => share(worker[state + "_s"] / wanted.seconds)),
          ...[worker.tasks, worker.steals, worker.stolen, worker.robbed].map(count),
        ]);
        assert.deepEqual(rows[i].slice(12), [worker.misses, worker.dropped].map(count));
      });
      const sleeps = rows.reduce((sum, row) => sum + Number(row[11].replaceAll(",", "")), 0);
      assert.equal(sleeps, wanted.counts.parks);
      const sentence = await about(page);
      assert.ok(sentence.includes(`${count(wanted.records)} record`), sentence);
      assert.ok(sentence.includes(`${count(wanted.counts.tasks)} task`), sentence);
      assert.ok(sentence.includes(`${count(wanted.counts.steals)} steal`), sentence);
      assert.ok(sentence.includes(`${share(wanted.utilisation)} of it running`), sentence);
      assert.equal(await warned(page).isVisible(), wanted.dropped > 0);
      if (wanted.tasks.length) {
        const tasks = await cells(page, "Tasks by name");
        assert.deepEqual(
          tasks.map(row => [row[0], row[1]]),
          wanted.tasks.slice(0, 200).map(task => [task.name ?? "(no name)", count(task.count)]),
        );
      }
    });
  });

test("the lanes are drawn: what ran is blue, and a click says what it was", () =>
  open("good", async page => {
    const canvas = page.locator(".lanes"),
      box = await canvas.boundingBox(),
      x = ms => 92 + (ms / 10) * (box.width - 92),
      [pixels, across] = await canvas.evaluate(element => [
        [...element.getContext("2d").getImageData(0, 0, element.width, element.height).data],
        element.width,
      ]),
      colour = (ms, y) => pixels.slice(4 * (Math.round(x(ms)) + y * across)).slice(0, 3);
    const ran = colour(2.2, 72 + 24);
    assert.ok(ran[2] > ran[0] + 60, `worker 0 runs at 2.2 ms: ${ran}`);
    const slept = colour(0.5, 72 + 8);
    assert.deepEqual(slept, [255, 255, 255], "worker 0 sleeps at 0.5 ms");
    await canvas.click({ position: { x: x(4.5), y: 80 } });
    assert.equal(
      await said(page).innerText(),
      "Worker 0: leaf (running), from 4.000 ms for 1.000 ms.",
    );
    await canvas.click({ position: { x: x(4), y: 80 + 46 } });
    assert.equal(
      await said(page).innerText(),
      "Worker 1: leaf (running), from 2.500 ms for 4.000 ms, stolen from worker 0.",
    );
    await canvas.click({ position: { x: x(0.5), y: 80 } });
    assert.equal(await said(page).innerText(), "Worker 0: asleep, from 0 s for 1.000 ms.");
    assert.equal(await said(page).getAttribute("role"), "status");
  }));

test("zoom and pan by buttons, wheel and drag; the address tells where", () =>
  open("many", async page => {
    const whole = summaryOf("many").seconds * 1e9,
      canvas = page.locator(".lanes");
    assert.equal(await button(page, "Zoom out").getAttribute("aria-disabled"), "true");
    await button(page, "Zoom in").click();
    assert.ok(Math.abs((await span(page)) - whole / 2) < 3);
    await page.locator("#trace-said", { hasText: "shown, from" }).waitFor();
    const before = await page.evaluate(() => location.hash);
    await canvas.hover();
    await page.mouse.down();
    await page.mouse.move(400, 400, { steps: 5 });
    await page.mouse.up();
    await page.waitForFunction(hash => location.hash !== hash, before);
    assert.ok(Math.abs((await span(page)) - whole / 2) < 3, "dragging keeps the zoom");
    const dragged = await page.evaluate(() => location.hash);
    await page.keyboard.down("Control");
    await page.mouse.wheel(0, -400);
    await page.keyboard.up("Control");
    await page.waitForFunction(hash => location.hash !== hash, dragged);
    await comesTo(page, whole / 3);
    await button(page, "Whole trace").click();
    await page.waitForFunction(() => location.hash === "#timeline");
    for (let i = 0; i < 60; i++) await button(page, "Zoom in").evaluate(one => one.click());
    await comesTo(page, 22); /* twenty nanoseconds are the least */
  }));

test("fingers: two zoom", () =>
  open(
    "many",
    async page => {
      const whole = summaryOf("many").seconds * 1e9;
      await page.locator(".lanes").evaluate(canvas => {
        const box = canvas.getBoundingClientRect(),
          send = (type, pointerId, x) =>
            canvas.dispatchEvent(
              new PointerEvent(type, {
                pointerId,
                pointerType: "touch",
                clientX: box.left + x,
                clientY: box.top + 90,
                bubbles: true,
              }),
            );
        canvas.setPointerCapture = () => {}; /* there are no such fingers */
        send("pointerdown", 1, 150);
        send("pointerdown", 2, 200);
        send("pointermove", 2, 250);
        send("pointerup", 1, 150);
        send("pointerup", 2, 250);
      });
      assert.ok(Math.abs((await span(page)) - whole / 2) < 3);
    },
    { viewport: { width: 390, height: 800 }, hasTouch: true },
  ));

test("keys do everything", () =>
  open("good", async page => {
    await page.locator(".lanes").focus();
    await page.keyboard.press("ArrowDown");
    assert.match(await said(page).innerText(), /^Worker 1: /);
    await page.keyboard.press("ArrowUp");
    assert.match(await said(page).innerText(), /^Worker 0: /);
    for (let i = 0; i < 9; i++) await page.keyboard.press(",");
    assert.match(await said(page).innerText(), /^There is no slice before on worker 0/);
    const seen = [];
    for (let i = 0; i < 8; i++) {
      await page.keyboard.press(".");
      seen.push(/: (.*?)[ ,]/.exec(await said(page).innerText())?.[1]);
    }
    assert.deepEqual(seen.slice(0, 6), ["root", "wait", "leaf", "phase", "blocked", "asleep"]);
    await page.keyboard.press(",");
    await page.keyboard.press("Enter");
    assert.ok((await span(page)) < 1e6, "zoomed to a slice of half a millisecond");
    const here = await page.evaluate(() => location.hash);
    await page.keyboard.press("ArrowRight");
    await page.waitForFunction(hash => location.hash !== hash, here);
    await page.keyboard.press("Home");
    await page.waitForFunction(() => location.hash === "#timeline");
    await page.keyboard.press("+");
    assert.ok(Math.abs((await span(page)) - 5e6) < 3);
    await page.keyboard.press("-");
    await page.waitForFunction(() => location.hash === "#timeline");
    await page.keyboard.press("/");
    assert.equal(await page.evaluate(() => document.activeElement.id), "trace-search");
    await page.keyboard.type("LEA");
    assert.equal(await page.locator(".found").innerText(), "1 name, 3 tasks");
    await page.keyboard.press("Enter");
    assert.match(await said(page).innerText(), /^There is no match after this/);
    await page.keyboard.press("Shift+Enter");
    assert.match(await said(page).innerText(), /leaf/);
  }));

test("search goes through all matches, forwards and back", () =>
  open("good", async page => {
    await page.getByLabel("Search tasks, spans, marks").fill("leaf");
    const found = [];
    for (let i = 0; i < 4; i++) {
      await button(page, "Next match").click();
      found.push(await said(page).innerText());
    }
    assert.match(found[0], /^Worker 1: leaf .* from 2\.500 ms/);
    assert.match(found[1], /^Worker 0: leaf .* from 4\.000 ms/);
    assert.match(found[2], /^Worker 1: leaf .* from 7\.000 ms/);
    assert.equal(found[3], "There is no match after this.");
    await button(page, "Match before").click();
    assert.match(await said(page).innerText(), /from 4\.000 ms/);
    await page.getByLabel("Search tasks, spans, marks").fill("here");
    await button(page, "Next match").click();
    assert.match(await said(page).innerText(), /mark here/);
    await page.getByLabel("Search tasks, spans, marks").fill("nothing like it");
    assert.equal(await page.locator(".found").innerText(), "No name has that in it.");
    assert.equal(await button(page, "Next match").getAttribute("aria-disabled"), "true");
    await page.locator("table button.link", { hasText: "root" }).click();
    assert.match(await said(page).innerText(), /^Worker 0: root/);
  }));

/* What comes to rest later moves nothing: a button is where it was between press and release. */
for (const width of [360, 1440])
  test(`${width} pixels: a button pressed at once is still there when it is let go`, () =>
    open(
      "good",
      async page => {
        const gap = page.getByRole("button", { name: /^Show the gap of worker 1/ }).first();
        await gap.scrollIntoViewIfNeeded();
        const box = await gap.boundingBox(),
          telling = await said(page).innerText();
        await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
        await page.mouse.down();
        await page.waitForTimeout(600); /* longer than the page takes to come to rest */
        await page.mouse.up();
        assert.ok((await span(page)) < 4e6);
        assert.match(telling, /^10.000 ms shown, from 0 s on: /);
        assert.match(await said(page).innerText(), /^Worker 1: searching, from 8.000 ms/);
      },
      { viewport: { width, height: 900 } },
    ));

/* Drawing again, for whatever reason, is no reason to say something else. */
test("what is said of a slice stands until the view moves", () =>
  open("good", async page => {
    await page.locator(".lanes").focus();
    await page.keyboard.press("ArrowDown");
    for (const width of [1300, 1200]) {
      await page.waitForTimeout(600); /* longer than the page takes to come to rest */
      await page.setViewportSize({ width, height: 900 });
    }
    await page.waitForTimeout(600);
    assert.match(await said(page).innerText(), /^Worker 1: /);
    await button(page, "Zoom in").click();
    await page.waitForFunction(() =>
      /^5.000 ms shown/.test(document.getElementById("trace-said").textContent),
    );
  }));

test("gaps are shown, slices of the view are in a table", () =>
  open("good", async page => {
    const [first] = await cells(page, "Longest times");
    assert.deepEqual(first.slice(0, 4), ["worker 1", "8.000 ms", "2.000 ms", "asleep"]);
    await page.getByRole("button", { name: /^Show the gap of worker 1/ }).first().click();
    assert.ok((await span(page)) < 4e6);
    await page.locator("summary", { hasText: "Slices in view" }).click();
    const rows = await cells(page, "Slices in view");
    assert.ok(rows.some(row => row.join() === "worker 1,8.500 ms,asleep"), JSON.stringify(rows));
  }));

test("a link leads to a piece of time; one of a stranger to a notice", async () => {
  const link = "#timeline/2000000-3000000";
  await open("good", async page => assert.ok(Math.abs((await span(page)) - 1e6) < 3), {}, link);
  for (const rest of STRANGE)
    await open(
      "good",
      async page => {
        assert.match(await warned(page).innerText(), /The link is not understood/);
        assert.equal(await page.locator("img").count(), 0);
      },
      {},
      "#timeline/" + rest,
    );
});

test("a stranger's link after a zoom shows the whole trace; a good one takes the notice away", () =>
  open("dropped", async page => {
    const follow = hash => page.evaluate(text => (location.hash = text), hash),
      notice = page.getByText("The link is not understood; this is the whole trace.");
    const isAll = () => button(page, "Whole trace").getAttribute("aria-disabled");
    await button(page, "Zoom in").click();
    await span(page);
    assert.equal(await isAll(), "false");
    await follow("#timeline/junk");
    await notice.waitFor();
    await page.waitForFunction(() => location.hash === "#timeline");
    assert.equal(await isAll(), "true");
    assert.match(await warned(page).innerText(), /were overwritten/);
    await follow("#timeline/2000000-3000000");
    await notice.waitFor({ state: "detached" });
    assert.match(await warned(page).innerText(), /were overwritten/, "what is true stays");
  }));

test("the way back to the room leads to the same piece of time", () =>
  open("good", async page => {
    await button(page, "Zoom in").click();
    const before = await span(page);
    await page.getByRole("link", { name: "Scale", exact: true }).click();
    await page.locator("#room-scale").waitFor();
    await page.getByRole("link", { name: "Timeline", exact: true }).click();
    assert.equal(await span(page), before);
  }));

/* Controls, and what turns the direction of text or is not seen. */
const TREACHEROUS = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u;
test("names in a trace are text, whatever they are", () =>
  open("rude_names", async page => {
    const rows = await cells(page, "Tasks by name");
    assert.ok(rows.length >= 3);
    assert.equal(await page.locator("img, script.trace").count(), 0);
    await page.locator("summary", { hasText: "About the file" }).click();
    const facts = await cells(page, "Facts");
    assert.ok(facts.some(([key]) => key === "program"));
    for (const text of [...rows, ...facts].flat().concat(await about(page)))
      assert.doesNotMatch(text, TREACHEROUS, JSON.stringify(text));
  }));

test("without a trace it says how to get one, and opens files", () =>
  openRoom("#timeline", async page => {
    assert.match(await page.locator(".how").innerText(), /SKUA_TRACE=run.trace/);
    await page.getByLabel("Open a trace").setInputFiles(traceOf("good"));
    await settled(page);
    assert.match(await about(page), /30 records/);
    /* a worse one takes its place only where it can be read */
    await page.getByLabel("Open a trace").setInputFiles(traceOf("version_2"));
    await page.waitForFunction(() => document.documentElement.dataset.timeline === "refused");
    assert.match(await warned(page).innerText(), /cannot be read: at byte 8: it is of version 2/);
    await drop(page, "dropped.trace", readFileSync(traceOf("idle")));
    await page.locator(".timeline h2", { hasText: "dropped.trace" }).waitFor();
    assert.equal(await warned(page).isVisible(), false);
  }));

const dropTrace = (page, name) => drop(page, name + ".trace", readFileSync(traceOf(name)));
const isIn = (page, room) =>
  page.waitForFunction(id => document.querySelector(`[aria-current=page][href^="#${id}"]`), room);
test("a trace that falls on another room is taken to the timeline", () =>
  openRoom("#timeline", async page => {
    for (const room of ["sandbox", "races", "tour", "scale"]) {
      await goTo(page, "#" + room);
      assert.deepEqual(await dropTrace(page, "good"), [false, false], `in ${room}`);
      await page.locator(".timeline h2", { hasText: "good.trace" }).waitFor();
      await page.waitForFunction(() => location.hash === "#timeline");
    }
    await dropTrace(page, "idle");
    await page.locator(".timeline h2", { hasText: "idle.trace" }).waitFor();
  }));

test("each room of files knows those of the other", () =>
  openRoom("#scale", async page => {
    const sim = skua("sim", "bag:200,leaf=100", "--workers=1,2", "--json"),
      link = name => page.getByRole("link", { name, exact: true }),
      isHere = name => link(name).evaluate(one => one === document.activeElement),
      plotted = page.locator(".scale h3");
    const before = await plotted.innerText();
    await page.getByLabel("A file").focus();
    await page.getByLabel("A file").setInputFiles(traceOf("good"));
    await page.locator(".timeline h2", { hasText: "good.trace" }).waitFor();
    await isIn(page, "timeline");
    assert.ok(await isHere("Timeline"), "the keyboard goes along");
    assert.match(await about(page), /30 records/);
    await drop(page, "sim.json", sim);
    await isIn(page, "scale");
    await plotted.filter({ hasText: "bag:200,leaf=100, simulated" }).waitFor();
    assert.equal(await page.locator(".scale .warning").isVisible(), false);
    await link("Timeline").click();
    assert.match(await about(page), /30 records/, "what was there stays");
    await page.getByLabel("Open a trace").setInputFiles({
      ...{ name: "x.json", mimeType: "", buffer: Buffer.from("\ufeff \n{}") },
    });
    await isIn(page, "scale");
    await page.getByText("This cannot be shown: it does not say its schema").waitFor();
    assert.notEqual(await plotted.innerText(), before);
    /* what neither knows is for the room it was given to, or for the one of traces */
    for (const [room, why] of [
      ["Scale", "This cannot be shown: it is not JSON"],
      ["Timeline", "The trace cannot be read: at byte 0: "],
    ]) {
      await link(room).click();
      await isIn(page, room.toLowerCase());
      await drop(page, "odd", "\0 neither this nor that");
      await page.getByText(why).waitFor();
      await isIn(page, room.toLowerCase());
    }
    await goTo(page, "#races");
    await drop(page, "sim.json", sim);
    await plotted.filter({ hasText: "bag:200,leaf=100, simulated" }).waitFor();
    await goTo(page, "#tour");
    await drop(page, "empty", "");
    await page.getByText("The trace cannot be read: ").waitFor();
    await isIn(page, "timeline");
  }));

/* What a picture of so many costs is counted in timeline_reader.spec.js. */
test("a trace of as many workers as there may be does not freeze the page", t =>
  openRoom("#timeline", async page => {
    await page.evaluate(() => {
      const bar = document.querySelector(".timeline progress");
      globalThis.turns = 0;
      setInterval(() => (turns += !bar.hidden && bar.value > 0.5), 1);
    });
    await page.getByLabel("Open a trace").setInputFiles(traceOf("crowd65535"));
    await settled(page);
    await page.locator(".which", { hasText: "1 to 16 of 65,535" }).waitFor();
    assert.match(await about(page), /65,535 workers/);
    const turns = await page.evaluate(() => globalThis.turns);
    t.diagnostic(`${turns} turns of others`);
    assert.ok(turns > 0, "others have their turn while it is read");
  }));

test("every made trace is shown or refused in words", () =>
  openRoom("#timeline", async page => {
    const names = readdirSync(made).map(file => path.basename(file, ".trace"));
    assert.ok(names.length > 30);
    for (const name of names) {
      await page.evaluate(() => delete document.documentElement.dataset.timeline);
      await page.getByLabel("Open a trace").setInputFiles(traceOf(name));
      await settled(page);
      const state = await page.evaluate(() => document.documentElement.dataset.timeline);
      if (state === "refused") assert.match(await warned(page).innerText(), /^The trace cannot be/);
      else
        for (const key of ["Zoom in", "Later", "Zoom out", "Slice after", "Zoom to the slice"])
          await button(page, key).evaluate(one => one.click());
    }
  }));

test("the first picture is there before the trace, and has its shares", () =>
  open("many", async page => {
    const marks = await page.evaluate(() =>
      performance.getEntriesByType("mark").map(mark => mark.name),
    );
    assert.deepEqual(marks, ["timeline-first", "timeline-painted"]);
    assert.equal(await page.locator(".trace-inside").evaluate(inside => inside.inert), false);
    assert.equal(await page.locator("script.trace").count(), 0, "its text is let go");
  }));

/* In the page, before its own script: what is drawn, counted. */
function countCalls() {
  const { prototype } = CanvasRenderingContext2D;
  globalThis.drawn = { calls: 0, images: 0 };
  for (const name of Object.getOwnPropertyNames(prototype)) {
    const { value } = Object.getOwnPropertyDescriptor(prototype, name);
    if (typeof value !== "function") continue;
    prototype[name] = function (...args) {
      drawn.calls++;
      if (name === "putImageData") drawn.images++;
      return value.apply(this, args);
    };
  }
}
/* In the page: keys, some within a frame; the most that one frame drew, and how many pictures. */
async function panFrames() {
  const canvas = document.querySelector(".lanes"),
    press = key => canvas.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true })),
    frame = () => new Promise(resolve => requestAnimationFrame(resolve));
  await frame();
  const frames = [];
  for (const keys of ["+", "+", ..."RRRRRRRR", "LLLRRR", "+", "+", ..."LLLLLLLL", "----"]) {
    Object.assign(drawn, { calls: 0, images: 0 });
    for (const key of keys) press({ L: "ArrowLeft", R: "ArrowRight" }[key] ?? key);
    await frame();
    frames.push({ ...drawn });
  }
  return {
    calls: Math.max(...frames.map(one => one.calls)),
    images: frames.map(one => one.images),
  };
}
test("a million records are panned with as few strokes as ten thousand", async t => {
  writeFileSync(traceOf("tenthousand"), makeTrace(1e4));
  writeFileSync(traceOf("million"), makeTrace(1e6));
  for (const name of ["tenthousand", "million"])
    await openRoom("#timeline", async page => {
      await page.addInitScript(countCalls);
      await goTo(page, "#timeline");
      await page.getByLabel("Open a trace").setInputFiles(traceOf(name));
      await page.locator(".timeline h2", { hasText: name }).waitFor();
      const { calls, images } = await page.evaluate(panFrames);
      t.diagnostic(`${name}: ${calls} calls in a frame at most`);
      assert.ok(calls < 1440 + 6000, `${name}: ${calls} calls in a frame`);
      assert.deepEqual([...new Set(images)], [1], "one picture for each frame, however many keys");
    });
});

test("the bench of the page runs", () => {
  const text = execFileSync(path.join(SKUA_SOURCE, "bench/page/run"), ["20000", "300"], {
    env: { ...process.env, ROUNDS: "1" },
    encoding: "utf8",
  });
  assert.match(text, /^20000 records, a page of [\d.]+ MB\n/);
  assert.match(text, /^300 records, a page of [\d.]+ MB\n/m);
  const rounds = text.match(/ {2}round 1: first [\d.]+ s, whole [\d.]+ s\n/g);
  assert.equal(rounds.length, 2, text);
  const frames = text.match(/a frame of (pan|zoom): median \d+ ms, worst \d+ ms; painting .*\n/g);
  assert.equal(frames.length, 4, text);
});

test("forty workers: sixteen at a time", () =>
  open("crowd40", async page => {
    assert.equal(await page.locator(".which").innerText(), "1 to 16 of 40");
    await button(page, "Workers below").click();
    await page.locator(".which", { hasText: "17 to 32 of 40" }).waitFor();
    await page.locator(".lanes").focus();
    for (let i = 0; i < 3; i++) await page.keyboard.press("ArrowDown");
    assert.match(await said(page).innerText(), /^Worker 3: /);
    await page.locator(".which", { hasText: "2 to 17 of 40" }).waitFor();
  }));

test("without fromBase64 of newer browsers it is the same", () =>
  withPage(pageOf("many"), {}, async page => {
    await page.addInitScript(() => {
      delete Uint8Array.prototype.setFromBase64;
    });
    await goTo(page, "", pageOf("many"));
    await settled(page);
    assert.match(await about(page), /120,000 records/);
  }));

testLooks(
  [
    [360, "light", "good"],
    [360, "dark", "crowd40"],
    [768, "light", "rude_names"],
    [1440, "light", "many"],
    [1440, "dark", "good"],
  ],
  (use, options, name) => open(name, use, options),
  async page => {
    for (const summary of await page.locator(".timeline summary").all()) await summary.click();
    await page.getByLabel("Search tasks, spans, marks").fill("a");
    await checkFingers(page);
  },
);
