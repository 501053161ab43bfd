// Who is likely to win, as the server works it out after every settled shot: a bar, and both sides' chances.
import { draw, make } from "./dom.js";
import { atRoot, read } from "./http.js";
import { _, formatPercent } from "./messages.js";

let asked = "";

/** Ask for a match's chances where it has changed, and show them; `match` is null where nobody wants them. */
export async function showOdds(box, match, code = "") {
  const now = match && !match.is_over && match.sides.length === 2 ? `${match.id} ${match.events}` : "";
  if (asked === now) return;
  asked = now;
  const told = now ? await read(atRoot(`/match/${match.id}/chances?${new URLSearchParams({ odds: code })}`)).catch(() => null) : null;
  if (asked === now) drawOdds(box, match, told?.now);
}

/** The chances `{ win: [first, second], tie }` of a match's sides; none where nobody can say. */
export function drawOdds(box, match, chances) {
  box.hidden = !chances?.win;
  if (box.hidden) return;
  const { win: [first, second], tie } = chances, [left, right] = match.sides;
  const part = (x, width, kind) => draw("rect", { x: 100 * x, width: 100 * width, height: 6, class: `odds-${kind}` });
  box.replaceChildren(
    make("p", {}, make("b", {}, _("%(name)s: %(chance)s to win", { name: left.name, chance: formatPercent(first) })),
      tie < 0.005 ? null : make("span", {}, _("tie %(chance)s", { chance: formatPercent(tie) })), make("b", {}, `${right.name} ${formatPercent(second)}`)),
    draw("svg", { class: "odds", viewBox: "0 0 100 6", preserveAspectRatio: "none", "aria-hidden": "true" },
      part(0, first, "win"), part(first, tie, "tie"), part(first + tie, second, "lose")));
}
