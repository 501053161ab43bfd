// Asks the server, for as long as a camera aims, where the board's lines are in its picture, and draws them over it.
import { draw, say } from "./dom.js";
import { atRoot, send } from "./http.js";
import { cutFrame } from "./live_camera.js";

const LONG_PX = 960, QUALITY = 0.8;
/** A frame is sent this often at most, and no sooner than the last one took. */
const EVERY_MS = 500, FAILED_MS = 3000;
/** A board that moves by less than this share of the picture between two frames is still. */
const STILL_SHARE = 0.006;
const client = [...crypto.getRandomValues(new Uint8Array(9))].map((each) => each.toString(36)).join("").slice(0, 16);

/**
 * Follow a video with `svg` lying over it and a sentence in `words`, while `isWanted()`.
 * `fine` is said instead of the server's words where nothing is to be changed. `longPicture_px()` is the long side of the picture that will be taken; `onReading({ isSure, isStill })` follows each answer.
 */
export async function followBoard({ video, svg, words, isWanted, longPicture_px, fine, onReading = () => {} }) {
  const canvas = document.createElement("canvas");
  let before = null;
  while (isWanted()) {
    const begun_ms = performance.now();
    let wait_ms = EVERY_MS;
    const frame = document.visibilityState === "visible" ? await cutFrame(video, canvas, LONG_PX, QUALITY) : null;
    if (frame) {
      const finer = longPicture_px() / Math.max(canvas.width, canvas.height);
      try {
        const told = await send(atRoot(`/score/aim?client=${client}&finer=${finer.toFixed(2)}`), frame);
        if (!isWanted()) break;
        if (!told.is_busy) {
          show(told, svg, words, fine);
          const place = findPlace(told);
          onReading({ isSure: told.is_sure, isStill: isNear(place, before, told.size) });
          before = place;
        }
      } catch (error) {
        if (!isWanted()) break; // the place of these words says something newer by now
        say(words, error.message);
        svg.replaceChildren();
        wait_ms = FAILED_MS;
      }
      wait_ms = Math.max(wait_ms - (performance.now() - begun_ms), performance.now() - begun_ms);
    }
    await new Promise((go) => setTimeout(go, wait_ms));
  }
  svg.replaceChildren();
}

function show(told, svg, words, fine) {
  svg.setAttribute("viewBox", `0 0 ${told.size[0]} ${told.size[1]}`);
  svg.classList.toggle("is-sure", told.is_sure);
  svg.replaceChildren(...told.rings.map((points) => draw("polygon", { points })));
  say(words, (told.is_sure && fine) || told.sentence);
}

/** The outermost ring's points that lie apart, so that a turn is seen as well as a shift. */
function findPlace({ rings }) {
  const points = rings.at(-1)?.split(" ").map((each) => each.split(",").map(Number));
  return points ? [0, 0.25, 0.5, 0.75].map((share) => points[Math.floor(share * points.length)]) : null;
}

function isNear(one, other, [width]) {
  if (!one || !other) return false;
  return one.every(([x, y], k) => Math.hypot(x - other[k][0], y - other[k][1]) < STILL_SHARE * width);
}
