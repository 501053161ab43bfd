// Polls a job of the server (a photograph, a calibration): says how far it is, then loads what came of it.
import { read } from "./http.js";
import { translate } from "./words.js";

const waiting = document.querySelector("[data-progress]");
const how = document.getElementById("how");
const EVERY_MS = 400;

async function poll() {
  try {
    const { is_done, words } = await read(waiting.dataset.progress);
    if (is_done) {
      location.replace(waiting.dataset.then ?? location.href);
      return;
    }
    if (how.textContent !== translate(words)) how.textContent = translate(words);
  } catch (error) {
    how.textContent = error.message;
  }
  setTimeout(poll, EVERY_MS);
}
poll();
