/* races.js — the room of races: step two threads by hand, or see what all schedules do */
import { button, h, setUsable } from "./dom.js";
import { drawCode, drawMemory, drawThread } from "./race_draw.js";
import { loadMachine, Race } from "./race_engine.js";
import { readLink, writeLink } from "./race_link.js";
import { buildRoom, MOVE_NAMES } from "./race_parts.js";
import { RACES, sayCount } from "./race_texts.js";
import { tellCounts, tellOdds, tellShare, tellStep, tellVerdict } from "./race_texts.js";

const STEP_MS = 1200; /* of a schedule that plays by itself: time to read a sentence */
const LISTED = 40; /* bad schedules shown at once */
const IDS = RACES.map(spec => spec.id);

class Room {
  constructor(machine, sources, page) {
    this.machine = machine;
    this.sources = sources;
    this.page = page;
    this.races = new Map(); /* opened, by id */
    this.isCounted = false;
    this.hasComments = false;
    this.badNumber = -1; /* of the bad schedule that was asked for last */
    this.listed = LISTED;
    this.timer = null;
    const { parts, choices, element } = buildRoom(this);
    Object.assign(this, { parts, choices, element });
    element.addEventListener("keydown", event => this.key(event));
  }

  raceOf(id) {
    if (!this.races.has(id)) this.races.set(id, new Race(this.machine, RACES[IDS.indexOf(id)]));
    return this.races.get(id);
  }

  /* --- where we are --- */

  /* A race with a schedule, stepped so far.  Where the schedule cannot be gone it is cut: false. */
  load(id, schedule, at, isChosen = false) {
    const isNew = this.race?.spec.id !== id;
    this.stop();
    this.race = this.raceOf(id);
    this.states = this.race.follow(schedule);
    this.schedule = schedule.slice(0, this.states.length - 1);
    this.at = Math.min(at, this.schedule.length);
    if (isNew) {
      this.listed = LISTED;
      this.badNumber = -1;
    }
    this.warn("");
    this.draw();
    if (isNew) this.drawCounts();
    if (isChosen && matchMedia("(max-width: 60rem)").matches) this.parts.title.focus();
    return this.schedule === schedule;
  }

  get state() {
    return this.states[this.at];
  }

  warn(text) {
    this.parts.warning.textContent = text;
    this.parts.warning.hidden = !text;
  }

  goTo(at) {
    if (at < 0 || at > this.schedule.length) return;
    this.at = at;
    this.draw();
  }

  /* A move by hand; where it leaves the schedule, the rest of that is forgotten. */
  move(move) {
    this.stop();
    if (!this.race.moves(this.state).includes(move)) return;
    if (this.schedule[this.at] !== move) {
      this.states = [...this.states.slice(0, this.at + 1), this.race.step(this.state, move)];
      this.schedule = this.schedule.slice(0, this.at) + move;
    }
    this.goTo(this.at + 1);
  }

  play() {
    if (this.timer !== null) return this.stop();
    if (this.at === this.schedule.length) return undefined;
    this.timer = setInterval(() => {
      this.goTo(this.at + 1);
      if (this.at === this.schedule.length) this.stop();
    }, STEP_MS);
    this.goTo(this.at + 1);
    if (this.at === this.schedule.length) this.stop();
    return this.drawButtons();
  }

  stop() {
    clearInterval(this.timer);
    this.timer = null;
    if (this.race) this.drawButtons();
  }

  count() {
    this.setCounted();
    this.draw();
    this.say(tellCounts(this.race.spec, this.race.count(this.race.first)));
  }

  /* From now on numbers are shown. */
  setCounted() {
    if (this.isCounted) return;
    this.isCounted = true;
    this.drawCounts();
  }

  /* Into the live region; `end` is "wrong" or "right" where it tells of an end. */
  say(text, end = "") {
    this.parts.said.textContent = text;
    this.parts.said.dataset.end = end;
  }

  /* The next bad schedule, from its start: stepping through it shows what happens. */
  nextBad() {
    const { bad } = this.race.count(this.race.first);
    if (!bad) return;
    this.setCounted();
    this.loadBad((this.badNumber + 1) % bad);
  }

  loadBad(number) {
    this.badNumber = number;
    this.load(this.race.spec.id, this.race.badSchedule(number), 0);
    const { bad } = this.race.count(this.race.first),
      end = this.race.verdict(this.states.at(-1));
    this.say(
      `Schedule ${sayCount(number + 1)} of ${sayCount(bad)} that go wrong, at its start. ` +
        `It will end so: ${tellVerdict(end)} Press Right or Forward to step through it.`,
    );
  }

  key(event) {
    const { target, key, shiftKey } = event;
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (target.matches("input[type=text]")) return;
    const letter = key.toLowerCase();
    if (letter === "a" || letter === "b") this.move(shiftKey ? letter : letter.toUpperCase());
    else if (key === "ArrowLeft") this.stopAt(this.at - 1);
    else if (key === "ArrowRight") this.stopAt(this.at + 1);
    else if (key === "Home") this.stopAt(0);
    else if (letter === "e") this.count();
    else if (letter === "n") this.nextBad();
    else if (key === " " && !target.matches("button, input, summary")) this.play();
    else return;
    event.preventDefault();
  }

  stopAt(at) {
    this.stop();
    this.goTo(at);
  }

  showComments(hasComments) {
    this.hasComments = hasComments;
    this.drawListing();
  }

  /* --- drawing --- */

  draw() {
    const { parts, race, state } = this,
      states = this.states.slice(0, this.at + 1);
    parts.title.textContent = race.spec.title;
    parts.story.textContent = race.spec.story;
    parts.lesson.textContent = race.spec.lesson;
    const end = race.isOver(state) ? race.verdict(state) : null;
    this.say(tellStep(race, state), end ? (end.isWrong ? "wrong" : "right") : "");
    parts.stage.replaceChildren(
      drawMemory(race, state),
      drawThread(race, states, 0),
      drawThread(race, states, 1),
    );
    this.drawListing();
    this.drawTrack();
    this.drawButtons();
    this.drawOdds();
    for (const [id, choice] of this.choices)
      choice.setAttribute("aria-pressed", String(id === race.spec.id));
    const link = writeLink({ id: race.spec.id, schedule: this.schedule, at: this.at });
    parts.link.value = this.page.setRest(link);
  }

  drawListing() {
    const { parts, race } = this,
      { file, hasLongComments } = race.spec,
      options = { source: this.sources[file], hasComments: this.hasComments || !hasLongComments };
    parts.code.replaceChildren(...drawCode(race, this.state, options));
    const here = parts.code.querySelector(".here");
    /* on a phone the code has a window of its own, which the keyboard must reach */
    parts.code.tabIndex = parts.code.scrollHeight > parts.code.clientHeight ? 0 : -1;
    if (here)
      parts.code.scrollTop += here.offsetTop - parts.code.offsetTop - parts.code.clientHeight / 2;
    parts.check.hidden = !hasLongComments;
  }

  drawTrack() {
    const { track } = this.parts,
      hadFocus = track.contains(document.activeElement);
    const steps = [...this.schedule].map((move, index) => {
      const isFlush = move === "a" || move === "b",
        who = this.race.spec.who["AaBb".indexOf(move) >> 1],
        label = `Step ${index + 1}: ${who}${isFlush ? ", store buffer" : ""}`;
      const looks = {
        class: `move-${move.toUpperCase()}` + (index < this.at ? " done" : ""),
        "aria-label": label,
        "aria-current": index + 1 === this.at ? "step" : null,
      };
      const text = isFlush ? move.toUpperCase() + "\u2193" : move;
      return h("li", {}, [button(text, () => this.stopAt(index + 1), looks)]);
    });
    track.replaceChildren(...steps);
    if (hadFocus)
      (track.children[Math.max(this.at - 1, 0)]?.firstChild ?? this.parts.moves.A).focus();
  }

  drawButtons() {
    const { parts, race } = this,
      possible = race.moves(this.state);
    for (const [move, element] of Object.entries(parts.moves)) {
      setUsable(element, possible.includes(move));
      element.hidden = move === move.toLowerCase() && !race.spec.hasBuffers;
      const after =
        this.isCounted && possible.includes(move) && race.count(race.step(this.state, move));
      element.textContent = MOVE_NAMES[move];
      if (after)
        element.append(
          h("small", {}, `${sayCount(after.wrong)} of ${sayCount(after.schedules)} go wrong`),
        );
    }
    setUsable(parts.back, this.at > 0);
    setUsable(parts.on, this.at < this.schedule.length);
    setUsable(parts.play, this.at < this.schedule.length);
    setUsable(parts.reset, this.schedule.length > 0);
    parts.play.textContent = this.timer === null ? "Play" : "Pause";
    setUsable(parts.wrong, race.spec.fault !== null);
  }

  drawOdds() {
    const { parts, race } = this;
    parts.odds.textContent =
      this.isCounted && !race.isOver(this.state) ? tellOdds(race.count(this.state)) : "";
  }

  /* The sum over all schedules, and the bad ones by name. */
  drawCounts() {
    const { parts, race } = this;
    if (!this.isCounted) return parts.counts.replaceChildren();
    const counts = race.count(race.first),
      { schedules, bad } = counts;
    this.choices.get(race.spec.id).lastChild.textContent = tellShare(race.spec, counts);
    const sum = h("p", { class: "sum", "data-schedules": schedules, "data-bad": bad });
    sum.textContent = tellCounts(race.spec, counts);
    const share = h("div", { class: "share-bar", "aria-hidden": "true" }, h("i", {}));
    share.firstChild.style.width = (100 * bad) / schedules + "%";
    return parts.counts.replaceChildren(sum, share, ...(bad ? [this.drawBad(bad)] : []));
  }

  drawBad(bad) {
    const shown = Math.min(this.listed, bad);
    const one = (_, rank) => {
      const schedule = this.race.badSchedule(rank);
      return h("li", {}, [button(schedule, () => this.loadBad(rank))]);
    };
    const more = button("Show more", () => {
      this.listed += LISTED;
      this.drawCounts();
      this.parts.counts.querySelectorAll("li button")[shown]?.focus();
    });
    return h(
      "details",
      { open: this.listed > LISTED },
      h("summary", {}, `The ${sayCount(bad)} schedules that go wrong`),
      h("ol", { class: "bad" }, ...Array.from({ length: shown }, one)),
      shown < bad ? more : null,
    );
  }
}

/* The room, as page.js takes it: `open` is called once, `show` whenever an address leads here. */
export function racesRoom(wasm, sources) {
  return {
    id: "races",
    title: "Races",
    async open(place, page) {
      const room = new Room(await loadMachine(wasm), sources, page);
      place.append(room.element);
      return {
        show(rest) {
          const link = readLink(rest, IDS);
          const isGone = room.load(link.id, link.schedule, link.at);
          if (rest !== "" && !IDS.includes(rest.split("/")[0]))
            room.warn("The link is not understood: there is no such race. This is the first one.");
          else if (!isGone || !link.isWhole)
            room.warn("The link could not be followed to its end; this is as far as it goes.");
        },
        hide: () => room.stop(),
      };
    },
  };
}
