/* timeline_parts.js — what of the room of traces is always there: file, buttons, canvas, boxes */
import { button, h } from "./dom.js";
import { HOW_TO, KEYS, LEGEND } from "./timeline_texts.js";

const group = (label, ...inside) =>
  h("div", { class: "buttons", role: "group", "aria-label": label }, ...inside);

function buildFile(room) {
  const input = h("input", { type: "file", id: "trace-file" });
  input.addEventListener("change", () => {
    if (input.files.length) room.page.take(input.files[0]);
    input.value = ""; /* the same file again is a new one */
  });
  return h(
    "div",
    { class: "buttons trace-file" },
    h("label", { for: "trace-file" }, "Open a trace"),
    input,
  );
}

function buildSearch(room) {
  const word = h("input", {
    type: "search",
    id: "trace-search",
    autocomplete: "off",
    spellcheck: "false",
    placeholder: "part of a name",
  });
  word.addEventListener("input", () => room.search(word.value));
  word.addEventListener("keydown", event => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    room.goToMatch(event.shiftKey ? -1 : 1);
  });
  const previous = button("Match before", () => room.goToMatch(-1)),
    next = button("Next match", () => room.goToMatch(1)),
    found = h("span", { class: "found", role: "status" });
  const element = group(
    "Search",
    h("label", { for: "trace-search" }, "Search tasks, spans, marks"),
    word,
    previous,
    next,
    found,
  );
  return { element, word, previous, next, found };
}

function buildLegend() {
  const one = ([state, text]) => [
    h("dt", {}, h("i", { class: `swatch swatch-${state}`, "aria-hidden": "true" }), state),
    h("dd", {}, text),
  ];
  return h(
    "details",
    { class: "box" },
    h("summary", {}, "What is what, and keys"),
    h("dl", { class: "legend" }, ...LEGEND.flatMap(one)),
    h(
      "p",
      {},
      "The strip above the lanes is how many of all workers run; below each lane is how many " +
        "tasks wait in its deque. An arrow is a theft, from the victim to the thief; where there " +
        "are too many, ticks on the thieves\u2019 lanes stand for them. Where slices are thinner " +
        "than a pixel, a column is divided as its time was. Drag to move, pinch or hold Ctrl and " +
        "turn the wheel to zoom, click for a slice.",
    ),
    h("p", {}, "Keys work while something in this room has the focus."),
    h(
      "dl",
      { class: "legend" },
      ...KEYS.flatMap(([keys, text]) => [h("dt", {}, keys), h("dd", {}, text)]),
    ),
  );
}

/* All of it in its order; `room` is told what was pressed. */
export function buildTimeline(room) {
  const search = buildSearch(room);
  const parts = {
    title: h("h2", {}, "Timeline"),
    file: buildFile(room),
    how: h("p", { class: "how" }, HOW_TO),
    warning: h("div", { class: "warning", role: "alert", hidden: true }),
    progress: h("progress", { max: 1, value: 0, hidden: true, "aria-label": "Reading the trace" }),
    about: h("p", { class: "about", role: "status" }),
    overview: h("canvas", { class: "overview", height: 44, "aria-hidden": "true" }),
    canvas: h("canvas", {
      class: "lanes",
      tabindex: 0,
      role: "application",
      "aria-label": "Lanes of the workers; the same is in the tables below",
      "aria-describedby": "trace-said",
    }),
    said: h("p", { class: "said", id: "trace-said", role: "status" }),
    less: button("Earlier", () => room.pan(-0.25)),
    more: button("Later", () => room.pan(0.25)),
    zoomIn: button("Zoom in", () => room.zoom(0.5)),
    zoomOut: button("Zoom out", () => room.zoom(2)),
    all: button("Whole trace", () => room.showAll()),
    before: button("Slice before", () => room.step(-1)),
    after: button("Slice after", () => room.step(1)),
    toSlice: button("Zoom to the slice", () => room.zoomToSlice()),
    higher: button("Workers above", () => room.scroll(-1)),
    lower: button("Workers below", () => room.scroll(1)),
    which: h("span", { class: "which" }),
    search,
    tables: h("div", { class: "tables" }),
  };
  parts.scrolls = group("Which workers", parts.higher, parts.lower, parts.which);
  parts.inside = h(
    "div",
    { class: "trace-inside", hidden: true },
    group("Zoom", parts.zoomIn, parts.zoomOut, parts.less, parts.more, parts.all),
    search.element,
    h("div", { class: "drawn" }, parts.overview, parts.canvas),
    parts.scrolls,
    parts.said,
    group("Slices", parts.before, parts.after, parts.toSlice),
    buildLegend(),
    parts.tables,
  );
  const element = h(
    "div",
    { class: "timeline" },
    parts.title,
    parts.warning,
    parts.about,
    parts.progress,
    parts.inside,
    parts.file,
    parts.how,
  );
  return { parts, element };
}
