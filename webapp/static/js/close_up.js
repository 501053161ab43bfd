// The close-up of a disc: the board's rectified image, magnified, with the disc's contact edge (its
// foot) and the lines; and what the disc may be worth.
import { formatMargin } from "./board.js";
import { draw, make } from "./dom.js";
import { atRoot, read } from "./http.js";
import { _, formatPercent } from "./messages.js";

// A disc's contact radius and the lines as in calibration/board.py, where no rectified image tells them.
const HALF_MM = 26, FOOT_MM = 15.475, LINES_MM = [101.6, 203.2, 304.8];
const ZONES = [15, 10, 5, 0];
/** A chance above this is said to be more than 99%. */
const SURE = 0.995;
const images = new Map();

/** The rectified image (bird's-eye view) of the board of that key; null where it is not kept. */
export function fetchRectifiedImage(key) {
  if (!key) return Promise.resolve(null);
  if (!images.has(key)) {
    images.set(key, read(atRoot(`/api/v1/plans/${key}`)).catch(() => { images.delete(key); return null; }));
  }
  return images.get(key);
}

/** What a disc may be, likeliest first: how sure its margin makes it, as a normal error; null where
    not its margin decides but how it lies, how well it was seen, or a person. */
export function rankZones(disc) {
  const place = ZONES.indexOf(disc.zone);
  if (place < 0) return [disc.zone, ...(disc.is_close ? [ZONES[0]] : [])].map((zone) => [zone, null]);
  const isByMargin = disc.state === "flat" && disc.sigma_mm && !disc.is_by_hand;
  const sure = isByMargin ? normalCdf(Math.abs(disc.margin_mm) / disc.sigma_mm) : 0;
  // A close call that its margin would make sure is in doubt for another reason.
  if (!isByMargin || (disc.is_close && sure > SURE)) return [disc.zone, ...ZONES.filter((zone) => zone !== disc.zone)].map((zone) => [zone, null]);
  const other = ZONES[place + (disc.margin_mm >= 0 ? 1 : -1)];
  const told = other === undefined ? [[disc.zone, 1]] : [[disc.zone, sure], [other, 1 - sure]];
  const rest = ZONES.filter((zone) => !told.some(([each]) => each === zone));
  rest.sort((a, b) => Math.abs(a - disc.zone) - Math.abs(b - disc.zone));
  return [...told, ...rest.map((zone) => [zone, null])];
}

/** The standard normal distribution function for z >= 0, to 1e-6 (Abramowitz and Stegun 1964, 26.2.17). */
function normalCdf(z) {
  const t = 1 / (1 + 0.2316419 * z);
  const tail = Math.exp((-z * z) / 2) * 0.3989423 *
    t * (0.3193815 + t * (-0.3565638 + t * (1.781478 + t * (-1.821256 + t * 1.330274))));
  return 1 - tail;
}

/** A chance as people say it; nothing is ever quite sure. */
export function formatChance(chance) {
  if (chance === null) return "";
  if (chance > SURE) return `>${formatPercent(0.99)}`;
  return chance < 1 - SURE ? `<${formatPercent(0.01)}` : formatPercent(chance);
}

/** The magnified view over `plan`, the board's rectified image; without one it is drawn from numbers alone. */
export function drawCloseUp(disc, plan) {
  const [x, y] = [disc.x_mm, -disc.y_mm];
  const foot = plan?.foot_mm ?? FOOT_MM;
  const svg = draw("svg", {
    role: "img", viewBox: `${x - HALF_MM} ${y - HALF_MM} ${2 * HALF_MM} ${2 * HALF_MM}`,
    "aria-label": _("The disc from above, with its base and the nearby lines. Margin: %(margin)s mm", { margin: formatMargin(disc) }),
  });
  svg.append(...drawBoardBelow(plan), ...drawDecidingEdge(disc, foot),
    draw("circle", { cx: x, cy: y, r: foot, class: "doubt", "stroke-width": Math.max(0.1, 2 * (disc.sigma_mm ?? 0)) }),
    draw("circle", { cx: x, cy: y, r: foot, class: "foot under" }),
    draw("circle", { cx: x, cy: y, r: foot, class: "foot" }),
    drawScaleBar(x + HALF_MM - 13, y + HALF_MM - 3));
  const keys = [["foot", _("disc base")], ["deciding", _("edge used for scoring")], ["line", _("inner edges of the lines")]]
    .filter(([name]) => name !== "deciding" || Math.abs(disc.margin_mm) < HALF_MM - foot);
  return make("figure", { class: "close" }, svg,
    make("figcaption", { class: "soft" }, ...keys.map(([name, words]) => make("span", { class: `key ${name}` }, words)),
      plan ? null : make("span", {}, _("Drawn from measurements. No photo of this board was saved."))));
}

function drawBoardBelow(plan) {
  if (!plan) {
    return [draw("rect", { x: -400, y: -400, width: 800, height: 800, fill: "#9c7a4a" }),
      ...LINES_MM.map((r) => draw("circle", { r, class: "line" }))];
  }
  const side = 2 * plan.half_mm, [cx, cy, r] = plan.hole;
  return [draw("image", { href: plan.picture, x: -plan.half_mm, y: -plan.half_mm, width: side, height: side }),
    ...plan.lines.map((points) => draw("polygon", { points, class: "line" })),
    draw("circle", { cx, cy, r, class: "line" })];
}

/** The edge that the margin is measured to, where it passes this disc. */
function drawDecidingEdge(disc, foot) {
  if (disc.state !== "flat" || disc.zone === 20 || typeof disc.margin_mm !== "number") return [];
  return [draw("circle", { r: Math.hypot(disc.x_mm, disc.y_mm) + foot + disc.margin_mm, class: "deciding" })];
}

function drawScaleBar(x, y) {
  const group = draw("g", { class: "scale", "aria-hidden": "true" });
  group.append(draw("path", { d: `M ${x} ${y} h 10` }), draw("text", { x: x + 5, y: y - 1.4 }, "10 mm"));
  return group;
}
