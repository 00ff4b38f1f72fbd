/* timeline_touch.js — mouse, pen and fingers on the lanes: drag, pinch, wheel, click */

const CLICK_PIXELS = 5; /* a press that moved less is a click */
const WHEEL_STEP = 0.0015; /* zoom of a pixel of wheel */

/* Hear what is done on the two canvases of a room, and tell it. */
export function usePointers(room) {
  const { canvas, overview } = room.parts,
    fingers = new Map(); /* by id: where it is now */
  let travelled = 0;
  const placeOf = event => {
    const box = canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  const width = () => room.painter.width - room.painter.gutter;

  canvas.addEventListener("pointerdown", event => {
    if (event.button !== 0 || fingers.size === 2) return;
    canvas.setPointerCapture(event.pointerId);
    if (!fingers.size) travelled = 0;
    fingers.set(event.pointerId, placeOf(event));
  });
  canvas.addEventListener("pointermove", event => {
    const before = fingers.get(event.pointerId);
    if (!before) return;
    const now = placeOf(event),
      other = [...fingers].find(([id]) => id !== event.pointerId)?.[1];
    travelled += Math.abs(now.x - before.x) + Math.abs(now.y - before.y);
    if (other) {
      const was = Math.abs(before.x - other.x),
        is = Math.abs(now.x - other.x),
        middle = room.painter.timeAt((before.x + other.x) / 2, room.view);
      if (was > 10 && is > 10) room.zoom(was / is, middle);
      travelled += CLICK_PIXELS;
    } else if (travelled >= CLICK_PIXELS) room.pan((before.x - now.x) / width());
    fingers.set(event.pointerId, now);
  });
  const lift = event => {
    const was = fingers.get(event.pointerId);
    fingers.delete(event.pointerId);
    if (was && event.type === "pointerup" && travelled < CLICK_PIXELS) room.pick(was.x, was.y);
  };
  canvas.addEventListener("pointerup", lift);
  canvas.addEventListener("pointercancel", lift);
  canvas.addEventListener("dblclick", event => {
    room.zoom(event.shiftKey ? 2 : 0.5, room.painter.timeAt(placeOf(event).x, room.view));
  });
  /* The wheel alone scrolls the page, as everywhere. */
  canvas.addEventListener(
    "wheel",
    event => {
      const pixels = event.deltaMode ? 30 : 1,
        isAcross = Math.abs(event.deltaX) > Math.abs(event.deltaY) || event.shiftKey;
      if (event.ctrlKey || event.metaKey) {
        const around = room.painter.timeAt(placeOf(event).x, room.view);
        room.zoom(Math.exp(event.deltaY * pixels * WHEEL_STEP), around);
      } else if (isAcross) room.pan(((event.deltaX || event.deltaY) * pixels) / width());
      else return;
      event.preventDefault();
    },
    { passive: false },
  );

  /* In the overview the middle of the view goes where one points. */
  const jump = event => {
    if (!event.buttons) return;
    const box = overview.getBoundingClientRect(),
      { whole, view } = room,
      time = whole.from + ((event.clientX - box.left) / box.width) * (whole.to - whole.from),
      half = (view.to - view.from) / 2;
    room.setView(time - half, time + half);
  };
  overview.addEventListener("pointerdown", event => {
    overview.setPointerCapture(event.pointerId);
    jump(event);
  });
  overview.addEventListener("pointermove", jump);
}
