// What else might have come of a shot: its likeliest other outcomes, worked out on request.
import { make, say } from "./dom.js";
import { atRoot, read } from "./http.js";
import { _, formatPercent } from "./words.js";

const AGAIN_MS = 1000;

/** A button that has a shot's other outcomes listed below it. */
export function offerOutcomes({ key }) {
  const button = make("button", { type: "button" }, _("What else could have happened?"));
  const place = make("div", { "aria-live": "polite" });
  const look = async () => {
    button.disabled = true;
    try {
      const told = await read(atRoot(`/shots/${key}/outcomes`));
      if (told.status !== "waiting") return place.replaceChildren(...list(told.outcomes));
      say(place, _("Simulating the shot …"));
      setTimeout(() => place.isConnected && look(), AGAIN_MS);
    } catch (error) {
      say(place, error.message);
      button.disabled = false;
    }
  };
  button.addEventListener("click", look);
  return make("div", { class: "outcomes-else" }, button, place);
}

function list(outcomes) {
  if (!outcomes.length) return [make("p", {}, _("The simulation does not match this shot closely enough to show other outcomes."))];
  return [
    make("ul", { class: "evidence" }, ...outcomes.map((each) => make("li", {},
      make("strong", {}, formatPercent(each.share)), ` ${describe(each)}`, each.is_actual ? make("span", { class: "soft" }, ` (${_("as played")})`) : null))),
    make("p", { class: "soft" }, _("Out of 300 simulated repeats of this shot by a club player.")),
  ];
}

function describe({ points, lost, own_lost: ownLost, is_foul: isFoul }) {
  const parts = [points === null ? _("off the board") : points === 20 ? _("a 20") : _("ends in the %(points)s", { points })];
  if (lost) parts.push(lost === 1 ? _("removes an opponent's disc") : _("removes %(count)s opponent's discs", { count: lost }));
  if (ownLost) parts.push(ownLost === 1 ? _("loses another of your own discs") : _("loses %(count)s more of your own discs", { count: ownLost }));
  if (isFoul) parts.push(_("misses the opponent's discs"));
  return parts.join(", ");
}
