// Polls a job of the server (a photograph, a calibration): says how far it is, then loads what came of it.
import { read } from "./http.js";
import { proceed } from "./proceed.js";

const waiting = document.querySelector("[data-progress]");
const how = document.getElementById("how");
const EVERY_MS = 400;

/** How far a job of several stages is: on the bar, and in the list of stages where the page has one. */
function showStage(stage, stages) {
  const bar = waiting.querySelector("progress");
  [bar.max, bar.value] = [stages, stage + 0.5];
  waiting.querySelectorAll(".stages li").forEach((each, k) => {
    each.className = k < stage ? "is-done" : "";
    each.toggleAttribute("aria-current", k === stage);
    if (k === stage) each.setAttribute("aria-current", "step");
  });
}

function showFirstLook(words) {
  const box = document.getElementById("first-look");
  if (box.hidden) [box.hidden, box.textContent] = [false, words];
}

async function poll() {
  try {
    const { is_done, words, stage, stages, first_look: firstLook } = await read(waiting.dataset.progress);
    if (is_done) {
      proceed(() => location.replace(waiting.dataset.then ?? location.href));
      return;
    }
    if (firstLook) showFirstLook(firstLook);
    if (stages) showStage(stage, stages);
    if (how.textContent !== words) how.textContent = words;
  } catch (error) {
    how.textContent = error.message;
  }
  setTimeout(poll, EVERY_MS);
}
poll();
