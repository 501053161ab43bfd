// The server's time of day on this page, whatever the device's own clock says (Cristian's algorithm): the
import { atRoot } from "./http.js";
// server's answer is taken to have been made halfway between asking and hearing, and the quickest of a few
// answers counts, as it can be wrong by half its way at most.

const PROBES = 5, AGAIN_MS = 60_000;
let ahead_ms = NaN; // the server's time less the page's steady clock, which nobody sets
let known = null;

/** The server's time of day now, ms after 1970; NaN before the first measurement. */
export function serverNow_ms() {
  return performance.now() + ahead_ms;
}

/** Take the time that came with the page until it is measured. */
export function startClock(now) {
  if (Number.isNaN(ahead_ms)) ahead_ms = Date.parse(now) - performance.now();
  if (!known) keepMeasuring();
}

/** Resolves once the server's clock was measured. */
export function clockIsMeasured() {
  return known ?? measureClock();
}

/** Measure again: after a lost connection, or when a device wakes up. */
export function measureClock() {
  known = measure();
  return known;
}

async function measure() {
  let best_ms = Infinity;
  for (let k = 0; k < PROBES; k++) {
    const asked_ms = performance.now();
    const answer = await fetch(atRoot("/clock")).then((each) => each.json(), () => null);
    const way_ms = performance.now() - asked_ms;
    if (!answer?.now || way_ms >= best_ms) continue;
    best_ms = way_ms;
    ahead_ms = Date.parse(answer.now) - asked_ms - way_ms / 2;
  }
}

function keepMeasuring() {
  measureClock();
  setInterval(measureClock, AGAIN_MS);
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") measureClock();
  });
}
