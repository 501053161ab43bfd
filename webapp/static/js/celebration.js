// A moment for each 20 and each win: large over the page, and gone after three seconds.
import { letterColourOn, make } from "./dom.js";
import { keysOf, portraits } from "./portraits.js";

const LASTS_MS = 3000;
let timer;

/** Show a call as a moment, if it is one. */
export function showMoment(box, call, { match, pictures }) {
  const parts = { twenty: () => [make("span", { class: "disc" }, "20"), make("b", {}, call.words)], round: () => result(call), win: () => [...star(call), make("span", {}, ...portraits(keysOf(match?.sides[call.side] ?? {}, pictures))), ...result(call)] }[call.kind]?.();
  if (!parts) return;
  box.style.setProperty("--disc", call.colour ?? "#8a4b12");
  box.style.setProperty("--letters", letterColourOn(call.colour ?? "#8a4b12"));
  box.replaceChildren(...parts);
  box.hidden = false;
  box.getAnimations({ subtree: true }).forEach((each) => { each.currentTime = 0; });
  clearTimeout(timer);
  timer = setTimeout(() => { box.hidden = true; }, LASTS_MS);
}

/** A star over a winner's name; a tied match has none. */
function star(call) {
  return Number.isInteger(call.side) ? [make("span", { class: "star", "aria-hidden": "true" }, "★")] : [];
}

function result(call) {
  return [make("b", {}, call.title), make("span", {}, call.words)];
}
