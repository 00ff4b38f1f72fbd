/* sandbox_replay.spec.js — the sandbox is the simulator: the same steps and sums as `skua sim` */
"use strict";
const assert = require("node:assert/strict");
const { after, before, test } = require("node:test");
const { execFileSync } = require("node:child_process");
const { writeFileSync } = require("node:fs");
const path = require("node:path");
const { skua, start, stop, withPage, work } = require("./browser");

const web = path.join(process.env.SKUA_SOURCE, "web");
const page = path.join(process.env.SKUA_BUILD, "skua_page.html");
const from = name => import(path.join(web, "page", name));
let engine, scenes, Player, Replay;

before(async () => {
  await start();
  const { buildSim } = await import(path.join(web, "build.js"));
  const { loadEngine } = await from("sandbox_engine.js");
  scenes = await from("sandbox_scene.js");
  ({ Player } = await from("sandbox_player.js"));
  ({ Replay } = await from("sandbox_state.js"));
  engine = await loadEngine(buildSim({ linker: process.env.WASM_LD }));
});
after(stop);

/* Every policy there is, as links have them. */
const words = () =>
  scenes.HOWS.flatMap(how => {
    const plain = how.steals ? scenes.VICTIMS.map(victim => `${how.id}-${victim.id}`) : [how.id];
    return how.heeds === "asked" ? [...plain, ...plain.map(word => word + "-urgent")] : plain;
  });
const dagFile = scene => {
  const file = path.join(work, "scene.dag");
  writeFileSync(file, scenes.dagText(scene) + "\n");
  return "dag:" + file;
};
const native = (scene, word, ...more) =>
  JSON.parse(skua("sim", dagFile(scene), ...scenes.optionsOf(scene, word), ...more));

const SCENES = [
  { work: "zero", workers: 4, seed: 1, adds: [] },
  { work: "bag", workers: 16, seed: 2, adds: [] },
  { work: "tree", workers: 7, seed: 3, adds: [] },
  { work: "long", workers: 1, seed: 4, adds: [] },
  {
    work: "files",
    workers: 12,
    seed: 999999,
    adds: [
      [11, 5],
      [0, 1],
    ],
  },
  { work: "ranks", workers: 5, seed: 6, adds: [] },
  {
    work: "tree",
    workers: 4,
    seed: 7,
    adds: [
      [0, 90],
      [1, 7, "low"],
      [3, 3, "urgent"],
      [3, 1, "low"],
    ],
  },
  {
    work: "none",
    workers: 9,
    seed: 0,
    adds: [
      [8, 20],
      [3, 5],
      [8, 1],
    ],
  },
];

for (const scene of SCENES)
  test(`${scene.work} with ${scene.workers} workers: the steps of skua sim --steps`, () => {
    const tasks = scenes.tasksOf(scene);
    for (const word of words()) {
      const policy = scenes.policyOf(word),
        { log, sums } = engine.run({ tasks, policy, ...scene }),
        steps = native(scene, word, "--steps=-"),
        number = value => (value === 0xffffffff ? null : value),
        isRanked = scenes.hasPriorities(tasks);
      assert.equal(steps.columns.length, isRanked ? 8 : 7);
      assert.equal(log.length, steps.steps.length, word);
      for (let i = 0; i < log.length; i++) {
        const { time, kind, worker, other, task, queue, count } = log.step(i);
        const line = [time, kind, worker, number(other), number(task), queue, count];
        if (isRanked) line.push(tasks[task]?.priority ?? null);
        assert.deepEqual(line, steps.steps[i], `${word}, step ${i}`);
      }
      assert.equal(sums.makespan, steps.makespan);
    }
  });

test("the sums are those of skua sim --json", () => {
  for (const scene of SCENES)
    for (const word of words()) {
      const tasks = scenes.tasksOf(scene),
        { sums } = engine.run({ tasks, policy: scenes.policyOf(word), ...scene }),
        file = native(scene, word, "--json"),
        [row] = file.rows,
        which = `${scene.work} ${word}`;
      const pairs = {
        ...{ makespan: "makespan", steals: "steals", stolen: "stolen", tries: "tries" },
        ...{ failed: "failed", sends: "sends", parks: "parks", wakes: "wakes" },
        ...{ peakQueue: "peak_queue", events: "events" },
      };
      for (const [ours, theirs] of Object.entries(pairs))
        assert.equal(sums[ours], row[theirs], `${which} ${theirs}`);
      assert.equal(sums.work, file.workload.work, which);
      assert.equal(sums.span, file.workload.span, which);
      assert.equal(sums.tasks, tasks.length, which);
      for (const name of scenes.PRIORITIES) {
        const { count, sum, last } = sums.ends[name],
          mean = count ? sum / count : 0;
        assert.ok(Math.abs(mean - row[`${name}_mean_end`]) < 1e-6, `${which} ${name}`);
        assert.equal(last, row[`${name}_last_end`], `${which} ${name}`);
        const wanted = tasks.filter(task => task.priority === name).length;
        assert.equal(count, scenes.hasPriorities(tasks) ? wanted : 0, `${which} ${name}`);
      }
    }
});

test("urgent tasks end first where priorities are heeded, and low ones last", () => {
  const scene = { ...SCENES[5], workers: 4 },
    tasks = scenes.tasksOf(scene),
    endsOf = word =>
      engine.run({ tasks, policy: scenes.policyOf(word), ...scene, isLogged: false }).sums.ends;
  for (const word of words()) {
    const { urgent, normal, low } = endsOf(word),
      mean = ({ sum, count }) => sum / count,
      isFirst = urgent.last < mean(normal) && mean(normal) < mean(low);
    assert.equal(isFirst, word.endsWith("-urgent") || word === "skua", word);
  }
});

test("the queues that are drawn are those the simulator had", () => {
  for (const scene of SCENES)
    for (const word of words()) {
      const tasks = scenes.tasksOf(scene),
        policy = scenes.policyOf(word),
        run = engine.run({ tasks, policy, ...scene }),
        replay = new Replay(run, { tasks, policy, workers: scene.workers });
      for (let at = 1; at <= replay.length; at++) {
        replay.goTo(at);
        const { worker, queue } = replay.last;
        if (!replay.isSharing) {
          const drawn = replay.isCentral ? replay.central : replay.crew[worker].queue;
          assert.equal(drawn.length, queue, `${scene.work} ${word} ${at} ${replay.last.kind}`);
        }
      }
      assert.ok(replay.crew.every(self => !self.queue.length && !self.held.length && !self.run));
      assert.equal(replay.central.length, 0);
      const { counts } = replay;
      assert.equal(counts.ended, tasks.length);
      for (const key of ["steals", "stolen", "failed", "tries", "sends"])
        assert.equal(counts[key], run.sums[key], `${scene.work} ${word} ${key}`);
      if (scenes.hasPriorities(tasks))
        assert.deepEqual(replay.ends, run.sums.ends, `${scene.work} ${word}`);
      assert.equal(replay.busy(run.sums.makespan), run.sums.busy, `${scene.work} ${word}`);
    }
});

test("a step back is the state before", () => {
  const scene = { ...SCENES[6], left: "half-nearest-urgent", right: "two" },
    player = new Player(engine, scene),
    picture = () =>
      JSON.stringify([
        ...[player.time, player.tell()],
        player.replays.map(r => [r.crew, r.counts, r.common, r.ends]),
      ]);
  const seen = [];
  for (let at = 0; at <= player.length; at++) {
    player.goTo(at);
    seen.push(picture());
  }
  for (let at = player.length; at >= 0; at -= 7) {
    player.goTo(at);
    assert.equal(picture(), seen[at], `step ${at}`);
  }
  const times = seen.map(text => JSON.parse(text)[0]);
  assert.deepEqual(
    times,
    [...times].sort((a, b) => a - b),
    "time never goes back",
  );
});

test("links: what is written is read; nonsense is left out", () => {
  for (const scene of SCENES)
    for (const [left, right] of [
      ["half-turns", null],
      ["static", "one-nearest"],
      ["half-random-urgent", "central-urgent"],
    ]) {
      const whole = { ...scene, left, right, at: 7 },
        read = scenes.readLink(scenes.writeLink(whole));
      assert.deepEqual(read.scene, whole);
      assert.ok(read.isWhole);
    }
  for (const text of [
    ...["nonsense", "workers=0", "workers=17", "workers=4/seed=-1", "seed=1e9", "work=__proto__"],
    ...["left=central-random", "left=half-constructor", "add=4:5", "add=0:0", "add=0:401", "add=1"],
    ...["add=0:1:u", "add=0:1:", "add=0:1:urgent:low", "left=skua-urgent", "left=two-urgent"],
    ...["left=half-urgent-random", "left=half-random-random", "left=-urgent", "left=urgent"],
    ...["__proto__=1", "constructor=x", "at=x", "workers=4=4", "x".repeat(5000), "%3Cscript%3E"],
  ])
    assert.equal(scenes.readLink(text).isWhole, false, text.slice(0, 40));
  assert.deepEqual(scenes.readLink("nonsense").scene, { ...scenes.FIRST, right: null });
});

test("what a task was when it begins is told", () => {
  const scene = { ...SCENES[6], left: "one-turns-urgent", right: "central-urgent" },
    player = new Player(engine, scene),
    said = new Set();
  for (let at = 1; at <= player.length; at++) {
    player.goTo(at);
    said.add(player.tell().replace(/\d+/g, "N"));
  }
  for (const sentence of [
    "Left: Worker N begins urgent task N, the next of the urgent ones, which are for everybody.",
    "Left: Worker N begins low task N, the next of the low ones, which are for everybody.",
    "Left: Worker N begins task N, the newest one of its own.",
    "Left: Worker N has ended urgent task N.",
    "Right: Worker N begins urgent task N, the next urgent one of the central queue.",
    "Right: Worker N begins task N, the next normal one of the central queue.",
    "Right: Worker N begins low task N, the next low one of the central queue.",
  ])
    assert.ok(said.has(sentence), sentence);
  assert.match(
    player.tell(),
    /The last urgent task was done after \d+ ticks on the left, \d+ on the right\.$/,
  );
});

test("a scene that cannot be simulated says why", () => {
  const policy = scenes.policyOf("half-random"),
    task = (home, after) => ({ name: "t", cost: 1, home, after });
  assert.throws(
    () => engine.run({ tasks: [task(5, [])], workers: 4, policy, seed: 1 }),
    /a task begins on worker 5, but there are 4 workers/,
  );
  assert.throws(
    () => engine.run({ tasks: [task(0, [1]), task(0, [0])], workers: 4, policy, seed: 1 }),
    /the dag has a cycle/,
  );
  const many = Array.from({ length: 5000 }, () => task(0, []));
  assert.throws(() => engine.run({ tasks: many, workers: 4, policy, seed: 1 }), /more than/);
  const long = [{ ...task(0, []), cost: 4000000 }];
  assert.throws(() => engine.run({ tasks: long, workers: 16, policy, seed: 1 }), /more than/);
  assert.equal(engine.run({ tasks: many.slice(0, 9), workers: 4, policy, seed: 1 }).sums.tasks, 9);
});

/* What the reader sees, and what the command in the page prints when it is pasted into a shell. */
for (const [fragment, side] of [
  ["workers=4/seed=1/work=zero/left=half-random", "steal-half"],
  ["workers=10/seed=5/work=files/add=9:20/left=one-nearest", "steal-one"],
  ["workers=6/seed=2/work=bag/left=two", "sharing-two"],
  ["workers=3/seed=8/work=tree/left=skua", "skua"],
  ["workers=4/seed=3/work=ranks/add=1:9:low,2:2:urgent/left=half-turns-urgent", "steal-half"],
])
  test(`in the page: ${fragment}`, () =>
    withPage(page, {}, async view => {
      await view.goto("about:blank");
      await view.goto(`file://${page}#sandbox/${fragment}`);
      await view.waitForFunction(() => document.documentElement.dataset.state === "ready");
      const { scene } = scenes.readLink(fragment),
        [row] = native(scene, scene.left, "--json").rows,
        steps = native(scene, scene.left, "--steps=-").steps;
      assert.equal(row.scheduler, side);
      const count = id => view.locator(`[data-count="${id}"]`).innerText();
      const step = view.getByRole("button", { name: "Step", exact: true });
      for (let i = 0; i < 100; i++) await step.click();
      const isStart = one => (one[1] === "arrive" || one[1] === "push") && one[3] === null,
        before = steps.findIndex(one => !isStart(one)),
        seen = steps.slice(0, (scene.left === "two" ? 0 : before) + 100),
        kinds = kind => String(seen.filter(one => one[1] === kind).length);
      assert.equal(await count("steals"), kinds("steal"), "after a hundred steps");
      assert.equal(await count("failed"), kinds("fail"));
      assert.equal(await count("sends"), kinds("send"));
      await view.getByRole("button", { name: "To the end" }).click();
      assert.equal(await count("steals"), String(row.steals));
      assert.equal(await count("failed"), String(row.failed));
      assert.equal(await count("stolen"), String(row.stolen));
      assert.equal(await count("sends"), String(row.sends));
      const told = await view.locator(".said").innerText();
      assert.match(told, new RegExp(`it took ${row.makespan} ticks`));
      if (scenes.hasPriorities(scenes.tasksOf(scene)))
        for (const name of scenes.PRIORITIES) {
          assert.equal(await count(`${name}-last`), String(row[`${name}_last_end`]));
          const mean = Number(await count(`${name}-mean`));
          assert.ok(Math.abs(mean - row[`${name}_mean_end`]) <= 0.05, `${name} ${mean}`);
        }
      const command = await view.locator("#sandbox-command").inputValue();
      const said = execFileSync("sh", ["-c", command.replace("--detail", "--json")], {
        env: { ...process.env, PATH: path.dirname(process.env.SKUA) + ":" + process.env.PATH },
      });
      assert.deepEqual(JSON.parse(said).rows[0], row);
    }));
