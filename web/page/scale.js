/* scale.js — the room of speed-ups: files of skua bench and skua sim, or a sample simulated here */
import { button, h } from "./dom.js";
import { drawPlot } from "./plot.js";
import { loadEngine } from "./sandbox_engine.js";
import { policyOf } from "./sandbox_scene.js";
import { BYTES_MAX, readScale } from "./scale_read.js";

/* --- the sample --- */

const SAMPLE_COUNTS = [1, 2, 4, 8, 16, 32, 64, 128];
const SAMPLE_POLICIES = ["half-random", "one-random", "central", "two", "static"];

/* Two thousand tasks of uneven cost, all with worker 0; one is as long as a hundred others. */
export const sampleTasks = () =>
  Array.from({ length: 2000 }, (_, i) => ({
    ...{ name: "t" + i, cost: i === 700 ? 1200 : 4 + ((i * 7919) % 17), home: 0, after: [] },
  }));

export function simulateSample(engine) {
  const tasks = sampleTasks();
  let bounds = null;
  const curves = SAMPLE_POLICIES.map(word => {
    const policy = policyOf(word);
    const points = SAMPLE_COUNTS.map(workers => {
      const { sums } = engine.run({ tasks, workers, policy, seed: 1, isLogged: false }),
        speedup = sums.work / sums.makespan;
      bounds = { work: sums.work, span: sums.span };
      return { workers, speedup, low: speedup, high: speedup };
    });
    return { name: policy.title, points };
  });
  const title = "2000 uneven tasks that begin at one worker, simulated in this page";
  return { kind: "sample", title, bounds, curves };
}

/* --- the room --- */

class Room {
  constructor(engine, page) {
    this.engine = engine;
    this.page = page;
    this.turn = 0; /* so that a slow file does not replace a later one */
    this.parts = {
      file: h("input", { type: "file", id: "scale-file", accept: ".json,application/json" }),
      pasted: h("textarea", { id: "scale-text", rows: 5, spellcheck: "false" }),
      warning: h("p", { class: "warning", role: "alert", hidden: true }),
      said: h("p", { class: "said", role: "status" }),
      title: h("h3", {}),
      place: h("div", {}),
    };
    this.element = this.#build();
    this.#listen();
  }

  #build() {
    const { parts } = this;
    return h(
      "div",
      { class: "scale" },
      h("h2", {}, "Scale"),
      h(
        "p",
        { class: "story" },
        "How much faster with more workers? Open what ",
        h("code", {}, "skua bench --json"),
        " measured or ",
        h("code", {}, "skua sim --json"),
        " simulated: choose the file, drop it here, or paste it. Nothing leaves this page.",
      ),
      h(
        "div",
        { class: "fields" },
        h("div", { class: "field" }, h("label", { for: "scale-file" }, "A file"), parts.file),
        button("Simulate a sample here", () => this.sample()),
      ),
      h(
        "details",
        { class: "box" },
        h("summary", {}, "Paste it"),
        h("label", { for: "scale-text" }, "JSON of skua bench or skua sim"),
        parts.pasted,
        h(
          "div",
          { class: "buttons" },
          button("Show it", () => this.read(parts.pasted.value), { class: "strong" }),
        ),
      ),
      parts.warning,
      parts.said,
      parts.title,
      parts.place,
      h(
        "p",
        { class: "note" },
        "Speed-up is against one worker without costs (skua sim) or the plain serial program " +
          "measured in the same run (skua bench). P is the number of workers, T1 all work " +
          "together, T\u221e its longest chain: no schedule is above min(P, T1/T\u221e), and a " +
          "greedy one that costs nothing is never below T1 / (T1/P + T\u221e). Both axes double " +
          "from line to line.",
      ),
    );
  }

  #listen() {
    const { parts, element } = this;
    parts.file.addEventListener("change", () => {
      const [file] = parts.file.files;
      if (file) this.page.take(file);
      parts.file.value = ""; /* the same file, made anew, can be chosen again */
    });
    element.addEventListener("dragover", event => event.preventDefault());
    element.addEventListener("drop", event => {
      if (event.dataTransfer.files.length) return; /* the page takes it */
      event.preventDefault();
      this.read(event.dataTransfer.getData("text/plain"));
    });
  }

  async open(file) {
    const turn = ++this.turn;
    if (file.size > BYTES_MAX) return void this.refuse("it has more than 20 MB");
    try {
      const text = await file.text();
      if (turn === this.turn) this.read(text);
    } catch {
      if (turn === this.turn) this.refuse("the browser could not read it");
    }
  }

  read(text) {
    this.turn++;
    try {
      this.show(readScale(text));
    } catch (error) {
      this.refuse(error.message);
    }
  }

  sample() {
    this.turn++;
    this.show(simulateSample(this.engine));
  }

  /* What was shown before stays. */
  refuse(why) {
    this.parts.warning.textContent = `This cannot be shown: ${why}.`;
    this.parts.warning.hidden = false;
  }

  show(data) {
    const { parts } = this,
      count = data.curves.length;
    parts.warning.hidden = true;
    parts.title.textContent = data.title;
    parts.place.replaceChildren(drawPlot(data));
    const best = data.curves
      .flatMap(({ name, points }) => points.map(point => ({ name, ...point })))
      .reduce((a, b) => (b.speedup > a.speedup ? b : a));
    parts.said.textContent =
      `${count === 1 ? "One curve" : count + " curves"}. The largest speed-up is ` +
      `${best.speedup.toFixed(1)}, of ${best.name} with ${best.workers} ` +
      `worker${best.workers === 1 ? "" : "s"}.`;
  }
}

/* The room, as page.js takes it. */
export function scaleRoom(wasm) {
  return {
    id: "scale",
    title: "Scale",
    knows: head => /^\s*\{/.test(head), /* JSON, of whatever kind */
    async open(place, page) {
      const room = new Room(await loadEngine(wasm), page);
      place.append(room.element);
      room.sample();
      return {
        show(rest) {
          room.parts.warning.textContent = "This room has no such place; here is its beginning.";
          room.parts.warning.hidden = !rest;
        },
        hide() {},
        take: file => room.open(file),
      };
    },
  };
}
