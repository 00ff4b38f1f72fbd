/* scan_page.js — the page as a whole: going in and out, choosing, searching; keys and pointer */

const kindName = node =>
  isDir(node)
    ? "directory"
    : isFile(node)
      ? KINDS[kinds[node]][0].toLowerCase()
      : "too small to show";
function details(node) {
  const told = [size(value(node))];
  if (node !== now.here) told.push(share(node) + " of " + shortName(now.here));
  if (isDir(node) && now.by !== "files")
    told.push(number(data.files[node]) + (data.files[node] === 1 ? " file" : " files"));
  return [...told, kindName(node)];
}
function tell(node) {
  byId("said").textContent = pathOf(node) + ": " + details(node).join(", ");
}

function refresh() {
  showWay();
  picture();
  showLegend();
  showFound();
  showInside();
}

/* Show what is in a directory. */
function go(node, chosen = -1) {
  const old = now.here,
    isIn = node !== old && wayTo(node).includes(old),
    isOut = node !== old && wayTo(old).includes(node);
  const left = isOut ? wayTo(old)[wayTo(node).length] : null;
  shown = ROWS;
  hideTip();
  move(
    () => {
      now.here = node;
      now.chosen = isOut && chosen < 0 ? left : chosen;
      now.isOpen = false;
      refresh();
    },
    isIn ? node : null,
    left,
  );
  const hash = node ? "#" + node : "";
  if (location.hash !== hash) history.pushState(null, "", hash || location.pathname);
  tell(now.chosen >= 0 ? now.chosen : node);
}
/* A directory is entered, a file is pointed at where it lies. */
function show(node) {
  if (isDir(node)) go(node);
  else go(up[node], node);
  if (stage.getBoundingClientRect().bottom < 80)
    stage.scrollIntoView({ block: "nearest", behavior: isCalm() ? "auto" : "smooth" });
}
function choose(node) {
  now.chosen = node;
  placeRing();
  tell(node);
}
function mark(kind) {
  now.kind = now.kind === kind ? -1 : kind;
  if (now.kind >= 0) {
    byId("find").value = "";
    setWords("");
    showFound();
  }
  paint();
  showLegend();
}
function search(text) {
  byId("find").value = text;
  setWords(text);
  now.kind = -1;
  paint();
  showLegend();
  showFound();
}

/* --- pointer --- */

function place(event) {
  const area = stage.getBoundingClientRect();
  return [event.clientX - area.left - stage.clientLeft, event.clientY - area.top - stage.clientTop];
}
const hideTip = () => {
  byId("tip").hidden = true;
};
function showTip(box, x, y) {
  const tip = byId("tip");
  tip.textContent = "";
  tip.append(make("b", names[box.node]));
  const told = details(box.node);
  tip.append(make("div", told.slice(0, 2).join(", ")), make("div", told.slice(2).join(", ")));
  tip.hidden = false;
  const right = x + 16 + tip.offsetWidth > stage.clientWidth,
    low = y + 16 + tip.offsetHeight > stage.clientHeight;
  tip.style.left = Math.max(4, right ? x - 12 - tip.offsetWidth : x + 16) + "px";
  tip.style.top = Math.max(4, low ? y - 12 - tip.offsetHeight : y + 16) + "px";
}
canvas.onpointermove = event => {
  const [x, y] = place(event),
    box = event.pointerType === "touch" ? null : boxAt(boxes, x, y);
  if (box) showTip(box, x, y);
  else hideTip();
};
canvas.onpointerleave = hideTip;
canvas.onclick = event => {
  const box = boxAt(boxes, ...place(event));
  if (!box) return;
  const { node } = box;
  if (node === now.here) goUp(); /* the flame's first row */
  else if (isDir(node)) go(node);
  else if (up[node] !== now.here && now.view === "map") go(up[node], node);
  else choose(node);
};

/* --- keys --- */

function goUp() {
  if (now.here) go(up[now.here], now.here);
}
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
canvas.onkeydown = event => {
  if (event.altKey || event.ctrlKey || event.metaKey) return;
  const arrow = ARROWS[event.key];
  if (arrow) {
    const box = neighbour(boxes, now.chosen >= 0 ? boxOf(now.chosen) : null, ...arrow);
    if (box) choose(box.node);
  } else if (event.key === "Enter") {
    if (now.chosen >= 0 && isDir(now.chosen)) go(now.chosen);
  } else if (event.key === "Backspace") goUp();
  else if (event.key === "Home") go(0);
  else return;
  event.preventDefault();
};
byId("find").onkeydown = event => {
  if (event.key === "Escape") search("");
};

/* --- the rest --- */

byId("up").onclick = goUp;
byId("find").oninput = event => search(event.target.value);
for (const input of document.querySelectorAll("input[type=radio]")) {
  if (input.checked) now[input.name] = input.value; /* a browser may remember the last visit */
  input.onchange = () => {
    now[input.name] = input.value;
    refresh();
    tell(now.chosen >= 0 ? now.chosen : now.here);
  };
}
function fromHash() {
  const node = Number(location.hash.slice(1));
  return Number.isInteger(node) && node > 0 && node < count && isDir(node) ? node : 0;
}
window.onpopstate = () => {
  if (fromHash() !== now.here) go(fromHash());
};
new ResizeObserver(() => {
  if (laid !== stage.clientWidth + " " + stage.clientHeight) picture();
}).observe(stage);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
  readColours();
  paint();
});

readColours();
showFacts();
showLists();
setWords(byId("find").value);
now.here = fromHash();
refresh();
tell(now.here);
