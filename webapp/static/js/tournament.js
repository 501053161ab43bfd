// A tournament's pages: they load what has changed, run the round's clock, and the wall takes turns.
import "./whole_choice.js";
import { follow } from "./event_stream.js";
import { Refused, atRoot, read } from "./http.js";
import { showTurn, takeTurns } from "./turns.js";
import { fitNames, layOut } from "./wall_layout.js";
import { _ } from "./messages.js";

let spoken = "";

const page = () => document.querySelector("[data-tournament]");

/** Load the page anew if the server can be reached; if not, the next connection does. */
async function renew(isForced = false) {
  try {
    await load(isForced);
  } catch (error) {
    if (!(error instanceof Refused || error instanceof TypeError)) throw error; // as `read` and `fetch` say it
  }
}

/** Load the page anew where the tournament has gone on, but never under somebody who is typing. */
async function load(isForced) {
  const shown = page();
  if (!shown || isSending) return;
  const { events } = await read(atRoot(`/tournaments/${shown.dataset.tournament}/events`));
  if (String(events) === shown.dataset.events && !isForced) return;
  const isTyping = [...shown.querySelectorAll("input:not([type=hidden]), textarea, select")].some(
    (field) => field === document.activeElement || isChanged(field),
  );
  if (isTyping) return;
  const answer = await fetch(location.href);
  if (!answer.ok || isSending) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  const next = fresh.querySelector("[data-tournament]");
  if (next) shown.replaceWith(next);
  show();
}

function isChanged(field) {
  if (field.type === "radio" || field.type === "checkbox") return field.checked !== field.defaultChecked;
  if (field.options) return [...field.options].some((each) => each.selected !== each.defaultSelected && each.index > 0);
  return field.value !== field.defaultValue;
}

function show() {
  showTurn();
  const boards = document.querySelector(".wall-boards");
  if (boards) layOut(boards);
  fitNames();
  tick();
}

function tick() {
  for (const clock of document.querySelectorAll("[data-clock]")) {
    const end = Date.parse(clock.dataset.started) + 60_000 * Number(clock.dataset.minutes);
    const left = Math.max(0, Math.ceil((end - Date.now() - skew_ms) / 1000));
    clock.textContent = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}`;
    if (left === 0 && Date.now() + skew_ms - end < 5000) say(clock.dataset.started);
  }
}

/** The end of a round, spoken once on the page that a room hears. */
function say(round) {
  if (spoken === round || !document.querySelector(".wall-page") || !("speechSynthesis" in window)) return;
  spoken = round;
  const said = new SpeechSynthesisUtterance(_("Time is up. Finish the current round."));
  said.lang = document.documentElement.lang;
  speechSynthesis.speak(said);
}

let skew_ms = 0;
let isSending = false; // the answer to a form is on its way, with its message
let row = ""; // of the board that the page is about, as the wall has it
if (page()) {
  follow({
    board: "all",
    onState: (state) => {
      skew_ms = state.now ? Date.parse(state.now) - Date.now() : skew_ms;
      const next = JSON.stringify(state.boards?.find((board) => String(board.number) === page()?.dataset.board) ?? "");
      if (row && next !== row) renew(true);
      row = next;
    },
    onEvent: (event) => event.type === "tournament" && renew(),
    onLink: (isUp) => isUp && renew(),
  });
  show();
  takeTurns(fitNames);
  setInterval(tick, 500);
  addEventListener("resize", show);
}

document.addEventListener("click", ({ target }) => {
  if (target.closest("[data-print]")) print();
  if (!target.closest("[data-share-page]")) return;
  const page = { title: document.title, url: location.href };
  if (navigator.share) navigator.share(page).catch(() => {}); // who gives it up is not told
  else navigator.clipboard?.writeText(page.url).then(() => (target.textContent = _("Address copied")));
});

// What was typed is still there after a refusal: a page keeps what it sends until the next one is shown.
const KEPT = `form:${location.pathname}`;

function keep({ target: form, defaultPrevented }) {
  if (form.method !== "post" || defaultPrevented) return;
  isSending = true;
  const typed = [...new FormData(form)].filter(([name]) => !["csrf", "back", "events"].includes(name));
  sessionStorage.setItem(KEPT, JSON.stringify({ action: form.getAttribute("action"), typed }));
}

function restore() {
  const kept = JSON.parse(sessionStorage.getItem(KEPT) ?? "null");
  sessionStorage.removeItem(KEPT);
  if (!kept || !document.querySelector(".note.problem[role=alert]")) return;
  const isSent = (form) =>
    form.getAttribute("action") === kept.action &&
    kept.typed.every(([name, value]) => form.elements[name]?.type !== "hidden" || form.elements[name].value === value);
  const form = [...document.querySelectorAll("form[method=post]")].find(isSent);
  if (!form) return;
  for (const [name, value] of kept.typed) if (form.elements[name]) form.elements[name].value = value;
  for (let box = form.closest("details"); box; box = box.parentElement.closest("details")) box.open = true;
  form.querySelector(":is(input, select):not([type=hidden])")?.focus();
}

// A list of names with a line that cannot be: the line is chosen.
function pointAtLine(field) {
  const before = field.value.split("\n").slice(0, Number(field.dataset.line) - 1).join("\n").length;
  const start = before ? before + 1 : 0;
  const end = field.value.indexOf("\n", start);
  field.focus();
  field.setSelectionRange(start, end < 0 ? field.value.length : end);
}

/** A new Swiss with more rounds than opponents: its matches repeat, which the organiser may not want. */
function warnOfRematches(form) {
  const players = form.elements.entries.value.split("\n").filter((line) => line.trim()).length;
  const most = players - 1 + (players % 2); // with an odd number, everybody has a bye once
  const isTooLong = form.elements.kind.value === "swiss" && players > 1 && Number(form.elements.rounds.value) > most;
  const words = isTooLong ? _("With %(players)s players, matches repeat after round %(most)s.", { players, most }) : "";
  const note = form.querySelector("[data-rematches]");
  if (note.textContent !== words) note.textContent = words;
  note.hidden = !words;
}

addEventListener("submit", keep); // after `submit_once.js`
restore();
document.querySelectorAll("textarea[data-line]").forEach(pointAtLine);
const planned = document.querySelector("[data-rematches]")?.closest("form");
if (planned) {
  planned.addEventListener("input", () => warnOfRematches(planned));
  warnOfRematches(planned);
}
