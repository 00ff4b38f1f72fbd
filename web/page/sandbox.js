/* sandbox.js — the sandbox: workers and deques under two policies, stepped in both directions */
import { h, setUsable } from "./dom.js";
import { drawSide, scaleOf } from "./sandbox_draw.js";
import { loadEngine } from "./sandbox_engine.js";
import { buildRoom } from "./sandbox_parts.js";
import { Player } from "./sandbox_player.js";
import * as scenes from "./sandbox_scene.js";

const TIMER_MS = 1000;

class Room {
  constructor(engine, page) {
    this.engine = engine;
    this.page = page;
    this.timer = null;
    this.speed = 3;
    this.chosen = 0;
    this.priority = "normal"; /* of tasks that are added */
    const { parts, element } = buildRoom(this);
    Object.assign(this, { parts, element });
    element.addEventListener("keydown", event => this.key(event));
  }

  /* --- the scene --- */

  /* A new scene is simulated from its start to its end at once; then it is only shown. */
  load(scene) {
    this.stop();
    this.scene = scene;
    this.chosen = Math.min(this.chosen, scene.workers - 1);
    this.warn("");
    try {
      this.player = new Player(this.engine, scene);
    } catch (error) {
      this.player = new Player(this.engine, { ...scene, work: "none", adds: [] });
      this.warn(`This scene cannot be simulated: ${error.message}.`);
    }
    this.player.goTo(scene.at);
    this.drawChoices();
    this.draw();
  }

  change(what) {
    this.load({ ...this.scene, at: 0, ...what });
  }

  /* Some work is there to show a difference: then the policies that do come with it. */
  setWork(work) {
    this.change({ work, adds: [], ...scenes.WORKS.find(one => one.id === work).shows });
  }

  setWorkers(workers) {
    const adds = this.scene.adds.filter(([worker]) => worker < workers);
    this.change({ workers, adds });
  }

  setSeed(text) {
    const seed = Number(text);
    if (Number.isInteger(seed) && seed >= 0 && seed <= scenes.SEED_MAX && text !== "")
      return this.change({ seed });
    this.parts.seed.value = String(this.scene.seed);
    return this.warn(`A seed is a whole number from 0 to ${scenes.SEED_MAX}.`);
  }

  setPolicy(side) {
    const { how, victim, heed } = this.parts[side],
      word = how.value,
      { steals, heeds } = scenes.HOWS.find(one => one.id === word) ?? {},
      rest = (steals ? "-" + victim.value : "") + (heeds === "asked" && heed.value === "-urgent" ? heed.value : "");
    this.change({ [side]: word ? word + rest : null });
  }

  choose(worker) {
    this.chosen = worker;
    this.parts.chosen.value = String(worker);
    this.draw();
  }

  setPriority(priority) {
    this.priority = priority;
  }

  add(count, priority = this.priority) {
    const { scene, chosen } = this;
    if (scenes.added(scene) + count > scenes.ADDED_MAX)
      return this.warn(`There is room for ${scenes.ADDED_MAX} tasks of your own, not for more.`);
    const adds = [...scene.adds],
      last = adds.at(-1),
      isUsual = priority === "normal",
      isMore = last?.[0] === chosen && (last[2] ?? "normal") === priority,
      sum = isMore ? adds.pop()[1] + count : count;
    adds.push(isUsual ? [chosen, sum] : [chosen, sum, priority]);
    this.change({ adds });
    const kind = isUsual ? "" : priority + " ",
      what = count === 1 ? `1 ${kind}task is` : `${count} ${kind}tasks are`;
    const isHeeded = [scene.left, scene.right].some(
        word => word && scenes.policyOf(word).isUrgentFirst,
      ),
      hint = isUsual || isHeeded ? "" : " No side heeds priorities: choose \u201curgent first\u201d.";
    return this.say(`${what} added to worker ${chosen}. The run begins anew.${hint}`);
  }

  /* --- time --- */

  stopAt(at) {
    this.stop();
    this.player.goTo(at);
    this.draw();
  }

  setSpeed(speed) {
    this.speed = speed;
    if (this.timer === null) return;
    this.stop();
    this.run();
  }

  run() {
    if (this.timer !== null) return this.stop();
    if (this.player.isOver) this.player.goTo(0);
    if (this.player.isEmpty) return undefined;
    const tick = () => {
      this.player.tick();
      if (this.player.isOver) this.stop();
      this.draw();
    };
    /* A sentence a tick is too much for a screen reader: while it runs, nothing is read out. */
    this.parts.said.setAttribute("aria-live", "off");
    this.timer = setInterval(tick, TIMER_MS / this.speed);
    return tick();
  }

  stop() {
    if (this.timer === null) return;
    clearInterval(this.timer);
    this.timer = null;
    this.parts.said.setAttribute("aria-live", "polite");
    this.draw();
  }

  key(event) {
    const { target, key } = event,
      isField = target.matches("input, select, textarea");
    if (event.ctrlKey || event.altKey || event.metaKey || isField) return;
    const { at, length } = this.player,
      letter = key.toLowerCase();
    if (key === "ArrowRight") this.stopAt(at + 1);
    else if (key === "ArrowLeft") this.stopAt(at - 1);
    else if (key === "Home") this.stopAt(0);
    else if (key === "End") this.stopAt(length);
    else if (letter === "a") this.add(1);
    else if (letter === "u") this.add(1, "urgent");
    else if (letter === "l") this.add(1, "low");
    else if (letter === "p") this.nextPolicy();
    else if (key === "?") this.parts.keys.open = !this.parts.keys.open;
    else if (/^\d$/.test(key) && Number(key) < this.scene.workers) this.choose(Number(key));
    else if (key === " " && !target.matches("button, summary")) this.run();
    else return;
    event.preventDefault();
  }

  nextPolicy() {
    const { how } = this.parts.left;
    how.selectedIndex = (how.selectedIndex + 1) % how.options.length;
    this.setPolicy("left");
    this.say(`The left run is now: ${scenes.policyOf(this.scene.left).title}.`);
  }

  /* --- drawing --- */

  warn(text) {
    this.parts.warning.textContent = text;
    this.parts.warning.hidden = !text;
  }

  say(text) {
    this.parts.said.textContent = text;
  }

  drawChoices() {
    const { parts, scene } = this;
    parts.work.value = scene.work;
    parts.workers.value = String(scene.workers);
    parts.seed.value = String(scene.seed);
    const names = Array.from({ length: scene.workers }, (_, w) =>
      h("option", { value: w }, `worker ${w}`),
    );
    parts.chosen.replaceChildren(...names);
    parts.chosen.value = String(this.chosen);
    for (const side of ["left", "right"]) {
      const { how, victim, whom, heed, order } = parts[side],
        policy = scene[side] && scenes.policyOf(scene[side]);
      how.value = policy ? policy.id : "";
      if (policy?.steals) victim.value = policy.whom.id;
      whom.hidden = !policy?.steals;
      heed.disabled = policy?.heeds !== "asked";
      heed.value = !heed.disabled ? (policy.isAsked ? "-urgent" : "") : (policy?.heeds ?? "never");
      order.hidden = !policy;
    }
    parts.slider.max = String(this.player.length);
    parts.command.value = scenes.tasksOf(scene).length
      ? scenes.commandText(scene, scene.left)
      : "There is no task.";
  }

  draw() {
    const { parts, player, scene } = this,
      scale = scaleOf(player.replays);
    this.say(player.tell());
    const focused = parts.stage.contains(document.activeElement)
      ? document.activeElement.dataset.worker
      : undefined;
    parts.stage.replaceChildren(
      ...player.replays.map((replay, i) =>
        drawSide(replay, player.time, {
          scale,
          id: i ? "right" : "left",
          title: this.titleOf(i ? scene.right : scene.left, i),
          chosen: this.chosen,
          choose: i ? null : worker => this.choose(worker),
        }),
      ),
    );
    if (focused !== undefined) parts.stage.querySelector(`[data-worker="${focused}"]`)?.focus();
    parts.slider.value = String(player.at);
    setUsable(parts.run, !player.isEmpty);
    parts.run.textContent = this.timer === null ? "Run" : "Pause";
    setUsable(parts.step, !player.isOver);
    setUsable(parts.end, !player.isOver);
    setUsable(parts.back, player.at > 0);
    setUsable(parts.start, player.at > 0);
    parts.link.value = this.page.setRest(scenes.writeLink({ ...scene, at: player.at }));
  }

  titleOf(word, i) {
    const policy = scenes.policyOf(word),
      whom = policy.steals ? `, ${policy.whom.title}` : "",
      order = policy.isAsked ? ", urgent first" : "";
    return (this.scene.right ? (i ? "Right: " : "Left: ") : "") + policy.title + whom + order;
  }
}

/* The room, as page.js takes it. */
export function sandboxRoom(wasm) {
  return {
    id: "sandbox",
    title: "Sandbox",
    async open(place, page) {
      const room = new Room(await loadEngine(wasm), page);
      place.append(room.element);
      return {
        show(rest) {
          const { scene, isWhole } = scenes.readLink(rest);
          room.load(scene);
          if (!isWhole)
            room.warn("Not all of this link could be understood; what made no sense is left out.");
        },
        hide: () => room.stop(),
      };
    },
  };
}
