// The board from above, in millimetres: lines, posts, and every disc with its zone and its margin.
import { draw, drawMark, letterColourOn } from "./dom.js";
import { _, capitalise, formatDecimal, nameColour } from "./messages.js";

// Sizes as in calibration/board.py; posts with their sleeves.
const LINES_MM = [101.6, 203.2, 304.8];
const SURFACE_MM = 330.2, HOLE_MM = 17.46, POST_MM = 5, DISC_MM = 15.9;
const FOOT_MM = 15.475, LINE_MM = 1.6;
// A label's height and a letter's width, and where it may stand about its disc, the best first.
const LABEL_MM = 20, LETTER_MM = 12;
const LABEL_PLACES = [[0, 1], [0, -1], [1, 0], [-1, 0], [0.8, 1], [-0.8, 1], [0.8, -1], [-0.8, -1], [0, 2], [0, -2], [1.5, 0], [-1.5, 0]];
const FLAT_COLOURS = ["#d9a766", "#26262b", "#c0282d", "#2f5fd0"];
const SHOT_MS = 900, REMOVAL_MS = 700;

/** What a verdict is called. */
export const VERDICTS = { legal: _("Legal"), foul: _("Foul"), needs_review: _("Needs a decision") };

/** What is said loudly while nothing is refereed though somebody wanted it. */
export const ALARMS = { not_refereeing: _("Not refereeing"), failed: _("The referee has stopped") };

/** A margin as people read it: `+2.3 ± 0.4 mm`. */
export function formatMargin(disc) {
  if (disc.margin_mm === null || disc.margin_mm === undefined) return "";
  const sign = disc.margin_mm < 0 ? "−" : "+";
  return `${sign}${formatDecimal(Math.abs(disc.margin_mm), 1)} ± ${formatDecimal(disc.sigma_mm, 1)}`;
}

/** The discs that the referee sees, with what people put right in the match. */
export function correctedDiscs({ live, match }) {
  const entered = new Map((match?.board ?? []).map((disc) => [disc.id, disc.zone]));
  return live.discs.map((disc) => {
    const zone = entered.get(disc.id) ?? disc.zone;
    return zone === disc.zone ? disc : { ...disc, zone, is_close: false, is_by_hand: true };
  });
}

/** Shades laid over the flat colours; a board's own names, as several may stand on a page. */
function drawShades(key) {
  const stop = ([offset, colour, opacity]) => draw("stop", { offset, "stop-color": colour, "stop-opacity": opacity });
  const radial = (name, place, ...stops) => draw("radialGradient", { id: `${key}-${name}`, ...place }, ...stops.map(stop));
  const grain = (name, place, ...stops) => draw("linearGradient", { id: `${key}-${name}`, gradientUnits: "userSpaceOnUse", spreadMethod: "reflect", ...place }, ...stops.map(stop));
  return draw("defs", {},
    radial("rail", {}, [0.93, "#000", 0], [0.945, "#000", 0.55], [0.975, "#7a5230", 0.9], [1, "#2b1a0d", 1]),
    radial("lamp", { cx: 0.38, cy: 0.3, r: 0.85 }, [0, "#fff3d6", 0.5], [0.55, "#fff3d6", 0], [1, "#5a3410", 0.28]),
    grain("grain", { x1: 0, y1: 0, x2: 61, y2: 7 }, [0, "#8a5a26", 0], [0.3, "#8a5a26", 0.2], [0.42, "#8a5a26", 0.03], [0.7, "#8a5a26", 0.14], [1, "#fff0cf", 0.1]),
    grain("fine", { x1: 0, y1: 0, x2: 11, y2: 0.7 }, [0, "#6b4218", 0.13], [0.5, "#6b4218", 0], [1, "#6b4218", 0.07]),
    radial("metal", { cx: 0.35, cy: 0.3, r: 0.8 }, [0, "#fff", 0.95], [0.5, "#fff", 0.1], [1, "#000", 0.35]),
    radial("rim", {}, [0.7, "#000", 0], [0.76, "#000", 0.3], [0.82, "#fff", 0.32], [0.93, "#fff", 0.12], [1, "#000", 0.4]));
}

/** Draw the empty board into an SVG element. */
export function drawBoard(svg) {
  const key = svg.dataset.shades ??= `b${document.querySelectorAll("[data-shades]").length}`;
  const shade = (name, r) => draw("circle", { r, class: "b-shade", fill: `url(#${key}-${name})` });
  const parts = [
    drawShades(key),
    draw("circle", { r: 350, class: "b-ditch" }),
    shade("rail", 350),
    draw("circle", { r: SURFACE_MM, class: "b-wood" }),
    ...["grain", "fine", "lamp"].map((name) => shade(name, SURFACE_MM)),
    ...LINES_MM.map((r) => draw("circle", { r, class: "b-line" })),
    ...[45, 135, 225, 315].map((degrees) => {
      const [c, s] = [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)];
      const [inner, outer] = [LINES_MM[1], LINES_MM[2]];
      return draw("line", { x1: c * inner, y1: s * inner, x2: c * outer, y2: s * outer, class: "b-line" });
    }),
    draw("circle", { r: HOLE_MM, class: "b-hole" }),
    ...Array.from({ length: 8 }, (_, k) => {
      const angle = ((22.5 + 45 * k) * Math.PI) / 180;
      const [cx, cy] = [LINES_MM[0] * Math.cos(angle), LINES_MM[0] * Math.sin(angle)];
      return draw("g", {},
        draw("circle", { cx: cx + 1.5, cy: cy + 3, r: POST_MM + 1, class: "b-shadow" }),
        draw("circle", { cx, cy, r: POST_MM, class: "b-post" }),
        draw("circle", { cx, cy, r: POST_MM, class: "b-shade", fill: `url(#${key}-metal)` }));
    }),
  ];
  svg.replaceChildren(...parts, draw("g", { class: "b-discs" }));
}

/**
 * Lay the discs onto the board; `colourOf(team)` is #rrggbb, `markOf(team)` the number of the side's mark. `numbers` stand on the discs; `margins` say how close calls lie,
 * beside them; `picture` is the camera's rectified image of the board, which is then shown in place of the drawn one.
 */
export function drawDiscs(svg, discs, colourOf = (team) => FLAT_COLOURS[team % 4], { margins = true, numbers = true, track = [], picture = null, markOf = (team) => team } = {}) {
  if (!svg.firstChild) drawBoard(svg);
  showPicture(svg, picture);
  const group = svg.querySelector(".b-discs");
  const words = discs.map((disc) => describeDisc(disc)).join("; ");
  svg.setAttribute("aria-label", discs.length ? _("The board: %(words)s", { words }) : _("Empty board"));
  const way = track.map(([x, y]) => `${x.toFixed(1)},${(-y).toFixed(1)}`).join(" ");
  const marks = discs.map((disc) => discMark(disc, picture ? null : colourOf(disc.team), numbers && !picture, svg.dataset.shades, markOf(disc.team)));
  group.replaceChildren(draw("polyline", { points: way, class: "b-track" }), ...marks, ...(margins ? labelCloseCalls(discs) : []));
}

/** Let a ghost of a disc go the way of a shot once, over the board as it lies now. */
export function animateShot(svg, track, colour) {
  animateGhost(svg, track.map(([x, y]) => ({ transform: `translate(${x}px, ${-y}px)`, opacity: 0.75 })), SHOT_MS, colour);
}

/** Let ghosts of discs that were taken off rise and vanish. */
export function animateRemovals(svg, discs, colourOf) {
  for (const { x_mm: x, y_mm: y, team } of discs) {
    animateGhost(svg, [1, 1.8].map((scale) => ({ transform: `translate(${x}px, ${-y}px) scale(${scale})`, opacity: 1.8 - scale })), REMOVAL_MS, colourOf(team));
  }
}

function animateGhost(svg, frames, duration, fill) {
  if (frames.length < 2 || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  const ghost = draw("circle", { r: DISC_MM, fill, class: "b-ghost" });
  svg.append(ghost);
  ghost.animate(frames, { duration, easing: "ease-out" }).finished.catch(() => {}).finally(() => ghost.remove());
}

function showPicture(svg, picture) {
  svg.classList.toggle("has-picture", Boolean(picture));
  const shown = svg.querySelector(".b-picture");
  if (shown?.getAttribute("href") === picture?.picture) return;
  shown?.remove();
  if (!picture) return;
  const side = 2 * picture.half_mm;
  svg.querySelector(".b-discs").before(draw("image", { class: "b-picture", href: picture.picture, x: -picture.half_mm, y: -picture.half_mm, width: side, height: side }));
}

/** How a disc lies, as players say it: "1.2 mm clear of the line", _("touches the line"). */
export function describeLie(disc) {
  if (disc.state === "in_hole") return _("in the hole");
  if (disc.state === "leaning") return _("leans");
  if (disc.state === "overhanging") return _("over the edge");
  if (typeof disc.margin_mm !== "number") return "";
  const inside_mm = disc.margin_mm, outside_mm = -disc.margin_mm - 2 * FOOT_MM - LINE_MM;
  const far = (mm) => formatDecimal(mm, mm < 10 ? 1 : 0);
  const words = inside_mm > 0 ? _("%(far)s mm clear of the line", { far: far(inside_mm) }) : outside_mm > 0 ? _("%(far)s mm outside the line", { far: far(outside_mm) }) : _("touches the line");
  return disc.is_close ? _("%(words)s, close call", { words }) : words;
}

/** A disc by the colour of its side and its place, as the referee calls it. */
function nameDisc(disc, teams) {
  const colour = nameColour(teams?.find((team) => team.team === disc.team)?.colour_name) ?? _("team %(team)s", { team: disc.team });
  const away_cm = Math.round(Math.hypot(disc.x_mm, disc.y_mm) / 10), hour = (Math.round(Math.atan2(disc.x_mm, disc.y_mm) / (Math.PI / 6)) + 12) % 12 || 12;
  return _("%(colour)s %(away_cm)s cm out at %(hour)s o'clock", { colour: capitalise(colour), away_cm, hour });
}

/** A disc in words. */
function describeDisc(disc) {
  const lie = describeLie(disc);
  return `${disc.zone}${lie ? `, ${lie}` : ""}`;
}

/** Its name and these words. */
export function introduceDisc(disc, teams) {
  return _("%(name)s: %(words)s", { name: nameDisc(disc, teams), words: describeDisc(disc) });
}

function discMark(disc, colour, hasNumber, shades, mark) {
  const [x, y] = [disc.x_mm, -disc.y_mm];
  const group = draw("g", { class: `b-disc${disc.is_close ? " is-close" : ""}${disc.is_to_go ? " is-to-go" : ""}`, transform: `translate(${x.toFixed(1)} ${y.toFixed(1)})` });
  group.append(draw("circle", { r: DISC_MM + 10, class: "b-touch" }));
  if (disc.is_close) group.append(draw("circle", { r: DISC_MM + 6, class: "b-close" }));
  if (colour) {
    group.append(draw("circle", { cx: 1.5, cy: 3, r: DISC_MM + 0.5, class: "b-shadow" }), draw("circle", { r: DISC_MM, fill: colour, class: "b-body" }),
      draw("circle", { r: DISC_MM, class: "b-shade", fill: `url(#${shades}-rim)` }));
  }
  if (colour) group.append(drawMark(mark, DISC_MM * 0.82, colour) ?? "");
  if (hasNumber) group.append(draw("text", { class: "b-zone", fill: letterColourOn(colour), y: 7 }, String(disc.zone)));
  if (disc.is_to_go) group.append(draw("path", { d: "M-20 -20L20 20M20 -20L-20 20", class: "b-go" }));
  return group;
}

/** Words beside each close call, where they cover no disc; a call that no place is left for has its ring alone. */
function labelCloseCalls(discs) {
  const taken = discs.map((disc) => ({ x: disc.x_mm, y: -disc.y_mm, w: DISC_MM + 4, h: DISC_MM + 4 }));
  const isFree = (box) => Math.hypot(box.x, box.y) < SURFACE_MM - 20 && Math.abs(box.x) + box.w < SURFACE_MM
    && taken.every((each) => Math.abs(each.x - box.x) > each.w + box.w || Math.abs(each.y - box.y) > each.h + box.h);
  return discs.filter((disc) => disc.is_close).flatMap((disc) => {
    const words = disc.margin_mm > 0 ? _("%(far)s mm clear", { far: formatDecimal(disc.margin_mm, 1) }) : _("touches");
    const [x, y, w, h] = [disc.x_mm, -disc.y_mm, words.length * LETTER_MM / 2, LABEL_MM / 2];
    const boxes = LABEL_PLACES.map(([dx, dy]) => ({ x: x + dx * (w + DISC_MM + 8), y: y + dy * (h + DISC_MM + 8), w, h }));
    const box = boxes.find(isFree);
    if (!box) return [];
    taken.push(box);
    return [draw("text", { class: "b-margin", x: box.x.toFixed(1), y: (box.y + LABEL_MM * 0.35).toFixed(1) }, words)];
  });
}
