/* tour_texts.js — the tour: scenes of the sandbox, what is said over them, and corrections */
import { say } from "./sandbox_texts.js";

const times = count => (count === 1 ? "once" : `${say(count)} times`);

/*
 * scene     a link of the sandbox (sandbox_scene.js)
 * from, to  ticks that pass meanwhile; to null: until all is done
 * text      may use the sums of the runs
 */
export const CHAPTERS = [
  {
    title: "Forty tasks, one worker",
    scene: "workers=4/seed=1/work=zero/left=one-random",
    from: 0,
    to: 0,
    text: () =>
      "Four workers share a program's work. At the start all forty tasks are with worker 0; the " +
      "other three have nothing to do.",
  },
  {
    title: "A queue with two ends",
    scene: "workers=4/seed=1/work=zero/left=one-random",
    from: 0,
    to: 4,
    text: () =>
      "Each worker keeps its tasks in a deque. Worker 0 takes its newest task, at the owner's " +
      "end, and asks nobody for it: this is what makes it cheap.",
  },
  {
    title: "Thieves",
    scene: "workers=4/seed=1/work=zero/left=one-random",
    from: 4,
    to: 14,
    text: () =>
      "Who has nothing looks at somebody else, and takes the oldest task, at the thieves' end. " +
      "Owner and thief meet only when there is one task left.",
  },
  {
    title: "One at a time is slow",
    scene: "workers=4/seed=1/work=zero/left=one-random",
    from: 14,
    to: null,
    text: ([{ sums }]) =>
      `Taking one task each, the thieves had to steal ${times(sums.steals)} and looked in vain ` +
      `${times(sums.failed)}. All was done after ${say(sums.makespan)} ticks.`,
  },
  {
    title: "Take half",
    scene: "workers=4/seed=1/work=zero/left=half-random/right=one-random",
    from: 0,
    to: null,
    text: ([half, one]) =>
      `The same tasks again, on the left with thieves that take half of what they find: ` +
      `${half.sums.steals} thefts instead of ${one.sums.steals}, and ${say(half.sums.makespan)} ` +
      `ticks instead of ${say(one.sums.makespan)}.`,
  },
  {
    title: "Programs that divide their work",
    scene: "workers=4/seed=3/work=tree/left=one-random",
    from: 0,
    to: 40,
    text: () =>
      "A task may fork into others. Then the oldest task is the largest part of what is left, so " +
      "a single theft keeps a thief busy for long: one at a time is enough.",
  },
  {
    title: "Without stealing",
    scene: "workers=4/seed=1/work=long/left=one-random/right=static",
    from: 0,
    to: null,
    text: ([steal, split]) =>
      "On the right everything is dealt out beforehand, and one part holds a long task: others " +
      `wait while their neighbour still has a queue. ${say(split.sums.makespan)} ticks, against ` +
      `${say(steal.sums.makespan)} with stealing.`,
  },
  {
    title: "How good can it be?",
    scene: "workers=8/seed=1/work=files/left=half-random",
    from: 0,
    to: null,
    text: ([{ sums, workers }]) =>
      "A tree of files on eight workers. No schedule is faster than T1/P, here " +
      `${say(sums.work / workers)} ticks, nor than the longest chain of tasks, T\u221e, ` +
      `${say(sums.span)}. Stealing took ${say(sums.makespan)}: theory promises T1/P and a small ` +
      "multiple of T\u221e.",
  },
  {
    title: "Your turn",
    scene: "workers=4/seed=1/work=tree/left=half-random/right=central",
    from: 0,
    to: 0,
    text: () =>
      "Now try it: the sandbox has all of this with other work, more workers and other policies. " +
      "The room of races shows what happens when owner and thief do meet.",
  },
];

/* Of published explanations of work stealing, as their code was read for this project. */
export const WRONG = [
  [
    "The ends are swapped",
    "In two articles the owner takes its oldest task and thieves the newest, in one of them " +
      "against its own text: the smallest piece for the dearest way. Memory then grows with the " +
      "width of the work, not with its depth.",
  ],
  [
    "The owner needs no synchronisation",
    "It needs little, but not none: a push must be seen after the task it publishes, and a pop " +
      "needs a full fence, and a compare-and-swap for the last task. See The missing fence among " +
      "the races.",
  ],
  [
    "A lost race is not an empty deque",
    "In two of the articles a thief that came second is told that there is nothing, and one lets " +
      "it go to sleep beside a full queue. In a third, the answer \u201ctry again\u201d is run " +
      "as if it were a task.",
  ],
  [
    "Found nothing once, so it is over",
    "A worker that leaves after one look at all queues is gone when the one running task forks a " +
      "thousand others. It may leave when no task is queued or running.",
  ],
  [
    "Sleeping workers that do not sleep",
    "One waits until something is pending, and counts running tasks as pending: while one long " +
      "task runs, all others search without a pause.",
  ],
  [
    "A full array",
    "Two deques have no test for it: the next push overwrites the oldest task. One is lost, " +
      "another runs twice.",
  ],
];
