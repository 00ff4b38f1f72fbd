/* page_tour.spec.js — the page's tour: a minute with captions, played, paused and leafed through */
"use strict";
const assert = require("node:assert/strict");
const { after, before, test } = require("node:test");
const { button, checkFingers, checkLooks, openRoom, said } = require("./browser");
const { start, stop, testLooks, WIDTHS } = require("./browser");

before(start);
after(stop);

const open = (use, options = {}, fragment = "#tour") =>
  openRoom(
    fragment,
    async page => {
      await page.clock.install({ time: 0 });
      await page.clock.pauseAt(60000); /* from now on only the test's own time goes by */
      await use(page);
    },
    options,
  );
const title = page => page.locator(".chapter-title").innerText();
const now = async page =>
  Number(/(?:now|after) (\d+)/.exec(await page.locator(".keys").first().innerText())[1]);

test("it plays to its end within a minute, and says the numbers it shows", () =>
  open(async page => {
    assert.equal(await title(page), "1 of 9: Forty tasks, one worker");
    await button(page, "Play").click();
    const titles = new Set();
    for (let second = 0; second < 60; second++) {
      titles.add(await title(page));
      await page.clock.runFor(1000);
    }
    assert.equal(titles.size, 9);
    await page.clock.runFor(1000);
    assert.equal(await button(page, "Play").count(), 1, "it has ended by itself");
    assert.equal(await title(page), "9 of 9: Your turn");
    await button(page, "Back").click();
    const [, ended] = /took (\d+)/.exec(await said(page));
    assert.match(await page.locator(".keys").innerText(), new RegExp(`done after ${ended} ticks`));
  }));

test("time passes while it plays, and stops with it", () =>
  open(
    async page => {
      await button(page, "Next").click();
      await button(page, "Next").click();
      await button(page, "Play").click();
      assert.equal(await now(page), 4);
      await page.clock.runFor(2500);
      const seen = await now(page);
      assert.ok(seen > 4 && seen < 14, `${seen}`);
      await button(page, "Pause").click();
      await page.clock.runFor(20000);
      assert.equal(await now(page), seen);
      assert.match(await title(page), /^3 of 9/);
      await page.evaluate(() => (location.hash = "#sandbox"));
      await page.waitForFunction(() => document.title.startsWith("Sandbox"));
    },
    { reducedMotion: "no-preference" },
  ));

test("with less motion nothing moves: each part is shown as it ends", () =>
  open(async page => {
    await button(page, "Next").click();
    await button(page, "Next").click();
    await button(page, "Play").click();
    assert.equal(await now(page), 14);
    await page.clock.runFor(3000);
    assert.equal(await now(page), 14);
    assert.equal(await page.evaluate(() => document.getAnimations().length), 0);
    await page.clock.runFor(4000);
    assert.match(await title(page), /^4 of 9/);
  }));

test("keys, parts and links", () =>
  open(async page => {
    await button(page, "Play").focus();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    assert.match(await title(page), /^3 of 9/);
    await page.keyboard.press("ArrowLeft");
    assert.match(await title(page), /^2 of 9/);
    await page.keyboard.press("Enter");
    assert.equal(await button(page, "Pause").count(), 1);
    await page.getByRole("button", { name: "Part 5: Take half" }).click();
    assert.equal(await page.locator(".side").count(), 2);
    await page.waitForFunction(() => document.title.startsWith("Tour"));
    await page.clock.runFor(300);
    assert.equal(await page.evaluate(() => location.hash), "#tour/5");
    const [, half, one] = /: (\d+) thefts instead of (\d+)/.exec(await said(page)).map(Number);
    assert.ok(half < one / 2, `${half} ${one}`);
    await page.getByRole("link", { name: "Open this scene in the sandbox" }).click();
    await page.waitForFunction(() => document.title.startsWith("Sandbox"));
    assert.ok(await page.getByText("Left: Steal half").isVisible());
  }));

for (const fragment of ["#tour/0", "#tour/10", "#tour/<img src=x onerror=console.log(1)>"])
  test(`${fragment}: there is no such part`, () =>
    open(
      async page => {
        assert.match(await page.locator(".warning").innerText(), /no such part/);
        assert.match(await title(page), /^1 of 9/);
        assert.equal(await page.locator("img").count(), 0);
      },
      {},
      fragment,
    ));

testLooks(WIDTHS, open, async page => {
  await page.clock.resume(); /* axe waits for timers of its own */
  assert.ok(await page.getByText("What the articles got wrong").isVisible());
  for (const part of ["1", "5", "8"]) {
    await page.getByRole("button", { name: new RegExp(`^Part ${part}:`) }).click();
    await checkLooks(page);
    await checkFingers(page);
  }
});
