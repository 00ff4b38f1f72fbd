/* scan.spec.js — the page of `skua scan --html`, used as its readers do */
"use strict";
const assert = require("node:assert/strict");
const { after, before, test } = require("node:test");
const { mkdirSync, writeFileSync } = require("node:fs");
const path = require("node:path");
const { axe, checkTab, skua, start, stop, testLooks, withPage, work } = require("./browser");
const trees = require("./trees");

const tree = path.join(work, "tree"),
  ordinary = path.join(work, "ordinary.html");
let told; /* what the command says of the same tree */

before(async () => {
  trees.ordinary(tree);
  skua("scan", "--html", ordinary, tree);
  told = JSON.parse(skua("scan", "--json", "--tree=1000", "--extensions", tree));
  await start();
});
after(stop);

const open = (use, options = {}, file = ordinary) => withPage(file, options, use);
/* The page's own variables; `boxes` is what is in the picture. */
const painted = page => page.waitForFunction(() => canvas.dataset.state === "whole");
const here = page => page.evaluate(() => pathOf(now.here));
const rows = (page, table) => page.locator(`${table} tbody tr`).allInnerTexts();
const nodeOf = (page, wanted) =>
  page.evaluate(wanted => names.findIndex((_, node) => pathOf(node) === wanted), wanted);
async function clickBox(page, wanted) {
  const node = await nodeOf(page, path.join(tree, wanted));
  const at = await page.evaluate(node => {
    const box = boxOf(node);
    return { x: box.x + box.w / 2, y: box.y + 10 };
  }, node);
  const stage = await page.locator("#stage").boundingBox();
  await page.mouse.click(stage.x + 1 + at.x, stage.y + 1 + at.y);
  await painted(page);
}
/* The colour in a box's corner, where no label is. */
const colourIn = (page, wanted) =>
  page.evaluate(
    wanted => {
      const box = boxOf(names.findIndex((_, node) => pathOf(node) === wanted)),
        ratio = canvas.width / stage.clientWidth;
      const dot = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
      dot.drawImage(
        canvas,
        (box.x + box.w - 9) * ratio,
        (box.y + box.h - 9) * ratio,
        1,
        1,
        0,
        0,
        1,
        1,
      );
      return [...dot.getImageData(0, 0, 1, 1).data].join();
    },
    path.join(tree, wanted),
  );

test("the sums are those of --json", () =>
  open(async page => {
    const facts = await page.evaluate(() =>
      Object.fromEntries(
        [...document.querySelectorAll("#facts div")].map(div => [
          div.firstChild.textContent,
          Number(div.lastChild.dataset.value),
        ]),
      ),
    );
    assert.deepEqual(facts, {
      "On disk": told.bytes_disk,
      Apparent: told.bytes_apparent,
      Files: told.files,
      Directories: told.directories,
      "Symbolic links": told.symlinks,
    });
    const root = await page.evaluate(() => [data.disk[0], data.bytes[0], data.files[0]]);
    assert.deepEqual(root, [told.bytes_disk, told.bytes_apparent, told.files + told.symlinks]);
    assert.equal(await page.title(), "skua scan: " + tree);
  }));

test("the map is drawn, the largest directories first", () =>
  open(async page => {
    await painted(page);
    const wanted = told.tree
      .filter(part => part.depth === 1 && part.bytes_disk > 0)
      .map(part => part.path);
    const drawn = await page.evaluate(() =>
      boxes
        .filter(box => box.level === 0 && sorts[box.node] !== 2)
        .sort((a, b) => b.w * b.h - a.w * a.h)
        .map(box => pathOf(box.node)),
    );
    assert.deepEqual(drawn.slice(0, 5), wanted.slice(0, 5));
    const areas = await page.evaluate(() =>
      boxes
        .filter(box => box.level === 0)
        .map(
          box =>
            (box.w * box.h) / (stage.clientWidth - 2) / (stage.clientHeight - 2) -
            value(box.node) / children[0].reduce((sum, node) => sum + value(node), 0),
        ),
    );
    assert.ok(
      areas.every(off => Math.abs(off) < 0.002),
      "an area is its share",
    );
    const colours = new Set();
    for (const name of [
      "video/holiday.mp4",
      "photos/2024/sea.jpg",
      "src/main.c",
      "backup/home.tar.gz",
      "lib/libskua.so.0",
      "lib/cache.sqlite",
    ])
      colours.add(await colourIn(page, name));
    assert.equal(colours.size, 6, "six kinds, six colours");
    assert.match((await rows(page, "#inside"))[0], /^video\/\s+2\.9 MiB/);
    const legend = await page.locator("#legend li").allInnerTexts();
    assert.match(legend[0], /^Sound, film\s+5\d %$/);
  }));

test("a pointer goes in and out", () =>
  open(async page => {
    await painted(page);
    await clickBox(page, "video");
    assert.equal(await here(page), path.join(tree, "video"));
    assert.equal(await page.locator("#way [aria-current]").innerText(), "video");
    await clickBox(
      page,
      "video/cut/take1.mkv",
    ); /* a file further down: its directory, the file chosen */
    assert.equal(await here(page), path.join(tree, "video/cut"));
    assert.equal(await page.locator("#ring").isVisible(), true);
    assert.match(await page.locator("#said").innerText(), /take1\.mkv: 900 KiB/);
    await page.goBack();
    assert.equal(await here(page), path.join(tree, "video"));
    await page.locator("#up").click();
    assert.equal(await here(page), tree);
    await page.locator("#inside button", { hasText: "src/" }).click();
    await page.locator("#way button").first().click();
    assert.equal(await here(page), tree);
    await page.locator("#stage").hover({ position: { x: 60, y: 60 } });
    assert.match(await page.locator("#tip").innerText(), /of tree/);
    await page.goto(
      "file://" +
        ordinary +
        "#" +
        (await nodeOf(page, path.join(tree, "src/deep/er/and/deeper/still"))),
    );
    await page.reload();
    assert.equal(await here(page), path.join(tree, "src/deep/er/and/deeper/still"));
    const way = await page.locator("#way button").allInnerTexts();
    assert.deepEqual(way.slice(1), ["\u2026", "er", "and", "deeper", "still"]);
    await page.locator("#way button").nth(1).click();
    assert.equal(await page.locator("#way button").count(), 7);
  }));

test("keys go in and out", () =>
  open(async page => {
    await painted(page);
    await page.locator("#picture").focus();
    const goal = await nodeOf(page, path.join(tree, "photos"));
    const seen = new Set();
    for (const key of [
      "ArrowRight",
      "ArrowRight",
      "ArrowDown",
      "ArrowLeft",
      "ArrowUp",
      "ArrowRight",
      "ArrowDown",
      "ArrowDown",
      "ArrowRight",
    ]) {
      await page.keyboard.press(key);
      seen.add(await page.evaluate(() => now.chosen));
    }
    assert.ok(seen.size >= 4, "arrows move");
    await page.evaluate(goal => choose(goal), goal);
    await page.keyboard.press("Enter");
    assert.equal(await here(page), path.join(tree, "photos"));
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Enter");
    assert.equal(await here(page), path.join(tree, "photos/2024"));
    await page.keyboard.press("Backspace");
    await page.keyboard.press("Backspace");
    assert.equal(await here(page), tree);
    assert.equal(await page.evaluate(() => now.chosen), goal, "what was left is chosen");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Home");
    assert.equal(await here(page), tree);
    assert.equal(await page.evaluate(() => document.activeElement.id), "picture");
  }));

test("a search marks what it finds", () =>
  open(async page => {
    await painted(page);
    const faint = await colourIn(page, "video/holiday.mp4"),
      found = await colourIn(page, "photos/2024/sea.jpg");
    await page.locator("#find").fill("SEA.");
    await painted(page);
    assert.equal(await page.locator("#count").innerText(), "1 found");
    assert.equal(await colourIn(page, "photos/2024/sea.jpg"), found);
    assert.notEqual(await colourIn(page, "video/holiday.mp4"), faint);
    await page.locator("#found button").click();
    assert.equal(await here(page), path.join(tree, "photos/2024"));
    await page.locator("#find").fill("*.mkv");
    assert.deepEqual(
      (await rows(page, "#found")).map(row => row.split(/\s/)[0]),
      ["take1.mkv", "take2.mkv"].map(name => path.join(tree, "video/cut", name)),
    );
    await page.locator("#find").fill("no such thing (");
    assert.equal(await page.locator("#count").innerText(), "nothing found");
    await page.keyboard.press("Escape");
    assert.equal(await page.locator("#found table").count(), 0);
    await page.locator("#lists button", { hasText: /^\.c$/ }).click();
    assert.equal(await page.locator("#count").innerText(), "2 found");
    await page.locator("#legend button", { hasText: "Pictures" }).click();
    assert.equal(await page.locator("#find").inputValue(), "");
    assert.equal(await page.locator("#legend [aria-pressed=true]").count(), 1);
  }));

test("the flame has a row for each level", () =>
  open(async page => {
    await page.locator("label", { hasText: "Flame" }).click();
    await painted(page);
    const flame = await page.evaluate(() =>
      boxes.map(({ node, x, w, level }) => ({ node, x, w, level, up: up[node] })),
    );
    assert.equal(flame[0].level, 0);
    const byNode = new Map(flame.map(box => [box.node, box]));
    for (const box of flame.slice(1)) {
      const parent = byNode.get(box.up);
      assert.equal(box.level, parent.level + 1);
      assert.ok(
        box.x >= parent.x - 0.01 && box.x + box.w <= parent.x + parent.w + 0.01,
        "inside its parent",
      );
    }
    assert.ok(Math.max(...flame.map(box => box.level)) >= 7);
    await clickBox(page, "src");
    assert.equal(await here(page), path.join(tree, "src"));
    await page.locator("#picture").focus();
    for (const key of ["ArrowDown", "ArrowDown"]) await page.keyboard.press(key);
    assert.equal(await page.evaluate(() => up[now.chosen] === now.here), true);
    await page.keyboard.press("ArrowUp");
    assert.equal(await page.evaluate(() => now.chosen === now.here), true);
    await clickBox(page, "src"); /* the first row goes up */
    assert.equal(await here(page), tree);
  }));

test("measures: on disk, apparent, files", () =>
  open(async page => {
    await page.locator("label", { hasText: "Files" }).click();
    await painted(page);
    assert.match((await rows(page, "#inside"))[0], /^many\/\s+60 files/);
    await page.locator("label", { hasText: "Apparent" }).click();
    assert.match((await rows(page, "#inside"))[0], /^video\//);
  }));

test("extensions are those of --extensions", () =>
  open(async page => {
    const listed = await page.evaluate(() =>
      data.extensions.map(([extension, files, disk, bytes]) => ({
        extension: extension || null,
        files,
        bytes_apparent: bytes,
        bytes_disk: disk,
      })),
    );
    assert.deepEqual(listed, told.extensions);
    const table = page.locator("#lists > div:nth-child(2)"),
      visible = table.locator("tbody tr:visible");
    assert.equal(await visible.count(), 12);
    await table.locator("button.plain").click();
    assert.equal(await visible.count(), told.extensions.length);
    const shown = await table.locator("tbody td:first-child").allInnerTexts();
    assert.deepEqual(
      shown,
      told.extensions.map(row => (row.extension ? "." + row.extension : "(none)")),
    );
  }));

test("Tab reaches everything, and it can be seen where one is", () =>
  open(async page => {
    await page.locator("#find").fill("a");
    await checkTab(page);
  }));

test("hostile names are text", async () => {
  const root = path.join(work, "hostile"),
    file = path.join(work, "hostile.html");
  trees.hostile(root);
  skua("scan", "--html", file, root);
  await open(
    async page => {
      await page.evaluate(() => {
        globalThis.hit = () => console.log("hit");
      });
      await painted(page);
      const shown = await page.locator("#inside tbody button").allTextContents();
      for (const name of trees.HOSTILE) {
        const text = name
          .replace("\n", "\u240a")
          .replace("\t", "\u2409")
          .replace("\u001b", "\u241b")
          .replace("\u202e", "\u27e8U+202E\u27e9");
        assert.ok(shown.includes(text), text);
      }
      assert.ok(shown.includes("not\ufffd\ufffdutf8"));
      await page.locator("#inside button", { hasText: /^<\/$/ }).click();
      await page.locator("#inside button").first().click();
      assert.deepEqual(await page.locator("#inside tbody button").allTextContents(), [
        "script>.txt",
      ]);
      await page.locator("#find").fill("<");
      await painted(page);
      assert.match(await page.locator("#count").innerText(), /found$/);
      assert.equal(
        await page.evaluate(() => document.querySelectorAll("img, svg, script").length),
        2,
        "the two scripts of the page",
      );
      assert.deepEqual(await axe(page), []);
    },
    {},
    file,
  );
});

testLooks(
  [
    [360, "light", "Map"],
    [360, "dark", "Flame"],
    [768, "dark", "Map"],
    [1440, "light", "Flame"],
    [1440, "dark", "Map"],
  ],
  (use, options) => open(use, options),
  async (page, view) => {
    await page.locator("label", { hasText: view }).click();
    await page.locator("#find").fill("a");
    await page.locator("#legend button").first().hover();
    await painted(page);
  },
);

test("it moves, unless the reader wants none of it", async () => {
  for (const [reducedMotion, wanted] of [
    ["no-preference", 2],
    ["reduce", 0],
  ])
    await open(
      async page => {
        await painted(page);
        const moving = await page.evaluate(() => {
          go(inside(0)[0]);
          return document.getAnimations().length;
        });
        assert.equal(moving, wanted);
      },
      { reducedMotion },
    );
});

test("a hundred thousand entries are drawn in steps", async () => {
  const list = path.join(work, "huge.json"),
    file = path.join(work, "huge.html");
  writeFileSync(list, trees.huge());
  skua("scan", "--html", file, "-f", list);
  await open(
    async page => {
      await painted(page);
      const [drawn, steps, files] = await page.evaluate(() => [
        boxes.length,
        Number(canvas.dataset.steps),
        data.total.files,
      ]);
      assert.equal(files, 99600);
      assert.ok(
        drawn > 3000 && steps === Math.ceil(drawn / 2000),
        `${drawn} boxes in ${steps} steps`,
      );
      assert.equal(await page.locator("#inside tbody tr").count(), 100);
      await page.locator("#inside button.plain").click();
      assert.equal(
        await page.locator("#inside tbody tr").count(),
        await page.evaluate(() => inside(0).length),
      );
      await page.locator("#find").fill("file1");
      await painted(page);
      assert.match(await page.locator("#count").innerText(), /\d found$/);
      assert.equal(await page.locator("#found tbody tr").count(), 50);
    },
    {},
    file,
  );
});

test("one file, nothing at all, and several paths have pages too", async () => {
  const empty = path.join(work, "empty"),
    file = path.join(work, "odd.html");
  mkdirSync(empty);
  for (const [args, title] of [
    [[path.join(tree, "notes.md")], path.join(tree, "notes.md")],
    [[empty], empty],
    [[path.join(tree, "src"), path.join(tree, "video")], "several paths"],
  ]) {
    skua("scan", "--html", file, ...args);
    await open(
      async page => {
        await painted(page);
        assert.equal(await page.locator("h1").innerText(), title);
        await page.locator("label", { hasText: "Flame" }).click();
        await painted(page);
        if (args.length === 2)
          assert.deepEqual(await page.evaluate(() => inside(0).map(node => pathOf(node))), [
            args[1],
            args[0],
          ]);
        assert.deepEqual(await axe(page), []);
      },
      {},
      file,
    );
  }
});
