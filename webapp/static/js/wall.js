// The wall: every board at a glance, each a link to its scoreboard; on a television in turn with a
// tournament's pairings and standings.
import { atRoot } from "./http.js";
import { make, say } from "./dom.js";
import { follow } from "./event_stream.js";
import { portraits } from "./portraits.js";
import { describeClock } from "./round_clock.js";
import { chip } from "./score_sides.js";
import { serverNow_ms, startClock } from "./server_clock.js";
import { showTurn, takeTurns } from "./turns.js";
import { keepScreenOn } from "./wake_lock.js";
import { fitNames, layOut } from "./wall_layout.js";
import { _ } from "./messages.js";

const at = (id) => document.getElementById(id);
const cards = new Map(); // by a board's number: its row, and what shows it
let state = JSON.parse(at("state").textContent);

function show(next) {
  state = next;
  const boards = at("boards");
  const shown = state.boards.map(keepCard);
  if (shown.length !== boards.children.length || shown.some((each, k) => each !== boards.children[k])) boards.replaceChildren(...shown);
  layOut(boards);
  fitNames();
  call();
  tick();
}

/** A board's card, made anew only where its row has changed. */
function keepCard(board) {
  const row = JSON.stringify(board);
  if (cards.get(board.number)?.row !== row) cards.set(board.number, { row, element: card(board) });
  return cards.get(board.number).element;
}

/** Which boards need a person, while the boards themselves are not to be seen. */
function call() {
  const needing = state.boards.filter((each) => each.needs);
  at("calls").hidden = !needing.length || !at("boards").hidden;
  say(at("calls"), needing.map((each) => `${each.name.replace(/^Board /, "")}: ${each.needs}`).join(" · "));
}

function turn() {
  call();
  fitNames();
}

/** The tournament's pairings and standings as they are now. */
async function renew() {
  if (!document.querySelector(".wall-page")) return;
  const answer = await fetch(location.href);
  if (!answer.ok) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  document.querySelectorAll(".wall-list").forEach((each) => each.remove());
  at("boards").after(...fresh.querySelectorAll(".wall-list"));
  document.querySelector(".wall-title").replaceWith(fresh.querySelector(".wall-title"));
  tick();
  showTurn();
  turn();
}

function card(board) {
  const sides = board.sides.length ? board.sides.map(line) : (board.pairing?.sides ?? []).map((name) => make("p", { class: "fits" }, name));
  const kind = board.needs ? " needs-person" : sides.length ? "" : " free";
  const head = make("header", {}, make("h2", {}, board.name.replace(/^Board /, "")),
    board.needs ? make("p", { class: "wall-call" }, board.needs) : make("p", { class: "wall-facts" }, ...facts(board)));
  const parts = [head, ...(sides.length ? sides : [make("p", { class: "soft" }, _("free"))])];
  return make("a", { class: `wall-board${kind}`, href: atRoot(`/boards/${board.number}`), "aria-label": describe(board) }, ...parts);
}

function line(side, mark) {
  const now = side.round_points === null ? [] : [make("small", {}, ` + ${side.round_points}`)];
  return make("p", { class: `wall-side${side.has_turn ? " has-turn" : ""}${side.is_winner ? " is-winner" : ""}` },
    make("span", { class: "portraits" }, ...portraits(side.pictures), chip(side.colour, mark)), make("span", { class: "fits" }, side.name), make("b", {}, `${side.total}`, ...now));
}

function facts({ pairing, is_over: isOver, round, clock, sides }) {
  if (pairing) return [_("%(stage)s, round %(round)s", { stage: pairing.stage, round: pairing.round })];
  if (!sides.length) return [];
  const left = make("span", { "data-began": clock?.began ?? "", "data-minutes": clock?.minutes ?? "", "data-out": clock?.is_out ? "yes" : "" });
  return isOver ? [_("finished")] : [_("round %(round)s", { round }), " ", left];
}

function describe({ name, sides, pairing, needs }) {
  const players = sides.length ? sides.map((each) => `${each.name} ${each.total}`) : pairing?.sides ?? [_("free")];
  return _("%(name)s: %(words)s", { name, words: `${players.join(", ")}${needs ? `. ${needs}` : ""}` });
}

function tick() {
  for (const box of document.querySelectorAll("[data-began]")) {
    const { began, minutes, out } = box.dataset;
    const told = describeClock({ clock: { began, minutes: Number(minutes), is_out: Boolean(out) } }, serverNow_ms());
    say(box, told?.words ?? "");
  }
}

startClock(state.now);
show(state);
takeTurns(turn);
setInterval(tick, 500);
addEventListener("resize", () => show(state));
keepScreenOn();
follow({
  board: "all",
  onState: (next) => next.boards && show(next),
  onEvent: (event) => event.type === "tournament" && renew(),
  onLink: (isUp) => { at("lost").hidden = isUp; },
});
