/* sandbox_draw.js — one run as a picture: workers, deques, the time with its bounds, counts */
import { button, h } from "./dom.js";
import { BY_URGENCY, hasPriorities } from "./sandbox_scene.js";
import { say, sayTicks, tellMood } from "./sandbox_texts.js";

const SHOWN = 12; /* tasks of one queue; of more the middle is left out */
const COLOURS = 8;
const LETTERS = { urgent: "U", low: "L" };

/* Its number, and a letter if it has a priority; a screen reader says the word. */
function chip(replay, task) {
  const origin = replay.origin[task],
    { priority } = replay.tasks[task],
    looks =
      origin === null ? "" : ` origin-${origin % COLOURS}` + (origin >= COLOURS ? " far" : "");
  const marks = LETTERS[priority]
    ? [
        h("b", { class: "letter", "aria-hidden": "true" }, LETTERS[priority]),
        h("span", { class: "hidden" }, ` ${priority}`),
      ]
    : [];
  return h(
    "li",
    { class: `chip ${priority}` + looks + (replay.isMoved[task] ? " moved" : "") },
    String(task),
    ...marks,
  );
}

/* A queue from its oldest task to its newest. */
function drawQueue(replay, queue, label) {
  const half = SHOWN / 2,
    isLong = queue.length > SHOWN,
    shown = isLong ? [...queue.slice(0, half), ...queue.slice(-half)] : queue,
    chips = shown.map(task => chip(replay, task));
  if (isLong) chips.splice(half, 0, h("li", { class: "left-out" }, `+${queue.length - SHOWN}`));
  const count = queue.length === 1 ? "1 task" : `${queue.length} tasks`;
  return h(
    "ol",
    { class: "queue", "aria-label": `${label}: ${count}, the oldest first` },
    ...chips,
  );
}

/* A queue with its ends named. */
function drawDeque(replay, queue, [oldest, newest], label) {
  return h(
    "div",
    { class: "deque" },
    h("span", { class: "end" }, oldest),
    drawQueue(replay, queue, label),
    h("span", { class: "end" }, newest),
  );
}

function drawRun(replay, self, time) {
  if (!self.run) return h("p", { class: "run rests" }, tellMood(self));
  const { task } = self.run,
    { cost, priority } = replay.tasks[task],
    ran = replay.ran(self.run, time),
    bar = h("i", { class: "ran", "aria-hidden": "true" });
  bar.style.width = (cost ? (100 * ran) / cost : 100) + "%";
  const waits = time < self.run.end - cost /* for the central queue to serve it */,
    words = [
      h("b", {}, (priority === "normal" ? "" : priority + " ") + `task ${task}`),
      waits ? " in line for the queue" : ` ${ran} of ${sayTicks(cost)}`,
    ];
  return h("p", { class: "run" }, bar, h("span", {}, ...words));
}

function drawWorker(replay, w, time, options) {
  const self = replay.crew[w],
    name = `Worker ${w}`,
    ends = replay.isSteal ? ["thieves' end", "owner's end"] : ["oldest", "newest"];
  const title = options.choose
    ? button(name, () => options.choose(w), {
        class: "who",
        "aria-pressed": String(options.chosen === w),
        "data-worker": w,
      })
    : h("span", { class: "who" }, name);
  return h(
    "li",
    { class: `worker mood-${self.mood}` + (w && w % 4 === 0 ? " group" : "") },
    title,
    drawRun(replay, self, time),
    replay.isCentral ? null : drawDeque(replay, self.queue, ends, `Deque of worker ${w}`),
  );
}

/* The time so far beside what no schedule and what no greedy one exceeds. */
function drawTime(replay, time, scale) {
  const { work, span, makespan } = replay.sums,
    ideal = work / replay.workers,
    bound = ideal + span,
    isOver = replay.at === replay.length,
    place = (looks, at) => {
      const mark = h("i", { class: looks });
      mark.style.left = (100 * at) / scale + "%";
      return mark;
    };
  const fill = h("i", { class: "fill" });
  fill.style.width = (100 * Math.min(time, makespan)) / scale + "%";
  const bar = h("div", { class: "time-bar", "aria-hidden": "true" }, fill);
  bar.append(place("mark ideal", ideal), place("mark bound", bound));
  const key = (looks, text) => h("span", { class: "key" }, h("i", { class: looks }), text);
  return h(
    "div",
    { class: "time" },
    bar,
    h(
      "p",
      { class: "keys" },
      key("mark ideal", `T1/P ${say(ideal)}`),
      key("mark bound", `T1/P + T\u221e ${say(bound)}`),
      key("fill", isOver ? `done after ${sayTicks(makespan)}` : `now ${sayTicks(time)}`),
    ),
  );
}

/* When tasks ended so far, by their priority. */
function endsOf({ ends, tasks }) {
  if (!hasPriorities(tasks)) return [];
  return BY_URGENCY.filter(name => tasks.some(task => task.priority === name)).flatMap(name => {
    const { count, sum, last } = ends[name];
    return [
      [`${name}: mean end`, count ? say(sum / count) : "-", `${name}-mean`],
      [`${name}: last end`, count ? say(last) : "-", `${name}-last`],
    ];
  });
}

function drawCounts(replay, time) {
  const { counts, workers, tasks } = replay,
    used = time ? Math.round((100 * replay.busy(time)) / (workers * time)) : 0;
  const pairs = [
    ["tasks done", `${counts.ended} of ${tasks.length}`, "ended"],
    ["in tasks", `${used} %`, "used"],
    ["steals", counts.steals, "steals"],
    ["tasks stolen", counts.stolen, "stolen"],
    ["failed tries", counts.failed, "failed"],
    ["tasks sent", counts.sends, "sends"],
    ["longest queue", counts.longest, "longest"],
    ...endsOf(replay),
  ];
  return h(
    "dl",
    { class: "counts-of-run" },
    ...pairs.map(([term, value, id]) =>
      h("div", {}, h("dt", {}, term), h("dd", { "data-count": id }, String(value))),
    ),
  );
}

/* The queues for all, the most urgent first. */
function drawCommon(replay) {
  const { isCentral, isRanked, common } = replay,
    names = isRanked ? BY_URGENCY.filter(name => isCentral || name !== "normal") : ["normal"],
    title = name => (isCentral ? "Central queue" : "For everybody") + (isRanked ? `: ${name}` : "");
  if (!isCentral && !isRanked) return null;
  return h(
    "div",
    { class: "central" },
    ...names.flatMap(name => [
      h("h4", {}, title(name)),
      drawDeque(replay, common[name], ["next to go", "newest"], title(name)),
    ]),
  );
}

/* All of one side.  `options`: title, scale of the time, and who is chosen if one can choose. */
export function drawSide(replay, time, options) {
  const now = Math.min(time, replay.sums.makespan);
  replay.isSteal = replay.policy.scheduler === 0 || replay.policy.scheduler === 4;
  const crew = replay.crew.map((_, w) => drawWorker(replay, w, now, options));
  return h(
    "section",
    { class: "side", "aria-label": options.title, "data-side": options.id },
    options.title ? h("h3", {}, options.title) : null,
    drawTime(replay, now, options.scale),
    drawCounts(replay, now),
    drawCommon(replay),
    h("ul", { class: "crew" + (replay.isCentral ? " without-deques" : "") }, ...crew),
  );
}

/* What the longest of all bars stands for. */
export function scaleOf(replays) {
  const ends = replays.flatMap(({ sums, workers }) => [
    sums.makespan,
    sums.work / workers + sums.span,
  ]);
  return 1.04 * Math.max(1, ...ends);
}
