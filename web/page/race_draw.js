/* race_draw.js — draws a race: the deque, what each thread knows, and the C code it stands in */
import { h } from "./dom.js";
import { say, tellNext } from "./race_texts.js";

const LETTERS = ["A", "B"];
const badge = number => h("b", { class: "badge badge-" + LETTERS[number] }, LETTERS[number]);
const hidden = text => h("span", { class: "hidden" }, text);

/* --- the deque --- */

/* Which threads will touch a word next: their letters, and the same in words. */
function visitors(race, state, name) {
  const cell = race.indexOf[name];
  return state.threads.flatMap((thread, number) =>
    thread.next && thread.next.cell === cell
      ? [badge(number), hidden(` ${race.spec.who[number]} is about to use it`)]
      : [],
  );
}

function indexWord(race, state, name, end) {
  const value = state.words[race.indexOf[name]],
    wasHit = isHit(race, state, name);
  return h(
    "div",
    { class: `word at-${value}` + (wasHit ? " hit" : "") },
    h("span", { class: "name" }, name),
    h("span", { class: "value", "data-word": name }, String(value)),
    h("span", { class: "visitors" }, ...visitors(race, state, name)),
    h("span", { class: "end" }, end),
  );
}

/* Did the last step change this word of memory? */
function isHit(race, state, name) {
  const { event } = state;
  if (!event || event.cell !== race.indexOf[name]) return false;
  return (
    event.kind === "flush" ||
    event.kind === "rmw" ||
    (event.kind === "store" && !event.isBuffered) ||
    (event.kind === "cas" && event.isDone)
  );
}

function slot(race, state, index) {
  const name = "slot " + index,
    value = state.words[race.indexOf[name]],
    top = state.words[race.indexOf.top],
    isLive = index >= top && index < state.words[race.indexOf.bottom];
  return h(
    "li",
    { class: "slot" + (isLive ? " live" : "") + (isHit(race, state, name) ? " hit" : "") },
    h("span", { class: "name" }, name),
    h("span", { class: "value", "data-word": name }, value ? "task " + value : "empty"),
    h("span", { class: "note" }, isLive ? "in the deque" : value ? "left over" : "\u00a0"),
    h("span", { class: "visitors" }, ...visitors(race, state, name)),
  );
}

/* Shared memory: indices above and below the slots they point at. */
export function drawMemory(race, state) {
  return h(
    "figure",
    { class: "memory" },
    h("figcaption", {}, "Shared memory"),
    indexWord(race, state, "top", "thieves' end, oldest first"),
    h("ol", { class: "slots" }, slot(race, state, 0), slot(race, state, 1)),
    indexWord(race, state, "bottom", "owner's end, one behind the newest"),
  );
}

/* --- the threads --- */

/* The newest value of each word that a thread has read, from the events up to here. */
function knowledge(race, states, number) {
  const known = new Map();
  for (const { event } of states) {
    if (!event || event.number !== number || event.cell === undefined) continue;
    const cell = race.cells[event.cell];
    if (["load", "rmw", "cas"].includes(event.kind) && cell.name !== "buffer")
      known.set(cell.name, say(cell, event.answer));
  }
  return known;
}

function drawBuffer(race, { buffer }) {
  const stores = buffer.map(({ cell, value }) =>
    h("li", {}, `${race.cells[cell].name} = ${say(race.cells[cell], value)}`),
  );
  return [
    h("dt", {}, "Store buffer"),
    h("dd", { class: "buffer" }, stores.length ? h("ol", {}, ...stores) : "empty"),
  ];
}

export function drawThread(race, states, number) {
  const state = states.at(-1),
    thread = state.threads[number],
    known = knowledge(race, states, number);
  const held = thread.got.map(task => (task ? "task " + task : "nothing")).join(", ");
  return h(
    "section",
    { class: "thread thread-" + LETTERS[number] },
    h("h3", {}, badge(number), " ", race.spec.who[number].replace(/ [AB]$/, "")),
    h(
      "dl",
      {},
      h("dt", {}, thread.end === null ? "Next" : "End"),
      h("dd", { class: "next" }, "It " + tellNext(race, thread) + "."),
      h("dt", {}, "Has read"),
      h(
        "dd",
        {},
        [...known].map(([name, value]) => `${name}: ${value}`).join(", ") || "nothing yet",
      ),
      h("dt", {}, "Holds"),
      h("dd", { class: "holds" }, held || (thread.end === null ? "nothing yet" : "nothing")),
      race.spec.hasBuffers ? drawBuffer(race, thread) : null,
    ),
  );
}

/* --- the code --- */

/* The lines of one C function: number, text, whether it is nothing but comment. */
export function excerpt(source, name) {
  const lines = source.split("\n"),
    first = lines.findIndex(line => /^\w/.test(line) && line.includes(name + "(")),
    last = lines.findIndex((line, index) => index > first && line.startsWith("}"));
  let isInside = false;
  return lines.slice(first, last + 1).map((text, index) => {
    const trimmed = text.trim(),
      isComment = isInside || trimmed.startsWith("/*");
    const ends = trimmed.includes("*/");
    const isAlone = isComment && (!ends || trimmed.endsWith("*/"));
    isInside = isComment && !ends;
    return { number: first + 1 + index, text: text.replaceAll("\t", "    "), isComment: isAlone };
  });
}

function drawLine(race, state, line, threads) {
  const here = threads.filter(number => {
    const { next } = state.threads[number];
    return next && next.file === race.spec.file && next.line === line.number;
  });
  return h(
    "li",
    { class: here.length ? "here" : null, "data-line": line.number },
    h("span", { class: "marks" }, ...here.map(badge)),
    h("span", { class: "number", "aria-hidden": "true" }, String(line.number)),
    h("code", { class: line.isComment ? "comment" : null }, line.text || " "),
    here.length
      ? hidden(` next: ${here.map(number => race.spec.who[number]).join(" and ")}`)
      : null,
  );
}

function drawListing(race, state, functions, threads, { source, hasComments }) {
  const names = threads.map(number => race.spec.who[number]).join(" and ");
  const lines = functions.flatMap(name => excerpt(source, name));
  const title = `${names}: ${functions.join("(), ")}() in ${race.spec.file}`;
  return h(
    "section",
    { class: "listing" },
    h("h3", {}, ...threads.map(badge), " ", h("code", {}, functions.join("(), ") + "()")),
    h(
      "ol",
      { class: "lines", role: "list", "aria-label": title },
      ...lines
        .filter(line => hasComments || !line.isComment)
        .map(line => drawLine(race, state, line, threads)),
    ),
  );
}

/* One listing where both threads run the same function, else one each. */
export function drawCode(race, state, options) {
  const [a, b] = race.spec.code;
  if (a.join() === b.join()) return [drawListing(race, state, a, [0, 1], options)];
  return [drawListing(race, state, a, [0], options), drawListing(race, state, b, [1], options)];
}
