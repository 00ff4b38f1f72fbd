/* trees.js — what is scanned: an ordinary tree, hostile names, a hundred thousand entries */
"use strict";
const { mkdirSync, symlinkSync, writeFileSync } = require("node:fs");
const path = require("node:path");

const KIB = 1024;

/* Files of so many KiB below a directory; a name may be bytes. */
function fill(root, files) {
  for (const [name, kib] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    writeFileSync(path.join(root, name), Buffer.alloc(kib * KIB, 7));
  }
}

function ordinary(root) {
  fill(root, {
    "video/holiday.mp4": 1800,
    "video/cut/take1.mkv": 900,
    "video/cut/take2.mkv": 300,
    "photos/2024/sea.jpg": 420,
    "photos/2024/dune.jpg": 260,
    "photos/2025/port.png": 240,
    "src/main.c": 120,
    "src/parse.c": 90,
    "src/parse.h": 30,
    "src/deep/er/and/deeper/still/last.py": 64,
    "backup/home.tar.gz": 700,
    "backup/etc.zip": 200,
    "notes.md": 40,
    "lib/libskua.so.0": 260,
    "lib/cache.sqlite": 330,
  });
  for (let i = 0; i < 60; i++)
    fill(root, { [`many/${i}.${["txt", "log", "csv", "xml", "ini", "bak"][i % 6]}`]: 0 });
  symlinkSync("../notes.md", path.join(root, "src/notes"));
}

/* Each would do something if it were taken for anything but a name. */
const HOSTILE = [
  "<img src=x onerror=hit()>",
  '"><svg onload=hit()>.svg',
  "<!--<script>.c",
  "a\nb\tc.txt",
  "\u001b[31mred.log",
  "exe\u202Egpj.txt",
  "&lt;b&gt;.html",
  "';hit();'.js",
  "${hit()}.ts",
  "__proto__",
  "constructor",
];
function hostile(root) {
  mkdirSync(path.join(root, "</script><script>hit()<"), { recursive: true });
  writeFileSync(path.join(root, "</script><script>hit()</script>.txt"), Buffer.alloc(300 * KIB, 7));
  HOSTILE.forEach((name, i) =>
    writeFileSync(path.join(root, name), Buffer.alloc((100 + 10 * i) * KIB, 7)),
  );
  writeFileSync(
    Buffer.concat([Buffer.from(root + "/not"), Buffer.from([0xff, 0xfe]), Buffer.from("utf8")]),
    Buffer.alloc(80 * KIB, 7),
  );
}

/* An export of ncdu with 100,000 entries in 400 directories, no two directories alike. */
function huge() {
  const entry = (name, size) => ({ name, asize: size, dsize: size });
  const dirs = [];
  for (let d = 0; d < 400; d++) {
    const files = [];
    for (let f = 0; f < 249; f++)
      files.push(
        entry(
          `file${f}.${["c", "png", "gz", "so", "db", "txt"][(d + f) % 6]}`,
          4096 * Math.ceil(4000 / (1 + d) / (1 + f) + (f < 12 ? 2000 : 0)),
        ),
      );
    dirs.push([entry(`dir${d}`, 4096), ...files]);
  }
  return JSON.stringify([1, 2, { progname: "test" }, [entry("/huge", 4096), ...dirs]]);
}

module.exports = { HOSTILE, hostile, huge, ordinary };
