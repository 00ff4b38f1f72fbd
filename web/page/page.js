/* page.js — the page as a whole: its rooms, which one is shown, and the address that says so */
import { h } from "./dom.js";
import { rooms } from "./rooms.js";

const HEAD_BYTES = 64; /* enough to tell what a file is */
const ADDRESS_MS = 200; /* an address is written when steps pause: browsers refuse too many */

const opened = new Map(); /* by id: the place, and a promise of what the room's open returns */
let shown = null,
  pending = null,
  turns = 0, /* how often an address was followed: a slow room must not push a later one away */
  taken = 0; /* and how often a file was */

const links = new Map(rooms.map(room => [room.id, h("a", { href: "#" + room.id }, room.title)]));
document.getElementById("rooms").hidden = rooms.length < 2; /* one room needs no door */
document.getElementById("rooms").append(...[...links.values()].map(link => h("li", {}, link)));

function setRest(id, rest) {
  const hash = "#" + id + (rest ? "/" + rest : "");
  links.get(id).setAttribute("href", hash);
  if (shown === id) {
    clearTimeout(pending);
    pending = setTimeout(() => {
      if (shown === id && location.hash !== hash) history.replaceState(null, "", hash);
    }, ADDRESS_MS);
  }
  return location.href.replace(/#.*/s, "") + hash;
}

/* A room that cannot be opened says so in its place; the others go on. */
function openRoom(room) {
  const place = h("section", { id: "room-" + room.id, "aria-label": room.title });
  document.getElementById("place").append(place);
  const open = async () => room.open(place, { setRest: rest => setRest(room.id, rest), take });
  const inside = open().catch(error => {
    const why = `This room could not be opened: ${error.message}. Is WebAssembly allowed?`;
    place.replaceChildren(h("p", { class: "warning", role: "alert" }, why));
    return { show() {}, hide() {} };
  });
  return { place, inside };
}

/* Show what the address says: #room/rest; where it says nothing, what the page was made for. */
async function show() {
  clearTimeout(pending);
  const turn = ++turns,
    [id, ...rest] = location.hash.slice(1).split("/"),
    room =
      rooms.find(other => other.id === id) ?? rooms.find(other => other.isWanted?.()) ?? rooms[0];
  if (!opened.has(room.id)) opened.set(room.id, openRoom(room));
  const inside = await opened.get(room.id).inside;
  if (turn !== turns) return;
  if (shown && shown !== room.id) (await opened.get(shown).inside).hide();
  shown = room.id;
  for (const [other, { place }] of opened) place.hidden = other !== room.id;
  for (const [other, link] of links) {
    if (other === room.id) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  document.title = room.title + " \u00b7 skua";
  inside.show(room.id === id ? rest.join("/") : "");
  document.documentElement.dataset.state = "ready";
}

/*
 * A file that was chosen in a room or dropped anywhere is for the room that knows its beginning;
 * where none does, for the one that is shown, if it takes files.  Moves there if need be.
 */
async function take(file) {
  const turn = ++taken,
    head = await file.slice(0, HEAD_BYTES).text().catch(() => ""); /* the room will say why */
  if (turn !== taken) return;
  const here = await opened.get(shown)?.inside,
    { id } =
      rooms.find(room => room.knows?.(head)) ??
      rooms.find(room => (here?.take ? room.id === shown : room.isForFiles));
  if (id !== shown) {
    const isLeft = opened.get(shown)?.place.contains(document.activeElement);
    history.pushState(null, "", "#" + id);
    await show();
    if (isLeft) links.get(id).focus(); /* what had the keyboard is not seen any more */
  }
  (await opened.get(id).inside).take?.(file);
}
/* A browser would leave the page for a file that is dropped on it. */
addEventListener("dragover", event => {
  if (event.dataTransfer?.types.includes("Files")) event.preventDefault();
});
addEventListener("drop", event => {
  const file = event.dataTransfer?.files[0];
  if (!file || event.defaultPrevented) return; /* a room has taken it itself */
  event.preventDefault();
  take(file);
});

addEventListener("hashchange", show);
show();
