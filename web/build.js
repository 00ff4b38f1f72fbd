#!/usr/bin/env node
/* build.js — makes the page: C to WebAssembly, modules to one script, all of it into one file */

/*
 *	node web/build.js [--out FILE] [--modules FOLDER] [--clang PROGRAM] [--linker PROGRAM]
 *
 * FILE is skua_page.html unless told otherwise; FOLDER holds esbuild, build/web/node_modules where
 * tools/setup puts it.  The page opens from disk and asks for nothing: a browser gives a file no
 * other files, so style, script, code and sources are all inside.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const WEB = path.dirname(fileURLToPath(import.meta.url)),
  ROOT = path.dirname(WEB),
  DEQUE = path.join(ROOT, "src/sched/deque.c");
const BYTES_MAX = 1000 * 1000; /* of the page: it must be easy to send round */
const STACK_BYTES = 8192;

const FLAGS = [
  "--target=wasm32",
  "-std=gnu11",
  "-Os",
  "-ffreestanding",
  "-fvisibility=hidden",
  "-mbulk-memory" /* memset and memcpy as instructions: there is no C library */,
  "-mmutable-globals" /* the engine sets the stack pointer back */,
  "-DNDEBUG",
  "-DSKUA_ATOMICS_MODEL=1" /* each access of base/atomic.h becomes a call to the page */,
  "-Wall",
  "-Wextra",
  "-Wconversion",
  "-Werror",
];

const SIM_STACK_BYTES = 65536;
const SIM_FLAGS = [
  "--target=wasm32",
  "-std=c11",
  "-Os",
  "-ffreestanding",
  "-fvisibility=hidden",
  "-DNDEBUG",
  "-DSIM_FREESTANDING",
  "-ffp-contract=off",
  "-Wall",
  "-Wextra",
  "-Werror",
];
const SHEETS = ["../shared", "page", "sandbox", "tour", "races", "timeline", "scale"];

/* The races as WebAssembly; `deque` stands for src/sched/deque.c: tests plant mutants. */
export function buildWasm({ clang = "clang", linker = "wasm-ld", deque = DEQUE } = {}) {
  const work = mkdtempSync(path.join(tmpdir(), "skua_page."));
  try {
    const wasm = path.join(WEB, "wasm"),
      races = readdirSync(wasm).filter(name => name.endsWith(".c")),
      includes = [path.join(wasm, "libc"), path.join(ROOT, "src"), path.join(ROOT, "include")];
    const objects = [deque, ...races.sort().map(name => path.join(wasm, name))].map(source => {
      const object = path.join(work, path.basename(source, ".c") + ".o");
      execFileSync(clang, [...FLAGS, ...includes.map(i => "-I" + i), "-c", source, "-o", object]);
      return object;
    });
    const module = path.join(work, "races.wasm");
    execFileSync(linker, [
      ...["--no-entry", "--allow-undefined", "--gc-sections", "--strip-all"],
      ...["--export=__stack_pointer", "-z", `stack-size=${STACK_BYTES}`],
      ...[...objects, "-o", module],
    ]);
    return readFileSync(module);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/* The simulator as WebAssembly: the engine's files of tool/sim, and the page's way in. */
export function buildSim({ clang = "clang", linker = "wasm-ld" } = {}) {
  const work = mkdtempSync(path.join(tmpdir(), "skua_page."));
  try {
    const sim = path.join(ROOT, "tool/sim"),
      engine = readdirSync(sim).filter(name => /^sim_.*\.c$/.test(name) && name !== "sim_host.c");
    const includes = [path.join(WEB, "wasm/libc"), path.join(ROOT, "tool"), path.join(ROOT, "src")],
      sources = [
        path.join(WEB, "sim/sandbox.c"),
        path.join(ROOT, "bench/work/sha1.c"),
        ...engine.sort().map(name => path.join(sim, name)),
      ];
    const objects = sources.map(source => {
      const object = path.join(work, path.basename(source, ".c") + ".o");
      execFileSync(clang, [
        ...SIM_FLAGS,
        ...includes.map(i => "-I" + i),
        "-c",
        source,
        "-o",
        object,
      ]);
      return object;
    });
    const module = path.join(work, "sim.wasm");
    execFileSync(linker, [
      ...["--no-entry", "--gc-sections", "--strip-all", "-z", `stack-size=${SIM_STACK_BYTES}`],
      ...[...objects, "-o", module],
    ]);
    return readFileSync(module);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/* One script and one style of all that page.js and the sheets say. */
async function bundle(esbuild, wasm, sim) {
  const work = mkdtempSync(path.join(tmpdir(), "skua_page."));
  try {
    const module = path.join(work, "races.wasm"),
      simulator = path.join(work, "sim.wasm");
    writeFileSync(module, wasm);
    writeFileSync(simulator, sim);
    const options = {
      bundle: true,
      minify: true,
      write: false,
      logLevel: "warning",
      charset: "utf8",
    };
    const script = await esbuild.build({
      ...options,
      entryPoints: [path.join(WEB, "page/page.js")],
      format: "esm",
      target: "es2022",
      loader: { ".c": "text", ".wasm": "binary" },
      alias: {
        "skua-races.wasm": module,
        "skua-sim.wasm": simulator,
        "skua-deque.c": DEQUE,
      },
    });
    const style = await esbuild.build({
      ...options,
      stdin: {
        contents: SHEETS.map(name => `@import "./${name}.css";`).join(" "),
        loader: "css",
        resolveDir: path.join(WEB, "page"),
      },
    });
    return { script: script.outputFiles[0].text, style: style.outputFiles[0].text };
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/* The browser runs these very bytes, and nothing else that may get into the page. */
const hashOf = text => "sha256-" + createHash("sha256").update(text).digest("base64");

export async function buildPage(esbuild, wasm, sim) {
  const { script, style } = await bundle(esbuild, wasm, sim);
  if (/<\/(script|style)|<!--/i.test(script + style))
    throw new Error("the script or style holds what would end it: </script, </style or <!--");
  const parts = {
    STYLE: style,
    SCRIPT: script,
    STYLE_HASH: hashOf(style),
    SCRIPT_HASH: hashOf(script),
  };
  const page = readFileSync(path.join(WEB, "page/index.html"), "utf8").replace(
    /@(STYLE|SCRIPT|STYLE_HASH|SCRIPT_HASH)@/g,
    (_, name) => parts[name],
  );
  const bytes = Buffer.byteLength(page);
  if (bytes > BYTES_MAX)
    throw new Error(`${bytes} bytes, more than ${BYTES_MAX}: what can be left out?`);
  return page;
}

async function main() {
  const { values } = parseArgs({
    options: {
      out: { type: "string", default: "skua_page.html" },
      modules: { type: "string", default: path.join(ROOT, "build/web/node_modules") },
      clang: { type: "string" },
      linker: { type: "string" },
    },
  });
  const esbuild = createRequire(path.join(path.resolve(values.modules), "x"))("esbuild");
  const tools = { clang: values.clang, linker: values.linker };
  writeFileSync(values.out, await buildPage(esbuild, buildWasm(tools), buildSim(tools)));
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  main().catch(error => {
    console.error(`web/build.js: ${error.message}; tools/setup test installs what the page needs`);
    process.exitCode = 1;
  });
