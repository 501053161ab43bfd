// The wall: every board at a glance, each a link to its scoreboard.
import { make, say } from "./dom.js";
import { follow } from "./event_stream.js";
import { describeClock } from "./round_clock.js";
import { serverNow_ms, startClock } from "./server_clock.js";
import { keepScreenOn } from "./wake_lock.js";
import { _, translate } from "./words.js";

const at = (id) => document.getElementById(id);
let state = JSON.parse(at("state").textContent);

function show(next) {
  state = next;
  const boards = at("boards");
  boards.replaceChildren(...state.boards.map(card));
  const columns = Math.max(1, Math.round(Math.sqrt((state.boards.length * innerWidth) / innerHeight / 1.2)));
  boards.style.setProperty("--columns", columns);
  tick();
}

function card(board) {
  const sides = board.sides.length ? board.sides.map(line) : (board.pairing?.sides ?? []).map((name) => make("p", {}, name));
  const kind = board.needs ? " needs-person" : sides.length ? "" : " free";
  const head = make("header", {}, make("h2", {}, board.name.replace(/^Board /, "")),
    board.needs ? make("p", { class: "wall-call" }, translate(board.needs)) : make("p", { class: "wall-facts" }, ...facts(board)));
  const parts = [head, ...(sides.length ? sides : [make("p", { class: "soft" }, _("free"))])];
  return make("a", { class: `wall-board${kind}`, href: `/boards/${board.number}`, "aria-label": describe(board) }, ...parts);
}

function line(side) {
  const score = side.round_points === null ? `${side.total}` : `${side.total} + ${side.round_points}`;
  const chip = make("i", { class: "wall-chip" });
  chip.style.setProperty("--disc", side.colour);
  return make("p", { class: `wall-side${side.has_turn ? " has-turn" : ""}${side.is_winner ? " is-winner" : ""}` },
    chip, make("span", {}, side.name), make("b", {}, score));
}

function facts({ pairing, is_over: isOver, round, clock, sides }) {
  if (pairing) return [_("%(stage)s, round %(round)s", { stage: translate(pairing.stage), round: pairing.round })];
  if (!sides.length) return [];
  const left = make("span", { "data-began": clock?.began ?? "", "data-minutes": clock?.minutes ?? "", "data-out": clock?.is_out ? "yes" : "" });
  return isOver ? [_("over")] : [`${_("round %(round)s", { round })} `, left];
}

function describe({ name, sides, pairing, needs }) {
  const players = sides.length ? sides.map((each) => `${each.name} ${each.total}`) : pairing?.sides ?? [_("free")];
  return `${name}: ${players.join(", ")}${needs ? `. ${translate(needs)}` : ""}`;
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
setInterval(tick, 500);
addEventListener("resize", () => show(state));
keepScreenOn();
follow({ board: "all", onState: (next) => next.boards && show(next), onLink: (isUp) => { at("lost").hidden = isUp; } });
