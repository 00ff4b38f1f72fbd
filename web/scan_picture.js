/* scan_picture.js — the boxes on a canvas: colours, labels, marks, moving in and out */

const byId = id => document.getElementById(id);
const canvas = byId("picture"),
  stage = byId("stage");
const STEP = 2000; /* boxes painted before the page may answer again; arbitrary */
let boxes = [],
  paints = 0,
  colours = {},
  fonts = {};

function readColours() {
  const style = getComputedStyle(document.documentElement),
    get = name => style.getPropertyValue("--" + name).trim();
  colours = {
    kinds: KINDS.map((_, i) => get("k" + i)),
    dirs: [0, 1, 2, 3].map(i => get("dir" + i)),
    mix: Number(get("mix")),
  };
  for (const name of ["card", "ink", "soft", "mark", "rest", "rest-line", "on-kind"])
    colours[name] = get(name);
  const family = getComputedStyle(document.body).fontFamily;
  fonts = { plain: "12px " + family, strong: "600 12px " + family };
}

/* As much of a text as has room. */
function fit(pen, text, room) {
  const whole = pen.measureText(text).width;
  if (whole <= room) return text;
  let length = Math.floor((text.length * room) / whole);
  for (; length > 0; length--) {
    const part = text.slice(0, length).replace(/[\ud800-\udbff]$/, "") + "\u2026";
    if (pen.measureText(part).width <= room)
      return length < 3 ? "" : part; /* "k…" tells nobody anything */
  }
  return "";
}

/* The lines that say: too many to be told apart. */
function hatch(pen) {
  const tile = document.createElement("canvas"),
    to = tile.getContext("2d");
  tile.width = tile.height = 6;
  to.fillStyle = colours.rest;
  to.fillRect(0, 0, 6, 6);
  to.strokeStyle = colours["rest-line"];
  to.lineWidth = 1.5;
  for (const at of [-6, 0, 6]) {
    to.moveTo(at, 6);
    to.lineTo(at + 6, 0);
  }
  to.stroke();
  return pen.createPattern(tile, "repeat");
}

function fillBox(pen, box) {
  const { node } = box,
    x = box.x + 0.75,
    y = box.y + 0.75,
    w = box.w - 1.5,
    h = box.h - 1.5;
  const isFaint = isMarking() && !isMarked(node);
  pen.beginPath();
  if (w > 8 && h > 8) pen.roundRect(x, y, w, h, 3);
  else pen.rect(x, y, Math.max(w, 1), Math.max(h, 1));
  if (isDir(node)) {
    pen.fillStyle = colours.dirs[Math.min(box.level, 3)];
    pen.fill();
    if (now.view === "map") return;
  }
  pen.fillStyle = isDir(node)
    ? colours.kinds[mainKind(node)]
    : isFile(node)
      ? colours.kinds[kinds[node]]
      : colours.hatch;
  pen.globalAlpha = (isDir(node) ? colours.mix : 1) * (isFaint ? 0.22 : 1);
  pen.fill();
  pen.globalAlpha = 1;
}

function labelBox(pen, box) {
  const { node } = box,
    room = box.w - 12,
    inMap = now.view === "map";
  if (room < 24 || box.h < 15) return;
  const isFaint = isMarking() && !isMarked(node),
    onKind = isFile(node) && !isFaint;
  pen.font = isDir(node) ? fonts.strong : fonts.plain;
  pen.fillStyle = onKind
    ? colours["on-kind"]
    : isFaint && !isDir(node)
      ? colours.soft
      : colours.ink;
  const isTall = inMap && !isDir(node) && box.h > 36;
  const line = inMap ? box.y + Math.min(box.h / 2, isDir(node) ? 11 : 12) : box.y + box.h / 2;
  const text = fit(pen, names[node], room);
  pen.fillText(text, box.x + 6, line);
  const used = pen.measureText(text).width,
    told = size(value(node));
  pen.font = fonts.plain;
  if (!onKind) pen.fillStyle = colours.soft;
  const wide = pen.measureText(told).width;
  if (isTall && wide <= room) pen.fillText(told, box.x + 6, line + 16);
  else if (!isTall && used + wide + 10 <= room) pen.fillText(told, box.x + box.w - 6 - wide, line);
}

function markBox(pen, box) {
  pen.strokeStyle = colours.ink;
  pen.lineWidth = Math.min(2.5, box.w / 3, box.h / 3);
  pen.strokeRect(box.x + 2, box.y + 2, Math.max(box.w - 4, 1), Math.max(box.h - 4, 1));
}

/* All boxes, in steps; a later call ends an earlier one. */
function paint() {
  const mine = ++paints,
    ratio = Math.min(window.devicePixelRatio || 1, 3);
  const width = stage.clientWidth,
    height = stage.clientHeight;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  const pen = canvas.getContext("2d");
  pen.scale(ratio, ratio);
  pen.textBaseline = "middle";
  pen.direction = "ltr";
  colours.hatch = hatch(pen);
  if (!boxes.length) {
    pen.font = fonts.plain;
    pen.fillStyle = colours.soft;
    pen.fillText("There is nothing in it to draw.", 16, 24);
  }
  let next = 0,
    steps = 0;
  canvas.dataset.state = "painting";
  const step = () => {
    if (mine !== paints) return;
    for (const end = Math.min(next + STEP, boxes.length); next < end; next++) {
      fillBox(pen, boxes[next]);
      labelBox(pen, boxes[next]);
      if (isMarking() && isMarked(boxes[next].node)) markBox(pen, boxes[next]);
    }
    canvas.dataset.steps = ++steps;
    if (next < boxes.length) requestAnimationFrame(step);
    else canvas.dataset.state = "whole";
  };
  step();
}

/* Lay out and paint what is here; the flame is as high as it is deep. */
let laid = "";
function picture() {
  stage.style.height = "";
  if (now.view === "flame") {
    const rows = 1 + Math.max(0, ...lay(stage.clientWidth, 0).map(box => box.level));
    stage.style.height = Math.max(8, rows) * ROW + 4 + "px";
  }
  boxes = lay(stage.clientWidth, stage.clientHeight);
  laid = stage.clientWidth + " " + stage.clientHeight;
  canvas.setAttribute(
    "aria-label",
    (now.view === "map" ? "Map of " : "Flame of ") +
      pathOf(now.here) +
      ", " +
      size(value(now.here)) +
      ", " +
      number(inside(now.here).length) +
      " in it",
  );
  paint();
  placeRing();
}

/* --- the one that is chosen --- */

const boxOf = node => boxes.find(box => box.node === node) ?? null;
function placeRing() {
  const box = now.chosen >= 0 ? boxOf(now.chosen) : null,
    ring = byId("ring");
  ring.hidden = !box;
  if (!box) return;
  ring.style.left = box.x + "px";
  ring.style.top = box.y + "px";
  ring.style.width = box.w + "px";
  ring.style.height = box.h + "px";
}

/* --- moving --- */

const isCalm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
const onto = (box, width, height) =>
  `translate(${box.x}px, ${box.y}px) scale(${box.w / width}, ${box.h / height})`;
const from = (box, width, height) =>
  `scale(${width / box.w}, ${height / box.h}) translate(${-box.x}px, ${-box.y}px)`;

/* Change the picture, and let the box that was entered grow, or the one that was left shrink. */
function move(change, entered, left) {
  const before = byId("before"),
    old = entered === null ? null : boxOf(entered);
  const width = stage.clientWidth,
    height = stage.clientHeight;
  before.width = canvas.width;
  before.height = canvas.height;
  if (canvas.width && canvas.height) before.getContext("2d").drawImage(canvas, 0, 0);
  change();
  const grown = left === null ? null : boxOf(left),
    box = old ?? grown;
  if (isCalm() || !box || now.view !== "map" || box.w < 4 || box.h < 4) return;
  const time = { duration: 260, easing: "cubic-bezier(0.3, 0, 0.2, 1)" };
  const near = onto(box, width, height),
    far = from(box, width, height);
  canvas.animate(
    [
      { transform: old ? near : far, opacity: 0 },
      { transform: "none", opacity: 1 },
    ],
    time,
  );
  before.animate(
    [
      { transform: "none", opacity: 1, visibility: "visible" },
      { transform: old ? far : near, opacity: 0, visibility: "visible" },
    ],
    time,
  );
}
