// Each side's name, score and 20s on the scoreboard. While a round is played its running score is the large number.
import { draw, drawMark, make } from "./dom.js";
import { _, capitalise, nameColour } from "./messages.js";
import { keysOf, portraits } from "./portraits.js";

let shown = "";
let before = new Map();

/** Show the sides of a match, or of what the referee sees where there is none. `shape` is "panels" or "rows". */
export function showSides(box, { match, live, pictures }, shape) {
  const isPlayed = Boolean(match && !match.is_over && (match.shots || (live.status !== "off" && !match.rounds.length)));
  const sides = match ? match.sides : seenSides(live);
  const key = JSON.stringify([sides, isPlayed, shape, match?.is_over, match?.games, pictures]);
  if (key === shown) return;
  shown = key;
  box.dataset.count = sides.length;
  box.dataset.shape = shape;
  const numbers = sides.map((side) => String(isPlayed ? side.round_points : side.total));
  box.style.setProperty("--digits", Math.max(2, ...numbers.map((each) => each.length)));
  box.style.setProperty("--letters", Math.max(6, ...sides.flatMap(partners).map((each) => each.length + 1.5)));
  box.replaceChildren(...sides.map((side, k) => card(side, match, isPlayed, before.has(side.name) && before.get(side.name) !== numbers[k], k, keysOf(side, pictures))));
  before = new Map(sides.map((side, k) => [side.name, numbers[k]]));
}

/** Sides of a round that nobody made a match of: the colours that the referee sees. */
function seenSides(live) {
  return live.teams.map((team) => {
    const discs = live.discs.filter((disc) => disc.team === team.team);
    const counted = live.totals.find((total) => total.team === team.team);
    return {
      name: capitalise(nameColour(team.colour_name)), colour: team.colour,
      total: counted ? counted.points : discs.reduce((sum, disc) => sum + disc.zone, 0),
      twenties: counted ? counted.twenties : discs.filter((disc) => disc.zone === 20).length,
    };
  });
}

function partners(side) {
  return members(side) ? [side.name] : side.name.split(" & ");
}

/** Who plays for a team that has a name of its own. */
function members({ name, players }) {
  const joined = players?.join(" & ");
  return joined && joined !== name ? make("small", {}, joined) : null;
}

/** The discs that a side has left to shoot in a round whose shots are followed; those already shot are hollow. */
export function discsLeft({ discs, discs_left: left }, match) {
  if (!match?.shots || match.is_over) return null;
  const pips = make("span", { class: "pips", role: "img", "aria-label": _("Discs left: %(num)s", { num: left }) });
  pips.style.setProperty("--discs", discs);
  pips.style.setProperty("--left", left);
  return pips;
}

function card(side, match, isPlayed, isFresh, mark, keys) {
  const isOn = match && !match.is_over;
  const facts = [
    side.is_winner && make("span", { class: "mark turn" }, _("Winner")),
    side.has_turn && isOn && make("span", { class: "mark turn" }, _("Next to shoot")),
    side.has_hammer && isOn && make("span", { class: "mark" }, _("Hammer")),
    make("span", {}, _("20s: %(num)s", { num: side.twenties })),
    isOn && side.needs > 0 && make("span", { class: "needs" }, _("needs %(num)s", { num: side.needs })),
    match?.games > 1 && make("span", {}, make("b", {}, String(side.games_won)), ` ${side.games_won === 1 ? _("game") : _("games")}`),
  ];
  const article = make("article", { class: ["side", side.has_turn && isOn && "has-turn", side.is_winner && "is-winner", isFresh && "is-fresh"].filter(Boolean).join(" ") },
    make("div", { class: "who" }, heading(side, mark, keys), members(side), discsLeft(side, match)),
    make("div", { class: "number" }, isPlayed ? make("span", { class: "hidden-text" }, _("This round:")) : null, match ? make("span", { class: "of", "aria-hidden": "true" }, isPlayed ? _("this round") : _("match")) : null, make("p", { class: "total" }, String(isPlayed ? side.round_points : side.total))),
    isPlayed ? make("p", { class: "match-score" }, _("match"), make("br"), make("b", {}, String(side.total))) : null,
    make("p", { class: "facts" }, ...facts));
  article.style.setProperty("--disc", side.colour);
  return article;
}

/** Whose side it is; partners below each other. */
function heading(side, mark, keys) {
  const names = partners(side);
  return make("h2", { title: side.name }, keys.length ? make("span", { class: "portraits" }, ...portraits(keys)) : null, chip(side.colour_name === null ? null : side.colour, mark), make("span", {}, ...(names.length > 1 ? names.map((each) => make("b", {}, each)) : names)));
}

/** A side's disc, small, with its mark; of no colour where that is not known. */
export function chip(colour, mark = 0) {
  if (!colour) return draw("svg", { viewBox: "0 0 20 20", class: "chip", "aria-hidden": "true" }, draw("circle", { cx: 10, cy: 10, r: 8, fill: "none", "stroke-width": 2, "stroke-dasharray": "3 3" }));
  return draw("svg", { viewBox: "-10 -10 20 20", class: "chip", "aria-hidden": "true" }, draw("circle", { r: 9, fill: colour }), drawMark(mark, 6.5, colour));
}
