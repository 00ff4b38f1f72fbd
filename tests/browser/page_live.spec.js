/* page_live.spec.js — the page as `skua view --serve` gives it: counters of a running program */
"use strict";
const assert = require("node:assert/strict");
const { after, before, test } = require("node:test");
const { execFileSync, spawn } = require("node:child_process");
const { mkdtempSync, readdirSync } = require("node:fs");
const path = require("node:path");
const { once } = require("node:events");
const { checkFingers, checkLooks, newPage, start, stop, work } = require("./browser");

const { SKUA, SKUA_BUILD } = process.env;
let server, address;
const started = [];

function begin(program, ...args) {
  const process_ = spawn(program, args, {
    env: { ...process.env, XDG_RUNTIME_DIR: work },
    stdio: ["ignore", "pipe", "ignore"],
  });
  started.push(process_);
  return process_;
}
before(async () => {
  server = begin(SKUA, "view", "--serve");
  const [line] = await once(server.stdout, "data");
  address = String(line).trim();
  await start();
});
after(async () => {
  await stop();
  for (const one of started) one.kill("SIGKILL");
});

test("a running program's counters move, and its end is told", async () => {
  const { page, asked, said, close } = await newPage({ viewport: { width: 1200, height: 800 } });
  await page.goto(address + "#live");
  const about = page.locator("#room-live .about");
  await about.filter({ hasText: "No program with a monitored pool runs now." }).waitFor();
  await checkLooks(page);
  await checkFingers(page);

  assert.equal(await page.getByLabel("Program").isVisible(), false, "there is nothing to choose");
  const program = begin(path.join(SKUA_BUILD, "examples/31_monitored"), "300");
  await about.filter({ hasText: `(${program.pid}): 1 pool` }).waitFor();
  assert.ok(await page.getByLabel("Program").isVisible());
  const tasks = () =>
    page
      .locator("#room-live tbody tr")
      .evaluateAll(rows =>
        rows.reduce((sum, row) => sum + Number(row.cells[5].textContent.replaceAll(",", "")), 0),
      );
  /* what one has begun to read stays where it is when the numbers change */
  const table = page.locator("#room-live .scroll");
  await table.focus();
  const held = await table.elementHandle(),
    first = await tasks();
  await page.waitForFunction(
    before =>
      [...document.querySelectorAll("#room-live tbody tr")].reduce(
        (sum, row) => sum + Number(row.cells[5].textContent.replaceAll(",", "")),
        0,
      ) > before,
    first,
  );
  assert.deepEqual(
    await held.evaluate(one => [one.isConnected, one === document.activeElement]),
    [true, true],
    "the same table, and the keyboard is still there",
  );
  await page.locator("#room-live tbody td:nth-child(3)", { hasText: /^[\d,]+$/ }).first().waitFor();
  await checkLooks(page);
  await checkFingers(page);
  program.kill("SIGKILL");
  await about.filter({ hasText: /has ended|No program/ }).waitFor();
  const origins = new Set([...asked].map(one => new URL(one).origin));
  assert.deepEqual([...origins], [new URL(address).origin]);
  assert.deepEqual(said, []);

  /* what a stranger's page would do: the policy of ours lets it ask nobody else */
  const refused = await page.evaluate(() =>
    fetch("http://127.0.0.1:9/").then(
      () => "asked",
      () => "refused",
    ),
  );
  assert.equal(refused, "refused");
  const ended = once(server, "exit");
  server.kill("SIGINT");
  await about.filter({ hasText: "does not answer any more" }).waitFor();
  const [status] = await ended;
  assert.equal(status, 0);
  await close();
});

test("tests leave no folder behind", () => {
  const folder = mkdtempSync(path.join(work, "tmp."));
  execFileSync(process.execPath, ["-e", "require('./browser')"], {
    cwd: __dirname,
    env: { ...process.env, TMPDIR: folder },
  });
  assert.deepEqual(readdirSync(folder), []);
});
