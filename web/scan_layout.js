/* scan_layout.js — where the boxes are: a squarified map, or a flame of one row for each level */

const HEAD = 19; /* height of a directory's title in the map */
const ROW = 25; /* of a level in the flame */
const LEVELS = 40; /* of the flame; deeper ones are seen after going in */

/* Squarified: a row is filled while its worst box does not get narrower. */
function squarify(nodes, area, give) {
  let { x, y, w, h } = area,
    first = 0;
  let total = nodes.reduce((sum, node) => sum + value(node), 0);
  while (first < nodes.length && total > 0 && w > 1 && h > 1) {
    const side = Math.min(w, h),
      scale = (w * h) / total;
    let sum = 0,
      last = first,
      worst = Infinity;
    for (; last < nodes.length; last++) {
      const next = sum + value(nodes[last]),
        deep = (next * scale) / side;
      const longest = (value(nodes[first]) * scale) / deep,
        shortest = (value(nodes[last]) * scale) / deep;
      const bad = Math.max(longest / deep, deep / Math.max(shortest, 1e-9));
      if (bad > worst) break;
      worst = bad;
      sum = next;
    }
    const deep = (sum * scale) / side;
    let at = 0;
    for (let i = first; i < last; i++) {
      const part = (value(nodes[i]) * scale) / deep;
      give(
        nodes[i],
        w >= h ? { x, y: y + at, w: deep, h: part } : { x: x + at, y, w: part, h: deep },
      );
      at += part;
    }
    if (w >= h) {
      x += deep;
      w -= deep;
    } else {
      y += deep;
      h -= deep;
    }
    total -= sum;
    first = last;
  }
}

function layMap(node, area, level, boxes) {
  const nodes = inside(node)
    .filter(n => value(n) > 0)
    .sort((a, b) => value(b) - value(a));
  squarify(nodes, area, (child, { x, y, w, h }) => {
    if (w < 2 || h < 2) return;
    boxes.push({ node: child, x, y, w, h, level });
    if (isDir(child) && w > 28 && h > HEAD + 10)
      layMap(child, { x: x + 3, y: y + HEAD, w: w - 6, h: h - HEAD - 3 }, level + 1, boxes);
  });
}

function layFlame(node, x, w, level, boxes) {
  boxes.push({ node, x, y: level * ROW, w, h: ROW, level });
  const whole = value(node);
  if (!isDir(node) || !whole || level >= LEVELS) return;
  for (const child of inside(node)) {
    const part = (w * value(child)) / whole;
    if (part >= 1) layFlame(child, x, part, level + 1, boxes);
    x += part;
  }
}

/* All boxes of a picture so wide and high, parents before what is in them. */
function lay(width, height) {
  const boxes = [];
  if (now.view === "map" && !isDir(now.here))
    boxes.push({ node: now.here, x: 1, y: 1, w: width - 2, h: height - 2, level: 0 });
  else if (now.view === "map")
    layMap(now.here, { x: 1, y: 1, w: width - 2, h: height - 2 }, 0, boxes);
  else layFlame(now.here, 0, width, 0, boxes);
  return boxes;
}

/* --- finding one's way among them --- */

function boxAt(boxes, x, y) {
  for (let i = boxes.length - 1; i >= 0; i--) {
    const box = boxes[i];
    if (x >= box.x && x < box.x + box.w && y >= box.y && y < box.y + box.h) return box;
  }
  return null;
}

/* The nearest in a direction: in the map among what is directly here, in the flame among all. */
function neighbour(boxes, from, dx, dy) {
  const among = now.view === "map" ? boxes.filter(box => box.level === 0) : boxes;
  if (!from) return among[0] ?? null;
  const middle = box => [box.x + box.w / 2, box.y + box.h / 2],
    [fx, fy] = middle(from);
  let best = from,
    least = Infinity;
  for (const box of among) {
    const [x, y] = middle(box),
      along = (x - fx) * dx + (y - fy) * dy;
    const aside = Math.abs((x - fx) * dy) + Math.abs((y - fy) * dx);
    if (box === from || along < 1 || (now.view === "flame" && dx && box.level !== from.level))
      continue;
    const overlaps = dx
      ? box.y < from.y + from.h && from.y < box.y + box.h
      : box.x < from.x + from.w && from.x < box.x + box.w;
    const far = along + 2 * aside + (overlaps ? 0 : 1e5);
    if (far < least) {
      least = far;
      best = box;
    }
  }
  return best;
}
