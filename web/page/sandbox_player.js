/* sandbox_player.js — one run or two, stepped together in the order of time, forwards and back */
import { policyOf, tasksOf } from "./sandbox_scene.js";
import { Replay } from "./sandbox_state.js";
import { tellEnd, tellStep } from "./sandbox_texts.js";

/* The runs of a scene, and the steps of both in the order of time, the left one's first. */
export class Player {
  constructor(engine, scene) {
    const tasks = tasksOf(scene),
      { workers, seed } = scene;
    this.isEmpty = tasks.length === 0;
    this.replays = [];
    for (const word of this.isEmpty ? [] : [scene.left, scene.right]) {
      const policy = word && policyOf(word);
      if (policy)
        this.replays.push(
          new Replay(engine.run({ tasks, workers, policy, seed }), { tasks, workers, policy }),
        );
    }
    this.#merge();
    this.at = 0;
    this.time = 0;
  }

  /* Whose step each is: 0 or 1. */
  #merge() {
    const [left, right] = this.replays,
      length = this.replays.reduce((sum, { length }) => sum + length, 0);
    this.sides = new Uint8Array(length);
    this.length = length;
    for (let i = 0, l = 0; right && i < length; i++) {
      const isLeft =
        l < left.length && (i - l >= right.length || left.timeOf(l + 1) <= right.timeOf(i - l + 1));
      if (isLeft) l++;
      else this.sides[i] = 1;
    }
  }

  /* Be after so many steps of both. */
  goTo(at) {
    this.at = Math.min(Math.max(at, 0), this.length);
    let rights = 0;
    for (let i = 0; i < this.at; i++) rights += this.sides[i];
    this.replays[0]?.goTo(this.at - rights);
    this.replays[1]?.goTo(rights);
    this.time = this.at ? this.#timeAt(this.at, rights) : 0;
  }
  #timeAt(at, rights) {
    return this.sides[at - 1]
      ? this.replays[1].timeOf(rights)
      : this.replays[0].timeOf(at - rights);
  }

  /* To the time that is next, or one later; all that happens up to then is done. */
  tick() {
    const time = this.time + 1;
    let at = this.at,
      rights = 0;
    for (let i = 0; i < at; i++) rights += this.sides[i];
    while (at < this.length && this.#timeAt(at + 1, rights + this.sides[at]) <= time)
      rights += this.sides[at++];
    if (at !== this.at) this.goTo(at);
    if (this.at < this.length) this.time = time;
  }

  get isOver() {
    return this.at === this.length;
  }

  /* One sentence: what the last step was, and on which side if there are two. */
  tell() {
    if (this.isEmpty) return "There is no task. Add some to a worker, or choose other work.";
    if (!this.at) return "Nobody has begun. Run it, or take one step.";
    const side = this.sides[this.at - 1],
      told = tellStep(this.replays[side]),
      where = this.replays[1] ? (side ? "Right: " : "Left: ") : "";
    return where + told + (this.isOver ? " " + tellEnd(this.replays) : "");
  }
}
