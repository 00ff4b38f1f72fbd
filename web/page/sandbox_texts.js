/* sandbox_texts.js — what just happened, in one sentence; other words of the sandbox */
import { NONE } from "./sandbox_engine.js";

const tasks = count => (count === 1 ? "1 task" : `${count} tasks`);
const NUMBER = new Intl.NumberFormat("en", { maximumFractionDigits: 1 });
export const say = number => NUMBER.format(number);
const capital = text => text[0].toUpperCase() + text.slice(1);
export const sayTicks = number => `${say(number)} ${number === 1 ? "tick" : "ticks"}`;

/* Where a task that begins was before. */
function tellFrom({ isCentral, isRanked }, { from }) {
  if (from === null) return "which has just become ready";
  if (from === "newest" || from === "oldest") return `the ${from} one of its own`;
  if (!isCentral) return `the next of the ${from} ones, which are for everybody`;
  return isRanked
    ? `the next ${from} one of the central queue`
    : "the next one of the central queue";
}

/* What the last step of a replay was. */
export function tellStep(replay) {
  const step = replay.last;
  if (!replay.at || !step) return "Nobody has begun.";
  const { kind, worker, other, task, count } = step,
    who = `Worker ${worker}`,
    priority = replay.tasks[task]?.priority,
    name = (priority && priority !== "normal" ? priority + " " : "") + `task ${task}`;
  switch (kind) {
    case "begin":
      return `${who} begins ${name}, ${tellFrom(replay, step)}.`;
    case "end":
      return `${who} has ended ${name}.` + (count ? ` By that ${tasks(count)} can begin.` : "");
    case "try":
      return `${who} has nothing to do and looks at worker ${other}.`;
    case "fail":
      return `${who} found nothing with worker ${other}.`;
    case "take":
      return `${who} takes ${count} of ${tasks(step.of)} from the thieves' end of worker ${other}.`;
    case "steal":
      return `${who} has stolen ${tasks(count)} from worker ${other}.`;
    case "send":
      return `${who} sends ${name} to worker ${other}.`;
    case "push":
      if (other !== NONE) return `${who} puts ${name} into its own deque.`;
      return replay.isCentral
        ? `${who} puts ${name} into the central queue.`
        : `${who} puts ${name} into the queue of the ${priority} ones.`;
    case "arrive":
      return capital(`${name} has come to worker ${worker} from worker ${other}.`);
    case "park":
      return `${who} has found nothing for a while and sleeps.`;
    case "wake":
      return `${who} is woken` + (other === NONE ? "." : ` by worker ${other}.`);
    default:
      return replay.isCentral
        ? `${who} waits: the central queue is empty.`
        : `${who} waits: nobody may steal, and it has nothing.`;
  }
}

const MOODS = {
  idle: () => "between tasks",
  runs: () => "",
  looks: other => `looks at worker ${other}`,
  fails: other => `found nothing with worker ${other}`,
  takes: other => `carries tasks of worker ${other} home`,
  sleeps: () => "sleeps",
  wakes: () => "wakes up",
  waits: () => "waits",
};
export const tellMood = ({ mood, other }) => MOODS[mood](other);

/* When the last urgent task was done, if there is any. */
function tellUrgent([left, right]) {
  if (!left.sums.ends.urgent.count) return "";
  const [a, b] = [left, right].map(replay => replay?.sums.ends.urgent.last),
    both = right ? ` on the left, ${say(b)} on the right` : "";
  return ` The last urgent task was done after ${sayTicks(a)}${both}.`;
}

/* How the two ended, or one. */
export const tellEnd = replays => tellTimes(replays) + tellUrgent(replays);

function tellTimes([left, right]) {
  const one = `it took ${sayTicks(left.sums.makespan)}`;
  if (!right) return `All tasks are done: ${one}.`;
  const [a, b] = [left.sums.makespan, right.sums.makespan];
  if (a === b) return `Both are done, after ${sayTicks(a)} each.`;
  const [first, last] = a < b ? ["left", "right"] : ["right", "left"],
    slower = Math.round((100 * Math.abs(a - b)) / Math.min(a, b));
  return (
    `Both are done: ${sayTicks(a)} on the left, ${say(b)} on the right. ` +
    `The ${last} one took ${slower} % longer than the ${first} one.`
  );
}

export const KEYS = [
  ["Space", "run, or pause (not on a button)"],
  ["Right, Left", "one step on, one step back"],
  ["Home, End", "to the start, to the end"],
  ["1 to 9, 0", "choose worker 1 to 9, or worker 0"],
  ["A", "add a task of the chosen priority to the chosen worker"],
  ["U, L", "add an urgent task, add a low one"],
  ["P", "another policy on the left"],
  ["?", "show or hide these keys"],
];

export const ABOUT =
  "This is the simulator behind the command skua sim, compiled from its C code: the same scene " +
  "gives the same steps there. Time is counted in ticks. A look at another worker's deque or a " +
  "theft takes one tick, two beyond a worker's own group of four; the central queue serves one " +
  "worker each tick. Where urgent tasks go first, they and the low ones wait in queues for all, " +
  "which serve one worker each tick, too: a worker takes an urgent one before its own, a low one " +
  "when it has looked at everybody in vain, and each 61st time it looks, a low one or its own " +
  "oldest, so that none waits for ever. That is how skua's pool does it with jobs.";
