/* timeline_tables.js — the trace in tables: who did what, names, thefts, gaps, slices in view */
import { button, h } from "./dom.js";
import { laneTitle, sayCount, sayShare, sayTime } from "./timeline_texts.js";
import { recordAt, sliceName } from "./trace_lanes.js";
import { beginsSlice, STATES } from "./trace_walk.js";

const ROWS_MAX = 200; /* of a table; what is left out is said */

/* A table that scrolls by itself where it is too wide; `rows` are arrays of texts or elements. */
function table(caption, heads, rows, left = 0) {
  const cell = (content, i) =>
    i === 0 ? h("th", { scope: "row" }, content) : h("td", {}, content);
  const rest = left ? h("p", { class: "left-out" }, `${sayCount(left)} more are left out.`) : null;
  return h(
    "div",
    { class: "scroll", tabindex: 0, role: "region", "aria-label": caption },
    h(
      "table",
      {},
      h("caption", {}, caption),
      h("thead", {}, h("tr", {}, ...heads.map(head => h("th", { scope: "col" }, head)))),
      h("tbody", {}, ...rows.map(row => h("tr", {}, ...row.map(cell)))),
    ),
    rest,
  );
}
const some = list => [list.slice(0, ROWS_MAX), Math.max(0, list.length - ROWS_MAX)];
const fold = (title, ...inside) =>
  h("details", { class: "box" }, h("summary", {}, title), ...inside);

function workersTable(sums) {
  const [workers, left] = some(sums.workers),
    share = ns => (sums.lengthNs ? sayShare(ns / sums.lengthNs) : "");
  const rows = workers.map(worker => [
    `worker ${worker.worker}`,
    ...STATES.map((_, i) => share(worker.ns[i])),
    ...[worker.tasks, worker.steals, worker.stolen, worker.robbed].map(sayCount),
    ...[worker.slices[2], worker.misses, worker.dropped].map(sayCount),
  ]);
  const heads = ["worker", ...STATES, "tasks", "steals", "tasks stolen", "robbed", "sleeps", "misses"];
  return table("Workers, as shares of the trace", [...heads, "dropped"], rows, left);
}

function tasksTable(trace, sums, search) {
  const [tasks, left] = some(sums.tasks);
  const rows = tasks.map(task => {
    const name = task.name < 0 ? "" : trace.names[task.name].text;
    const label = name ? button(name, () => search(name), { class: "link" }) : "(no name)";
    return [label, sayCount(task.count), sayTime(task.ns), sayTime(task.longest)];
  });
  return table("Tasks by name", ["name", "count", "in it", "longest"], rows, left);
}

function gapsTable(sums, goTo) {
  const rows = sums.gaps.map(gap => [
    `worker ${gap.worker}`,
    button(sayTime(gap.start), () => goTo(gap), {
      class: "link",
      "aria-label": `Show the gap of worker ${gap.worker} at ${sayTime(gap.start)}`,
    }),
    sayTime(gap.ns),
    STATES[gap.state],
  ]);
  return table("Longest times without a task", ["worker", "from", "for", "mostly"], rows);
}

function stealsTable(sums) {
  const [pairs, left] = some(sums.steals);
  const rows = pairs.map(pair => [
    `worker ${pair.thief}`,
    `worker ${pair.victim}`,
    sayCount(pair.steals),
    sayCount(pair.tasks),
  ]);
  return table("Who stole from whom", ["thief", "victim", "steals", "tasks"], rows, left);
}

/* Slices that begin in the view, lane by lane: what the canvas shows, for who cannot see it. */
export function sliceRows(trace, lanes, view) {
  const rows = [];
  for (const lane of lanes) {
    const { words } = lane.ring;
    for (let i = recordAt(lane, view.from - 1e-3) + 1; i < lane.count; i++) {
      if (lane.ns[i] >= view.to || rows.length === ROWS_MAX) break;
      if (!beginsSlice((words[4 * i + 3] >>> 16) & 0xff)) continue;
      rows.push([laneTitle(lane), sayTime(lane.ns[i]), sliceName(trace, lane, 2 * i)]);
    }
  }
  return rows;
}

/* All tables in `place`; returns a function that says which view the last one is about. */
export function drawTables(place, trace, { lanes, sums }, room) {
  const slices = fold("Slices in view"),
    state = { scene: null };
  const fill = () => {
    slices.querySelector(".scroll")?.remove();
    if (!slices.open || !state.scene) return;
    const rows = sliceRows(trace, state.scene.shown, state.scene.view);
    const isCut = rows.length === ROWS_MAX,
      title = isCut ? `The first ${ROWS_MAX} slices in view` : "Slices in view";
    slices.append(table(title, ["lane", "begins", "slice"], rows));
  };
  slices.addEventListener("toggle", fill);
  const facts = [...trace.facts].slice(0, ROWS_MAX).map(([key, text]) => [key || "(none)", text]);
  place.replaceChildren(
    workersTable(sums),
    ...(sums.tasks.length ? [tasksTable(trace, sums, name => room.searchFor(name))] : []),
    ...(sums.gaps.length ? [gapsTable(sums, gap => room.goToGap(gap))] : []),
    ...(sums.steals.length ? [fold("Thefts by pair", stealsTable(sums))] : []),
    slices,
    fold("About the file", table("Facts", ["what", "value"], facts)),
  );
  return scene => {
    state.scene = scene;
    fill();
  };
}
