/* sandbox_state.js — what queues and workers look like after so many steps of a log */
import { NONE } from "./sandbox_engine.js";
import { PRIORITIES, hasPriorities } from "./sandbox_scene.js";

/*
 * A state is worked out from the log alone: to go back is to go on from the start.  A run of some
 * thousand steps takes a millisecond.
 */
export class Replay {
  constructor({ log, sums }, { tasks, workers, policy }) {
    Object.assign(this, { log, sums, tasks, workers, policy });
    this.isCentral = policy.scheduler === 1;
    this.isSharing = policy.scheduler === 2;
    /* Urgent and low tasks wait in queues for all. */
    this.isRanked = policy.isUrgentFirst && hasPriorities(tasks);
    this.endOf = new Uint32Array(log.length); /* of each step "begin": when its task ends */
    const begun = new Int32Array(workers).fill(-1);
    for (let i = 0; i < log.length; i++) {
      const { kind, worker, time } = log.step(i);
      if (kind === "begin") begun[worker] = i;
      else if (kind === "end") this.endOf[begun[worker]] = time;
    }
    /* What is in the queues before anybody moves is no step of its own. */
    this.base = 0;
    while (this.base < log.length && this.#isStart(log.step(this.base))) this.base++;
    this.length = log.length - this.base;
    this.reset();
  }

  #isStart({ kind, other, time }) {
    if (time || this.isSharing) return false;
    const isForAll = kind === "push" && (this.isCentral || this.isRanked);
    return (kind === "arrive" || isForAll) && other === NONE;
  }

  reset() {
    this.at = -this.base; /* steps done */
    this.last = null;
    this.common = { normal: [], urgent: [], low: [] }; /* queues for all, the oldest first */
    this.origin = new Array(this.tasks.length).fill(null); /* the worker a task was first with */
    this.isMoved = new Uint8Array(this.tasks.length);
    this.counts = { ended: 0, steals: 0, stolen: 0, tries: 0, failed: 0, sends: 0, longest: 0 };
    this.ends = Object.fromEntries(PRIORITIES.map(name => [name, { count: 0, sum: 0, last: 0 }]));
    this.crew = Array.from({ length: this.workers }, () => ({
      queue: [] /* the oldest first */,
      held: [],
      run: null,
      mood: "idle",
      other: null,
      busy: 0 /* ticks of tasks that are over */,
    }));
    if (this.isSharing)
      this.tasks.forEach((task, i) => {
        if (!task.after.length) this.#put(task.home ?? 0, i);
      });
    while (this.at < 0) this.#apply();
  }

  /* Be after so many steps. */
  goTo(at) {
    if (at < this.at) this.reset();
    while (this.at < at) this.#apply();
  }

  /* All that waits in queues for all. */
  get central() {
    const { urgent, normal, low } = this.common;
    return [...urgent, ...normal, ...low];
  }

  timeOf(at) {
    return at > 0 ? this.log.time(this.base + at - 1) : 0;
  }

  /* Ticks of all workers in tasks up to a time. */
  busy(time) {
    let sum = 0;
    for (const { busy, run } of this.crew) sum += busy + (run ? this.ran(run, time) : 0);
    return sum;
  }
  /* How long a task has run: it may have waited for the queue before. */
  ran(run, time) {
    const start = Math.max(run.end - this.tasks[run.task].cost, run.since);
    return Math.min(Math.max(time - start, 0), run.end - start);
  }

  #put(worker, task) {
    const { priority } = this.tasks[task],
      forAll = this.common[this.isRanked ? priority : "normal"],
      queue = worker === NONE ? forAll : this.crew[worker].queue;
    if (queue.includes(task)) return; /* sharing: it was there already */
    queue.push(task);
    this.origin[task] ??= worker === NONE ? (this.tasks[task].home ?? null) : worker;
    this.counts.longest = Math.max(this.counts.longest, queue.length);
  }
  #remove(queue, task) {
    const at = queue.indexOf(task);
    if (at >= 0) queue.splice(at, 1);
    return at >= 0;
  }

  /* Out of the queue it waits in; which one that was, or null. */
  #leave(self, task) {
    for (const name of PRIORITIES) if (this.#remove(this.common[name], task)) return name;
    const end = self.queue.at(-1) === task ? "newest" : "oldest";
    return this.#remove(self.queue, task) ? end : null;
  }
  #note(task, time) {
    const ends = this.ends[this.tasks[task].priority];
    ends.count++;
    ends.sum += time;
    ends.last = time;
    this.counts.ended++;
  }

  #apply() {
    const index = this.base + this.at++,
      step = this.log.step(index),
      self = this.crew[step.worker],
      { counts } = this;
    this.last = step;
    switch (step.kind) {
      case "begin":
        step.from = this.#leave(self, step.task);
        this.origin[step.task] ??= step.worker;
        self.run = { task: step.task, since: step.time, end: this.endOf[index] };
        self.mood = "runs";
        break;
      case "end":
        self.busy += this.ran(self.run, step.time);
        self.run = null;
        self.mood = "idle";
        this.#note(step.task, step.time);
        break;
      case "try":
        self.mood = "looks";
        self.other = step.other;
        counts.tries++;
        break;
      case "fail":
        step.other = self.other;
        self.mood = "fails";
        counts.failed++;
        break;
      case "take":
        step.of = this.crew[step.other].queue.length;
        self.held = this.crew[step.other].queue.splice(0, step.count);
        self.mood = "takes";
        break;
      case "steal":
        for (const task of self.held) {
          this.isMoved[task] = 1;
          self.queue.push(task);
        }
        counts.longest = Math.max(counts.longest, self.queue.length);
        self.held = [];
        counts.steals++;
        counts.stolen += step.count;
        break;
      case "send":
        this.#remove(self.queue, step.task);
        this.origin[step.task] ??= step.worker;
        this.isMoved[step.task] = 1;
        counts.sends += step.count;
        break;
      case "push":
        this.#put(step.other, step.task);
        break;
      case "arrive":
        this.#put(step.worker, step.task);
        break;
      case "park":
        self.mood = "sleeps";
        break;
      case "wake":
        self.mood = "wakes";
        break;
      default:
        self.mood = "waits";
    }
  }
}
