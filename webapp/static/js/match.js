// Running a match: forms answer in place, and the page follows what others enter.
import { follow } from "./event_stream.js";
import { keepScreenOn } from "./wake_lock.js";
import { showRefereeNotice } from "./referee_notice.js";
import { offerReplays } from "./replay.js";
import { showBoard } from "./match_board.js";

/** Entries that are on their way, in the order of their taps; each is sent when the one before is answered. */
const waiting = [];
let answered = Promise.resolve();
let latest = null;

/** Put the server's answer in the page's place; what had the focus has it again, what was open stays. */
async function showAnswer(answer, isOwn = true) {
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const fresh = page.getElementById("main");
  if (!fresh) return location.assign(answer.url);
  const focus = describeFocus();
  const open = [...document.querySelectorAll("details[open] > summary")].map((each) => each.textContent);
  const top = scrollY;
  document.title = page.title;
  moveOpenParts(fresh, isOwn);
  document.getElementById("main").replaceWith(document.adoptNode(fresh));
  for (const summary of document.querySelectorAll("details > summary")) {
    if (open.includes(summary.textContent)) summary.parentElement.open = true;
  }
  if (answer.url !== location.href) history.replaceState(null, "", answer.url);
  prepare();
  restoreFocus(focus);
  scrollTo({ top: document.querySelector(".note.problem") ? 0 : top, behavior: "instant" });
}

/** Move shots that are being looked at into the fresh page, and the disc too, unless it was put right. */
function moveOpenParts(fresh, isOwn) {
  for (const place of document.querySelectorAll("[data-shot][data-is-open]")) {
    fresh.querySelector(`[data-shot="${place.dataset.shot}"]#${place.id}`)?.replaceWith(place);
  }
  const looked = document.querySelector("#disc[data-disc]");
  if (looked && !isOwn) fresh.querySelector("#disc")?.replaceWith(looked);
}

function describeFocus() {
  const element = document.activeElement;
  if (!element || element === document.body) return null;
  if (element.id) return { id: element.id };
  return { label: element.getAttribute("aria-label"), text: element.textContent };
}

function restoreFocus(path) {
  if (!path) return;
  const all = [...document.querySelectorAll("button, input, select, summary, a")];
  const same = path.id
    ? document.getElementById(path.id)
    : all.find((each) => path.label ? each.getAttribute("aria-label") === path.label : each.textContent === path.text);
  (same && !same.disabled ? same : document.getElementById("main")).focus({ preventScroll: true });
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.method !== "post" || !form.action.includes("/match/")) return;
  event.preventDefault();
  const body = new URLSearchParams(new FormData(form));
  const entry = `${form.action}?${body}`;
  // The same twice before its answer is a double tap, but for 20s: there may well be two.
  if (waiting.includes(entry) && !form.action.endsWith("/twenty")) return;
  waiting.push(entry);
  answered = answered.then(() => send(form, body)).finally(() => waiting.shift());
});

async function send(form, body) {
  try {
    await showAnswer(await fetch(form.action, { method: "POST", body }));
  } catch {
    // A form that an answer has replaced is sent by no browser.
    if (!form.isConnected) document.getElementById("main").append(form);
    form.submit();
  }
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-step]");
  if (!button) return;
  const input = button.parentElement.querySelector("input");
  const next = Number(input.value || 0) + Number(button.dataset.step);
  input.value = Math.max(Number(input.min), Math.min(Number(input.max), next));
  input.dispatchEvent(new Event("input", { bubbles: true }));
});

document.addEventListener("input", (event) => {
  const sideForm = event.target.closest("[data-tally]");
  if (!sideForm) return;
  const sum = [...sideForm.querySelectorAll("input")].reduce((points, input) => {
    return points + Number(input.name.split("_")[1]) * Number(input.value || 0);
  }, 0);
  sideForm.querySelector("output").textContent = sum;
});

function prepare() {
  offerReplays();
  if (latest) show(latest);
  for (const button of document.querySelectorAll("[data-step]")) button.hidden = false;
}

/** What of a match moves by itself, which is the newest one alone. */
function show(state) {
  const here = document.getElementById("live").dataset;
  if (here.newest !== "yes") return;
  showRefereeNotice(state);
  showBoard(state, here.lastShot);
}

/** Whether somebody is in the middle of entering something, which must not be swept away. */
function isBusy() {
  if (waiting.length) return true;
  return [...document.querySelectorAll("#main input:not([type=hidden]), #main select")].some((field) =>
    field.tagName === "SELECT" ? [...field.options].some((each) => each.selected !== each.defaultSelected && each.index > 0)
      : field.value !== field.defaultValue);
}

prepare();
keepScreenOn();
follow({
  onState: (state) => {
    latest = state;
    show(state);
    const here = document.getElementById("live").dataset;
    const isStale = state.match && state.match.id === Number(here.match) && state.match.events > Number(here.events);
    if (isStale && !isBusy()) fetch(location.href).then((answer) => (isBusy() ? null : showAnswer(answer, false)), () => {});
  },
});
