/* tour.js — the tour: a minute with captions over the sandbox, to play, pause, and leaf through */
import { button, h, setUsable } from "./dom.js";
import { drawSide, scaleOf } from "./sandbox_draw.js";
import { loadEngine } from "./sandbox_engine.js";
import { Player } from "./sandbox_player.js";
import { policyOf, readLink } from "./sandbox_scene.js";
import { CHAPTERS, WRONG } from "./tour_texts.js";

const CHAPTER_MS = 6700; /* nine of them are a minute */
const MOVING = 0.7; /* the part of it in which ticks pass; then it rests */

const terms = pairs =>
  h("dl", {}, ...pairs.flatMap(([term, text]) => [h("dt", {}, term), h("dd", {}, text)]));

class Room {
  constructor(engine, page) {
    this.engine = engine;
    this.page = page;
    this.isPlaying = false;
    this.timers = [];
    this.parts = {
      title: h("h3", { class: "chapter-title" }),
      text: h("p", { class: "said", role: "status" }),
      warning: h("p", { class: "warning", role: "alert", hidden: true }),
      stage: h("div", { class: "sides" }),
      play: button("Play", () => this.play(), { class: "strong" }),
      back: button("Back", () => this.leaf(this.at - 1)),
      next: button("Next", () => this.leaf(this.at + 1)),
      open: h("a", { class: "way" }, "Open this scene in the sandbox"),
    };
    this.dots = CHAPTERS.map(({ title }, i) =>
      button(String(i + 1), () => this.leaf(i), { "aria-label": `Part ${i + 1}: ${title}` }),
    );
    this.element = this.#build();
    this.element.addEventListener("keydown", event => this.key(event));
  }

  #build() {
    const { parts } = this;
    return h(
      "div",
      { class: "tour" },
      h("h2", {}, "A tour in one minute"),
      parts.warning,
      h(
        "div",
        { class: "buttons", role: "group", "aria-label": "The tour" },
        ...[parts.play, parts.back, parts.next],
      ),
      h(
        "ol",
        { class: "track", "aria-label": "Parts of the tour" },
        ...this.dots.map(dot => h("li", {}, dot)),
      ),
      parts.title,
      parts.text,
      parts.stage,
      h("p", {}, parts.open),
      h(
        "section",
        { class: "box" },
        h("h3", {}, "What the articles got wrong"),
        h(
          "p",
          {},
          "Five published explanations of work stealing were read for this project, and their " +
            "code was checked.",
        ),
        terms(WRONG),
        h(
          "p",
          {},
          "More of them can be stepped through: see ",
          h("a", { class: "way", href: "#races" }, "the races"),
          ".",
        ),
      ),
    );
  }

  /* --- where we are --- */

  /* With less motion a part is shown as it ends, and nothing moves in between. */
  show(at) {
    this.#clear();
    this.at = at;
    const { scene, from, to } = CHAPTERS[at];
    this.scene = readLink(scene).scene;
    this.player = new Player(this.engine, this.scene);
    this.until = to ?? Infinity;
    const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.#passTo(this.isPlaying && !isStill ? from : this.until);
    this.drawTexts();
    this.draw();
    if (this.isPlaying) this.#schedule(isStill);
    this.page.setRest(at ? String(at + 1) : "");
  }

  #passTo(time) {
    while (this.player.time < time && !this.player.isOver) this.player.tick();
  }

  #schedule(isStill) {
    const ends = Math.max(...this.player.replays.map(({ sums }) => sums.makespan)),
      ticks = Math.min(this.until, ends) - this.player.time;
    this.timers.push(setTimeout(() => this.#turn(), CHAPTER_MS));
    if (isStill || ticks <= 0) return;
    const tick = () => {
      if (this.player.time >= this.until || this.player.isOver) return;
      this.player.tick();
      this.draw();
    };
    this.timers.push(setInterval(tick, (MOVING * CHAPTER_MS) / ticks));
  }

  #turn() {
    if (this.at + 1 < CHAPTERS.length) return this.show(this.at + 1);
    return this.pause();
  }

  #clear() {
    for (const timer of this.timers) clearInterval(timer); /* ends both kinds */
    this.timers = [];
  }

  play() {
    if (this.isPlaying) return this.pause();
    this.isPlaying = true;
    return this.show(this.at + 1 < CHAPTERS.length ? this.at : 0);
  }

  pause() {
    this.#clear();
    this.isPlaying = false;
    this.drawButtons();
  }

  leaf(at) {
    if (at < 0 || at >= CHAPTERS.length) return;
    this.pause();
    this.show(at);
  }

  key(event) {
    const { target, key } = event;
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (key === "ArrowRight") this.leaf(this.at + 1);
    else if (key === "ArrowLeft") this.leaf(this.at - 1);
    else if (key === "Home") this.leaf(0);
    else if (key === " " && !target.matches("button, a")) this.play();
    else return;
    event.preventDefault();
  }

  warn(text) {
    this.parts.warning.textContent = text;
    this.parts.warning.hidden = !text;
  }

  /* --- drawing --- */

  drawTexts() {
    const { title, text, scene } = CHAPTERS[this.at],
      { parts } = this;
    parts.title.textContent = `${this.at + 1} of ${CHAPTERS.length}: ${title}`;
    parts.text.textContent = text(this.player.replays);
    parts.open.setAttribute("href", "#sandbox/" + scene);
    this.drawButtons();
  }

  drawButtons() {
    const { parts } = this;
    parts.play.textContent = this.isPlaying ? "Pause" : "Play";
    setUsable(parts.back, this.at > 0);
    setUsable(parts.next, this.at + 1 < CHAPTERS.length);
    this.dots.forEach((dot, i) => {
      dot.classList.toggle("done", i <= this.at);
      if (i === this.at) dot.setAttribute("aria-current", "step");
      else dot.removeAttribute("aria-current");
    });
  }

  draw() {
    const { player, scene } = this,
      scale = scaleOf(player.replays);
    this.parts.stage.replaceChildren(
      ...player.replays.map((replay, i) =>
        drawSide(replay, player.time, {
          scale,
          id: i ? "right" : "left",
          title: policyOf(i ? scene.right : scene.left).title,
        }),
      ),
    );
  }
}

/* The room, as page.js takes it; #tour/3 is its third part. */
export function tourRoom(wasm) {
  return {
    id: "tour",
    title: "Tour",
    async open(place, page) {
      const room = new Room(await loadEngine(wasm), page);
      place.append(room.element);
      return {
        show(rest) {
          const isPart = /^[1-9]$/.test(rest) && Number(rest) <= CHAPTERS.length;
          room.warn(rest && !isPart ? "The tour has no such part; this is its beginning." : "");
          room.leaf(isPart ? Number(rest) - 1 : 0);
        },
        hide: () => room.pause(),
      };
    },
  };
}
