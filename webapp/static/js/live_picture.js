// Fetches the newest picture of what the referee sees, again and again, one at a time.
import { atBoard } from "./http.js";

/** Keep an image up to date for as long as `isWanted()`; `onPicture(isThere)` after every try. */
export async function followPicture(image, isWanted, onPicture = () => {}) {
  const pause_ms = 150, idle_ms = 1000;
  let shown = null;
  for (;;) {
    let wait_ms = idle_ms;
    if (isWanted() && document.visibilityState === "visible") {
      try {
        const answer = await fetch(atBoard("/referee/picture.jpg"));
        const isThere = answer.status === 200;
        if (isThere) {
          const fresh = URL.createObjectURL(await answer.blob());
          image.src = fresh;
          await image.decode().catch(() => {});
          if (shown) URL.revokeObjectURL(shown);
          shown = fresh;
          wait_ms = pause_ms;
        }
        image.hidden = !isThere || !isWanted();
        onPicture(isThere);
      } catch {
        onPicture(false);
      }
    }
    await new Promise((go) => setTimeout(go, wait_ms));
  }
}
