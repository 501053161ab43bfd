// The board of the newest match: each disc can be chosen, shown in a close-up, and corrected at one tap.
import { correctedDiscs, drawDiscs, introduceDisc } from "./board.js";
import { rankZones, drawCloseUp, formatChance, fetchRectifiedImage } from "./close_up.js";
import { make } from "./dom.js";
import { atRoot, read } from "./http.js";
import { _ } from "./messages.js";

let drawn = "";

/** Draw the board: what the referee sees now, or else what was kept of the last shot. */
export async function showBoard(state, lastShot) {
  const svg = document.getElementById("board");
  if (!svg) return;
  const seen = state.live.discs.length || !lastShot ? state.live : await fetchLastBoard(lastShot, state.match);
  const discs = correctedDiscs({ live: seen, match: state.match });
  const now = JSON.stringify([discs, seen.plan]);
  svg.toggleAttribute("hidden", !discs.length);
  if (now === drawn && svg.querySelector(".b-disc")) return; // whoever walks through it keeps the place
  drawn = now;
  drawChoosableDiscs(svg, discs, seen, state.match);
}

/** What was seen last, without the discs that were taken off since. */
async function fetchLastBoard(key, match) {
  const told = await read(atRoot(`/api/v1/shots/${key}`)).catch(() => null);
  const lying = new Set((match?.board ?? []).map((disc) => disc.id));
  return { discs: (told?.discs ?? []).filter((disc) => lying.has(disc.id)), teams: told?.teams ?? [], plan: key };
}

function drawChoosableDiscs(svg, discs, seen, match) {
  const colours = new Map(seen.teams.map((team) => [team.team, team.colour]));
  const focused = document.activeElement?.closest?.(".b-disc")?.dataset.disc;
  drawDiscs(svg, discs, (team) => colours.get(team) ?? "#888888");
  svg.setAttribute("role", "group");
  svg.querySelectorAll(".b-disc").forEach((mark, k) => {
    const disc = discs[k];
    mark.dataset.disc = disc.id;
    mark.setAttribute("tabindex", "0");
    mark.setAttribute("role", "button");
    mark.setAttribute("aria-label", introduceDisc(disc, seen.teams));
    const choose = () => showDisc(disc, seen, match);
    mark.addEventListener("click", choose);
    mark.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") { event.preventDefault(); choose(); }
    });
    if (disc.id === focused) mark.focus({ preventScroll: true });
  });
}

async function showDisc(disc, seen, match) {
  const box = document.getElementById("disc");
  const figure = drawCloseUp(disc, await fetchRectifiedImage(seen.plan));
  const entered = match?.board.find((each) => each.id === disc.id);
  const mayFix = box.dataset.mayFix === "yes" && entered;
  box.dataset.disc = disc.id;
  box.replaceChildren(figure,
    make("p", {}, `${introduceDisc(disc, seen.teams)}.`),
    make("h3", {}, mayFix ? _("Value") : _("Possible values")),
    make("div", { class: "zones" }, ...rankZones(disc).map(([zone, chance]) => zoneChoice(disc, match, zone, chance, mayFix))),
    mayFix ? ownerChoice(disc, match, entered) : null);
}

function zoneChoice(disc, match, zone, chance, mayFix) {
  const words = [make("b", {}, String(zone)), formatChance(chance) ? make("span", {}, formatChance(chance)) : null];
  if (!mayFix) return make("p", {}, ...words);
  const isNow = zone === disc.zone;
  return correctionForm(match, { disc: disc.id, zone }, make("button", { "aria-label": _("It is worth %(zone)s", { zone }), "aria-pressed": String(isNow), disabled: isNow }, ...words));
}

function ownerChoice(disc, match, entered) {
  const others = match.sides.map((side, k) => [side, k]).filter(([, k]) => k !== entered.side);
  return make("div", { class: "row owners" },
    make("span", {}, _("It is %(name)s's.", { name: match.sides[entered.side].name })),
    ...others.map(([side, k]) => correctionForm(match, { disc: disc.id, side: k }, make("button", {}, _("No, it's %(name)s's", { name: side.name })))));
}

function correctionForm(match, fields, button) {
  const csrf = document.querySelector("meta[name=csrf]").content;
  const hidden = { csrf, seen: match.events, form: "disc", ...fields };
  return make("form", { method: "post", action: atRoot(`/match/${match.id}/disc`), class: "one", "data-form": "disc" },
    ...Object.entries(hidden).map(([name, value]) => make("input", { type: "hidden", name, value })), button);
}
