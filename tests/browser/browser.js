/* browser.js — one Chromium for a file of tests: pages from disk that may ask for nothing else */
"use strict";
const assert = require("node:assert/strict");
const { execFileSync } = require("node:child_process");
const { mkdtempSync, rmSync, readFileSync } = require("node:fs");
const { tmpdir } = require("node:os");
const path = require("node:path");
const { test } = require("node:test");
const { chromium } = require("playwright-core");

/* Nothing of its own may want the network either. */
const QUIET = [
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--disable-dev-shm-usage",
];

const PATIENCE_MS = 120000; /* a busy machine is slow, not wrong */
const work = mkdtempSync(path.join(tmpdir(), "skua_browser."));
process.once("exit", () => rmSync(work, { recursive: true, force: true }));
let browser;

async function start() {
  const isRoot = process.getuid() === 0; /* whom Chromium's sandbox refuses */
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM,
    args: isRoot ? [...QUIET, "--no-sandbox"] : QUIET,
    timeout: PATIENCE_MS,
  });
}
async function stop() {
  await browser?.close();
}

/* The command's standard output. */
function skua(...args) {
  return execFileSync(process.env.SKUA, args, {
    maxBuffer: 1 << 28,
    stdio: ["ignore", "pipe", "pipe"],
  });
}

/* A page, what it asked for and what it said; both are to be empty but for the page itself. */
async function newPage(options = {}) {
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    reducedMotion: "reduce",
    ...options,
  });
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage(),
    asked = new Set(),
    said = [];
  page.on("request", request => asked.add(request.url().replace(/#.*/, "")));
  page.on("console", message => said.push(message.text()));
  page.on("pageerror", error => said.push(String(error)));
  page.on("dialog", dialog => {
    said.push("dialog " + dialog.message());
    dialog.dismiss();
  });
  return { page, asked, said, close: () => context.close() };
}

/*
 * Open a file as a reader would, and give the page to `use`.  Whatever happens in there, the page
 * asked for no other file, said nothing on the console, threw nothing and opened no dialog.
 */
async function withPage(file, options, use, fragment = "") {
  const { page, asked, said, close } = await newPage(options);
  await page.goto("file://" + file + fragment);
  try {
    await use(page);
    assert.deepEqual([...asked], ["file://" + file], "asked for something else");
    assert.deepEqual(said, [], "said something");
  } finally {
    await close();
  }
}

/* --- the page of the build --- */

const pageFile = path.join(process.env.SKUA_BUILD ?? "", "skua_page.html");
const ready = page =>
  page.waitForFunction(() => document.documentElement.dataset.state === "ready");
/* Another address in the same page, read anew. */
async function goTo(page, fragment, file = pageFile) {
  await page.goto("about:blank");
  await page.goto("file://" + file + fragment);
  await ready(page);
}
/* A room of the page, at an address that begins with it. */
const openRoom = (fragment, use, options = {}) =>
  withPage(
    pageFile,
    options,
    async page => {
      await ready(page);
      await use(page);
    },
    fragment,
  );
const button = (page, name) => page.getByRole("button", { name, exact: true });
const said = page => page.locator(".said").innerText();

/* Let a file fall somewhere; whether the browser would still open it itself. */
const drop = (page, name, bytes, selector = "header") =>
  page.evaluate(
    ([text, as, where]) => {
      const data = new DataTransfer(),
        raw = Uint8Array.from(atob(text), letter => letter.charCodeAt(0));
      data.items.add(new File([raw], as));
      const options = { dataTransfer: data, bubbles: true, cancelable: true },
        place = document.querySelector(where);
      return ["dragover", "drop"].map(type => place.dispatchEvent(new DragEvent(type, options)));
    },
    [Buffer.from(bytes).toString("base64"), name, selector],
  );

/* --- what every page keeps to --- */

const axeSource = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
/* What axe finds wrong, in a line each. */
async function axe(page) {
  await page.evaluate(axeSource);
  return page.evaluate(async () =>
    (await globalThis.axe.run(document)).violations.flatMap(rule =>
      rule.nodes.map(node => `${rule.id}: ${node.target} ${node.failureSummary}`),
    ),
  );
}

/* It does not scroll sideways, has the colours one wants, moves nothing, and axe is content. */
async function checkLooks(page) {
  const seen = await page.evaluate(() => ({
    wide: document.documentElement.scrollWidth,
    room: innerWidth,
    isDark: matchMedia("(prefers-color-scheme: dark)").matches,
    ink: getComputedStyle(document.body).color,
    moving: document.getAnimations().length,
  }));
  assert.ok(seen.wide <= seen.room, `${seen.wide} of ${seen.room} pixels: it scrolls sideways`);
  assert.equal(/^rgb\(2\d\d/.test(seen.ink), seen.isDark, `its ink is ${seen.ink}`);
  assert.equal(seen.moving, 0, "something moves");
  assert.deepEqual(await axe(page), []);
}

/* All there is to touch is large enough for a finger; a label around a box counts with it. */
async function checkFingers(page) {
  const small = await page.evaluate(() =>
    [...document.querySelectorAll("button, a, summary, select, input, textarea, .lanes")]
      .filter(element => element.checkVisibility())
      .map(element => [element, (element.closest("label") ?? element).getBoundingClientRect()])
      .filter(([, box]) => box.height < 44 || box.width < 44)
      .map(([element]) => element.id || element.textContent),
  );
  assert.deepEqual(small, [], "large enough for a finger");
}

/*
 * A test for each [width, colours, what]: `open` a page so, let `use` do something in it, and look.
 * Both are given `what`; `use` may call the checks before its end too.  A folder in SKUA_SHOTS is
 * given a picture of each.
 */
function testLooks(cases, open, use) {
  for (const [width, colorScheme, ...what] of cases) {
    const title = [`${width} pixels`, colorScheme, ...what].join(", ");
    const options = { viewport: { width, height: 800 }, colorScheme };
    test(`${title}: nothing sticks out, axe finds nothing`, () =>
      open(
        async page => {
          await use(page, ...what);
          await checkLooks(page);
          const folder = process.env.SKUA_SHOTS,
            name = `${await page.title()}, ${title}.png`.replaceAll("/", "_");
          if (folder) await page.screenshot({ path: path.join(folder, name), fullPage: true });
        },
        options,
        ...what,
      ));
  }
}
const WIDTHS = [360, 768, 1440].flatMap(width => [
  [width, "light"],
  [width, "dark"],
]);

/* Tab comes to everything there is to touch, and a ring tells where one is. */
async function checkTab(page) {
  const all = await page.evaluate(() => {
    document.activeElement.blur();
    getSelection().removeAllRanges();
    globalThis.visited = new Set();
    const kinds = 'a, button, input, select, textarea, summary, [tabindex="0"]',
      isStop = one => one.checkVisibility() && (one.type !== "radio" || one.checked);
    return [...document.querySelectorAll(kinds)].filter(isStop).length;
  });
  const rings = [];
  for (let i = 0; i < all + 3; i++) {
    await page.keyboard.press("Tab"); /* from the last one on to the first */
    rings.push(
      await page.evaluate(() => {
        const element = document.activeElement;
        if (element === document.body) return "";
        visited.add(element);
        const ring = getComputedStyle(
          element.type === "radio" ? element.nextElementSibling : element,
        );
        return `${element.id || element.textContent} ${ring.outlineStyle} ${ring.outlineWidth}`;
      }),
    );
  }
  assert.equal(await page.evaluate(() => visited.size), all);
  const bare = rings.filter(ring => ring && !/ solid 3px$/.test(ring));
  assert.deepEqual(bare, [], "it cannot be seen where one is");
}

module.exports = {
  ...{ newPage, skua, start, stop, withPage, work },
  ...{ button, drop, goTo, openRoom, pageFile, ready, said },
  ...{ axe, checkFingers, checkLooks, checkTab, testLooks, WIDTHS },
};
