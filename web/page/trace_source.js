/* trace_source.js — where a trace comes from: the page itself, or a file of the reader's */

/*
 * `skua view TRACE` puts the file's bytes behind the page's script, in elements of some megabytes
 * of base64, each
 *
 *	<script type="application/octet-stream" class="trace">...</script>
 *
 * the first with data-bytes, how many there are in all, and data-name.  The page's script runs
 * before they are there: they are decoded and taken out one by one as the browser reads them, so
 * that the text of a large trace is never in memory as a whole.
 */
export const BYTES_MAX = 2 ** 30; /* more than a browser can be trusted with; arbitrary */
const WAIT_MS = 20; /* between two looks for more blocks */
const TOO_LARGE =
  "it has more than a gigabyte, too much for a page; record a shorter time, or see skua-trace(1)";

const firstBlock = () => document.querySelector("script.trace");
export const hasEmbedded = () => document.getElementById("trace-place") !== null;

/*
 * What can be shown before the first block is there: { from, to, lanes: [{ worker, shares }] },
 * `shares` four bytes for each column; null: nothing.
 */
export function takeCoarse() {
  const { from, to, workers, shares } = document.getElementById("trace-place")?.dataset ?? {};
  if (shares === undefined || !(Number(to) > Number(from))) return null;
  const bytes = Uint8Array.from(atob(shares), letter => letter.charCodeAt(0)),
    numbers = workers.split(",").map(Number),
    each = bytes.length / numbers.length;
  return {
    from: Number(from),
    to: Number(to),
    lanes: numbers.map((worker, i) => ({
      worker,
      shares: bytes.subarray(i * each, (i + 1) * each),
    })),
  };
}

function decodeInto(bytes, at, text) {
  if (bytes.setFromBase64) return bytes.subarray(at).setFromBase64(text).written;
  const whole = atob(text),
    room = Math.min(whole.length, bytes.length - at);
  for (let i = 0; i < room; i++) bytes[at + i] = whole.charCodeAt(i);
  return room;
}

/* A block is whole when something stands behind it, or the page has been read to its end. */
const isWhole = block => block.nextElementSibling !== null || document.readyState !== "loading";
const pause = ms => new Promise(resolve => setTimeout(resolve, ms));

/* The trace in this page: { name, buffer }.  `tell(done, all)` hears of each block. */
export async function takeEmbedded(tell) {
  let bytes = null,
    name = "",
    at = 0;
  for (;;) {
    const block = firstBlock();
    if (block && isWhole(block)) {
      if (!bytes) {
        const size = Number(block.dataset.bytes);
        if (!(size >= 0 && size <= BYTES_MAX)) throw new Error(TOO_LARGE);
        bytes = new Uint8Array(size);
        name = block.dataset.name ?? "";
      }
      at += decodeInto(bytes, at, block.textContent);
      block.remove();
      tell(at, bytes.length);
    } else if (document.readyState !== "loading") break;
    else await pause(WAIT_MS);
  }
  if (!bytes) throw new Error("the page was cut short before its trace; write it again");
  return { name, buffer: at === bytes.length ? bytes.buffer : bytes.buffer.slice(0, at) };
}

export async function takeFile(file) {
  if (file.size > BYTES_MAX) throw new Error(TOO_LARGE);
  return { name: file.name, buffer: await file.arrayBuffer() };
}
