// The board from above, in millimetres: lines, posts, and every disc with its zone and its margin.
import { draw, letterColourOn } from "./dom.js";

// Sizes as in calibration/board.py; posts with their sleeves.
const LINES_MM = [101.6, 203.2, 304.8];
const SURFACE_MM = 330.2, HOLE_MM = 17.46, POST_MM = 5, DISC_MM = 15.9;
const FLAT_COLOURS = ["#d9a766", "#26262b", "#c0282d", "#2f5fd0"];

/** What a verdict is called. */
export const VERDICTS = { legal: "Legal", foul: "Foul", needs_review: "A person decides" };

/** What is said loudly while nothing is refereed though somebody wanted it. */
export const ALARMS = { not_refereeing: "Not refereeing", failed: "The referee has stopped" };

/** A margin as people read it: `+2.3 ± 0.4 mm`. */
export function formatMargin(disc) {
  if (disc.margin_mm === null || disc.margin_mm === undefined) return "";
  const sign = disc.margin_mm < 0 ? "−" : "+";
  return `${sign}${Math.abs(disc.margin_mm).toFixed(1)} ± ${disc.sigma_mm.toFixed(1)}`;
}

/** The discs that the referee sees, with what people put right in the match. */
export function correctedDiscs({ live, match }) {
  const entered = new Map((match?.board ?? []).map((disc) => [disc.id, disc.zone]));
  return live.discs.map((disc) => {
    const zone = entered.get(disc.id) ?? disc.zone;
    return zone === disc.zone ? disc : { ...disc, zone, is_close: false, is_by_hand: true };
  });
}

/** Draw the empty board into an SVG element. */
export function drawBoard(svg) {
  const parts = [
    draw("circle", { r: 350, class: "b-ditch" }),
    draw("circle", { r: SURFACE_MM, class: "b-wood" }),
    ...LINES_MM.map((r) => draw("circle", { r, class: "b-line" })),
    ...[45, 135, 225, 315].map((degrees) => {
      const [c, s] = [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)];
      const [inner, outer] = [LINES_MM[1], LINES_MM[2]];
      return draw("line", { x1: c * inner, y1: s * inner, x2: c * outer, y2: s * outer, class: "b-line" });
    }),
    draw("circle", { r: HOLE_MM, class: "b-hole" }),
    ...Array.from({ length: 8 }, (_, k) => {
      const angle = ((22.5 + 45 * k) * Math.PI) / 180;
      return draw("circle", {
        cx: LINES_MM[0] * Math.cos(angle), cy: LINES_MM[0] * Math.sin(angle), r: POST_MM, class: "b-post",
      });
    }),
  ];
  svg.replaceChildren(...parts, draw("g", { class: "b-discs" }));
}

/** Lay the discs onto the board; `colourOf(team)` is #rrggbb. */
export function drawDiscs(svg, discs, colourOf = (team) => FLAT_COLOURS[team % 4], { margins = true, track = [] } = {}) {
  if (!svg.firstChild) drawBoard(svg);
  const group = svg.querySelector(".b-discs");
  const words = discs.map((disc) => describeDisc(disc)).join("; ");
  svg.setAttribute("aria-label", discs.length ? `The board: ${words}` : "The board, empty");
  const way = track.map(([x, y]) => `${x.toFixed(1)},${(-y).toFixed(1)}`).join(" ");
  group.replaceChildren(draw("polyline", { points: way, class: "b-track" }), ...discs.map((disc) => discMark(disc, colourOf(disc.team), margins)));
}

/** A disc in words. */
export function describeDisc(disc) {
  const margin = formatMargin(disc);
  return `${disc.zone}${disc.state === "flat" ? "" : ` ${disc.state.replace("_", " ")}`}` +
    `${margin ? `, ${margin} mm` : ""}${disc.is_close ? ", close" : ""}`;
}

function discMark(disc, colour, margins) {
  const [x, y] = [disc.x_mm, -disc.y_mm];
  const group = draw("g", { class: `b-disc${disc.is_close ? " is-close" : ""}${disc.is_to_go ? " is-to-go" : ""}`, transform: `translate(${x.toFixed(1)} ${y.toFixed(1)})` });
  group.append(draw("circle", { r: DISC_MM + 10, class: "b-touch" }));
  if (disc.is_close) group.append(draw("circle", { r: DISC_MM + 6, class: "b-close" }));
  group.append(draw("circle", { r: DISC_MM, fill: colour, class: "b-body" }));
  group.append(draw("text", { class: "b-zone", fill: letterColourOn(colour), y: 7 }, String(disc.zone)));
  if (disc.is_to_go) group.append(draw("path", { d: "M-20 -20L20 20M20 -20L-20 20", class: "b-go" }));
  const words = formatMargin(disc);
  if (margins && words) {
    const isLow = y > 300;
    group.append(draw("text", { class: "b-margin", y: isLow ? -21 : 32 }, words));
  }
  return group;
}
