/* sandbox_parts.js — what of the sandbox is always there: choices, buttons, boxes */
import { button, copyButton, h } from "./dom.js";
import { HOWS, PRIORITIES, VICTIMS, WORKERS_MAX, WORKS, SEED_MAX } from "./sandbox_scene.js";
import { ABOUT, KEYS } from "./sandbox_texts.js";

export const SPEEDS = [
  [1, "1 tick a second"],
  [3, "3 ticks a second"],
  [8, "8 ticks a second"],
  [30, "30 ticks a second"],
];

const select = (id, pairs, use) => {
  const element = h(
    "select",
    { id },
    ...pairs.map(([value, text]) => h("option", { value }, text)),
  );
  element.addEventListener("change", () => use(element.value));
  return element;
};
const field = (label, control) =>
  h("div", { class: "field" }, h("label", { for: control.id }, label), control);
const group = (label, ...inside) =>
  h("div", { class: "buttons", role: "group", "aria-label": label }, ...inside);
const terms = pairs =>
  h("dl", {}, ...pairs.flatMap(([term, text]) => [h("dt", {}, term), h("dd", {}, text)]));

/* Policy, victim, and whether priorities are heeded, of one side. */
function buildPolicy(room, side, title) {
  const hows = HOWS.map(one => [one.id, one.title]),
    how = select(`${side}-how`, side === "right" ? [...hows, ["", "Nothing"]] : hows, () =>
      room.setPolicy(side),
    ),
    victim = select(
      `${side}-victim`,
      VICTIMS.map(one => [one.id, one.title]),
      () => room.setPolicy(side),
    ),
    whom = field("Victim", victim),
    heed = select(
      `${side}-heed`,
      [
        ["", "ignored"],
        ["-urgent", "urgent first"],
        ["always", "always"],
        ["never", "never"],
      ],
      () => room.setPolicy(side),
    ),
    order = field("Priorities", heed);
  for (const fixed of [2, 3]) heed.options[fixed].hidden = true; /* not for anybody to choose */
  const element = h("fieldset", {}, h("legend", {}, title), field("Policy", how), whom, order);
  return { element, how, victim, whom, heed, order };
}

function buildShare(parts) {
  const said = h("span", { role: "status" });
  const copy = (label, from) => copyButton(label, from, said);
  return h(
    "div",
    { class: "share" },
    h("label", { for: "sandbox-link" }, "This scene, at this step"),
    h("div", { class: "buttons" }, parts.link, copy("Copy the link", parts.link), said),
    h(
      "details",
      { class: "box" },
      h("summary", {}, "The left run on the command line"),
      h("label", { for: "sandbox-command" }, "Paste this into a shell: it prints the same sums"),
      parts.command,
      h("div", { class: "buttons" }, copy("Copy the command", parts.command)),
    ),
  );
}

function buildParts(room) {
  const counts = Array.from({ length: WORKERS_MAX }, (_, i) => [i + 1, String(i + 1)]);
  return {
    warning: h("p", { class: "warning", role: "alert", hidden: true }),
    work: select(
      "sandbox-work",
      WORKS.map(one => [one.id, `${one.title}: ${one.about}`]),
      value => room.setWork(value),
    ),
    workers: select("sandbox-workers", counts, value => room.setWorkers(Number(value))),
    seed: h("input", {
      ...{ type: "number", id: "sandbox-seed", min: 0, max: SEED_MAX, step: 1 },
      ...{ inputmode: "numeric" },
    }),
    chosen: select("sandbox-chosen", [], value => room.choose(Number(value))),
    priority: select(
      "sandbox-priority",
      PRIORITIES.map(name => [name, name]),
      value => room.setPriority(value),
    ),
    adds: [1, 5, 20].map(count =>
      button(`Add ${count}`, () => room.add(count), { "data-add": count }),
    ),
    left: buildPolicy(room, "left", "Left"),
    right: buildPolicy(room, "right", "Right"),
    run: button("Run", () => room.run(), { class: "strong" }),
    step: button("Step", () => room.stopAt(room.player.at + 1)),
    back: button("Step back", () => room.stopAt(room.player.at - 1)),
    start: button("Start over", () => room.stopAt(0)),
    end: button("To the end", () => room.stopAt(room.player.length)),
    speed: select("sandbox-speed", SPEEDS, value => room.setSpeed(Number(value))),
    slider: h("input", { type: "range", id: "sandbox-at", min: 0, step: 1 }),
    said: h("p", { class: "said", role: "status" }),
    stage: h("div", { class: "sides" }),
    link: h("input", { type: "text", readonly: true, id: "sandbox-link", spellcheck: "false" }),
    command: h("textarea", {
      ...{ readonly: true, id: "sandbox-command", rows: 8, spellcheck: "false" },
    }),
    keys: h(
      "details",
      { class: "box" },
      h("summary", {}, "Keys"),
      h("p", {}, "They work while something in this room has the focus."),
      terms(KEYS),
    ),
  };
}

/* All of it in its order; `room` is told what was pressed. */
export function buildRoom(room) {
  const parts = buildParts(room);
  parts.seed.addEventListener("change", () => room.setSeed(parts.seed.value));
  parts.slider.addEventListener("input", () => room.stopAt(Number(parts.slider.value)));
  parts.speed.value = String(SPEEDS[1][0]);
  const element = h(
    "div",
    { class: "sandbox", tabindex: "-1" },
    h("h2", {}, "Sandbox"),
    h(
      "p",
      { class: "story" },
      "Each worker has a deque. Its owner puts new tasks in at one end and takes them out there; " +
        "whoever has nothing to do steals the oldest ones from the other end. Choose the work, " +
        "add tasks to a worker, and compare two ways to share it.",
    ),
    parts.warning,
    h(
      "div",
      { class: "fields" },
      field("Work", parts.work),
      field("Workers", parts.workers),
      field("Seed", parts.seed),
    ),
    h("div", { class: "fields" }, parts.left.element, parts.right.element),
    h(
      "div",
      { class: "fields" },
      field("Add tasks to", parts.chosen),
      field("Their priority", parts.priority),
      group("Add tasks", ...parts.adds),
    ),
    h(
      "div",
      { class: "fields drive" },
      group("Run", parts.run, parts.back, parts.step, parts.start, parts.end),
      field("Speed", parts.speed),
      field("Step number", parts.slider),
    ),
    parts.said,
    parts.stage,
    h(
      "p",
      { class: "note" },
      "A task has the colour of the worker it was first with; a dashed frame means that it was " +
        "stolen or sent; U marks an urgent task, L a low one. P is the number of workers, T1 the " +
        "ticks of all tasks together, T\u221e those of the longest chain of tasks that wait for " +
        "each other. No schedule is faster than T1/P; a greedy one that costs nothing never " +
        "takes longer than T1/P + T\u221e.",
    ),
    buildShare(parts),
    h("section", { class: "box" }, h("h3", {}, "What runs here"), h("p", {}, ABOUT)),
    parts.keys,
  );
  return { parts, element };
}
