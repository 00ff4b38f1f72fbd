/* sandbox_engine.js — runs the simulator of tool/sim, compiled from its C, and reads its steps */
import { PRIORITIES } from "./sandbox_scene.js";

const WORDS = 7; /* of a line of the log: struct line of web/sim/sandbox.c */
const FIGURES = [
  ...["makespan", "work", "span", "tasks", "steals", "stolen", "tries", "failed"],
  ...["sends", "parks", "wakes", "peakQueue", "busy", "events"],
];
const ENDS = ["count", "sum", "last"]; /* of the tasks of each priority */
export const NONE = 0xffffffff; /* SIM_NONE */

export class Engine {
  constructor(exports) {
    this.exports = exports;
    this.kinds = [];
    for (let text; (text = this.#text(exports.sandbox_step_name(this.kinds.length)));)
      this.kinds.push(text);
  }

  #text(at) {
    if (!at) return "";
    const bytes = new Uint8Array(this.exports.memory.buffer, at);
    return new TextDecoder().decode(bytes.slice(0, bytes.indexOf(0)));
  }

  /* Tasks go in as web/page/sandbox_scene.js makes them: cost, home (or null), after, priority. */
  #write(tasks, knobs) {
    const { exports } = this,
      nodes = exports.sandbox_nodes_max(),
      edges = tasks.reduce((sum, task) => sum + task.after.length, 0);
    if (tasks.length > nodes || edges > exports.sandbox_edges_max())
      throw new Error(`${tasks.length} tasks are more than there is room for`);
    const words = new Uint32Array(exports.memory.buffer, exports.sandbox_scene()),
      head = [...knobs, tasks.length],
      [cost, home, priority, first] = [0, 1, 2, 3].map(i => head.length + i * nodes),
      next = first + nodes + 1;
    words.set(head);
    const leads = tasks.map(() => []);
    tasks.forEach((task, i) => {
      words[cost + i] = task.cost;
      words[home + i] = task.home ?? NONE;
      words[priority + i] = PRIORITIES.indexOf(task.priority ?? "normal");
      for (const before of task.after) leads[before].push(i);
    });
    let at = 0;
    leads.forEach((list, i) => {
      words[first + i] = at;
      for (const to of list) words[next + at++] = to;
    });
    words[first + tasks.length] = at;
  }

  /*
   * One run: its sums, and where asked for its log, an array of seven numbers a line.  `policy` has
   * numbers of the enums of tool/sim/sim.h.
   */
  run({ tasks, workers, policy, seed, isLogged = true }) {
    const { exports } = this,
      { scheduler, amount = 0, victim = 0, sharing = 0, isUrgentFirst = false } = policy,
      knobs = [workers, seed, scheduler, amount, victim, sharing, Number(isUrgentFirst)];
    this.#write(tasks, knobs);
    if (exports.sandbox_run(Number(isLogged)))
      throw new Error(this.#text(exports.sandbox_error()));
    const count = exports.sandbox_line_count(),
      all = FIGURES.length + PRIORITIES.length * ENDS.length,
      numbers = new Float64Array(exports.memory.buffer, exports.sandbox_figures(), all),
      lines = new Uint32Array(exports.memory.buffer, exports.sandbox_lines(), WORDS * count);
    if (isLogged && !count) throw new Error("the run has more steps than there is room for");
    const ends = PRIORITIES.map((name, p) => {
      const from = FIGURES.length + p * ENDS.length;
      return [name, Object.fromEntries(ENDS.map((key, i) => [key, numbers[from + i]]))];
    });
    return {
      sums: {
        ...Object.fromEntries(FIGURES.map((name, i) => [name, numbers[i]])),
        ends: Object.fromEntries(ends),
      },
      log: new Log(lines.slice(), this.kinds),
    };
  }
}

/* The steps of a run, by number. */
export class Log {
  constructor(words, kinds) {
    this.words = words;
    this.kinds = kinds;
    this.length = words.length / WORDS;
  }
  time(i) {
    return this.words[WORDS * i];
  }
  step(i) {
    const [time, kind, worker, other, task, queue, count] = this.words.subarray(
      WORDS * i,
      WORDS * (i + 1),
    );
    return { time, kind: this.kinds[kind], worker, other, task, queue, count };
  }
}

export async function loadEngine(wasm) {
  const { instance } = await WebAssembly.instantiate(wasm);
  return new Engine(instance.exports);
}
