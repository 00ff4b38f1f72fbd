/* race_texts.js — the races: what each shows, and every sentence about a step or an end */

/*
 * id       of the exported C functions and of links
 * who      the two threads, A and B
 * tasks    how many there are in all, numbered from 1
 * fault    which wrong end is counted: "twice" or "lost"; null where any would be a surprise
 * file     the source; code: the functions of it that A and B run
 * hasBuffers       stores wait in store buffers
 * hasLongComments  which are left out unless asked for
 */
export const RACES = [
  {
    id: "double",
    title: "The same task twice",
    who: ["Thief A", "Thief B"],
    tasks: 2,
    fault: "twice",
    file: "race_double.c",
    code: [["double_steal"], ["double_steal"]],
    story:
      "Two thieves, two tasks. A thief reads top, reads the task there, and writes top + 1. " +
      "Between its read and its write the other one can read the same top.",
    lesson:
      "Every access here has the strongest order there is. It is not a matter of order: " +
      "reading an index and moving it must be one step.",
  },
  {
    id: "skip",
    title: "A task is skipped",
    who: ["Thief A", "Thief B"],
    tasks: 2,
    fault: "lost",
    file: "race_skip.c",
    code: [["skip_steal"], ["skip_steal"]],
    story:
      "As before, but top is moved by top += 1, which reads top again, and the slot is emptied " +
      "afterwards. Two thieves that read the same task move top by two.",
    lesson:
      "Task 2 lies before top for ever: no thief will look there again. In other schedules " +
      "task 1 is handed out twice and nothing is skipped.",
  },
  {
    id: "last",
    title: "The last task",
    who: ["Owner A", "Thief B"],
    tasks: 1,
    fault: "twice",
    file: "race_last.c",
    code: [["last_pop"], ["last_steal"]],
    story:
      "One task is left. The owner takes from its end as it should, with a compare-and-swap " +
      "for the last one. The thief moves top with a plain write.",
    lesson:
      "It is not enough that one side is careful: whoever moves top must find out whether it " +
      "was the first to do so.",
  },
  {
    id: "early",
    title: "Emptied too early",
    who: ["Thief A", "Thief B"],
    tasks: 2,
    fault: "lost",
    file: "race_early.c",
    code: [["early_steal"], ["early_steal"]],
    story:
      "These thieves use a compare-and-swap, but they take the task out of its slot before it. " +
      "The one that wins may find the slot empty; the one that had the task loses, and drops " +
      "it.",
    lesson: "Copy, then claim, and keep the copy only if the claim succeeded.",
  },
  {
    id: "stale",
    title: "An old index looks new",
    who: ["Owner A", "Thief B"],
    tasks: 2,
    fault: "twice",
    file: "race_stale.c",
    code: [["stale_pop", "stale_push"], ["stale_steal"]],
    story:
      "An owner that sets top and bottom back to 0 whenever its deque is empty. It pops task 1 " +
      "and pushes task 2 into the same slot. A thief that read everything before sees top at 0 " +
      "again, and its compare-and-swap succeeds.",
    lesson:
      "Equal does not mean untouched. The older deques of this kind keep a tag beside top that " +
      "counts the resets; in Chase and Lev's top only ever grows, so there is nothing to " +
      "confuse.",
  },
  {
    id: "fence",
    title: "The missing fence",
    who: ["Owner A", "Thief B"],
    tasks: 2,
    fault: "twice",
    hasBuffers: true,
    file: "race_fence.c",
    code: [["fence_pop"], ["fence_steal"]],
    story:
      "Chase and Lev's deque without its fence, on a processor with store buffers, which " +
      "includes every PC. What a thread writes waits in its buffer before the others can see " +
      "it. The owner lowers bottom and reads top; the thief steals twice and still reads the " +
      "old bottom.",
    lesson:
      "Without store buffers this code is right in all of its 399 schedules: looking at the " +
      "code line by line does not show the fault. A full fence makes the owner wait until its " +
      "store is out.",
  },
  {
    id: "thieves",
    title: "Chase-Lev: two thieves",
    who: ["Thief A", "Thief B"],
    tasks: 2,
    fault: null,
    file: "deque.c",
    hasLongComments: true,
    code: [["skua_deque_steal"], ["skua_deque_steal"]],
    story:
      "The deque of this library: src/sched/deque.c itself, compiled for this page. Two " +
      "thieves, two tasks. One compare-and-swap decides; who loses it is told to try again.",
    lesson: "There is no schedule in which a task is lost or handed out twice.",
  },
  {
    id: "ends",
    title: "Chase-Lev: the last task",
    who: ["Owner A", "Thief B"],
    tasks: 1,
    fault: null,
    file: "deque.c",
    hasLongComments: true,
    code: [["skua_deque_pop"], ["skua_deque_steal"]],
    story:
      "The library's own deque again. The owner and a thief want the last task; both must move " +
      "top with a compare-and-swap, and only one can.",
    lesson: "There is no schedule in which the task is lost or handed out twice.",
  },
  {
    id: "fenced",
    title: "Chase-Lev: store buffers",
    who: ["Owner A", "Thief B"],
    tasks: 2,
    fault: null,
    hasBuffers: true,
    file: "deque.c",
    hasLongComments: true,
    code: [["skua_deque_pop"], ["skua_deque_steal"]],
    story:
      "The library's own deque on a processor with store buffers: the owner takes one task, a " +
      "thief steals twice. At its fence the owner waits until bottom can be seen by all.",
    lesson: "With the fence there is no schedule in which a task is lost or handed out twice.",
  },
];

export const NOTES = [
  [
    "Not skipped, but doubled.",
    "Articles on work stealing like to show two thieves that read the same top, and say that " +
      "the second task is then skipped. With a plain write of top + 1 it is not: top ends at 1, " +
      "and task 2 is still there. It takes a top += 1 that reads top again.",
  ],
  [
    "A published deque that loses tasks.",
    "One article derives a deque from first principles in Rust. Its steal takes the task out " +
      "of the slot and then does its compare-and-swap: that is \u201cEmptied too early\u201d " +
      "above.",
  ],
  [
    "The wrong deque for the ABA story.",
    "Another tells how a thief is fooled by an index that goes away and comes back. True of " +
      "deques that reset their indices, as in \u201cAn old index looks new\u201d; in Chase and " +
      "Lev's, the index that thieves compare only grows.",
  ],
  [
    "No fence.",
    "A third gives Chase and Lev's pop without its fence. That fails on ordinary PCs, as in " +
      "\u201cThe missing fence\u201d.",
  ],
];

export const LIMITS =
  "What is explored: each step is one access to shared memory, seen by everybody at once " +
  "(sequential consistency). Where store buffers are shown, writes also wait in their thread's " +
  "buffer, as on x86. Processors and compilers may reorder more than that; the model checker " +
  "in check/ explores what C11 allows.";

const list = words =>
  words.length < 2 ? words.join("") : words.slice(0, -1).join(", ") + " and " + words.at(-1);
const isSlot = cell => cell.name.startsWith("slot");
/* The value of a word, as it is said. */
export const say = (cell, value) =>
  !isSlot(cell) ? String(value) : value ? "task " + value : "nothing";

/* What a thread will do next, after "it". */
export function tellNext(race, thread) {
  if (!thread.isStarted) return "has not begun";
  if (thread.end !== null) return tellEnd(thread);
  const { kind, cell, value, expected, op } = thread.next,
    word = race.cells[cell];
  const wait = race.mustDrain(thread) ? ", once its store buffer is empty" : "";
  if (kind === "fence") return "passes a full fence" + wait;
  if (word.name === "buffer") return "reads where the slots are";
  if (kind === "load") return "reads " + word.name;
  if (kind === "store") return `writes ${say(word, value)} to ${word.name}` + wait;
  if (kind === "cas")
    return `changes ${word.name} from ${expected} to ${value}, if it is ${expected}` + wait;
  return op === "exchange" && isSlot(word)
    ? `takes what is in ${word.name} and empties it` + wait
    : `does ${op} ${value} on ${word.name}` + wait;
}

/* How a thread ended, after "it". */
export function tellEnd({ end, got }) {
  if (got.length) {
    const tasks = got.filter(task => task).map(task => "task " + task);
    if (!tasks.length) return "was told that it has a task, and holds nothing";
    return "holds " + list(tasks);
  }
  return end === "retry" ? "lost the race and would try again" : "found nothing";
}

function tellStore({ cell: number, value, isBuffered }, race, who) {
  const cell = race.cells[number];
  return isBuffered
    ? `${who} writes ${cell.name} = ${value} into its store buffer; nobody else can see it yet.`
    : `${who} writes ${say(cell, value)} to ${cell.name}.`;
}
function tellAccess(event, race, who) {
  const cell = race.cells[event.cell],
    { kind, answer, value, expected } = event,
    own = event.isOwn ? ", from its own store buffer" : "";
  if (kind === "start") return `${who} begins.`;
  if (kind === "fence") return `${who} passes a full fence.`;
  if (kind === "flush")
    return `${who}'s store buffer lets ${cell.name} = ${value} out: now everybody sees it.`;
  if (kind === "store") return tellStore(event, race, who);
  if (kind === "load" && cell.name === "buffer") return `${who} reads where the slots are.`;
  if (kind === "load") return `${who} reads ${cell.name}: ${say(cell, answer)}${own}.`;
  if (kind === "cas")
    return event.isDone
      ? `${who}'s compare-and-swap changes ${cell.name} from ${expected} to ${value}.`
      : `${who}'s compare-and-swap fails: ${cell.name} is ${answer}, not ${expected}.`;
  return event.op === "exchange" && isSlot(cell)
    ? `${who} takes ${say(cell, answer)} out of ${cell.name} and leaves it empty.`
    : `${who} changes ${cell.name} from ${say(cell, answer)}.`;
}

/* One sentence or two: what the last step was, and how the race ended if it did. */
export function tellStep(race, state) {
  if (!state.event) return "Nobody has begun. Choose who goes first.";
  const { number, end, kind } = state.event,
    who = race.spec.who[number];
  const told = tellAccess(state.event, race, who);
  const ended = end && kind !== "flush" ? ` It is done: it ${tellEnd(state.threads[number])}.` : "";
  return told + ended + (race.isOver(state) ? " " + tellVerdict(race.verdict(state)) : "");
}

export function tellVerdict({ twice, lost, nothing, isWrong }) {
  if (!isWrong) return "Right: every task was handed out once or is still there.";
  const faults = [
    ...twice.map(task => `task ${task} is handed out twice`),
    ...lost.map(task => `task ${task} is lost`),
    ...(nothing ? ["a thief holds nothing"] : []),
  ];
  return `Wrong: ${list(faults)}.`;
}

const NUMBER = new Intl.NumberFormat("en");
export const sayCount = value => NUMBER.format(value);

/* What the bad ones of a race do; the others that go wrong do the other thing. */
const FAULTS = { lost: "lose a task", twice: "hand a task out twice" };
const others = fault => FAULTS[fault === "lost" ? "twice" : "lost"];

/* What all schedules do. */
export function tellCounts({ fault }, { schedules, bad, wrong, lost }) {
  const of = `${sayCount(schedules)} schedules, ${sayCount(wrong)} go wrong`;
  if (!wrong) return of + ".";
  if (wrong > bad)
    return `${of}: ${sayCount(bad)} ${FAULTS[fault]}, ${sayCount(wrong - bad)} ${others(fault)}.`;
  const also =
    fault === "twice" && lost === bad ? " In all of these another task is lost as well." : "";
  return `${of}: they ${FAULTS[fault]}.${also}`;
}

/* The same in a few words. */
export const tellShare = ({ fault }, { schedules, bad, wrong }) =>
  `${sayCount(bad)} of ${sayCount(schedules)} ${wrong > bad ? FAULTS[fault] : "wrong"}`;

/* What can still become of the schedules that begin like this one. */
export function tellOdds({ schedules, wrong }) {
  const ways = schedules === 1 ? "is 1 way" : `are ${sayCount(schedules)} ways`;
  return `From here there ${ways} to go on; ${sayCount(wrong)} ${wrong === 1 ? "goes" : "go"} wrong.`;
}
