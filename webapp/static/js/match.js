// Running a match: entries are sent in the background, and the page follows what others enter.
import { atRoot } from "./http.js";
import "./whole_choice.js";
import { addEntry, drawEntries, findUnsent, forgetEntry, listEntries, listWaiting, sendEntries } from "./entry_queue.js";
import { make, say } from "./dom.js";
import { prepareShare } from "./match_share.js";
import { fillForms, keepDrafts, readDrafts, recallDrafts } from "./form_drafts.js";
import { follow } from "./event_stream.js";
import { keepScreenOn } from "./wake_lock.js";
import { localiseTimes } from "./local_time.js";
import { checkForm, showFault, zoneOf } from "./round_check.js";
import { showHints } from "./hints.js";
import { showRefereeNotice } from "./referee_notice.js";
import { offerReplays } from "./replay.js";
import { runClock } from "./round_clock.js";
import { clockIsMeasured, measureClock, startClock } from "./server_clock.js";
import { showBoard } from "./match_board.js";
import { untilReleased } from "./until_released.js";
import { _ } from "./messages.js";

const number = Number(document.getElementById("live").dataset.match);
/** A page that could not be fetched anew is fetched again after this. */
const AGAIN_MS = 2000;
const notices = make("div", { id: "notices" });
document.getElementById("main").before(notices);
let tick = () => {}, isScored = false;
let latest = null, drafts = {}, unreached = null, note = null, wanted = 0, answered = [];

/** Fetch the page anew where a version of the match is newer than the page; what was typed, opened and focused stays. */
async function refreshTo(version) {
  if (version <= Math.max(wanted, shownVersion())) return;
  wanted = version;
  try {
    // the server's own page: what the service worker kept is older
    const answer = await fetch(atRoot(`/match/${number}`), { cache: "no-store", headers: { Accept: "text/html" } });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    await untilReleased();
    if (version === wanted && page.getElementById("live")) showPage(page);
  } catch { /* the server is away for a moment */ }
  if (version !== wanted || shownVersion() >= version) return;
  wanted = 0;
  setTimeout(() => refreshTo(version), AGAIN_MS);
}

function showPage(page) {
  const fresh = page.getElementById("main");
  const focus = describeFocus();
  const open = [...document.querySelectorAll("details[open] > summary")].map((each) => each.textContent);
  const top = scrollY;
  drafts = { ...drafts, ...readDrafts(describeEntry) };
  document.title = page.title;
  moveOpenParts(fresh);
  document.getElementById("main").replaceWith(document.adoptNode(fresh));
  for (const summary of document.querySelectorAll("details > summary")) {
    if (open.includes(summary.textContent)) summary.parentElement.open = true;
  }
  prepare();
  restoreFocus(focus);
  scrollTo({ top, behavior: "instant" });
  if (isScored) showScore();
  isScored = false;
}

/** Bring what a round has brought into sight. */
function showScore() {
  document.querySelector(".score").scrollIntoView({ block: "start", behavior: "instant" });
}

/** Move shots that are being looked at into the fresh page, and the disc too, unless it was put right. */
function moveOpenParts(fresh) {
  for (const place of document.querySelectorAll("[data-shot][data-is-open]")) {
    fresh.querySelector(`[data-shot="${place.dataset.shot}"]#${place.id}`)?.replaceWith(place);
  }
  const looked = document.querySelector("#disc[data-disc]");
  if (looked) fresh.querySelector("#disc")?.replaceWith(looked);
}

function describeFocus() {
  const element = document.activeElement;
  if (!element || element === document.body || notices.contains(element)) return null;
  if (element.id) return { id: element.id };
  return { label: element.getAttribute("aria-label"), text: element.textContent };
}

function restoreFocus(path) {
  if (!path) return;
  const all = [...document.querySelectorAll("button, input, select, summary, a")];
  const same = path.id
    ? document.getElementById(path.id)
    : all.find((each) => path.label ? each.getAttribute("aria-label") === path.label : each.textContent === path.text);
  const focused = same && !same.disabled ? same : document.getElementById("main");
  focused.focus({ preventScroll: true });
  if (focused.matches("input") && focused.value === focused.defaultValue) focused.select(); // what is typed replaces it
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!form.matches("form[data-form]")) return;
  event.preventDefault();
  const isOnItsWay = form.dataset.isSent && !form.action.endsWith("/twenty");
  if (isOnItsWay) return; // a second tap on the same thing
  if (!checkForm(form)) return form.querySelector(".fault:not([hidden])").parentElement.querySelector("input").focus();
  const action = form.action.split("/").at(-1);
  note = null;
  const unsent = action === "undo" ? findUnsent(number) : null;
  if (unsent) return takeBack(unsent);
  if (action === "disc") form.closest("#disc")?.removeAttribute("data-disc"); // it was looked at, and is put right
  const key = addEntry(number, action, Object.fromEntries(new FormData(form)), describeEntry(form));
  form.dataset.isSent = key;
  delete drafts[form.dataset.form];
  if (unreached !== null) clearSent(key);
  update();
});

/** An entry in words, for a list of those that wait. */
function describeEntry(form) {
  const title = form.dataset.words ?? form.querySelector("button:not([data-step])").getAttribute("aria-label")
    ?? form.querySelector("button:not([data-step])").textContent.trim();
  const sides = [...form.querySelectorAll("[data-check=counts]")].map((side) => side.querySelector("legend").textContent);
  const texts = [...form.querySelectorAll("input[maxlength]")].map((each) => each.value);
  return [title, ...sides, ...texts].join(" · ");
}

/** The fields of a form whose entry is on its way, as they were at first. */
function clearSent(key) {
  const form = document.querySelector(`form[data-is-sent="${key}"]`);
  if (!form) return;
  form.reset();
  delete form.dataset.isSent;
}

/** The server answers again; what waits is shown until all of it is sent. */
function noteReached() {
  if (listEntries().every((each) => each.refusal)) unreached = null;
}

document.addEventListener("entered", ({ detail }) => {
  noteReached();
  note = detail.note ?? note;
  answered = [...answered.filter((each) => each.events > shownVersion()), detail];
  clearSent(detail.entry.key);
  if (detail.entry.match === number && detail.entry.action === "score") {
    isScored = detail.events > shownVersion();
    if (!isScored) showScore();
  }
  if (detail.entry.match === number) refreshTo(detail.events);
  update();
});
document.addEventListener("refused", ({ detail }) => {
  noteReached();
  const form = document.querySelector(`form[data-is-sent="${detail.entry.key}"]`);
  if (detail.choices?.length) clearSent(detail.entry.key);
  else if (form) delete form.dataset.isSent; // what was typed stays, to be changed
  update();
  if (detail.entry.match === number) refreshTo(detail.events);
  notices.scrollIntoView({ block: "nearest" });
});
document.addEventListener("unreached", ({ detail }) => {
  if (detail.status === 401 && detail.entry.match !== number) return; // that match's page says so
  unreached = { status: detail.status, error: detail.error };
  for (const entry of listWaiting(number)) clearSent(entry.key);
  update();
});
document.addEventListener("entries", () => { if (unreached !== null) update(); else showNotices(); });

/** What waits, what was refused, and what others have made of a draft, above the page. */
function showNotices() {
  const parts = drawEntries({ isLate: unreached !== null, ...unreached, putBack, takeBack });
  if (note) parts.push(make("p", { class: "note", role: "status" }, note));
  parts.push(...Object.entries(drafts).map(([name, draft]) => drawOrphan(name, draft)));
  notices.replaceChildren(...parts);
}

/** Forget an entry that nobody has got; a round's counts stay in its form. */
function takeBack(entry) {
  if (entry.action === "score") fillAgain(entry, entry.fields.seen);
  else forgetEntry(entry.key);
  update();
}

/** Forget an entry, and fill its form with what was typed. */
function fillAgain(entry, seen) {
  forgetEntry(entry.key);
  showWaiting(); // the form of its round is there again
  drafts = fillForms({ ...drafts, [entry.fields.form]: { ...entry, seen, all: entry.fields } });
}

/** Fill the form of a refused entry with what was typed, to be changed and sent again. */
function putBack(entry) {
  fillAgain(entry, entry.refusal.events);
  showNotices();
  document.querySelector(`form[data-form="${CSS.escape(entry.fields.form)}"] input:not([type=hidden])`)?.focus();
}

/** What somebody was typing where others went on: it is sent all the same, or forgotten. */
function drawOrphan(name, draft) {
  const send = make("button", { type: "button" }, _("Compare and choose"));
  const forget = make("button", { type: "button" }, _("Discard"));
  const drop = () => { delete drafts[name]; keepDrafts(number, drafts); showNotices(); };
  send.addEventListener("click", () => { addEntry(number, draft.action, { ...draft.all, ...draft.fields, seen: draft.seen }, draft.words); drop(); });
  forget.addEventListener("click", drop);
  return make("section", { class: "note doubt", role: "status" },
    make("p", {}, make("strong", {}, draft.words)),
    make("p", {}, _("Someone else made an entry while you were typing.")), make("div", { class: "row" }, send, forget));
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-step]");
  if (!button) return;
  const input = button.parentElement.querySelector("input");
  const next = Number(input.value || 0) + Number(button.dataset.step);
  input.value = Math.max(Number(input.min), Math.min(Number(input.max), next));
  input.dispatchEvent(new Event("input", { bubbles: true }));
});

document.addEventListener("change", ({ target }) => target.id === "foul" && showPenalty());

/** What the chosen foul costs, beneath it. */
function showPenalty() {
  const place = document.getElementById("penalty");
  if (!place) return;
  const words = document.getElementById("foul").selectedOptions[0]?.dataset.penalty ?? "";
  place.hidden = !words;
  say(place, words);
}

document.addEventListener("input", (event) => {
  const side = event.target.closest("[data-check]");
  if (side) showFault(side);
  if (side?.dataset.check === "counts") addUp(side);
  keepDrafts(number, { ...drafts, ...readDrafts(describeEntry) });
});

function addUp(side) {
  const sum = [...side.querySelectorAll("input")].reduce((points, input) => points + zoneOf(input) * Number(input.value || 0), 0);
  say(side.querySelector("output"), String(sum));
}

/** Make a fresh page ready: what was typed stands in its fields again. */
function prepare() {
  offerReplays();
  prepareShare();
  localiseTimes();
  showHints();
  if (latest) show(latest);
  tick();
  for (const button of document.querySelectorAll("[data-step]")) button.hidden = false;
  update();
}

/** Count what waits, fill in what was typed, and say what there is to say. */
function update() {
  showWaiting();
  drafts = fillForms(drafts);
  showPenalty();
  keepDrafts(number, { ...drafts, ...readDrafts(describeEntry) });
  showNotices();
}

/** The version of the match that the page shows. */
function shownVersion() {
  return Number(document.getElementById("live").dataset.events);
}

/** The 20s and the rounds that wait without a connection, counted as if they were entered. */
function showWaiting() {
  const unseen = answered.filter((each) => each.events > shownVersion() && each.entry.match === number);
  const waiting = [...unseen.map((each) => each.entry), ...(unreached === null ? [] : listWaiting(number))];
  const rounds = waiting.filter((each) => each.action === "score");
  const twenties = waiting.slice(waiting.lastIndexOf(rounds.at(-1)) + 1).filter((each) => each.action === "twenty");
  for (const place of document.querySelectorAll("[data-twenties]")) {
    place.dataset.entered ??= place.textContent;
    const side = place.dataset.twenties;
    const more = twenties.filter((each) => each.fields.side === side).reduce((sum, each) => sum + Number(each.fields.change), 0);
    const count = Math.max(0, (rounds.length ? 0 : Number(place.dataset.entered)) + more);
    say(place, String(count));
    place.closest(".twenties").querySelector("button").disabled = count === 0;
    countInForm(document.getElementById(`count${side}_20`), count);
  }
  for (const place of document.querySelectorAll("[data-round]")) say(place, String(Number(place.dataset.round) + rounds.length));
  const form = document.querySelector("form.score-form");
  if (!form) return;
  form.dataset.entered ??= form.dataset.form;
  form.dataset.form = form.dataset.entered.replace(/\d+/, (digits) => Number(digits) + rounds.length);
  form.elements.form.value = form.dataset.form;
}

function countInForm(field, count) {
  if (!field || field.value !== field.defaultValue || field.closest("[data-is-counted]")) return;
  field.defaultValue = field.value = String(count);
  addUp(field.closest("[data-check]"));
}

/** What of a match moves by itself, which is the newest one alone. */
function show(state) {
  const here = document.getElementById("live").dataset;
  if (here.newest !== "yes") return;
  showRefereeNotice(state);
  showBoard(state, here.lastShot);
}

/** The clock of the round in play, as the page has it. */
function findClock() {
  const { clock } = document.getElementById("clock").dataset;
  return { clock: JSON.parse(clock), is_over: false };
}

function showClock(clock) {
  const place = document.getElementById("clock");
  place.hidden = !clock;
  place.classList.toggle("is-out", Boolean(clock?.isOut));
  say(place, clock?.words ?? "");
}

drafts = recallDrafts(number);
if (listEntries().length) unreached = {}; // they waited before this page was loaded
prepare();
sendEntries();
keepScreenOn();
follow({
  onState: (state) => {
    latest = state;
    show(state);
    const here = document.getElementById("live").dataset;
    if (state.match?.id === Number(here.match)) refreshTo(state.match.events);
  },
  onLink: (isUp) => isUp && Promise.all([sendEntries(), measureClock()]),
});
startClock(new Date().toISOString()); // the device's own time, for a page that no server can be asked from
clockIsMeasured().then(() => { tick = runClock(findClock, showClock); });
const { controller } = navigator.serviceWorker ?? {}; // of a page that was kept before: it keeps every part as it comes
navigator.serviceWorker?.register(atRoot("/match-worker.js"), { scope: atRoot("/match") });
addEventListener("load", async () => { // all that the page is made of has come
  if (controller) return;
  const { active } = (await navigator.serviceWorker?.ready) ?? {};
  const loaded = performance.getEntriesByType("resource").map((each) => new URL(each.name));
  const parts = loaded.filter((each) => each.origin === location.origin && each.pathname.startsWith(atRoot("/static/")));
  active?.postMessage({ keep: [location.pathname, ...new Set(parts.map(String))] });
});
