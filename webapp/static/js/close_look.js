// One disc, looked at closely: its contact circle against the deciding line, and what else it may be.
import { discsOf, layDiscs, marginWords } from "./board.js";
import { draw, make } from "./dom.js";

const CONTACT_MM = 15.4, LINE_MM = 1.6;
const LINES = [[15, 101.6], [10, 203.2], [5, 304.8]];

/** Draw the live board, each disc to be chosen. */
export function watchBoard(state) {
  const svg = document.getElementById("board");
  if (!svg) return;
  const { live, match } = state;
  const colours = new Map(live.teams.map((team) => [team.team, team.colour]));
  svg.toggleAttribute("hidden", !live.discs.length);
  const discs = discsOf(state);
  layDiscs(svg, discs, (team) => colours.get(team) ?? "#888888");
  svg.setAttribute("role", "group");
  svg.querySelectorAll(".b-disc").forEach((mark, k) => {
    const disc = discs[k];
    mark.setAttribute("tabindex", "0");
    mark.setAttribute("role", "button");
    mark.setAttribute("aria-label", `${nameOf(disc, live)}, counts ${disc.zone}`);
    const choose = () => look(disc, live, match);
    mark.addEventListener("click", choose);
    mark.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") { event.preventDefault(); choose(); }
    });
  });
}

function nameOf(disc, live) {
  return live.teams.find((team) => team.team === disc.team)?.colour_name ?? `team ${disc.team}`;
}

/** What a disc may be, likeliest first: how sure its margin makes it, as a normal error. */
export function alternatives(disc) {
  if (!disc.sigma_mm) return [[disc.zone, 1]];
  const sure = normal(disc.margin_mm / disc.sigma_mm);
  const zones = [15, 10, 5, 0];
  const place = zones.indexOf(disc.zone);
  if (place < 0) return [[disc.zone, 1]];
  const isNearOuter = disc.margin_mm >= 0;
  const other = zones[place + (isNearOuter ? 1 : -1)];
  const p = isNearOuter ? sure : 1 - sure;
  const told = [[disc.zone, p]];
  if (other !== undefined) told.push([other, 1 - p]);
  for (const zone of zones) if (!told.some(([each]) => each === zone)) told.push([zone, 0]);
  return told.sort((a, b) => b[1] - a[1]);
}

function normal(z) {
  const t = 1 / (1 + 0.2316419 * Math.abs(z));
  const tail = Math.exp((-z * z) / 2) * 0.3989423 *
    t * (0.3193815 + t * (-0.3565638 + t * (1.781478 + t * (-1.821256 + t * 1.330274))));
  return z >= 0 ? 1 - tail : tail;
}

function look(disc, live, match) {
  const box = document.getElementById("disc");
  const ranked = alternatives(disc);
  const canFix = document.getElementById("end") && match?.board.some((each) => each.id === disc.id);
  const choices = ranked.map(([zone, p]) => {
    const words = p >= 0.001 ? `${zone} (${(100 * p).toFixed(p > 0.99 || p < 0.01 ? 1 : 0)}%)` : String(zone);
    return canFix && zone !== disc.zone ? fixForm(match, disc, zone, words) : make("li", {}, make("strong", {}, words));
  });
  box.replaceChildren(
    closeUp(disc),
    make("p", {}, `${nameOf(disc, live)}, counts ${disc.zone}; margin ${marginWords(disc)} mm${disc.is_close ? ", a close call" : ""}.`),
    make("p", { class: "soft" }, canFix ? "What it may be, likeliest first; choose to correct it:" : "What it may be, likeliest first:"),
    make("ul", { class: "row" }, ...choices));
}

function fixForm(match, disc, zone, words) {
  const csrf = document.querySelector("meta[name=csrf]").content;
  const hidden = { csrf, back: location.pathname, disc: disc.id, zone };
  return make("li", {}, make("form", { method: "post", action: `/match/${match.id}/disc`, class: "one" },
    ...Object.entries(hidden).map(([name, value]) => make("input", { type: "hidden", name, value })),
    make("button", { "aria-label": `It counts ${zone}` }, words)));
}

/** The disc's contact circle, its uncertainty, and the line that decides, some 20 times as large. */
function closeUp(disc) {
  const radius = Math.hypot(disc.x_mm, disc.y_mm);
  const [x, y] = [disc.x_mm, -disc.y_mm];
  const half = CONTACT_MM * 1.5;
  const edge = radius + CONTACT_MM;
  const line = LINES.reduce((best, each) => (Math.abs(each[1] - edge) < Math.abs(best[1] - edge) ? each : best));
  const svg = draw("svg", { class: "closeup", role: "img", viewBox: `${x - half} ${y - half} ${2 * half} ${2 * half}`,
    "aria-label": `Contact circle and the ${line[0]}-line: ${marginWords(disc)} mm` });
  svg.append(
    ...LINES.map(([, r]) => draw("circle", { r, fill: "none", stroke: "#4d331a", "stroke-width": LINE_MM })),
    draw("circle", { cx: x, cy: y, r: CONTACT_MM, fill: "rgba(20,16,12,.25)" }),
    draw("circle", { cx: x, cy: y, r: CONTACT_MM, fill: "none", stroke: "#c01515", "stroke-opacity": ".35", "stroke-width": Math.max(0.2, 2 * (disc.sigma_mm ?? 0)) }),
    draw("circle", { cx: x, cy: y, r: CONTACT_MM, fill: "none", stroke: "#c01515", "stroke-width": 0.25 }));
  return svg;
}
