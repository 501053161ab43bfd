// What a match asks, with the answers that one tap gives; they are the scorer's to give, on whatever page the question stands.
import { make } from "./dom.js";
import { IN_WORDS } from "./http.js";
import { chip } from "./score_sides.js";
import { _ } from "./messages.js";

const csrf = document.querySelector("meta[name=csrf]")?.content ?? "";
let match = null, shown = "", refusal = null, box = null;

/** Show what is asked in a box of the scorer's page; whether anything is. */
export function showQuestions(place, next) {
  if (!place) return false;
  [box, match] = [place, next];
  if (refusal && refusal.events !== match?.events) refusal = null; // somebody has entered something since
  const questions = match?.questions ?? [];
  box.hidden = !questions.length && !refusal;
  const now = JSON.stringify([match?.id, questions, refusal]);
  if (now === shown) return !box.hidden; // whoever is about to tap keeps the place
  shown = now;
  box.replaceChildren(...(refusal ? [drawRefusal()] : []), ...questions.map(drawQuestion));
  return !box.hidden;
}

/** What everybody reads of it in a line: the first question that waits, or what is only said. */
export function firstWords(next, isOpen) {
  const asked = (next?.questions ?? []).find((each) => each.is_open === isOpen && each.kind !== "dispute" && each.kind !== "missed");
  return asked ? asked.words : "";
}

function drawQuestion(question) {
  const row = make("div", { class: "row" }, ...question.answers.map((each) => button(each.words, each.action, each.fields)));
  const more = ["dispute", "missed"].includes(question.kind)
    ? make("a", { class: "button", href: `/match/${match.id}#dispute${question.dispute}` }, _("Show a close-up")) : null;
  if (more) row.append(more);
  if (question.counts.length) row.prepend(drawCounts(question));
  return make("article", { class: `question ${question.is_open ? "is-open" : ""}` },
    make("p", { class: "asked" }, question.hex ? chip(question.hex) : null, " ", question.words), row);
}

/** How many of the shots that nobody saw were 20s, by side. */
function drawCounts(question) {
  const fields = question.counts.map((each) => make("label", { class: "inline" }, each.name,
    make("select", { name: `twenties${each.side}`, "aria-label": _("Missed 20s for %(name)s", { name: each.name }) },
      ...Array.from({ length: each.most + 1 }, (_none, k) => make("option", { value: k }, String(k))))));
  const form = make("form", { class: "row" }, ...fields, make("button", {}, _("Enter")));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const twenties = Object.fromEntries(match.sides.map((_side, k) => [`twenties${k}`, form.elements[`twenties${k}`]?.value ?? "0"]));
    send("rule", { dispute: question.dispute, decision: "Answered by the scorer", ...twenties });
  });
  return form;
}

function drawRefusal() {
  const row = make("div", { class: "row" }, ...refusal.choices.map((each) => (each.event
    ? button(each.words, "event", { event: JSON.stringify(each.event) })
    : dismissal(each.words))));
  if (!refusal.choices.length) row.append(dismissal(_("Got it")));
  return make("article", { class: "question is-open", role: "alert" }, make("p", { class: "asked" }, refusal.error), row);
}

function dismissal(words) {
  const made = make("button", { type: "button" }, words);
  made.addEventListener("click", () => { refusal = null; showQuestions(box, match); });
  return made;
}

function button(words, action, fields) {
  const made = make("button", { type: "button" }, words);
  made.addEventListener("click", () => send(action, fields));
  return made;
}

/** Enter an answer once; where somebody else answered otherwise, both ways are offered. */
async function send(action, fields) {
  for (const each of box.querySelectorAll("button")) each.disabled = true;
  const key = Array.from(crypto.getRandomValues(new Uint8Array(8)), (each) => each.toString(16).padStart(2, "0")).join("");
  let problem = { error: _("The server cannot be reached. Check that it is running and that your network is working, then try again."), choices: [] };
  try {
    const answer = await fetch(`/match/${match.id}/${action}`, {
      method: "POST", body: new URLSearchParams({ ...fields, seen: match.events, key, form: action }),
      headers: { Accept: "application/json", "X-CSRF-Token": csrf, ...IN_WORDS },
    });
    const content = await answer.json().catch(() => ({}));
    problem = answer.ok ? null : { error: content.error ?? _("Server error %(status)s. Try again.", { status: answer.status }), choices: content.choices ?? [] };
  } catch { /* it is said that nobody answers */ }
  refusal = problem && { ...problem, events: match.events };
  shown = ""; // buttons can be pressed again, unless the answer has taken them away
  showQuestions(box, match);
}
