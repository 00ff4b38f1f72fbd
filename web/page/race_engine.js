/* race_engine.js — runs the races' C code step by step, and counts what all schedules do */

/*
 * The C code is compiled with the model back end of src/base/atomic.h, so each shared access is a
 * call into here.  Shared memory is kept here as well, one number for each named word.  A thread is
 * stopped at an access by an exception that ends its run; to let it go on, it is run from the start
 * again and given what it read before (its log), until it comes to an access that is new.  So a
 * state is plain data: the words, and each thread's log.
 *
 * A schedule is a string of moves: A or B lets that thread do the access it stands at (the first
 * move only starts it) and run up to its next one; a or b lets the oldest store in that thread's
 * store buffer reach memory, where a race has store buffers (as x86 processors do).
 */

const MOVES = ["A", "B", "a", "b"];
const SEQ_CST = 5; /* memory_order_seq_cst, as clang's <stdatomic.h> counts */
const RMW = ["exchange", "add", "sub", "or", "and"];
const COMBINE = {
  exchange: (_, value) => value,
  add: (old, value) => old + value,
  sub: (old, value) => old - value,
  or: (old, value) => old | value,
  and: (old, value) => old & value,
};
const STOP = new Error("a thread has come to its next access");
const ENDS = ["empty", "got", "retry"]; /* enum skua_take */

/* --- the C code --- */

/* A string of C. */
function textAt(view, at) {
  let end = at;
  while (view.getUint8(end)) end++;
  return new TextDecoder().decode(new Uint8Array(view.buffer, at, end - at));
}
/* Where an access stands in the source: struct skuai_site, as wasm32 lays it out. */
function siteAt(view, at) {
  return {
    file: textAt(view, view.getUint32(at, true)).replace(/.*\//, ""),
    text: textAt(view, view.getUint32(at + 4, true)),
    line: view.getInt32(at + 8, true),
  };
}

/* The compiled races: `open` sets one up, `replay` runs a thread up to the end of its log. */
export async function loadMachine(bytes) {
  const module = await WebAssembly.compile(bytes);
  let memory,
    run = null /* what the thread that runs now has met; null while a race is set up */,
    cells = [];
  const view = () => new DataView(memory.buffer);
  const asNumber = (value, size) => Number(BigInt.asIntN(8 * size, value));
  const peek = (at, size) =>
    size === 8 ? Number(view().getBigInt64(at, true)) : view().getInt32(at, true);
  const poke = (at, size, value) =>
    size === 8 ? view().setBigInt64(at, value, true) : view().setInt32(at, Number(value), true);

  /* The answer to an access: from the log, or the thread stops here. */
  function meet(kind, at, site, more) {
    if (run.seen < run.log.length) return run.log[run.seen++];
    const cell = at === null ? -1 : cells.findIndex(word => word.at === at);
    const { file, line, text } = siteAt(view(), site);
    if (at !== null && cell < 0)
      throw new Error(`${file}:${line}: ${text} is an access to a word without a name`);
    run.next = { kind, cell, file, line, text, ...more };
    throw STOP;
  }
  const unknown = name => {
    throw new Error(`${name} was called, which no race should need`);
  };
  const hooks = {
    race_cell(name, at, size) {
      cells.push({ name: textAt(view(), name), at, size });
    },
    race_got(task) {
      run.got.push(Number(task));
    },
    skuai_model_load(at, size, order, site) {
      return BigInt(run ? meet("load", at, site, { order }) : peek(at, size));
    },
    skuai_model_store(at, size, value, order, site) {
      if (run) meet("store", at, site, { order, value: asNumber(value, size) });
      else poke(at, size, value);
    },
    skuai_model_rmw(op, at, size, value, order, site) {
      return BigInt(meet("rmw", at, site, { order, op: RMW[op], value: asNumber(value, size) }));
    },
    skuai_model_cas(at, size, cas, site) {
      const expected = asNumber(view().getBigInt64(cas, true), size),
        value = asNumber(view().getBigInt64(cas + 8, true), size);
      const old = meet("cas", at, site, { expected, value });
      view().setBigInt64(cas, BigInt(old), true);
      return old === expected ? 1 : 0;
    },
    skuai_model_fence(order, site) {
      meet("fence", null, site, { order });
    },
  };
  const imports = {};
  for (const { name } of WebAssembly.Module.imports(module))
    imports[name] = hooks[name] ?? (() => unknown(name));
  const { exports } = await WebAssembly.instantiate(module, { env: imports });
  memory = exports.memory;
  const stack = exports.__stack_pointer.value;

  return {
    open(name) {
      cells = [];
      run = null;
      exports[name + "_open"]();
      return cells.map(cell => ({ ...cell, value: peek(cell.at, cell.size) }));
    },
    /* `words` is what open returned for this race. */
    replay(name, thread, log, words) {
      cells = words;
      run = { log, seen: 0, next: null, got: [] };
      exports.__stack_pointer.value = stack; /* a thread that was stopped left it anywhere */
      let end = null;
      try {
        end = ENDS[exports[name + "_" + "ab"[thread]]()];
      } catch (error) {
        if (error !== STOP) throw error;
      }
      return { next: run.next, end, got: run.got };
    },
  };
}

/* --- one race --- */

const NOBODY = { schedules: 0, bad: 0, wrong: 0, twice: 0, lost: 0, nothing: 0 };

export class Race {
  /* `spec` is an entry of race_texts.js: its id, how many tasks there are, the fault to count. */
  constructor(machine, spec) {
    this.spec = spec;
    this.cells = machine.open(spec.id);
    this.known = new Map(); /* counts by state */
    this.runs = new Map(); /* replays by thread and log */
    this.machine = machine;
    this.indexOf = Object.fromEntries(this.cells.map((cell, index) => [cell.name, index]));
    const thread = { log: [], isStarted: false, next: null, end: null, got: [], buffer: [] };
    this.first = {
      words: this.cells.map(cell => cell.value),
      threads: [thread, { ...thread }],
      event: null,
    };
    if (this.inside(this.first).some((task, index) => task !== index + 1))
      throw new Error(`${spec.id}: the deque does not hold tasks 1, 2 ...; has a word moved?`);
  }

  replay(thread, log) {
    const key = thread + ":" + log.join();
    if (!this.runs.has(key))
      this.runs.set(key, this.machine.replay(this.spec.id, thread, log, this.cells));
    return this.runs.get(key);
  }

  /* Does the thread stand at something that waits until its store buffer is empty? */
  mustDrain({ next, buffer }) {
    if (!next || !buffer.length) return false;
    return next.kind === "store" ? next.order === SEQ_CST : next.kind !== "load";
  }

  moves(state) {
    return MOVES.filter((move, number) => {
      const thread = state.threads[number % 2];
      if (number >= 2) return thread.buffer.length > 0;
      return thread.end === null && !this.mustDrain(thread);
    });
  }

  /* What a load sees: the thread's own newest store, or memory. */
  seen(state, number, cell) {
    const own = state.threads[number].buffer.findLast(store => store.cell === cell);
    return own ? { value: own.value, isOwn: true } : { value: state.words[cell], isOwn: false };
  }

  /* Do an access on `words` and `buffer`, which are copies; what happened, and the answer. */
  perform(state, number, words, buffer) {
    const { kind, cell, value, order, expected, op } = state.threads[number].next;
    if (kind === "fence") return { kind, answer: 0 };
    const old = this.seen(state, number, cell);
    if (kind === "load") return { kind, cell, answer: old.value, isOwn: old.isOwn };
    if (kind === "store") {
      const isBuffered = Boolean(this.spec.hasBuffers) && order !== SEQ_CST;
      if (isBuffered) buffer.push({ cell, value });
      else words[cell] = value;
      return { kind, cell, value, isBuffered, answer: 0 };
    }
    if (kind === "cas") {
      const isDone = old.value === expected;
      if (isDone) words[cell] = value;
      return { kind, cell, expected, value, isDone, answer: old.value };
    }
    words[cell] = COMBINE[op](old.value, value);
    return { kind, op, cell, value, answer: old.value };
  }

  /* The state after a move, which must be one of moves(state). */
  step(state, move) {
    const number = MOVES.indexOf(move) % 2,
      words = [...state.words],
      threads = [...state.threads],
      buffer = [...threads[number].buffer];
    let { log } = threads[number],
      event;
    if (move === "a" || move === "b") {
      const { cell, value } = buffer.shift();
      words[cell] = value;
      threads[number] = { ...threads[number], buffer };
      return { words, threads, event: { number, kind: "flush", cell, value } };
    }
    if (threads[number].isStarted) {
      event = this.perform(state, number, words, buffer);
      log = [...log, event.answer];
    } else event = { kind: "start" };
    const { next, end, got } = this.replay(number, log);
    threads[number] = { log, isStarted: true, next, end, got, buffer };
    return { words, threads, event: { number, ...event, end, got } };
  }

  /* The states that a schedule goes through, the first included, until a move is not possible. */
  follow(schedule) {
    const states = [this.first];
    for (const move of schedule) {
      if (!this.moves(states.at(-1)).includes(move)) break;
      states.push(this.step(states.at(-1), move));
    }
    return states;
  }

  isOver(state) {
    return this.moves(state).length === 0;
  }

  /* Tasks that are in the deque: what is between top and bottom. */
  inside(state) {
    const word = name => state.words[this.indexOf[name]],
      tasks = [];
    for (let i = word("top"); i < word("bottom"); i++) tasks.push(word("slot " + (i % 2)));
    return tasks;
  }

  /* At the end every task was handed out once or is still there. */
  verdict(state) {
    const held = state.threads.flatMap(thread => thread.got),
      all = [...held, ...this.inside(state)];
    const tasks = Array.from({ length: this.spec.tasks }, (_, index) => index + 1);
    const times = task => all.filter(other => other === task).length;
    const twice = tasks.filter(task => times(task) > 1),
      lost = tasks.filter(task => times(task) === 0),
      nothing = held.filter(task => task === 0).length;
    const isWrong = twice.length + lost.length + nothing > 0;
    const isBad = { twice: twice.length > 0, lost: lost.length > 0 }[this.spec.fault] ?? isWrong;
    return { twice, lost, nothing, isWrong, isBad };
  }

  /* How many schedules go on from a state, and what becomes of them.  Equal states are met once. */
  count(state) {
    const key = JSON.stringify([
      state.words,
      state.threads.map(({ isStarted, log, buffer }) => [isStarted, log, buffer]),
    ]);
    if (this.known.has(key)) return this.known.get(key);
    const sum = { ...NOBODY },
      moves = this.moves(state);
    if (moves.length === 0) {
      const { twice, lost, nothing, isWrong, isBad } = this.verdict(state);
      sum.schedules = 1;
      sum.bad = Number(isBad);
      sum.wrong = Number(isWrong);
      sum.twice = Number(twice.length > 0);
      sum.lost = Number(lost.length > 0);
      sum.nothing = Number(nothing > 0);
    }
    for (const move of moves) {
      const part = this.count(this.step(state, move));
      for (const name in sum) sum[name] += part[name];
    }
    this.known.set(key, sum);
    return sum;
  }

  /* Of the bad schedules in alphabetical order the one at `rank`, from 0; null: there is none. */
  badSchedule(rank) {
    let state = this.first,
      schedule = "";
    if (!(rank >= 0 && rank < this.count(state).bad)) return null;
    for (let moves = this.moves(state); moves.length; moves = this.moves(state)) {
      for (const move of moves) {
        const after = this.step(state, move),
          { bad } = this.count(after);
        if (rank < bad) {
          state = after;
          schedule += move;
          break;
        }
        rank -= bad;
      }
    }
    return schedule;
  }
}
