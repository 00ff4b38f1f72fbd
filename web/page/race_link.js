/* race_link.js — a race and its schedule as the end of an address; strangers may have written it */

const MOVES_MAX = 64; /* more than any race has */

/* "double/AABB/2": the race, its schedule, and how far it has been stepped. */
export function writeLink({ id, schedule, at }) {
  if (!schedule) return id;
  return `${id}/${schedule}` + (at === schedule.length ? "" : `/${at}`);
}

/* What a link means; anything that is not a known race, a move or a number is left out. */
export function readLink(text, ids) {
  const [id, moves = "", place = ""] = String(text).split("/");
  if (!ids.includes(id)) return { id: ids[0], schedule: "", at: 0, isWhole: text === "" };
  const schedule = /^[ABab]*/.exec(moves)[0].slice(0, MOVES_MAX);
  const isPlace = /^\d{1,3}$/.test(place) && Number(place) <= schedule.length;
  return {
    id,
    schedule,
    at: isPlace ? Number(place) : schedule.length,
    isWhole: schedule === moves && (isPlace || place === ""),
  };
}
