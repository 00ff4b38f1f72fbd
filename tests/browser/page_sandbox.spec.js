/* page_sandbox.spec.js — the page's sandbox, used as its readers do */
"use strict";
const assert = require("node:assert/strict");
const { after, before, test } = require("node:test");
const path = require("node:path");
const { axe, start, stop, withPage } = require("./browser");

const file = path.join(process.env.SKUA_BUILD, "skua_page.html");
before(start);
after(stop);

const ready = page =>
  page.waitForFunction(() => document.documentElement.dataset.state === "ready");
const open = (use, options = {}, fragment = "") =>
  withPage(file, options, async page => {
    await page.goto("about:blank");
    await page.goto("file://" + file + "#sandbox" + fragment);
    await ready(page);
    await use(page);
  });
const button = (page, name) => page.getByRole("button", { name, exact: true });
/* Whether or not it can be used now. */
const press = (page, name) => button(page, name).evaluate(one => one.click());
const said = page => page.locator(".said").innerText();
const count = (page, id, side = "left") =>
  page.locator(`[data-side="${side}"] [data-count="${id}"]`).innerText();
const choose = (page, label, text) =>
  page.getByLabel(label, { exact: true }).selectOption({ label: text });
const picture = page => page.locator(".sides").innerHTML();
const queue = (page, worker, side = "left") =>
  page.locator(`[data-side="${side}"] .worker`).nth(worker).locator(".chip").allInnerTexts();
/* From now on only the test's own time goes by. */
const stopClock = async page => {
  await page.clock.install({ time: 0 });
  await page.clock.pauseAt(60000);
};
/* The address is written a moment after the last step. */
const address = (page, wanted) => page.waitForFunction(wanted => location.hash === wanted, wanted);

test("all forty tasks are with worker 0, and thieves come", () =>
  open(async page => {
    assert.match(await said(page), /^Nobody has begun/);
    assert.equal(await page.locator(".said").getAttribute("role"), "status");
    assert.equal(await page.locator('[data-side="left"] .worker').count(), 4);
    assert.deepEqual(await page.locator(".worker").first().locator(".end").allInnerTexts(), [
      "thieves' end",
      "owner's end",
    ]);
    assert.equal((await queue(page, 0)).length, 12, "the middle of a long queue is left out");
    assert.equal(await page.locator(".left-out").first().innerText(), "+28");
    await button(page, "Step").click();
    assert.equal(await said(page), "Left: Worker 0 begins task 39, the newest one of its own.");
    await button(page, "Step").click();
    assert.match(await said(page), /^Left: Worker 1 has nothing to do and looks at worker \d\.$/);
    for (let i = 0; i < 60; i++) await button(page, "Step").click();
    assert.notEqual(await count(page, "steals"), "0");
    assert.ok((await page.locator(".chip.moved").count()) > 0);
    await button(page, "To the end").click();
    assert.match(await said(page), /Both are done: \d+ ticks on the left, \d+ on the right\./);
    assert.equal(await count(page, "ended"), "40 of 40");
    assert.equal(await count(page, "ended", "right"), "40 of 40");
  }));

test("a step back shows what was before", () =>
  open(async page => {
    const seen = [];
    for (let i = 0; i < 40; i++) {
      seen.push((await picture(page)) + (await said(page)));
      await button(page, "Step").click();
    }
    for (let i = 39; i >= 0; i--) {
      await button(page, "Step back").click();
      assert.equal((await picture(page)) + (await said(page)), seen[i], `step ${i}`);
    }
    await press(page, "Step back");
    assert.equal((await picture(page)) + (await said(page)), seen[0], "there is nothing before");
    await page.getByLabel("Step number").fill("25");
    assert.equal(
      (await picture(page)) + (await said(page)),
      seen[25],
      "the slider leads there too",
    );
  }));

test("a scene is still there after a look at another room", () =>
  open(async page => {
    await page.getByLabel("Seed", { exact: true }).fill("7");
    await page.getByLabel("Seed", { exact: true }).blur();
    for (let i = 0; i < 9; i++) await button(page, "Step").click();
    const before = (await picture(page)) + (await said(page)),
      link = name => page.getByRole("link", { name, exact: true });
    await link("Scale").click();
    await page.locator("#room-scale").waitFor();
    await link("Sandbox").click();
    await page.locator("#room-sandbox").waitFor();
    assert.equal(await page.getByLabel("Seed", { exact: true }).inputValue(), "7");
    const told = page.locator("#room-sandbox .said");
    assert.equal((await picture(page)) + (await told.innerText()), before);
    /* one that runs is stopped there, and does not take the address with it */
    await button(page, "Run").click();
    await link("Scale").click();
    await page.locator("#room-scale").waitFor();
    await page.waitForTimeout(400);
    assert.equal(await page.evaluate(() => location.hash), "#scale");
  }));

test("one tick is no ticks", () =>
  open(async page => {
    const keys = page.locator(".keys");
    for (let i = 0; i < 60; i++) {
      if (/now 1 /.test(await keys.first().innerText())) break;
      await button(page, "Step").click();
    }
    assert.match(await keys.first().innerText(), /now 1 tick$/m);
    assert.doesNotMatch(await page.locator("#room-sandbox").innerText(), /\b1 ticks/);
  }));

test("tasks are added where one says", () =>
  open(async page => {
    await choose(page, "Work", "Nothing: add tasks of your own");
    assert.match(await said(page), /^There is no task/);
    await press(page, "Run");
    await choose(page, "Add tasks to", "worker 2");
    for (const number of [1, 5, 20]) await button(page, `Add ${number}`).click();
    assert.equal(await said(page), "20 tasks are added to worker 2. The run begins anew.");
    assert.equal(await count(page, "ended"), "0 of 26");
    assert.equal((await queue(page, 2)).length, 12);
    await button(page, "Worker 3").click();
    assert.equal(await button(page, "Worker 3").getAttribute("aria-pressed"), "true");
    await button(page, "Add 1").click();
    assert.deepEqual(await queue(page, 3), ["26"]);
    assert.deepEqual(await queue(page, 0), []);
    for (let i = 0; i < 19; i++) await button(page, "Add 20").click();
    assert.match(await page.locator(".warning").innerText(), /room for 400 tasks/);
    assert.equal(await count(page, "ended"), "0 of 387");
    await address(
      page,
      "#sandbox/workers=4/seed=1/work=none/add=2:26,3:361/left=half-random/right=one-random",
    );
  }));

test("every preset under every policy comes to its end", () =>
  open(async page => {
    await choose(page, "Workers", "9");
    const works = await page.locator("#sandbox-work option").allInnerTexts(),
      hows = await page.locator("#left-how option").allInnerTexts();
    assert.equal(works.length, 7);
    assert.equal(hows.length, 7);
    for (const work of works.slice(0, 6)) {
      await choose(page, "Work", work);
      for (const how of hows) {
        await page.locator("#left-how").selectOption({ label: how });
        await button(page, "To the end").click();
        const [done, all] = (await count(page, "ended")).split(" of ");
        assert.equal(done, all, `${work}, ${how}`);
        if (/^(Central|Work|Static)/.test(how)) assert.equal(await count(page, "steals"), "0");
        const isSteal = how.startsWith("Steal");
        assert.equal(await page.locator("#left-victim").isVisible(), isSteal, how);
        const isAsked = isSteal || how.startsWith("Central");
        assert.equal(await page.locator("#left-heed").isEnabled(), isAsked, how);
        const heed = await page.locator("#left-heed option:checked").innerText(),
          usual = how === "As skua does it" ? "always" : "never";
        assert.ok(isAsked ? heed !== usual : heed === usual, `${how}: ${heed}`);
      }
    }
    await page.locator("#right-how").selectOption({ label: "Nothing" });
    assert.equal(await page.locator(".side").count(), 1);
  }));

test("the central queue and work sharing are shown for what they are", () =>
  open(async page => {
    await page.locator("#left-how").selectOption({ label: "Central queue" });
    await page.locator("#right-how").selectOption({ label: "Work sharing, to the shorter of two" });
    assert.equal(await page.locator(".central .left-out").innerText(), "+28");
    assert.equal(await page.locator('[data-side="left"] .worker .deque').count(), 0);
    assert.equal((await queue(page, 0, "right")).length, 12, "they are made there");
    for (let i = 0; i < 4; i++) await button(page, "Step").click();
    assert.match(
      await said(page),
      /^Left: Worker 3 begins task 3, the next one of the central queue/,
    );
    for (let i = 0; i < 12; i++) await button(page, "Step").click();
    assert.notEqual(await count(page, "sends", "right"), "0");
  }));

const RANKS = "Priorities: 12 tasks for each worker: one urgent, two low";
test("priorities: heeded on the left, ignored on the right", () =>
  open(async page => {
    await choose(page, "Work", RANKS);
    assert.deepEqual(await page.locator(".side h3").allInnerTexts(), [
      "Left: Steal half, at random, urgent first",
      "Right: Steal half, at random",
    ]);
    const forAll = side => page.locator(`[data-side="${side}"] .central`);
    assert.deepEqual(await forAll("left").locator("h4").allInnerTexts(), [
      "For everybody: urgent",
      "For everybody: low",
    ]);
    assert.equal(await forAll("right").count(), 0);
    /* a letter on each, and the word for those who do not see it */
    const urgent = forAll("left").locator(".queue").first();
    assert.equal(
      await urgent.getAttribute("aria-label"),
      "For everybody: urgent: 4 tasks, the oldest first",
    );
    assert.deepEqual(await urgent.locator(".letter").allInnerTexts(), ["U", "U", "U", "U"]);
    assert.deepEqual(await urgent.locator(".hidden").allTextContents(), Array(4).fill(" urgent"));
    assert.equal(await page.locator('[data-side="right"] .worker .letter').count(), 12);
    assert.equal(await page.locator('[data-side="left"] .worker .letter').count(), 0);
    await button(page, "Step").click();
    assert.equal(
      await said(page),
      "Left: Worker 0 begins urgent task 16, the next of the urgent ones, which are for everybody.",
    );
    assert.match(await page.locator(".run").first().innerText(), /^urgent task 16/);
    assert.equal(await count(page, "urgent-mean"), "-");
    await button(page, "To the end").click();
    const last = async side => Number(await count(page, "urgent-last", side)),
      [left, right] = [await last("left"), await last("right")];
    assert.ok(left < 30 && right > 100, `${left} ${right}`);
    assert.match(
      await said(page),
      new RegExp(`urgent task was done after ${left} ticks on the left, ${right} on the right`),
    );
    await page.locator("#left-heed").selectOption({ label: "ignored" });
    assert.equal(await forAll("left").count(), 0);
    await page.locator("#left-how").selectOption({ label: "As skua does it" });
    assert.equal(await forAll("left").locator("h4").count(), 2, "skua always heeds them");
    await page.locator("#left-how").selectOption({ label: "Central queue" });
    await page.locator("#left-heed").selectOption({ label: "urgent first" });
    assert.deepEqual(await forAll("left").locator("h4").allInnerTexts(), [
      "Central queue: urgent",
      "Central queue: normal",
      "Central queue: low",
    ]);
    await address(
      page,
      "#sandbox/workers=4/seed=1/work=ranks/left=central-urgent/right=half-random",
    );
    await choose(page, "Work", "Tree: forks in two, five levels deep, and joins");
    assert.equal(await page.locator("[data-count='urgent-last']").count(), 0);
    assert.equal(await forAll("left").locator("h4").innerText(), "Central queue");
  }));

test("tasks are added with a priority, by hand and by key", () =>
  open(async page => {
    const hint = " No side heeds priorities: choose \u201curgent first\u201d.";
    await choose(page, "Work", "Nothing: add tasks of your own");
    await choose(page, "Their priority", "urgent");
    await button(page, "Add 5").click();
    assert.equal(await said(page), "5 urgent tasks are added to worker 0. The run begins anew." + hint);
    await button(page, "Worker 2").focus();
    await page.keyboard.press("2");
    await page.keyboard.press("l");
    assert.equal(await said(page), "1 low task is added to worker 2. The run begins anew." + hint);
    await page.keyboard.press("L");
    await page.keyboard.press("u");
    assert.equal(await said(page), "1 urgent task is added to worker 2. The run begins anew." + hint);
    await page.keyboard.press("a");
    await choose(page, "Their priority", "normal");
    await button(page, "Add 1").click();
    assert.equal(await said(page), "1 task is added to worker 2. The run begins anew.");
    const letters = await page.locator('[data-side="left"] .letter').allInnerTexts();
    assert.deepEqual(letters, ["U", "U", "U", "U", "U", "L", "L", "U", "U"]);
    await address(
      page,
      "#sandbox/workers=4/seed=1/work=none/add=0:5:urgent,2:2:low,2:2:urgent,2:1/" +
        "left=half-random/right=one-random",
    );
    await button(page, "To the end").click();
    assert.equal(await count(page, "ended"), "10 of 10");
  }));

test("the bounds are drawn, and the run keeps to them", () =>
  open(async page => {
    await button(page, "To the end").click();
    const keys = await page.locator('[data-side="left"] .keys').innerText(),
      [, ideal, bound, took] = /T1\/P ([\d.]+).*?T∞ ([\d.]+).*?after ([\d.]+)/s
        .exec(keys)
        .map(Number);
    assert.equal(ideal, 40);
    assert.equal(bound, 44);
    assert.ok(took > ideal, `${took}`);
    assert.equal(await page.locator('[data-side="left"] .time-bar .mark').count(), 2);
  }));

test("it runs by itself, at the speed one says, and pauses", () =>
  open(async page => {
    await stopClock(page);
    await choose(page, "Speed", "1 tick a second");
    const now = async () =>
      Number(/now (\d+)/.exec(await page.locator('[data-side="left"] .keys').innerText())[1]);
    await button(page, "Run").click();
    assert.equal(await now(), 1);
    await page.clock.runFor(3000);
    assert.equal(await now(), 4);
    assert.equal(await page.locator(".said").getAttribute("aria-live"), "off");
    await choose(page, "Speed", "8 ticks a second");
    await page.clock.runFor(1000);
    assert.equal(await now(), 13);
    await button(page, "Pause").click();
    assert.equal(await page.locator(".said").getAttribute("aria-live"), "polite");
    await page.clock.runFor(5000);
    assert.equal(await now(), 13);
    await button(page, "Run").click();
    await page.clock.runFor(60000);
    assert.match(await said(page), /Both are done/);
    assert.equal(await button(page, "Run").count(), 1);
    await page.goto("file://" + file + "#races");
    await page.waitForFunction(() => document.title.startsWith("Races"));
  }));

test("keys do everything", () =>
  open(async page => {
    await button(page, "Worker 0").focus();
    for (const key of ["ArrowRight", "ArrowRight"]) await page.keyboard.press(key);
    assert.match(await said(page), /^Left: Worker 1 has nothing to do/);
    await page.keyboard.press("ArrowLeft");
    assert.match(await said(page), /^Left: Worker 0 begins/);
    await page.keyboard.press("End");
    assert.match(await said(page), /Both are done/);
    await page.keyboard.press("Home");
    await page.keyboard.press("3");
    await page.keyboard.press("a");
    assert.equal(await said(page), "1 task is added to worker 3. The run begins anew.");
    assert.deepEqual(await queue(page, 3), ["40"]);
    await page.keyboard.press("p");
    assert.equal(await said(page), "The left run is now: Steal one.");
    await page.keyboard.press("?");
    assert.ok(await page.getByText("another policy on the left").isVisible());
    await page.locator(".sandbox").focus();
    await stopClock(page);
    await page.keyboard.press("Space");
    assert.equal(await button(page, "Pause").count(), 1);
    await page.keyboard.press("Space");
    await page.keyboard.press("9"); /* there is no such worker */
    await page.keyboard.press("Control+a"); /* the browser's own keys stay its own */
    assert.equal(await count(page, "ended"), "0 of 41");
    await page.getByLabel("Seed").focus();
    await page.keyboard.press("a"); /* a field is a field */
    assert.equal(await count(page, "ended"), "0 of 41");
  }));

test("Tab reaches everything, and it can be seen where one is", () =>
  open(async page => {
    for (const summary of await page.locator("summary").all()) await summary.click();
    const all = await page.evaluate(() => {
      document.activeElement.blur();
      globalThis.visited = new Set();
      return [...document.querySelectorAll("a, button, input, select, textarea, summary")].filter(
        element => element.checkVisibility(),
      ).length;
    });
    const rings = [];
    for (let i = 0; i < all + 3; i++) {
      await page.keyboard.press("Tab");
      rings.push(
        await page.evaluate(() => {
          const element = document.activeElement;
          if (element === document.body) return "";
          visited.add(element);
          const ring = getComputedStyle(element);
          return `${element.id || element.textContent} ${ring.outlineStyle} ${ring.outlineWidth}`;
        }),
      );
    }
    assert.equal(await page.evaluate(() => visited.size), all);
    assert.deepEqual(
      rings.filter(ring => ring && !/ solid 3px$/.test(ring)),
      [],
    );
  }));

test("a seed is a number; another gives another run", () =>
  open(async page => {
    await button(page, "To the end").click();
    const first = await picture(page);
    await page.getByLabel("Seed").fill("77");
    await page.getByLabel("Seed").press("Enter");
    await button(page, "To the end").click();
    assert.notEqual(await picture(page), first);
    for (const wrong of ["-1", "1.5", "", "1000000"]) {
      await page.getByLabel("Seed").fill(wrong);
      await page.getByLabel("Seed").press("Tab");
      assert.match(await page.locator(".warning").innerText(), /whole number from 0 to 999999/);
      assert.equal(await page.getByLabel("Seed").inputValue(), "77");
    }
  }));

test("a link shows the same scene at the same step", async () => {
  let shown, link;
  await open(async page => {
    await choose(page, "Work", "File tree: folders that lead to folders and files");
    await choose(page, "Workers", "6");
    await page.locator("#right-how").selectOption({ label: "Central queue" });
    await button(page, "Add 5").click();
    for (let i = 0; i < 30; i++) await button(page, "Step").click();
    link = await page.getByLabel("This scene, at this step").inputValue();
    shown = await picture(page);
  });
  assert.equal(
    link,
    `file://${file}#sandbox/workers=6/seed=1/work=files/add=0:5/left=half-random/` +
      "right=central/at=30",
  );
  await open(
    async page => assert.equal(await picture(page), shown),
    {},
    link.replace(/.*#sandbox/, ""),
  );
});

const STRANGE = [
  "/nonsense",
  "/<img src=x onerror=console.log(1)>",
  "/workers=<svg onload=console.log(1)>/work=tree",
  "/work=tree/left=half-random/right=<script>console.log(1)</script>",
  "/workers=99/seed=99999999/work=__proto__/at=-1",
  "/add=0:400,1:400",
  "/work=ranks/add=0:1:<b>/left=half-random-urgent",
  "/work=ranks/left=static-urgent",
  "/work=tree/at=999999999",
  "/" + "workers=4/".repeat(1000),
  "/%00%ff//..//",
];
test("links of strangers: what makes no sense is left out, and said", () =>
  open(async page => {
    for (const fragment of STRANGE) {
      const which = fragment.slice(0, 60);
      await page.goto("about:blank");
      await page.goto("file://" + file + "#sandbox" + fragment);
      await ready(page);
      assert.match(await page.locator(".warning").innerText(), /left out/, which);
      assert.equal(await page.locator("img, svg, script").count(), 1, "the page's own script");
      await button(page, "To the end").click();
      assert.match(await said(page), /done/, which);
    }
  }));

for (const [width, colorScheme, fragment] of [
  [360, "light", "/workers=3/work=zero/left=half-random/right=central"],
  [360, "dark", "/workers=16/work=bag/left=one-nearest"],
  [768, "dark", "/workers=5/work=files/left=share/right=static"],
  [1440, "light", "/workers=16/work=tree/left=half-random/right=skua"],
  [1440, "dark", "/workers=8/work=zero/left=half-random/right=two"],
  [360, "dark", "/workers=3/work=ranks/left=half-random-urgent/right=central-urgent"],
  [1440, "light", "/workers=8/work=ranks/left=half-random-urgent/right=skua"],
])
  test(`${width} pixels, ${colorScheme}, ${fragment}: nothing sticks out, axe finds nothing`, () =>
    open(
      async page => {
        for (const summary of await page.locator("summary").all()) await summary.click();
        for (const at of ["30", "150"]) {
          await page.getByLabel("Step number").fill(at);
          const wide = await page.evaluate(() => [
            document.documentElement.scrollWidth,
            innerWidth,
          ]);
          assert.ok(wide[0] <= wide[1], `${wide[0]} of ${wide[1]} pixels: it scrolls sideways`);
          assert.deepEqual(await axe(page), []);
        }
        const small = await page.evaluate(() =>
          [...document.querySelectorAll("button, a, summary, select, input")]
            .filter(element => element.checkVisibility())
            .map(element => [element.id || element.textContent, element.getBoundingClientRect()])
            .filter(([, box]) => box.height < 44 || box.width < 44)
            .map(([text]) => text),
        );
        assert.deepEqual(small, [], "large enough for a finger");
        const ink = await page.evaluate(() => getComputedStyle(document.body).color);
        assert.equal(/^rgb\(2\d\d/.test(ink), colorScheme === "dark");
        await stopClock(page); /* else a slow machine may meet the end of the run */
        await button(page, "Run").click();
        assert.equal(await page.evaluate(() => document.getAnimations().length), 0);
        await button(page, "Pause").click();
      },
      { viewport: { width, height: 800 }, colorScheme },
      fragment,
    ));
