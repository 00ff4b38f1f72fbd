/* page_scale.spec.js — the page's speed-up plots: files of skua sim and bench, good and hostile */
"use strict";
const assert = require("node:assert/strict");
const { after, before, test } = require("node:test");
const { writeFileSync } = require("node:fs");
const path = require("node:path");
const { button, checkFingers, checkLooks, drop, openRoom, said, skua } = require("./browser");
const { start, stop, testLooks, WIDTHS, work } = require("./browser");

let sim, bench;
before(async () => {
  await start();
  sim = skua(
    ...["sim", "bag:2000,leaf=100", "--scheduler=steal-half,central,skua", "--workers=1..64x4"],
    ...["--runs=3", "--json"],
  ).toString();
  bench = skua("bench", "fib:20", "nqueens:8", "--workers=1,2", "--repeat=2", "--json").toString();
});
after(stop);

const open = (use, options = {}, fragment = "#scale") => openRoom(fragment, use, options);
const choose = (page, name, text) =>
  page
    .getByLabel("A file")
    .setInputFiles({ name, mimeType: "application/json", buffer: Buffer.from(text) });
const shown = page => page.locator(".plotted").innerText();
const heads = page => page.locator("thead th").allInnerTexts();

test("a sample is simulated in the page", () =>
  open(async page => {
    assert.deepEqual((await heads(page)).slice(0, 4), [
      "workers",
      "Steal half",
      "Steal one",
      "Central queue",
    ]);
    assert.equal(await page.locator("svg.plot .curve").count(), 5);
    assert.equal(await page.locator("svg.plot .bound-line").count(), 2);
    assert.match(
      await said(page),
      /^5 curves\. The largest speed-up is [\d.]+, of .+ with \d+ workers\.$/,
    );
    const rows = await page
      .locator("tbody tr")
      .evaluateAll(list =>
        list.map(row => [...row.children].map(cell => Number(cell.textContent.replace(",", "")))),
      );
    assert.deepEqual(
      rows.map(row => row[0]),
      [1, 2, 4, 8, 16, 32, 64, 128],
    );
    for (const row of rows)
      for (const speedup of row.slice(1, 6))
        assert.ok(
          speedup <= row[6] * 1.005,
          `${speedup} of ${row[0]} is above the bound ${row[6]}`,
        );
  }));

test("a file of skua sim: its numbers, its bounds", () =>
  open(async page => {
    await choose(page, "sim.json", sim);
    const { rows, workload } = JSON.parse(sim);
    await page.getByText("bag:2000,leaf=100, simulated").waitFor();
    assert.deepEqual(await heads(page), [
      ...["workers", "steal-half", "central", "skua"],
      ...["min(P, T1/T∞)", "T1 / (T1/P + T∞)"],
    ]);
    const cells = await page.locator("tbody tr").last().locator("td").allInnerTexts();
    const speedup = rows.find(row => row.workers === 64 && row.scheduler === "central").speedup;
    assert.equal(Number(cells[1]), Number(speedup.toPrecision(3)));
    assert.equal(Number(cells[3]), Math.min(64, workload.work / workload.span));
    assert.equal(await page.locator("svg.plot .curve").count(), 3);
  }));

test("numbers of workers are whole, in the table and at the axes", () =>
  open(async page => {
    await choose(
      page,
      "x.json",
      edited(data => {
        const counts = [1, 1024, 65536];
        data.workload.span = data.workload.work / 2 ** 20;
        data.rows = counts.map(workers => ({
          ...{ ...data.rows[0], workers, speedup: workers / 1.7 },
        }));
      }),
    );
    await page.locator("tbody th", { hasText: "65,536" }).waitFor();
    assert.deepEqual(await page.locator("tbody th").allInnerTexts(), ["1", "1,024", "65,536"]);
    const cells = await page.locator("tbody tr").nth(1).locator("td").allInnerTexts();
    assert.equal(cells[0], "602", "a speed-up is not known to more than three digits");
    const ticks = (await page.locator("svg.plot .tick").allTextContents())
      .filter(text => /^[\d,.]+$/.test(text))
      .map(text => Number(text.replaceAll(",", "")));
    assert.ok(ticks.filter(tick => tick > 1000).length >= 4, ticks.join());
    for (const tick of ticks) assert.ok(Number.isInteger(Math.log2(tick)), `${tick} at an axis`);
  }));

test("a file of skua bench, pasted", () =>
  open(async page => {
    await page.locator("summary", { hasText: "Paste it" }).click();
    await page.getByLabel("JSON of skua bench or skua sim").fill(bench);
    await button(page, "Show it").click();
    assert.deepEqual(await heads(page), ["workers", "fib:20", "nqueens:8"]);
    assert.match(await page.locator("h3").innerText(), /measured/);
    assert.equal(
      await page.locator("svg.plot .bound-line").count(),
      1,
      "P alone: work and span are not known",
    );
    assert.deepEqual(await page.locator("tbody th").allInnerTexts(), ["1", "2"]);
  }));

test("a file that is dropped", () =>
  open(async page => {
    assert.deepEqual(await drop(page, "sim.json", sim, ".scale"), [false, false]);
    await page.getByText("bag:2000,leaf=100, simulated").waitFor();
  }));

const edited = change => {
  const data = JSON.parse(sim);
  change(data);
  return JSON.stringify(data);
};
const HOSTILE = [
  ["", /there is nothing in it/],
  ["   \n", /there is nothing in it/],
  ["{", /it is not JSON; --json was not given/],
  [() => sim.slice(0, 500), /it is not JSON/],
  ["[]", /not an object/],
  ["null", /not an object/],
  ["17", /not an object/],
  ["{}", /does not say its schema/],
  ['{"schema": "__proto__"}', /its schema is __proto__; this room shows/],
  [
    '{"schema": "skua-scan-1"}',
    /its schema is skua-scan-1; this room shows skua-sim-1 and skua-bench-1/,
  ],
  [
    '{"schema": "skua-sim-2"}',
    /its schema is skua-sim-2, and this page knows .* make the page with/,
  ],
  ['{"schema": "<img src=x onerror=console.log(1)>"}', /its schema is \?img/],
  ['{"schema": "skua-sim-1"}', /its workload is missing/],
  ['{"schema": "skua-bench-1", "kernels": 4}', /its rows are missing/],
  ['{"schema": "skua-bench-1", "kernels": [null]}', /its rows are missing/],
  ['{"schema": "skua-bench-1", "kernels": []}', /there are no rows/],
  [
    () => edited(data => (data.rows = data.rows.map(row => ({ ...row, speedup: "many" })))),
    /nothing in it/,
  ],
  [() => edited(data => (data.rows[0].workers = 0)), /no number of workers/],
  [() => edited(data => (data.rows[0].scheduler = 4)), /no name/],
  [() => edited(data => (data.rows = Array(5000).fill(data.rows[0]))), /more than 4000 rows/],
  [
    () =>
      edited(
        data =>
          (data.rows = data.rows.flatMap((row, i) =>
            Array.from({ length: 9 }, (_, k) => ({ ...row, scheduler: `s${i}-${k}` })),
          )),
      ),
    /more than 40 curves/,
  ],
  [() => "[".repeat(100000), /it is not JSON/],
  [() => " ".repeat(20000001), /more than 20 MB/],
];
test("what cannot be shown is refused in a sentence, and what was shown stays", () =>
  open(async page => {
    const before = await shown(page);
    for (const [text, why] of HOSTILE) {
      const given = typeof text === "function" ? text() : text;
      await page.evaluate(() => (document.querySelector(".warning").textContent = ""));
      const name = path.join(work, "hostile.json");
      writeFileSync(name, given);
      await page.getByLabel("A file").setInputFiles(name);
      await page.waitForFunction(() => document.querySelector(".warning").textContent);
      const warning = await page.locator(".warning").innerText();
      assert.match(warning, /^This cannot be shown: .*\.$/);
      assert.match(warning, why, given.slice(0, 60));
      assert.equal(await shown(page), before);
    }
  }));

test("names of strangers are text", () =>
  open(async page => {
    const name = "<img src=x onerror=console.log(1)>";
    await choose(
      page,
      "x.json",
      edited(data => {
        data.workload.name = name;
        data.workload.span = -1;
        data.rows.forEach(row => (row.scheduler = name.repeat(9)));
        data.rows[0].speedup = 1e300;
      }),
    );
    await page.getByText(name + ", simulated").waitFor();
    assert.equal(await page.locator("img").count(), 0);
    assert.equal((await heads(page))[1].length, 60);
  }));

test("#scale/nonsense gives a notice", () =>
  open(
    async page => assert.match(await page.locator(".warning").innerText(), /no such place/),
    {},
    "#scale/nonsense",
  ));

testLooks(WIDTHS, open, async page => {
  await page.locator("summary").click();
  for (const text of [null, sim, bench]) {
    if (text) await choose(page, "x.json", text);
    await checkLooks(page);
    await checkFingers(page);
  }
});
