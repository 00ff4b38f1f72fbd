/* scale_read.js — speed-ups out of JSON of skua bench and skua sim, which is not trusted */

export const BYTES_MAX = 20 * 1000 * 1000;
const CURVES_MAX = 40,
  POINTS_MAX = 4000,
  NAME_MAX = 60;

/* What is wrong with a file, to be shown as it is. */
class Refusal extends Error {}

const isNumber = value => typeof value === "number" && Number.isFinite(value);
const isAbove = value => isNumber(value) && value > 0;
const isObject = value => typeof value === "object" && value !== null && !Array.isArray(value);
const nameOf = value => {
  if (typeof value !== "string" || !value) throw new Refusal("something in it has no name");
  return value.length > NAME_MAX ? value.slice(0, NAME_MAX - 1) + "\u2026" : value;
};
const workersOf = row => {
  if (!Number.isInteger(row.workers) || row.workers < 1 || row.workers > 2 ** 24)
    throw new Refusal("a row has no number of workers from 1 to 16777216");
  return row.workers;
};
const rowsOf = value => {
  if (!Array.isArray(value) || !value.every(isObject)) throw new Refusal("its rows are missing");
  if (!value.length) throw new Refusal("there are no rows in it");
  if (value.length > POINTS_MAX) throw new Refusal(`it has more than ${POINTS_MAX} rows`);
  return value;
};

/* Points by the name of their curve, each curve by workers. */
function curvesOf(points) {
  const curves = new Map();
  for (const { name, ...point } of points) {
    if (!curves.has(name)) curves.set(name, []);
    curves.get(name).push(point);
  }
  if (curves.size > CURVES_MAX) throw new Refusal(`it has more than ${CURVES_MAX} curves`);
  if (!curves.size) throw new Refusal("nothing in it has a speed-up");
  return [...curves].map(([name, list]) => ({
    name,
    points: list.sort((a, b) => a.workers - b.workers),
  }));
}

function readSim(file) {
  const { workload } = file;
  if (!isObject(workload)) throw new Refusal("its workload is missing");
  const points = rowsOf(file.rows)
    .filter(row => isAbove(row.speedup))
    .map(row => {
      const half = row.half_widths?.speedup,
        spread = isAbove(half) && half < row.speedup ? half : 0;
      return {
        name: nameOf(row.scheduler),
        workers: workersOf(row),
        speedup: row.speedup,
        low: row.speedup - spread,
        high: row.speedup + spread,
      };
    });
  const hasBounds = isAbove(workload.work) && isAbove(workload.span);
  return {
    kind: "sim",
    title: `${nameOf(workload.name)}, simulated`,
    bounds: hasBounds ? { work: workload.work, span: workload.span } : null,
    curves: curvesOf(points),
  };
}

/* Against the plain serial program, which was measured in the same run. */
function readBench(file) {
  const points = rowsOf(file.kernels)
    .filter(row => isAbove(row.serial_s) && isAbove(row.seconds) && isAbove(row.ratio_to_serial))
    .map(row => {
      const speedup = 1 / row.ratio_to_serial,
        part = (low, high) => (isAbove(low) && isAbove(high) ? low / high : 1);
      return {
        name: nameOf(row.name) + (row.problem ? ":" + nameOf(row.problem) : ""),
        workers: workersOf(row),
        speedup,
        low: speedup * Math.min(1, part(row.seconds, row.quartile_high_s)),
        high: speedup * Math.max(1, part(row.seconds, row.quartile_low_s)),
      };
    });
  return { kind: "bench", title: "skua bench, measured", bounds: null, curves: curvesOf(points) };
}

const READERS = { "skua-sim-1": readSim, "skua-bench-1": readBench };

function schemaRefusal(schema) {
  if (typeof schema !== "string") return "it does not say its schema, as files of skua do";
  const known = Object.keys(READERS).join(" and ");
  const shown = schema.replace(/[^\w.-]/g, "?").slice(0, NAME_MAX);
  return /^skua-(sim|bench)-\d+$/.test(schema)
    ? `its schema is ${shown}, and this page knows ${known}: make the page with the skua that ` +
        "wrote the file"
    : `its schema is ${shown}; this room shows ${known}`;
}

/* { title, bounds, curves }, or an Error whose message ends the sentence "This cannot be shown". */
export function readScale(text) {
  if (text.length > BYTES_MAX) throw new Refusal("it has more than 20 MB");
  if (!text.trim()) throw new Refusal("there is nothing in it");
  let file;
  try {
    file = JSON.parse(text);
  } catch {
    throw new Refusal("it is not JSON; --json was not given, or the file is not whole");
  }
  if (!isObject(file)) throw new Refusal("it is JSON, but not an object as skua prints it");
  if (!Object.hasOwn(READERS, file.schema)) throw new Refusal(schemaRefusal(file.schema));
  return READERS[file.schema](file);
}
