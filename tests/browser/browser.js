/* browser.js — one Chromium for a file of tests: pages from disk that may ask for nothing else */
"use strict";
const assert = require("node:assert/strict");
const { execFileSync } = require("node:child_process");
const { mkdtempSync, rmSync, readFileSync } = require("node:fs");
const { tmpdir } = require("node:os");
const path = require("node:path");
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

const work = mkdtempSync(path.join(tmpdir(), "skua_browser."));
process.once("exit", () => rmSync(work, { recursive: true, force: true }));
let browser;

async function start() {
  const isRoot = process.getuid() === 0; /* whom Chromium's sandbox refuses */
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM,
    args: isRoot ? [...QUIET, "--no-sandbox"] : QUIET,
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

/*
 * Open a file as a reader would, and give the page to `use`.  Whatever happens in there, the page
 * asked for no other file, said nothing on the console, threw nothing and opened no dialog.
 */
async function withPage(file, options, use) {
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    reducedMotion: "reduce",
    ...options,
  });
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
  await page.goto("file://" + file);
  try {
    await use(page);
    assert.deepEqual([...asked], ["file://" + file], "asked for something else");
    assert.deepEqual(said, [], "said something");
  } finally {
    await context.close();
  }
}

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

module.exports = { axe, skua, start, stop, withPage, work };
