/* scan_tables.js — head, breadcrumb, legend and tables: all that the picture shows, as text */

const ROWS = 100; /* of a table before the rest is asked for; arbitrary */
let shown = ROWS;

function make(tag, text, className) {
  const element = document.createElement(tag);
  if (text !== undefined) element.textContent = text;
  if (className) element.className = className;
  return element;
}
function button(text, press) {
  const element = make("button", text);
  element.type = "button";
  element.onclick = press;
  return element;
}
const colourOf = kind => "var(--k" + kind + ")";
function swatch(kind, className = "") {
  const element = make("span", undefined, "swatch " + className);
  element.style.setProperty("--of", colourOf(kind));
  element.setAttribute("aria-hidden", "true");
  return element;
}
const swatchOf = node =>
  isDir(node) ? swatch(OTHER, "dir") : isFile(node) ? swatch(kinds[node]) : swatch(OTHER, "rest");

/* heads: [text, class]; fill gets the body. */
function table(title, more, heads, fill) {
  const element = make("table"),
    caption = element.createCaption();
  caption.append(title, make("span", more ? " " + more : ""));
  const row = element.createTHead().insertRow();
  for (const [text, className] of heads) {
    const th = make("th", text, className);
    th.scope = "col";
    row.append(th);
  }
  fill(element.createTBody());
  return element;
}
function cell(row, content, className) {
  const td = row.insertCell();
  td.append(content);
  if (className) td.className = className;
  return td;
}

/* --- head --- */

function showFacts() {
  const total = data.total;
  const facts = [
    ["On disk", bytes(total.disk), total.disk],
    ["Apparent", bytes(total.bytes), total.bytes],
    ["Files", number(total.files), total.files],
    ["Directories", number(total.directories), total.directories],
    ["Symbolic links", number(total.symlinks), total.symlinks],
    ["Others", number(total.others), total.others],
    ["Not read", number(total.errors), total.errors],
  ];
  for (const [title, text, exact] of facts) {
    if (!exact && (title === "Others" || title === "Not read")) continue;
    const div = make("div"),
      dd = make("dd", text);
    dd.dataset.value = exact;
    dd.title = number(exact);
    div.append(make("dt", title), dd);
    byId("facts").append(div);
  }
  byId("title").textContent = clean(data.path);
  document.title = "skua scan: " + clean(data.path);
  byId("warning").hidden = !data.is_partial;
  byId("warning").textContent = "The scan was interrupted: this is not all.";
}

/* Far down, the middle of the way is one button until it is wanted. */
function showWay() {
  const way = wayTo(now.here),
    list = byId("way"),
    isCut = way.length > 6 && !now.isOpen;
  const parts = isCut ? [way[0], -1, ...way.slice(-4)] : way;
  list.textContent = "";
  for (const node of parts) {
    const li = make("li");
    const part =
      node < 0
        ? button("\u2026", () => {
            now.isOpen = true;
            showWay();
            list.querySelectorAll("button")[1].focus();
          })
        : button(names[node], () => go(node));
    if (node < 0)
      part.setAttribute("aria-label", "Show " + (way.length - 5) + " directories between");
    if (node === now.here) part.setAttribute("aria-current", "location");
    li.append(part);
    list.append(li);
  }
  byId("up").setAttribute("aria-disabled", String(now.here === 0));
}

function showLegend() {
  const list = byId("legend"),
    of = kindSums(now.here),
    whole = value(now.here);
  const focused = list.contains(document.activeElement)
    ? document.activeElement.dataset.kind
    : null;
  list.textContent = "";
  const order = [...KINDS.keys()]
    .filter(kind => of[kind] > 0 || kind === now.kind)
    .sort((a, b) => of[b] - of[a]);
  const told = value =>
    " " + (whole ? ((100 * value) / whole).toFixed(value < whole / 10 ? 1 : 0) : 0) + " %";
  for (const kind of order) {
    const li = make("li"),
      press = button("", () => mark(kind));
    press.append(swatch(kind), KINDS[kind][0], make("span", told(of[kind]), "soft"));
    press.setAttribute("aria-pressed", String(now.kind === kind));
    press.dataset.kind = kind;
    li.append(press);
    list.append(li);
  }
  if (of[KINDS.length] > 0) {
    const li = make("li");
    li.append(
      swatch(OTHER, "rest"),
      "Too small to show",
      make("span", "\u00a0" + told(of[KINDS.length]).trim(), "soft"),
    );
    list.append(li);
  }
  if (focused !== null) list.querySelector(`[data-kind="${focused}"]`)?.focus();
}

/* --- tables of nodes --- */

function nodeRow(body, node, text) {
  const row = body.insertRow(),
    name = make("span");
  name.append(swatchOf(node), sorts[node] === 2 ? text : button(text, () => show(node)));
  cell(row, name);
  cell(row, size(value(node)), "n");
  const track = make("span", undefined, "track wide"),
    bar = make("i");
  track.setAttribute("aria-hidden", "true");
  bar.style.setProperty(
    "--part",
    (value(now.here) ? Math.min(100, (100 * value(node)) / value(now.here)) : 0) + "%",
  );
  bar.style.setProperty("--of", isDir(node) ? "var(--mark)" : colourOf(kinds[node]));
  track.append(bar);
  const pair = make("span", undefined, "pair");
  pair.append(make("span", share(node)), track);
  cell(row, pair, "share");
  row.className = node === now.chosen ? "chosen" : "";
}
const nodeHeads = [["Name"], ["Size", "n"], ["Share", "share"]];

function showInside() {
  const all = inside(now.here),
    out = byId("inside");
  const more =
    number(all.length) + (all.length === 1 ? " entry" : " entries") + ", " + size(value(now.here));
  out.textContent = "";
  out.append(
    table("In " + names[now.here], more, nodeHeads, body => {
      for (const node of all.slice(0, shown))
        nodeRow(body, node, names[node] + (isDir(node) && !names[node].endsWith("/") ? "/" : ""));
    }),
  );
  if (all.length <= shown) return;
  const rest = button("Show " + number(Math.min(10 * ROWS, all.length - shown)) + " more", () => {
    const first = shown;
    shown += 10 * ROWS;
    showInside();
    out.querySelectorAll("tbody tr")[first].querySelector("button")?.focus();
  });
  rest.className = "plain";
  out.append(rest);
}

function showFound() {
  const out = byId("found");
  out.textContent = "";
  byId("count").textContent = "";
  if (!isWord) return;
  const found = [];
  for (let node = 1; node < count; node++) if (isMarked(node)) found.push(node);
  found.sort((a, b) => value(b) - value(a));
  byId("count").textContent = found.length ? number(found.length) + " found" : "nothing found";
  if (found.length)
    out.append(
      table(
        "Found",
        number(found.length) + (found.length > 50 ? ", the largest 50" : ""),
        nodeHeads,
        body => {
          for (const node of found.slice(0, 50)) nodeRow(body, node, pathOf(node));
        },
      ),
    );
}

/* --- tables of the whole scan --- */

const FIRST = 12; /* rows of these tables before the rest is asked for; arbitrary */

/* A table of which the first rows are shown, and a button for the others. */
function folded(element) {
  const part = make("div"),
    later = [...element.tBodies[0].rows].slice(FIRST);
  part.append(element);
  if (later.length < 3) return part;
  for (const row of later) row.hidden = true;
  const rest = button("Show " + number(later.length) + " more", () => {
    for (const row of later) row.hidden = false;
    rest.remove();
    later[0].querySelector("button")?.focus();
  });
  rest.className = "plain";
  part.append(rest);
  return part;
}

function extensions() {
  const rest = data.extensions_rest,
    heads = [["Extension"], ["Files", "n"], ["On disk", "n"], ["Apparent", "n wide"]];
  return table("By extension", "in all of the scan", heads, body => {
    for (const [ending, files, disk, apparent] of data.extensions) {
      const row = body.insertRow(),
        name = make("span"),
        word = clean(ending);
      name.append(
        swatch(kindOf(ending)),
        ending ? button("." + word, () => search("*." + word)) : "(none)",
      );
      cell(row, name);
      [number(files), bytes(disk)].forEach(text => cell(row, text, "n"));
      cell(row, bytes(apparent), "n wide");
    }
    if (!rest[0]) return;
    const row = body.insertRow(),
      name = make("span");
    name.append(swatch(OTHER, "rest"), number(rest[0]) + " more");
    cell(row, name);
    [number(rest[1]), bytes(rest[2])].forEach(text => cell(row, text, "n"));
    cell(row, bytes(rest[3]), "n wide");
  });
}

function largest() {
  const places = new Map(data.largest.map(([path]) => [path, -1]));
  const lasts = new Set([...places.keys()].map(path => path.slice(path.lastIndexOf("/") + 1)));
  for (let node = 1; node < count; node++) {
    if (!isFile(node) || !lasts.has(data.names[node])) continue;
    const path = pathOf(node, data.names);
    if (places.has(path)) places.set(path, node);
  }
  return table("Largest files", "in all of the scan", [["Path"], ["On disk", "n"]], body => {
    for (const [path, disk] of data.largest) {
      const row = body.insertRow(),
        node = places.get(path),
        text = clean(path);
      cell(row, node >= 0 ? button(text, () => show(node)) : text);
      cell(row, bytes(disk), "n");
    }
  });
}

function showLists() {
  const out = byId("lists");
  if (data.largest.length) out.append(folded(largest()));
  if (data.extensions.length) out.append(folded(extensions()));
  if (data.errors.length)
    out.append(
      folded(
        table("Could not be read", number(data.total.errors), [["Path"], ["Why"]], body => {
          for (const [path, why] of data.errors) {
            const row = body.insertRow();
            cell(row, clean(path));
            cell(row, clean(why));
          }
        }),
      ),
    );
}
