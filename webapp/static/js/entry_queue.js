// What was entered and is not answered yet: kept over a reload, sent in order, each entry once.
import { IN_WORDS, atRoot } from "./http.js";
import { make } from "./dom.js";
import { _ } from "./messages.js";

const PLACE = "crokinole.entries";
const AGAIN_MS = 4000, PATIENCE_MS = 15000;
/** Answers after which the same entry is sent again: nobody is there, or too much is asked at once. */
const LATER = new Set([0, 408, 425, 429, 500, 502, 503, 504]);

const csrfField = document.querySelector("meta[name=csrf]");
let isSending = false, isAsked = false, timer = 0;

/** A name that nobody else gives. */
function randomName() {
  return Array.from(crypto.getRandomValues(new Uint8Array(8)), (each) => each.toString(16).padStart(2, "0")).join("");
}

/** This window's name: the server then knows which entries it has seen. */
function windowName() {
  if (!sessionStorage.getItem("crokinole.window")) sessionStorage.setItem("crokinole.window", randomName());
  return sessionStorage.getItem("crokinole.window");
}

/** Every entry that is kept: those that wait, and those that were refused and not yet looked at. */
export function listEntries() {
  try {
    return JSON.parse(localStorage.getItem(PLACE) ?? "[]");
  } catch {
    return [];
  }
}

function store(entries) {
  localStorage.setItem(PLACE, JSON.stringify(entries));
}

function change(entries) {
  store(entries);
  document.dispatchEvent(new CustomEvent("entries"));
}

function withoutEntry(key) {
  return listEntries().filter((each) => each.key !== key);
}

/** The entries of a match that wait for the server's answer. */
export function listWaiting(match) {
  return listEntries().filter((each) => !each.refusal && each.match === match);
}

/** Keep an entry and send it; its key. */
export function addEntry(match, action, fields, words) {
  const key = `${windowName()}.${randomName()}`;
  const { csrf: _csrf, back: _back, ...kept } = fields;
  const isReplaced = (each) => each.refusal && action !== "twenty" && each.fields.form === fields.form; // every 20 is its own
  const others = listEntries().filter((each) => !isReplaced(each));
  change([...others, { match, action, words, key, fields: { ...kept, key } }]);
  sendEntries();
  return key;
}

/** Forget an entry that was refused, or that was never sent. */
export function forgetEntry(key) {
  change(withoutEntry(key));
}

function markEntry(key, mark) {
  store(listEntries().map((each) => (each.key === key ? { ...each, ...mark } : each)));
}

/** The last entry that waits, if nobody can have got it yet; else null. */
export function findUnsent(match) {
  const last = listWaiting(match).at(-1);
  return last && !last.isTried ? last : null;
}

/** Send what waits, the oldest first; what the server cannot take now is sent later. */
export async function sendEntries() {
  isAsked = true; // also by who asks while the lock is being given back: nobody would send that entry else
  if (isSending) return;
  isSending = true;
  try {
    const alone = navigator.locks ? (work) => navigator.locks.request(PLACE, work) : (work) => work();
    while (isAsked) {
      isAsked = false;
      clearTimeout(timer);
      await alone(sendAll);
    }
  } finally {
    isSending = false;
  }
}

async function sendAll() {
  const closed = new Set(); // matches in which this browser may not write now; others go on
  for (;;) {
    const entry = listEntries().find((each) => !each.refusal && !closed.has(each.match));
    if (!entry) break;
    if (!entry.isTried) markEntry(entry.key, { isTried: true });
    const answer = await sendEntry(entry);
    if (LATER.has(answer.status) || answer.status === 401) {
      clearTimeout(timer);
      timer = setTimeout(sendEntries, AGAIN_MS);
      tell("unreached", entry, answer);
      if (answer.status !== 401) break;
      closed.add(entry.match);
      continue;
    }
    if (answer.ok) store(withoutEntry(entry.key));
    else markEntry(entry.key, { refusal: answer.content });
    tell(answer.ok ? "entered" : "refused", entry, answer);
  }
}

function tell(what, entry, answer) {
  document.dispatchEvent(new CustomEvent(what, { detail: { entry, status: answer.status, ...answer.content } }));
}

async function sendEntry(entry, isSecond = false) {
  try {
    const answer = await fetch(atRoot(`/match/${entry.match}/${entry.action}`), {
      method: "POST", body: new URLSearchParams(entry.fields), signal: AbortSignal.timeout(PATIENCE_MS),
      headers: { Accept: "application/json", "X-CSRF-Token": csrfField.content, ...IN_WORDS },
    });
    if (answer.status === 403 && !isSecond && (await renewToken())) return sendEntry(entry, true);
    const content = await answer.json().catch(() => ({ error: _("Server error %(status)s. Try again.", { status: answer.status }) }));
    return { ok: answer.ok, status: answer.status, content };
  } catch {
    return { ok: false, status: 0, content: {} };
  }
}

/** A page that was kept offline has an old token; whether there is a new one. */
async function renewToken() {
  const page = new DOMParser().parseFromString(await (await fetch(location.href)).text(), "text/html");
  csrfField.content = page.querySelector("meta[name=csrf]")?.content ?? csrfField.content;
  return true;
}

addEventListener("online", sendEntries);
document.addEventListener("visibilitychange", () => document.hidden || sendEntries());

/** What waits and what was refused, for the place above a page; `putBack(entry)` fills its form again, `takeBack(entry)` too where it waits. */
export function drawEntries({ isLate, status, error, putBack, takeBack }) {
  const entries = listEntries();
  const waiting = entries.filter((each) => !each.refusal);
  return [
    ...(isLate && waiting.length ? [drawWaiting(waiting, status, error, takeBack)] : []),
    ...groupRefusals(entries).map((same) => drawRefusal(same, putBack)),
  ];
}

/** Refused entries, with those together that ask the same question, such as three 20s of one side. */
function groupRefusals(entries) {
  const groups = new Map();
  for (const entry of entries.filter((each) => each.refusal)) {
    const { error, choices = [] } = entry.refusal;
    const asked = choices.length ? JSON.stringify([entry.match, entry.words, error]) : entry.key;
    groups.set(asked, [...(groups.get(asked) ?? []), entry]);
  }
  return [...groups.values()];
}

function drawWaiting(waiting, status, error, takeBack) {
  const count = waiting.length === 1 ? _("1 entry waiting") : _("%(count)s entries waiting", { count: waiting.length });
  const why = status === 401
    ? make("span", {}, ` ${_("Join as the scorer again to send these entries.")} `, make("a", { href: atRoot("/join") }, _("Join")))
    : ` ${error ?? ""} ${_("Your entries are saved here and will be sent when the server is back.")}`;
  return make("section", { class: "note doubt waiting", role: "status" },
    make("details", {}, make("summary", {}, make("strong", {}, count)),
      make("ol", {}, ...waiting.map((each) => make("li", {}, each.words)))),
    make("p", {}, why),
    waiting.at(-1).isTried ? null : button(_("Undo: %(entry)s", { entry: waiting.at(-1).words }), () => takeBack(waiting.at(-1))));
}

/** One question about entries that are the same; an answer says how many of them it enters. */
function drawRefusal(same, putBack) {
  const entry = same.at(-1), times = (count, words) => (count > 1 ? `${count} × ${words}` : words);
  const { error, choices = [], events } = entry.refusal;
  const answer = (choice, count) => button(times(count, choice.words), () => {
    for (const each of same) forgetEntry(each.key);
    for (let left = count; left > 0; left -= 1) {
      addEntry(entry.match, "event", { seen: events, event: JSON.stringify(choice.event) }, choice.words);
    }
  });
  const row = make("div", { class: "row" }, ...choices.flatMap((choice) =>
    choice.event ? same.map((_each, place) => answer(choice, same.length - place)) : [answer(choice, 0)]));
  if (!choices.length) {
    if (entry.fields.form?.includes("-") || ["dispute", "foul", "shootout"].includes(entry.fields.form)) {
      row.append(button(_("Change it"), () => putBack(entry)));
    }
    row.append(button(_("Discard"), () => forgetEntry(entry.key)));
  }
  return make("section", { class: "note problem", role: "alert" },
    make("p", {}, make("strong", {}, times(same.length, entry.words))), make("p", {}, error), row);
}

function button(words, press) {
  const made = make("button", { type: "button" }, words);
  made.addEventListener("click", press);
  return made;
}
