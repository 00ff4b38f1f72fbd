/* race_parts.js — what of the room of races is always there: choices, buttons, boxes */
import { button, copyButton, h } from "./dom.js";
import { LIMITS, NOTES, RACES } from "./race_texts.js";

const KEYS = [
  ["A, B", "the next step of thread A or B"],
  ["Shift + A, Shift + B", "let the oldest store out of that thread's store buffer"],
  ["Left, Right", "one step back, one step on along the schedule"],
  ["Home", "back to the start"],
  ["Space", "play the rest of the schedule, or pause (not on a button)"],
  ["E", "count all schedules"],
  ["N", "the next schedule that goes wrong"],
];
export const MOVE_NAMES = {
  A: "Step A",
  B: "Step B",
  a: "Let A's store out",
  b: "Let B's store out",
};

function buildMoves(room) {
  const one = ([move, name]) => {
    const looks = { class: "move move-" + move.toUpperCase(), "data-move": move };
    return [move, button(name, () => room.move(move), looks)];
  };
  return Object.fromEntries(Object.entries(MOVE_NAMES).map(one));
}

function buildParts(room) {
  const parts = {
    title: h("h2", { tabindex: "-1" }),
    story: h("p", { class: "story" }),
    said: h("p", { class: "said", role: "status" }),
    warning: h("p", { class: "warning", role: "alert", hidden: true }),
    track: h("ol", { class: "track", "aria-label": "Schedule: one step each" }),
    odds: h("p", { class: "odds" }),
    stage: h("div", { class: "stage" }),
    code: h("div", { class: "code", role: "region", "aria-label": "Code" }),
    counts: h("div", { class: "counts" }),
    lesson: h("p", { class: "lesson" }),
    link: h("input", { type: "text", readonly: true, id: "race-link", spellcheck: "false" }),
    moves: buildMoves(room),
    back: button("Back", () => room.stopAt(room.at - 1)),
    on: button("Forward", () => room.stopAt(room.at + 1)),
    reset: button("Start over", () => room.load(room.race.spec.id, "", 0)),
    play: button("Play", () => room.play()),
    count: button("Count all schedules", () => room.count(), { class: "strong" }),
    wrong: button("Show one that goes wrong", () => room.nextBad()),
    comments: h("input", { type: "checkbox", id: "race-comments" }),
  };
  const words = "Show the comments in the code";
  parts.check = h("label", { class: "check", for: "race-comments" }, parts.comments, words);
  parts.comments.addEventListener("change", () => room.showComments(parts.comments.checked));
  return parts;
}

/* A button for each race; behind its title there is room for what was counted. */
function buildChoices(room) {
  const one = spec => {
    const label = [h("span", {}, spec.title), h("span", { class: "tally" })];
    return [spec.id, button(label, () => room.load(spec.id, "", 0, true))];
  };
  return new Map(RACES.map(one));
}

function buildShare({ link }) {
  const said = h("span", { role: "status" });
  const copy = copyButton("Copy the link", link, said);
  return h(
    "div",
    { class: "share" },
    h("label", { for: "race-link" }, "This race, at this step"),
    h("div", { class: "buttons" }, link, copy, said),
  );
}

const terms = (pairs, looks = {}) =>
  h("dl", looks, ...pairs.flatMap(([term, text]) => [h("dt", {}, term), h("dd", {}, text)]));

function buildBoxes() {
  const box = (title, inside) => h("section", { class: "box" }, h("h3", {}, title), inside);
  return h(
    "div",
    { class: "boxes" },
    box("What articles got wrong", terms(NOTES)),
    box("What is explored, and what not", h("p", {}, LIMITS)),
    h(
      "details",
      { class: "box" },
      h("summary", {}, "Keys"),
      h("p", {}, "They work while something in this room has the focus."),
      terms(KEYS),
    ),
  );
}

/* All of it in its order; `room` is told what was pressed. */
export function buildRoom(room) {
  const parts = buildParts(room),
    choices = buildChoices(room),
    { A, B, a, b } = parts.moves;
  const group = (label, ...inside) =>
    h("div", { class: "buttons", role: "group", "aria-label": label }, ...inside);
  const list = [...choices.values()].map(choice => h("li", {}, choice));
  const main = h(
    "div",
    { class: "race" },
    parts.title,
    parts.story,
    parts.warning,
    group("Who goes next", A, B, a, b),
    group("Along the schedule", parts.back, parts.on, parts.play, parts.reset),
    parts.said,
    parts.track,
    parts.odds,
    h("div", { class: "desk" }, parts.stage, parts.code),
    parts.check,
    h("h3", {}, "All schedules"),
    group("All schedules", parts.count, parts.wrong),
    parts.counts,
    parts.lesson,
    buildShare(parts),
    buildBoxes(),
  );
  const element = h("div", { class: "races" }, h("ul", { class: "choice-of-race" }, ...list), main);
  return { parts, choices, element };
}
