// What else might have come of a shot, and what would have been better: worked out on request.
import { drawDiscs } from "./board.js";
import { draw, make, say } from "./dom.js";
import { atRoot, read } from "./http.js";
import { _, formatDecimal, formatPercent } from "./messages.js";

const AGAIN_MS = 1000;

/** Buttons that have a shot's other outcomes, and a better shot, shown below them. */
export function offerOutcomes(shot) {
  const outcomes = offer(_("What else could have happened?"), `/shots/${shot.key}/outcomes`, (told) => list(told.outcomes));
  return make("div", {}, outcomes, offer(_("Was there a better shot?"), `/shots/${shot.key}/better`, (told) => showBetter(told, shot.teams)));
}

function offer(words, address, show) {
  const button = make("button", { type: "button" }, words);
  const place = make("div", { "aria-live": "polite" });
  const look = async () => {
    button.disabled = true;
    try {
      const told = await read(atRoot(address));
      if (told.status !== "waiting") return place.replaceChildren(...show(told));
      say(place, _("Simulating the shot…"));
      setTimeout(() => place.isConnected && look(), AGAIN_MS);
    } catch (error) {
      say(place, error.status === 404 ? _("Shown once the tournament match is over.") : error.message);
      button.disabled = false;
    }
  };
  button.addEventListener("click", look);
  return make("div", { class: "outcomes-else" }, button, place);
}

/** The better shot on the board as it lay, or why there is none. */
function showBetter({ reason, lead, better, discs, team }, teams) {
  if (reason === "in_ditch") return [make("p", {}, _("The disc ended in the ditch, so the aim of the shot is not known and shots cannot be compared."))];
  if (reason || lead === undefined) return [make("p", {}, _("The simulation does not match this shot closely enough for a comparison with other shots."))];
  if (!better) return [make("p", {}, _("No other shot was clearly better."))];
  const board = draw("svg", { class: "board-choice", role: "img", viewBox: "-352 -352 704 704" });
  const colours = new Map(teams.map((each) => [each.team, each.colour]));
  drawDiscs(board, discs, (each) => colours.get(each) ?? "#858585", { margins: false, numbers: false, track: better.path });
  const [x, y] = better.path[0];
  board.querySelector(".b-discs").append(draw("circle", { cx: x, cy: -y, r: 15.9, fill: colours.get(team) ?? "#858585", stroke: "#0b57d0", "stroke-width": 4 }));
  return [
    make("p", {}, _("On average, the shot drawn here gains %(points)s more points. Its chance of a 20 is %(twenty)s, and its chance of a foul is %(foul)s.",
      { points: formatDecimal(better.lead - lead, 1), twenty: formatPercent(better.p_twenty), foul: formatPercent(better.p_foul) })), board,
    make("p", { class: "soft" }, _("Based on 300 simulated repeats of both shots by a club player. The points are those at the end of the round.")),
  ];
}

function list(outcomes) {
  if (!outcomes.length) return [make("p", {}, _("The simulation does not match this shot closely enough to show other outcomes."))];
  return [
    make("ul", { class: "evidence" }, ...outcomes.map((each) => make("li", {},
      make("strong", {}, formatPercent(each.share)), ` ${describe(each)}`, each.is_actual ? make("span", { class: "soft" }, ` (${_("as played")})`) : null))),
    make("p", { class: "soft" }, _("Based on 300 simulated repeats of this shot by a club player.")),
  ];
}

function describe({ points, lost, own_lost: ownLost, is_foul: isFoul }) {
  const parts = [points === null ? _("off the board") : points === 20 ? _("a 20") : _("ends in the %(points)s", { points })];
  if (lost) parts.push(lost === 1 ? _("removes an opponent's disc") : _("removes %(count)s of the opponent's discs", { count: lost }));
  if (ownLost) parts.push(ownLost === 1 ? _("loses another of your own discs") : _("loses %(count)s more of your own discs", { count: ownLost }));
  if (isFoul) parts.push(_("misses the opponent's discs"));
  return parts.join(", ");
}
