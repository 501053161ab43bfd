// The overlay: the parts that its address chose, kept up to date.
import { VERDICTS, correctedDiscs, drawDiscs } from "./board.js";
import { runClock } from "./round_clock.js";
import { draw, make, say } from "./dom.js";
import { follow } from "./event_stream.js";
import { measureClock, startClock } from "./server_clock.js";

const at = (id) => document.getElementById(id);
document.documentElement.style.fontSize = `${16 * Number(document.body.dataset.scale)}px`;
let state = JSON.parse(at("state").textContent);
let tick = null;

function show(next) {
  state = next;
  const { match, live } = state;
  at("score")?.replaceChildren(...(match?.sides ?? []).map((side) => line(side, match)));
  const board = at("board");
  if (board) {
    board.toggleAttribute("hidden", !live.discs.length);
    const colours = new Map(live.teams.map((team) => [team.team, team.colour]));
    drawDiscs(board, correctedDiscs(state), (team) => colours.get(team) ?? "#888888", { margins: false });
  }
  showVerdict(live);
  tick?.();
}

function line(side, match) {
  const chip = draw("svg", { class: "chip", viewBox: "0 0 5 15", "aria-hidden": "true" }, draw("rect", { width: 5, height: 15, rx: 2, fill: side.colour, stroke: "#fff", "stroke-width": 0.6 }));
  const marks = [side.has_turn && !match.is_over && "●", side.has_hammer && !match.is_over && "H", side.is_winner && "★"].filter(Boolean);
  return make("div", { class: "line" }, chip, make("span", {}, side.name),
    make("small", { class: "turn" }, marks.join(" ")), make("small", {}, `${side.twenties}×20`), make("b", {}, String(side.total)));
}

function showVerdict(live) {
  const box = at("verdict");
  if (!box) return;
  const isOut = live.status === "not_refereeing";
  box.hidden = !live.verdict && !isOut;
  box.className = isOut ? "needs_review" : live.verdict?.what ?? "";
  if (isOut) say(box, `Not refereeing. ${live.reason ?? ""}`);
  else if (live.verdict) say(box, [VERDICTS[live.verdict.what], ...live.verdict.faults.map((each) => each.rule)].join(". "));
}

function showClock(told) {
  const box = at("clock");
  if (!box) return;
  box.hidden = !told;
  if (told) say(box, told.words);
}

startClock(state.now);
show(state);
tick = runClock(() => state.match, showClock);
follow({ onState: show, onLink: (isUp) => isUp && measureClock() });
