// What discs cannot have made, said before anything is sent; the server's own sentences (`check_round`, `check_counts`).
import { translate } from "./words.js";

const STEP = 5, TWENTY = 20, BEST_ZONE = 15;

/** What is wrong with a side's discs by zone, `{ 20: 1, 15: 2 }`; null where nothing is. */
export function describeCountFault(name, most, counts) {
  const all = Object.values(counts);
  if (all.some((each) => each < 0)) return "A count cannot be less than 0.";
  const count = all.reduce((sum, each) => sum + each, 0);
  if (count > most) return `${name}: ${count} discs are counted, but this side has only ${most}.`;
  return null;
}

/** What is wrong with a side's points and 20s of a round; null where nothing is. */
export function describeRoundFault(name, most, points, twenties) {
  if (points < 0 || twenties < 0) return `${name}: points and 20s cannot be negative.`;
  if (points % STEP) return `${name}: ${points} points are not possible. A round's points must be a multiple of 5.`;
  if (twenties > most) return `${name}: ${twenties} is too many 20s for ${most} discs.`;
  const least = TWENTY * twenties, best = least + BEST_ZONE * (most - twenties);
  if (points >= least && points <= best) return null;
  const made = twenties === 0 ? "without a 20" : twenties === 1 ? "with one 20" : `with ${twenties} 20s`;
  return `${name}'s ${points} points do not add up: ${most} discs ${made} can score from ${least} to ${best} points.`;
}

/** Show what is wrong with each side of a form; whether nothing is. */
export function checkForm(form) {
  const faults = [...form.querySelectorAll("[data-check]")].map(showFault);
  return faults.every((fault) => fault === null);
}

/** Show what is wrong with one side's fields, beneath them. */
export function showFault(part) {
  const fault = translate(describeFault(part));
  const line = part.querySelector(".fault");
  if (line.textContent !== (fault ?? "")) line.textContent = fault ?? "";
  line.hidden = fault === null;
  return fault;
}

function describeFault(part) {
  const { check, name, most } = part.dataset;
  const fields = [...part.querySelectorAll("input")];
  if (check === "counts") {
    return describeCountFault(name, Number(most), Object.fromEntries(fields.map((each) => [zoneOf(each), Number(each.value || 0)])));
  }
  const [points, twenties] = fields.map((each) => Number(each.value || 0));
  return describeRoundFault(name, Number(most), points, twenties);
}

/** The zone that a field counts discs in. */
export function zoneOf(field) {
  return Number(field.name.split("_")[1]);
}
