// A shot again, at quarter speed, from the pictures that the referee kept.
import { make, say } from "./dom.js";
import { read } from "./http.js";

const SLOWNESS = 4, LAST_MS = 1500;

/** Turn every place of a replay into a button that shows it there. */
export function offerReplays() {
  for (const place of document.querySelectorAll("[data-replay]")) {
    const button = place.querySelector("button");
    if (button.dataset.isReady) continue;
    button.dataset.isReady = "yes";
    button.addEventListener("click", () => show(place, button));
  }
}

async function show(place, button) {
  let told;
  try {
    told = await read(`/referee/replay/${place.dataset.replay}`);
  } catch {
    say(button, "No pictures of this shot are kept");
    button.disabled = true;
    return;
  }
  const image = place.querySelector("img") ?? place.appendChild(make("img", { alt: `Shot ${told.shot + 1} at quarter speed` }));
  for (const [k, picture] of told.pictures.entries()) {
    if (!place.isConnected) return;
    image.src = `data:image/jpeg;base64,${picture.jpeg}`;
    const next = told.pictures[k + 1];
    await new Promise((go) => setTimeout(go, next ? SLOWNESS * 1000 * (next.t_s - picture.t_s) : LAST_MS));
  }
}
