/* page_races.spec.js — the page's room of races, used as its readers do */
"use strict";
const assert = require("node:assert/strict");
const { after, before, test } = require("node:test");
const { readFileSync, statSync } = require("node:fs");
const path = require("node:path");
const { button, checkFingers, checkLooks, checkTab, goTo, openRoom } = require("./browser");
const { pageFile: file, said, start, stop, testLooks } = require("./browser");

const COUNTS = {
  "The same task twice": [252, 240],
  "A task is skipped": [924, 430],
  "The last task": [118, 48],
  "Emptied too early": [252, 70],
  "An old index looks new": [236, 63],
  "The missing fence": [4131, 105],
  "Chase-Lev: two thieves": [12870, 0],
  "Chase-Lev: the last task": [3440, 0],
  "Chase-Lev: store buffers": [163007, 0],
};

before(start);
after(stop);

const open = (use, options = {}, fragment = "#races") => openRoom(fragment, use, options);
const choose = (page, title) =>
  page.locator(".choice-of-race button", { hasText: new RegExp("^" + title) }).click();
const word = (page, name) => page.locator(`[data-word="${name}"]`).innerText();
const step = (page, move) => page.locator(`[data-move="${move}"]`).click();
/* Whether or not the move is possible now. */
const tryStep = (page, move) => page.locator(`[data-move="${move}"]`).evaluate(one => one.click());
const picture = page => page.locator(".race").innerText();
/* The address is written a moment after the last step. */
const address = (page, wanted) => page.waitForFunction(wanted => location.hash === wanted, wanted);

test("one file of less than a megabyte that names no other", () => {
  assert.ok(statSync(file).size < 1e6);
  const text = readFileSync(file, "utf8");
  assert.doesNotMatch(text, /<(?:link|img|iframe|object|embed)\b|\bsrc=|@import|url\(/i);
  assert.match(text, /script-src 'sha256-[^']+' 'wasm-unsafe-eval'/);
});

test("the exact counts of all races", () =>
  open(async page => {
    const titles = await page.locator(".choice-of-race button span:first-child").allInnerTexts();
    assert.deepEqual(titles, Object.keys(COUNTS));
    for (const [title, [schedules, bad]] of Object.entries(COUNTS)) {
      await choose(page, title);
      await button(page, "Count all schedules").click();
      const sum = page.locator(".sum");
      assert.equal(await sum.getAttribute("data-schedules"), String(schedules), title);
      assert.equal(await sum.getAttribute("data-bad"), String(bad), title);
      assert.equal(await said(page), await sum.innerText(), "and it is said");
      const tally = page.locator(".choice-of-race [aria-pressed=true] .tally");
      assert.match(await tally.innerText(), new RegExp(`^${bad} of .* (wrong|lose a task)$`));
    }
  }));

test("two thieves stepped by hand hold the same task", () =>
  open(async page => {
    assert.match(await said(page), /^Nobody has begun/);
    for (const move of "AAABBBABAB") await step(page, move);
    assert.equal(
      await said(page),
      "Thief B writes 1 to top. It is done: it holds task 1. Wrong: task 1 is handed out twice.",
    );
    assert.equal(await page.locator(".said").getAttribute("role"), "status");
    assert.equal(await word(page, "top"), "1");
    assert.equal(await word(page, "slot 1"), "task 2");
    assert.deepEqual(await page.locator(".holds").allInnerTexts(), ["task 1", "task 1"]);
    assert.equal(await page.locator('[data-move="A"]').getAttribute("aria-disabled"), "true");
    await address(page, "#races/double/AAABBBABAB");
  }));

test("each step back shows what was before", () =>
  open(async page => {
    await choose(page, "The missing fence");
    /* without the schedule, which stays when one goes back */
    const drawn = async () =>
      (await picture(page))
        .split("\n")
        .filter(line => !/^([AB]\u2193?)?$/.test(line))
        .join("\n");
    const seen = [await drawn()];
    for (const move of "AAABBBBBa") {
      await step(page, move);
      seen.push(await drawn());
    }
    assert.equal(new Set(seen).size, seen.length);
    for (seen.pop(); seen.length; seen.pop()) {
      await button(page, "Back").click();
      assert.equal(await drawn(), seen.at(-1));
    }
    await button(page, "Start over").click();
    assert.equal(await page.locator(".track li").count(), 0);
  }));

test("the next line of each thread is marked in the code", () =>
  open(async page => {
    const source = readFileSync(path.join(process.env.SKUA_SOURCE, "src/sched/deque.c"), "utf8");
    await choose(page, "Chase-Lev: the last task");
    for (const move of "AABBB") await step(page, move);
    const marked = await page
      .locator(".lines li.here")
      .evaluateAll(lines =>
        lines.map(line => [Number(line.dataset.line), line.querySelector("code").textContent]),
      );
    assert.equal(marked.length, 2);
    for (const [number, text] of marked)
      assert.equal(source.split("\n")[number - 1].replaceAll("\t", "    "), text);
    assert.match(marked[0][1], /skua_store\(&d->bottom, bottom, release\)/);
    assert.match(marked[1][1], /skua_fence\(&d->top, seq_cst\)/);
    assert.equal(await page.locator(".comment").count(), 0);
    await page.getByLabel("Show the comments in the code").check();
    assert.ok((await page.locator(".comment").count()) > 20);
    await choose(page, "The missing fence");
    assert.equal(await page.getByLabel("Show the comments in the code").isVisible(), false);
    assert.match(await page.locator(".comment").innerText(), /a full fence is missing/);
  }));

test("the store buffer is shown, and the last store leaves it", () =>
  open(async page => {
    await choose(page, "The missing fence");
    for (const move of "AA") await step(page, move);
    assert.match(await said(page), /^Owner A writes bottom = 1 into its store buffer/);
    assert.deepEqual(await page.locator(".buffer li").allInnerTexts(), ["bottom = 1"]);
    assert.equal(await word(page, "bottom"), "2");
    await button(page, "Let A's store out").click();
    assert.equal(await word(page, "bottom"), "1");
    assert.equal(await page.locator(".buffer li").count(), 0);
    await choose(page, "The last task");
    assert.equal(await button(page, "Let A's store out").isVisible(), false);
  }));

test("the bad schedules are listed, and lead to their end", () =>
  open(async page => {
    await choose(page, "Emptied too early");
    await button(page, "Count all schedules").click();
    await page.locator("summary", { hasText: "70 schedules" }).click();
    const list = page.locator(".bad button");
    assert.equal(await list.count(), 40);
    await button(page, "Show more").click();
    assert.equal(await list.count(), 70);
    assert.equal(await page.evaluate(() => document.activeElement.textContent.length), 10);
    const names = await list.allInnerTexts();
    assert.deepEqual(names, [...new Set(names)].sort());
    await list.nth(69).click();
    assert.match(await said(page), /^Schedule 70 of 70 that go wrong, at its start/);
    for (let i = 0; i < 10; i++) await button(page, "Forward").click();
    assert.match(await said(page), /Wrong: task 1 is lost and a thief holds nothing\.$/);
    await address(page, "#races/early/" + names[69]);
    await page.locator(".track button").nth(3).click();
    await address(page, `#races/early/${names[69]}/4`);
    assert.equal(await page.locator(".track [aria-current=step]").innerText(), names[69][3]);
  }));

test("what goes wrong from here is told for each choice", () =>
  open(async page => {
    await button(page, "Count all schedules").click();
    assert.match(await page.locator(".odds").innerText(), /252 ways to go on; 240 go wrong/);
    const parts = await page.locator(".move small").allInnerTexts();
    assert.deepEqual(parts, ["120 of 126 go wrong", "120 of 126 go wrong"]);
    for (const move of "AAAAA") await step(page, move);
    assert.match(
      await page.locator(".odds").innerText(),
      /^From here there is 1 way to go on; 0 go wrong\.$/,
    );
  }));

test("keys do everything", () =>
  open(async page => {
    await page.locator(".choice-of-race button").first().focus();
    for (let i = 0; i < 5; i++) await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    assert.equal(await page.locator("h2").innerText(), "The missing fence");
    for (const key of ["a", "a", "B", "Shift+A"]) await page.keyboard.press(key);
    assert.match(await said(page), /^Owner A's store buffer lets bottom = 1 out/);
    await page.keyboard.press("ArrowLeft");
    assert.equal(await said(page), "Thief B begins.");
    await page.keyboard.press("ArrowRight");
    assert.match(await said(page), /lets bottom = 1 out/);
    await page.keyboard.press("Home");
    assert.match(await said(page), /^Nobody has begun/);
    await page.keyboard.press("e");
    assert.equal(await said(page), "4,131 schedules, 105 go wrong: they hand a task out twice.");
    await page.keyboard.press("n");
    await page.keyboard.press("n");
    assert.match(await said(page), /^Schedule 2 of 105/);
    await page.keyboard.press("Control+a"); /* the browser's own keys stay its own */
    assert.match(await said(page), /^Schedule 2 of 105/);
    const steps = await page.locator(".track li").count();
    for (let i = 0; i < steps; i++) await page.keyboard.press("ArrowRight");
    assert.match(await said(page), /Wrong: task 2 is handed out twice\.$/);
  }));

test("it plays by itself, and pauses", () =>
  open(async page => {
    await page.clock.install({ time: 0 });
    await page.clock.pauseAt(60000); /* from now on only the test's own time goes by */
    await choose(page, "The last task");
    await button(page, "Show one that goes wrong").click();
    await button(page, "Play").click();
    const at = () => page.locator(".track .done").count();
    assert.equal(await at(), 1);
    await page.clock.runFor(2500);
    assert.equal(await at(), 3);
    await button(page, "Pause").click();
    await page.clock.runFor(5000);
    assert.equal(await at(), 3);
    await button(page, "Play").click();
    await page.clock.runFor(60000);
    assert.match(await said(page), /Wrong: task 1 is handed out twice\.$/);
    assert.equal(await button(page, "Play").count(), 1);
  }));

test("a link shows the same race at the same step", async () => {
  let shown, link;
  await open(async page => {
    await choose(page, "A task is skipped");
    for (const move of "ABABAB") await step(page, move);
    await button(page, "Back").click();
    link = await page.getByLabel("This race, at this step").inputValue();
    shown = await picture(page);
  });
  assert.equal(link, "file://" + file + "#races/skip/ABABAB/5");
  await open(async page => assert.equal(await picture(page), shown), {}, link.replace(/.*#/, "#"));
});

const STRANGE = [
  ["#races/<img src=x onerror=console.log(1)>", "The same task twice", 0],
  ["#races/skip/AB<svg/onload=console.log(1)>", "A task is skipped", 2],
  ["#races/double/AAAAAAAAAAAAAAAAA", "The same task twice", 5],
  ["#races/double/aB", "The same task twice", 0],
  ["#races/last/AB/77", "The last task", 2],
  ["#races/__proto__/AB", "The same task twice", 0],
  ["#races/double/" + "AB".repeat(20000), "The same task twice", 10],
  ["#races/%00%ff//..//", "The same task twice", 0],
];
test("links of strangers: what makes no sense is left out, and said", () =>
  open(async page => {
    for (const [fragment, title, steps] of STRANGE) {
      const which = fragment.slice(0, 60);
      await goTo(page, fragment);
      assert.equal(await page.locator("h2").innerText(), title, which);
      assert.equal(await page.locator(".track li").count(), steps, which);
      const isWarned = await page.locator(".warning").isVisible();
      assert.equal(isWarned, fragment.startsWith("#races"), which);
      assert.equal(await page.locator("img, svg, script").count(), 1, "the page's own script");
      for (const move of "AB") await tryStep(page, move);
    }
    await page.evaluate(() => (location.hash = "#races/last/AAB"));
    await page.waitForFunction(() => document.querySelector("h2").textContent === "The last task");
    assert.equal(await page.locator(".track li").count(), 3, "an address typed in is followed");
  }));

test("a link to no race says that it is not understood", () =>
  open(
    async page =>
      assert.match(await page.locator(".races .warning").innerText(), /^The link is not understood/),
    {},
    "#races/nonsense",
  ));

testLooks(
  [
    [360, "light", "The missing fence"],
    [360, "dark", "Chase-Lev: store buffers"],
    [768, "dark", "A task is skipped"],
    [1440, "light", "The missing fence"],
    [1440, "dark", "The same task twice"],
  ],
  (use, options) => open(use, options),
  async (page, title) => {
    await choose(page, title);
    for (const move of "AABBB") await step(page, move);
    await button(page, "Count all schedules").click();
    for (const summary of await page.locator("summary").all()) await summary.click();
    if (title.startsWith("Chase")) await page.getByLabel("Show the comments").check();
    await checkLooks(page);
    await checkFingers(page);
    for (const move of "abAB") await tryStep(page, move);
  },
);

test("Tab reaches everything, and it can be seen where one is", () =>
  open(async page => {
    for (const move of "AB") await step(page, move);
    await page.locator("summary", { hasText: "Keys" }).click();
    await checkTab(page);
  }));
