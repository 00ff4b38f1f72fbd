/* live.js — the room of running programs: counters of their pools, from `skua view --serve` */
import { h } from "./dom.js";
import { counted } from "./timeline_texts.js";

/*
 * Only a page that is served by skua itself has this room, and its policy lets it ask nobody else.
 * The server keeps nothing: what happened in a second is the difference of two answers.
 */
const EVERY_MS = 1000;
const ROWS_MAX = 256; /* workers of a pool that are shown */
const COLUMNS = ["state", "tasks/s", "steals/s", "parks/s"].concat(
  ["tasks", "steals", "parks", "wait", "task"],
);

export const isServed = () => document.getElementById("live-place") !== null;

const sayCount = number => Number(number).toLocaleString("en", { maximumFractionDigits: 0 });

class Room {
  constructor() {
    this.timer = null;
    this.before = new Map(); /* by pool and worker: what was counted last, and when */
    this.tables = new Map(); /* by pool: what is shown */
    this.choice = h("select", { id: "live-process" });
    this.choice.addEventListener("change", () => this.look());
    this.field = h(
      "div",
      { class: "buttons", hidden: true },
      h("label", { for: "live-process" }, "Program"),
      this.choice,
    );
    this.said = h("p", { class: "about", role: "status" });
    this.pools = h("div", { class: "tables" });
    this.element = h(
      "div",
      { class: "timeline" },
      h("h2", {}, "Running now"),
      h(
        "p",
        {},
        "Programs of yours that run with SKUA_MONITOR=1 in their environment, or call " +
          "skua_monitor_begin.",
      ),
      this.field,
      this.said,
      this.pools,
    );
  }

  show() {
    if (this.timer !== null) return;
    this.timer = setInterval(() => this.look(), EVERY_MS);
    this.look();
  }
  hide() {
    clearInterval(this.timer);
    this.timer = null;
  }

  async ask(query) {
    const answer = await fetch("/live" + query, { cache: "no-store" });
    if (!answer.ok) throw new Error(`skua says ${answer.status}`);
    return answer.json();
  }

  async look() {
    if (this.isBusy) return;
    this.isBusy = true;
    try {
      const { processes } = await this.ask("");
      this.drawChoice(processes);
      if (this.choice.value) this.draw(await this.ask("?pid=" + this.choice.value));
      else {
        this.say("No program with a monitored pool runs now.");
        this.drawPools(0, []);
      }
    } catch {
      this.say("skua view does not answer any more. Was it ended?");
    }
    this.isBusy = false;
  }

  /* A sentence is said once, not each second. */
  say(text) {
    if (this.said.textContent !== text) this.said.textContent = text;
  }

  drawChoice(processes) {
    this.field.hidden = processes.length === 0;
    const wanted = this.choice.value,
      options = processes.map(one => [String(one.process), `${one.program} (${one.process})`]);
    const shown = [...this.choice.options].map(({ value, text }) => [value, text]);
    if (JSON.stringify(shown) === JSON.stringify(options)) return;
    this.choice.replaceChildren(
      ...options.map(([value, text]) => h("option", { value, selected: value === wanted }, text)),
    );
  }

  draw({ process, program, pools, fault }) {
    const up = pools.reduce((sum, pool) => sum + pool.workers_active, 0),
      sums = `${counted(pools.length, "pool")}, ${counted(up, "worker")} up`;
    this.say(`${program || "Process"} (${process}): ${fault ?? sums}.`);
    this.drawPools(process, pools);
  }

  /*
   * Each second: a table stays while its pool and its number of rows do, and so do the keyboard
   * and what is scrolled in it.
   */
  drawPools(process, pools) {
    const now = performance.now(),
      { before, tables } = this;
    this.before = new Map();
    this.tables = new Map();
    for (const pool of pools) {
      const key = `${process}.${pool.number}`,
        workers = pool.workers.slice(0, ROWS_MAX),
        old = tables.get(key),
        table = old?.rows.length === workers.length ? old : buildTable(workers.length);
      this.tables.set(key, table);
      const title = `Pool ${pool.name || pool.number}`;
      if (table.caption.textContent !== title) {
        table.caption.textContent = title;
        table.element.setAttribute("aria-label", title);
      }
      workers.forEach((worker, i) => {
        const place = `${key}.${worker.number}`,
          counts = [worker.tasks, worker.steals, worker.parks];
        fillRow(table.rows[i], worker, ratesOf(counts, before.get(place), now));
        this.before.set(place, { counts, now });
      });
    }
    const shown = [...this.tables.values()].map(({ element }) => element),
      { children } = this.pools;
    for (const element of [...children]) if (!shown.includes(element)) element.remove();
    shown.forEach((element, i) => {
      if (children[i] !== element) this.pools.insertBefore(element, children[i] ?? null);
    });
  }
}

/* A table of so many workers, with nothing in it. */
function buildTable(count) {
  const caption = h("caption", {}),
    heads = ["worker", ...COLUMNS].map(head => h("th", { scope: "col" }, head)),
    row = () => h("tr", {}, h("th", { scope: "row" }), ...COLUMNS.map(() => h("td", {})));
  const rows = Array.from({ length: count }, row),
    element = h(
      "div",
      { class: "scroll", tabindex: 0, role: "region" },
      h("table", {}, caption, h("thead", {}, h("tr", {}, ...heads)), h("tbody", {}, ...rows)),
    );
  return { element, caption, rows };
}

function fillRow(row, worker, rates) {
  const texts = [
    `worker ${worker.number}`,
    worker.is_stuck ? worker.state + ", stuck" : worker.state,
    ...rates.map(rate => (rate === null ? "" : sayCount(rate))),
    ...[worker.tasks, worker.steals, worker.parks, worker.deque + worker.forks].map(sayCount),
    worker.task ?? "",
  ];
  texts.forEach((text, i) => {
    if (row.cells[i].textContent !== text) row.cells[i].textContent = text;
  });
}

/* How much more there is a second; null the first time. */
function ratesOf(counts, before, now) {
  if (!before || now <= before.now) return counts.map(() => null);
  return counts.map((count, i) =>
    Math.max(0, ((count - before.counts[i]) * 1000) / (now - before.now)),
  );
}

/* The room, as page.js takes it. */
export const liveRoom = {
  id: "live",
  title: "Live",
  open(place) {
    const room = new Room();
    place.append(room.element);
    return { show: () => room.show(), hide: () => room.hide() };
  },
};
