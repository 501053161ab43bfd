// A practice: it loads anew when a shot was entered, and a tap on the board says where a disc came to rest.
import { follow } from "./event_stream.js";
import { say } from "./dom.js";
import { atRoot, read } from "./http.js";
import { untilReleased } from "./until_released.js";
import { _ } from "./messages.js";

// Sizes as in calibration/board.py.
const HOLE_MM = 17.46, SURFACE_MM = 330.2;
const page = () => document.querySelector("[data-practice]");
const number = Number(page().dataset.practice);
let isSending = false;

async function renew() {
  const { events } = await read(atRoot(`/practice/${number}/events`));
  if (isSending || String(events) === page().dataset.events) return; // what was entered here is shown by now
  await reload();
}

async function reload() {
  const answer = await fetch(location.href);
  if (!answer.ok) return;
  const text = await answer.text();
  await untilReleased();
  if (!isSending) replace(text); // else what is being entered brings a newer page
}

/** Show the practice as a page has it; the button that had the focus keeps it. */
function replace(text) {
  const fresh = new DOMParser().parseFromString(text, "text/html");
  const next = fresh.querySelector("[data-practice]");
  if (!next) return;
  const focused = document.activeElement?.textContent;
  page().replaceWith(next);
  const problem = fresh.querySelector("main > .note.problem");
  refuse(problem?.textContent ?? "");
  if (focused) [...page().querySelectorAll("button")].find((each) => each.textContent === focused)?.focus();
}

function refuse(sentence) {
  const note = document.getElementById("refused");
  note.hidden = !sentence;
  say(note, sentence);
}

async function enter(address, body) {
  if (isSending) return; // the same tap twice
  isSending = true;
  try {
    const answer = await fetch(address, { method: "POST", body });
    if (answer.ok) replace(await answer.text());
    else refuse(_("Not saved. Reload the page."));
  } catch {
    refuse(_("The server cannot be reached, so the shot was not saved."));
  } finally {
    isSending = false;
  }
}

document.addEventListener("submit", (event) => {
  if (!event.target.matches("[data-enter]")) return;
  event.preventDefault();
  enter(event.target.action, new URLSearchParams(new FormData(event.target)));
});

document.addEventListener("click", (event) => {
  const board = event.target.closest(".can-tap");
  if (!board) return;
  const place = new DOMPoint(event.clientX, event.clientY).matrixTransform(board.getScreenCTM().inverse());
  const away = Math.hypot(place.x, place.y);
  const outcome = away <= HOLE_MM ? "twenty" : away <= SURFACE_MM ? "on_board" : "off_board";
  const form = page().querySelector("form[action$='/shot']");
  const body = new URLSearchParams(new FormData(form));
  body.set("outcome", outcome);
  if (outcome === "on_board") {
    body.set("right_mm", place.x.toFixed(1));
    body.set("beyond_mm", (-place.y).toFixed(1));
  }
  enter(form.action, body);
});

let status = null;
follow({
  onState: ({ referee }) => {
    if (status !== null && status !== referee.status) reload();
    status = referee.status;
  },
  onEvent: (event) => event.type === "practice" && event.practice === number && renew(),
  onLink: (isUp) => isUp && renew(),
});
