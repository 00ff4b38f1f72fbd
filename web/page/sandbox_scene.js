/* sandbox_scene.js — a scene: workers, tasks, two policies; as a link, a dag file, a command */

export const WORKERS_MAX = 16;
export const SEED_MAX = 999999;
export const ADDED_MAX = 400; /* tasks; more would only be a longer picture */
export const ADDED_COST = 4; /* ticks */

/* In the order of enum sim_priority; the words are those of skua/job.h. */
export const PRIORITIES = ["normal", "urgent", "low"];
export const BY_URGENCY = ["urgent", "normal", "low"];
export const hasPriorities = tasks => tasks.some(task => task.priority !== "normal");

/*
 * Numbers are those of the enums in tool/sim/sim.h; `option` is the name that skua sim has.
 * Priorities are heeded where one asks for it, by skua always.
 */
export const HOWS = [
  {
    ...{ id: "half", title: "Steal half", option: "steal-half", scheduler: 0, amount: 1 },
    ...{ steals: true, heeds: "asked" },
  },
  {
    ...{ id: "one", title: "Steal one", option: "steal-one", scheduler: 0, amount: 0 },
    ...{ steals: true, heeds: "asked" },
  },
  { id: "skua", title: "As skua does it", option: "skua", scheduler: 4, heeds: "always" },
  { id: "central", title: "Central queue", option: "central", scheduler: 1, heeds: "asked" },
  { id: "share", title: "Work sharing, to anybody", option: "sharing", scheduler: 2 },
  {
    ...{ id: "two", title: "Work sharing, to the shorter of two", option: "sharing-two" },
    ...{ scheduler: 2, sharing: 1 },
  },
  { id: "static", title: "Static split", option: "static", scheduler: 3 },
];
export const VICTIMS = [
  { id: "random", title: "at random", number: 0, option: "random" },
  { id: "turns", title: "round-robin", number: 2, option: "turns" },
  { id: "nearest", title: "nearest first", number: 3, option: "nearest" },
];

/* "half-nearest", "central", "half-random-urgent": what a policy is called in links. */
export function policyOf(word) {
  const isAsked = word.endsWith("-urgent"),
    [how, victim, more] = (isAsked ? word.slice(0, -"-urgent".length) : word).split("-"),
    found = HOWS.find(one => one.id === how),
    whom = VICTIMS.find(one => one.id === (victim ?? "random"));
  if (!found || !whom || more !== undefined || (victim && !found.steals)) return null;
  if (isAsked && found.heeds !== "asked") return null;
  return {
    ...found,
    victim: whom.number,
    whom,
    isAsked,
    isUrgentFirst: isAsked || found.heeds === "always",
    word: found.id + (found.steals ? "-" + whom.id : "") + (isAsked ? "-urgent" : ""),
  };
}

/* --- the presets: each gives tasks, with what they wait for as numbers of earlier ones --- */

const plain = (name, cost, home, after = [], priority = "normal") => ({
  ...{ name, cost, home, after, priority },
});

function bag(workers) {
  const count = 6 * workers;
  return Array.from({ length: count }, (_, i) => plain("t" + i, 2 + ((i * 7) % 5), i % workers));
}
const allOnFirst = () => Array.from({ length: 40 }, (_, i) => plain("t" + i, 4, 0));
/* The urgent ones where neither the oldest first nor the newest first would come to them soon. */
const ranks = workers =>
  Array.from({ length: 12 * workers }, (_, i) => {
    const place = Math.floor(i / workers),
      priority = place === 4 ? "urgent" : place === 1 || place === 8 ? "low" : "normal";
    return plain("t" + i, 16, i % workers, [], priority);
  });
const oneLong = () => [
  plain("long", 48, 0),
  ...Array.from({ length: 32 }, (_, i) => plain("t" + (i + 1), 3, 0)),
];

/* Forks, leaves, joins; a join waits for the two below it. */
function tree() {
  const DEPTH = 5,
    inner = 2 ** DEPTH - 1,
    tasks = [plain("fork0", 1, 0)];
  for (let i = 1; i < inner; i++) tasks.push(plain("fork" + i, 1, null, [(i - 1) >> 1]));
  for (let i = inner; i <= 2 * inner; i++)
    tasks.push(plain("leaf" + i, 3 + (i % 4), null, [(i - 1) >> 1]));
  const end = i => (i >= inner ? i : 2 * inner + 1 + (inner - 1 - i)); /* of the subtree of i */
  for (let i = inner - 1; i >= 0; i--)
    tasks.push(plain("join" + i, 1, null, [end(2 * i + 1), end(2 * i + 2)]));
  return tasks;
}

/* Folders are tasks that find folders and files; some are much larger than others. */
function fileTree() {
  const tasks = [plain("dir0", 1, 0)];
  let state = 12345;
  const draw = below => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return Math.floor(state / 65536) % below;
  };
  const fill = (at, depth) => {
    const folders = depth < 4 ? 2 + draw(2) : 0,
      files = 1 + draw(4) + (draw(6) === 0 ? 8 : 0);
    for (let i = 0; i < files && tasks.length < 120; i++)
      tasks.push(plain("file" + tasks.length, 1 + draw(8), null, [at]));
    for (let i = 0; i < folders && tasks.length < 120; i++) {
      tasks.push(plain("dir" + tasks.length, 1, null, [at]));
      fill(tasks.length - 1, depth + 1);
    }
  };
  fill(0, 0);
  return tasks;
}

export const WORKS = [
  {
    id: "zero",
    title: "All on worker 0",
    about: "40 equal tasks, all in one deque",
    make: allOnFirst,
  },
  {
    id: "bag",
    title: "Flat bag",
    about: "tasks of 2 to 6 ticks, as many for each worker",
    make: bag,
  },
  { id: "tree", title: "Tree", about: "forks in two, five levels deep, and joins", make: tree },
  { id: "long", title: "One long task", about: "one of 48 ticks, then 32 of 3", make: oneLong },
  {
    id: "files",
    title: "File tree",
    about: "folders that lead to folders and files",
    make: fileTree,
  },
  {
    id: "ranks",
    title: "Priorities",
    about: "12 tasks for each worker: one urgent, two low",
    make: ranks,
    shows: { left: "half-random-urgent", right: "half-random" },
  },
  { id: "none", title: "Nothing", about: "add tasks of your own", make: () => [] },
];

export const FIRST = Object.freeze({
  workers: 4,
  seed: 1,
  work: "zero",
  adds: [],
  left: "half-random",
  right: "one-random",
  at: 0,
});

export const added = scene => scene.adds.reduce((sum, [, count]) => sum + count, 0);

/* All tasks of a scene; those that were added come last, so they are the newest where they are. */
export function tasksOf({ workers, work, adds }) {
  const tasks = WORKS.find(one => one.id === work).make(workers);
  for (const [worker, count, priority] of adds)
    for (let i = 0; i < count; i++)
      tasks.push(plain("a" + tasks.length, ADDED_COST, worker % workers, [], priority));
  return tasks;
}

/* --- the command line that does the same --- */

const COSTS =
  "push=0,pop=0,join=0,steal=1/2,fail=1/2,serve=0,queue=1,wake=1,park=1,message=0"; /* sandbox.c */

export function optionsOf(scene, word) {
  const policy = policyOf(word),
    victim = policy.steals ? [`--victim=${policy.whom.option}`] : [],
    heed = policy.isAsked ? ["--priorities"] : [];
  return [
    ...[`--workers=${scene.workers}`, `--scheduler=${policy.option}`, ...victim, ...heed],
    ...[`--seed=${scene.seed}`, "--runs=1", "--topology=4:0,all:0", `--cost=${COSTS}`],
  ];
}

export function dagText(scene) {
  const tasks = tasksOf(scene);
  return tasks
    .map(({ name, cost, home, after, priority }) => {
      const waits = after.map(before => tasks[before].name).join(" "),
        start = `${name} ${cost}` + (priority === "normal" ? "" : ` ${priority}`);
      return start + (waits ? ` after ${waits}` : home === null ? "" : ` on ${home}`);
    })
    .join("\n");
}

/* To be pasted into a shell. */
export function commandText(scene, word) {
  const options = optionsOf(scene, word).join(" ");
  return `skua sim dag:- ${options} --detail <<'END'\n${dagText(scene)}\nEND\n`;
}

/* --- links --- */

/* workers=4/seed=1/work=tree/add=0:5,2:20:urgent/left=half-random/right=central-urgent/at=12 */
export function writeLink(scene) {
  const parts = [`workers=${scene.workers}`, `seed=${scene.seed}`, `work=${scene.work}`];
  if (scene.adds.length) parts.push("add=" + scene.adds.map(one => one.join(":")).join(","));
  parts.push(`left=${scene.left}`);
  if (scene.right) parts.push(`right=${scene.right}`);
  if (scene.at) parts.push(`at=${scene.at}`);
  return parts.join("/");
}

const whole = (text, least, most) => {
  if (!/^\d{1,7}$/.test(text)) return null;
  const number = Number(text);
  return number >= least && number <= most ? number : null;
};

function readAdds(text) {
  const adds = [];
  for (const part of text.split(",").slice(0, 1000)) {
    const [worker, count, priority, more] = part.split(":"),
      one = [whole(worker, 0, WORKERS_MAX - 1), whole(count ?? "", 1, ADDED_MAX)];
    if (priority !== undefined) one.push(PRIORITIES.includes(priority) ? priority : null);
    if (more !== undefined || one.includes(null)) return null;
    adds.push(one);
  }
  return added({ adds }) <= ADDED_MAX ? adds : null;
}

const READERS = {
  workers: text => whole(text, 1, WORKERS_MAX),
  seed: text => whole(text, 0, SEED_MAX),
  work: text => (WORKS.some(one => one.id === text) ? text : null),
  add: readAdds,
  left: text => policyOf(text)?.word ?? null,
  right: text => policyOf(text)?.word ?? null,
  at: text => whole(text, 0, 1000000),
};

/* What a link says; strangers write them.  What makes no sense is left out, isWhole false. */
export function readLink(text) {
  const scene = { ...FIRST };
  if (!text) return { scene, isWhole: true };
  let isWhole = text.length < 4000;
  scene.right = null;
  for (const part of text.slice(0, 4000).split("/")) {
    const [key, value = "", more] = part.split("="),
      read = Object.hasOwn(READERS, key) && more === undefined ? READERS[key](value) : null;
    if (read === null) isWhole = false;
    else scene[key === "add" ? "adds" : key] = read;
  }
  if (scene.adds.some(([worker]) => worker >= scene.workers)) isWhole = false;
  scene.adds = scene.adds.filter(([worker]) => worker < scene.workers);
  return { scene, isWhole };
}
