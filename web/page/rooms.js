/* rooms.js — the rooms of the page in their order, with what the build puts in for them */
import { racesRoom } from "./races.js";
import { sandboxRoom } from "./sandbox.js";
import { scaleRoom } from "./scale.js";
import { tourRoom } from "./tour.js";
import { isServed, liveRoom } from "./live.js";
import { timelineRoom } from "./timeline.js";
import doubled from "../wasm/race_double.c";
import skipped from "../wasm/race_skip.c";
import last from "../wasm/race_last.c";
import early from "../wasm/race_early.c";
import stale from "../wasm/race_stale.c";
import fence from "../wasm/race_fence.c";
import deque from "skua-deque.c"; /* src/sched/deque.c, and the code compiled from it */
import wasm from "skua-races.wasm";
import sim from "skua-sim.wasm"; /* tool/sim, behind web/sim/sandbox.c */

/*
 * A room has an id (the first word of its addresses, #id/...), a title, and
 *
 *	open(place, page)   called once, when it is first shown: build it in the element `place`;
 *	                    page.setRest(text) makes #id/text the address, which the room's link
 *	                    then leads back to, and returns it whole; page.take(file) gives a file
 *	                    that was chosen here to the room that knows it
 *	  -> show(rest)     called whenever an address #id/rest leads here; strangers may have written it
 *	  -> hide()         called when another room is shown
 *	  -> take(file)     where there is one: a file was chosen here, or dropped on the page
 *	knows(head)         where there is one: files whose first bytes are this text are for this room
 *	isWanted()          where there is one and it says so, the page begins with this room
 *	isForFiles          it takes files nobody knows that are dropped in a room which takes none
 */
export const rooms = [
  sandboxRoom(sim),
  racesRoom(wasm, {
    "race_double.c": doubled,
    "race_skip.c": skipped,
    "race_last.c": last,
    "race_early.c": early,
    "race_stale.c": stale,
    "race_fence.c": fence,
    "deque.c": deque,
  }),
  timelineRoom,
  ...(isServed() ? [liveRoom] : []),
  scaleRoom(sim),
  tourRoom(sim),
];
