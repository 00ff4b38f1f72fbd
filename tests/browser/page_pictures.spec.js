/* page_pictures.spec.js — what the page looks like: the same each time, and as in the README */

/*
 * Pictures are compared with others of the same browser on the same machine, for none else draws
 * letters alike; only the two of the README are kept, and compared by how dark their blocks are.
 * Where the page has changed for good, this writes them anew:
 *
 *	SKUA_PICTURES=write sh tests/browser/run tests/browser/page_pictures.spec.js
 */
"use strict";
const assert = require("node:assert/strict");
const { after, before, test } = require("node:test");
const { readFileSync, writeFileSync } = require("node:fs");
const path = require("node:path");
const { button, newPage, openRoom, pageFile, ready } = require("./browser");
const { skua, start, stop, withPage, work } = require("./browser");
const { makeTrace } = require("../../bench/page/big_trace.js");

const SAME = 0.01; /* of the pixels may differ */
const FONT = "DejaVu Sans"; /* of the pictures that are kept */
const WIDTHS = [
  [1440, "light"],
  [1440, "dark"],
  [390, "light"],
];
const SANDBOX = "#sandbox/workers=4/seed=1/work=zero/left=half-random/right=one-random/at=90";
const traced = path.join(work, "made.html");
const ROOMS = [
  { file: pageFile, fragment: SANDBOX },
  { file: pageFile, fragment: "#races/fence/AAABBBBBa" },
  { file: traced, fragment: "#timeline" },
  { file: pageFile, fragment: "#scale" },
  { file: pageFile, fragment: "#tour/5" },
];
let table; /* an empty page, on which pictures are laid beside each other */

before(async () => {
  const trace = path.join(work, "made.trace");
  writeFileSync(trace, makeTrace(600, 4));
  skua("view", "-o", traced, trace);
  await start();
  ({ page: table } = await newPage());
  await table.evaluate(() => {
    globalThis.pixelsOf = async text => {
      const image = new Image();
      image.src = "data:image/png;base64," + text;
      await image.decode();
      const context = new OffscreenCanvas(image.width, image.height).getContext("2d");
      context.drawImage(image, 0, 0);
      return context.getImageData(0, 0, image.width, image.height);
    };
  });
});
after(stop);

/* What is seen when nothing changes any more; `clip` is a part of the page. */
async function picture(page, clip) {
  await page.evaluate(() => document.fonts.ready);
  let last = null;
  for (let i = 0; i < 50; i++) {
    const now = await page.screenshot({ fullPage: true, animations: "disabled", clip });
    if (last?.equals(now)) return now;
    last = now;
  }
  return assert.fail("it does not come to rest");
}

/* Where elements are on the page, together, with a little around them. */
async function clipOf(page, selectors) {
  const boxes = await Promise.all(
    selectors.map(selector =>
      page.locator(selector).evaluate(element => {
        const box = element.getBoundingClientRect();
        return [box.left + scrollX, box.top + scrollY, box.right + scrollX, box.bottom + scrollY];
      }),
    ),
  );
  const edge = (most, k, around) => Math.round(most(...boxes.map(box => box[k]))) + around,
    [x, y] = [edge(Math.min, 0, -4), edge(Math.min, 1, -4)];
  return { x, y, width: edge(Math.max, 2, 4) - x, height: edge(Math.max, 3, 4) - y };
}

/* A room as it is when it is opened, or some parts of it. */
async function pictureOf({ file, fragment, width, colorScheme, parts }) {
  let seen;
  await withPage(
    file,
    { viewport: { width, height: 844 }, colorScheme },
    async page => {
      await ready(page);
      if (file === traced)
        await page.waitForFunction(() => document.getElementById("trace-said").textContent);
      seen = await picture(page, parts && (await clipOf(page, parts)));
    },
    fragment,
  );
  return seen;
}

const textsOf = pictures => pictures.map(one => one.toString("base64"));
/* Which share of the pixels differs by more than a shade; all, where the sizes do. */
const difference = (...pictures) =>
  table.evaluate(async texts => {
    const [a, b] = await Promise.all(texts.map(pixelsOf));
    if (a.width !== b.width || a.height !== b.height) return 1;
    let count = 0;
    for (let i = 0; i < a.data.length; i += 4)
      if ([0, 1, 2].some(k => Math.abs(a.data[i + k] - b.data[i + k]) > 8)) count++;
    return (4 * count) / a.data.length;
  }, textsOf(pictures));

for (const [width, colorScheme] of WIDTHS)
  test(`${width} pixels, ${colorScheme}: a room looks the same each time`, async () => {
    for (const room of ROOMS) {
      const view = { ...room, width, colorScheme },
        share = await difference(await pictureOf(view), await pictureOf(view));
      assert.ok(share <= SAME, `${room.fragment}: ${(100 * share).toFixed(2)} % differ`);
    }
  });

test("dark is not light, and no room looks like another", async () => {
  let before = null;
  for (const room of ROOMS) {
    const light = await pictureOf({ ...room, width: 1440, colorScheme: "light" }),
      dark = await pictureOf({ ...room, width: 1440, colorScheme: "dark" });
    assert.ok((await difference(light, dark)) > 0.5, `${room.fragment}, dark and light`);
    if (before) assert.ok((await difference(before, light)) > SAME, `${room.fragment} is like it`);
    before = light;
  }
});

test("as many steps back as forward, and the sandbox looks as before", () =>
  openRoom(SANDBOX, async page => {
    const clip = await clipOf(page, [".sides"]),
      first = await picture(page, clip);
    for (let i = 0; i < 25; i++) await button(page, "Step").click();
    assert.ok((await difference(first, await picture(page, clip))) > SAME, "it has moved");
    for (let i = 0; i < 24; i++) await button(page, "Step back").click();
    const almost = await difference(first, await picture(page, clip));
    await button(page, "Step back").click();
    const share = await difference(first, await picture(page, clip));
    assert.ok(share <= SAME, `${(100 * share).toFixed(2)} % differ`);
    assert.ok(share < almost, "a step less is not the same");
  }));

/* --- the pictures of the README --- */

const KEPT = {
  sandbox: { ...ROOMS[0], width: 1100, colorScheme: "light", parts: [".sides"] },
  timeline: { ...ROOMS[2], width: 1100, colorScheme: "dark", parts: [".timeline h2", ".drawn"] },
};
const keptFile = name => path.join(process.env.SKUA_SOURCE, "docs/pictures", name + ".png");

/* Whether letters are drawn in it here. */
const hasFont = font =>
  table.evaluate(name => {
    const context = document.createElement("canvas").getContext("2d"),
      widths = ["system-ui, sans-serif", `"${name}", serif`, `"${name}", monospace`].map(family => {
        context.font = `40px ${family}`;
        return context.measureText("Who steals half? 0123456789 mWil").width;
      });
    return new Set(widths).size === 1;
  }, font);

/*
 * Two pictures in blocks: which share of them is lighter or darker by a tenth.  Another browser's
 * letters are a pixel further down or a shade thicker, which a block hardly feels.
 */
const coarseDifference = (...pictures) =>
  table.evaluate(async texts => {
    const BLOCK = 24,
      [a, b] = await Promise.all(texts.map(pixelsOf)),
      across = Math.round(a.width / BLOCK),
      down = Math.round(a.height / BLOCK);
    if (Math.abs(a.width / b.width - 1) > 0.02) return 1;
    if (Math.abs(a.height / b.height - 1) > 0.04) return 1;
    const blocks = ({ width, height, data }) => {
      const sums = new Float64Array(across * down),
        counts = new Float64Array(across * down);
      for (let i = 0; i < width * height; i++) {
        const x = Math.floor(((i % width) * across) / width),
          y = Math.floor((Math.floor(i / width) * down) / height);
        sums[y * across + x] += (data[4 * i] + data[4 * i + 1] + data[4 * i + 2]) / 3;
        counts[y * across + x]++;
      }
      return sums.map((sum, k) => sum / counts[k]);
    };
    const other = blocks(b);
    return blocks(a).filter((value, k) => Math.abs(value - other[k]) > 24).length / other.length;
  }, textsOf(pictures));
const COARSE = 0.03; /* of the blocks may differ */

for (const [name, kept] of Object.entries(KEPT))
  test(`docs/pictures/${name}.png is what the page looks like`, async t => {
    if (!(await hasFont(FONT))) return t.skip(`it was made with ${FONT}, not with the font here`);
    const now = await pictureOf(kept);
    if (process.env.SKUA_PICTURES === "write") return writeFileSync(keptFile(name), now);
    const share = await coarseDifference(readFileSync(keptFile(name)), now);
    t.diagnostic(`${(100 * share).toFixed(1)} % of its blocks differ`);
    return assert.ok(
      share <= COARSE,
      `${(100 * share).toFixed(1)} % of its blocks differ; SKUA_PICTURES=write makes it anew`,
    );
  });

test("a picture of something else is noticed", async t => {
  if (!(await hasFont(FONT))) return t.skip(`it was made with ${FONT}, not with the font here`);
  for (const [name, change] of [
    ["sandbox", { colorScheme: "dark" }],
    ["sandbox", { fragment: SANDBOX.replace("workers=4", "workers=5") }],
    ["sandbox", { fragment: SANDBOX.replace("right=one-random", "right=central") }],
    ["timeline", { fragment: "#timeline/0-200000" }],
  ]) {
    const now = await pictureOf({ ...KEPT[name], ...change }),
      share = await coarseDifference(readFileSync(keptFile(name)), now);
    t.diagnostic(`${JSON.stringify(change)}: ${(100 * share).toFixed(1)} % of the blocks differ`);
    assert.ok(share > COARSE, JSON.stringify(change));
  }
  return null;
});
