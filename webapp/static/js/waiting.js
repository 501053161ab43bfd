// Waits until the server has looked, saying how far it is, then shows what came of it.
import { read } from "./http.js";

const waiting = document.querySelector("[data-progress]");
const how = document.getElementById("how");
const EVERY_MS = 400;

async function ask() {
  try {
    const { is_done, words } = await read(waiting.dataset.progress);
    if (is_done) {
      location.replace(waiting.dataset.then ?? location.href);
      return;
    }
    if (how.textContent !== words) how.textContent = words;
  } catch (error) {
    how.textContent = error.message;
  }
  setTimeout(ask, EVERY_MS);
}
ask();
