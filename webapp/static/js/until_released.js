// Whether a finger or a mouse button is down: a button that is replaced under it is never clicked.

/** A click follows within this when a finger was lifted; and nobody presses for longer than this. */
const CLICK_MS = 100, PRESS_MS = 3000;
let pressedUntil = 0;
document.addEventListener("pointerdown", () => { pressedUntil = performance.now() + PRESS_MS; }, true);
for (const lifted of ["pointerup", "pointercancel"]) {
  document.addEventListener(lifted, () => { pressedUntil = performance.now() + CLICK_MS; }, true);
}

/** Wait until nothing is pressed. */
export async function untilReleased() {
  while (performance.now() < pressedUntil) await new Promise((done) => setTimeout(done, CLICK_MS));
}
