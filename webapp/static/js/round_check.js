// What discs cannot have made, said before anything is sent; in the server's own words (`check_round`, `check_counts`).
import { _ } from "./messages.js";

const STEP = 5, TWENTY = 20, BEST_ZONE = 15;

/** What is wrong with a side's discs by zone, `{ 20: 1, 15: 2 }`; null where nothing is. */
export function describeCountFault(name, most, counts) {
  const all = Object.values(counts);
  if (all.some((each) => each < 0)) return _("A count cannot be less than 0.");
  const count = all.reduce((sum, each) => sum + each, 0);
  if (count > most) return _("%(name)s: you entered %(count)s discs, but this side has only %(most)s.", { name, count, most });
  return null;
}

/** What is wrong with a side's points and 20s of a round; null where nothing is. */
export function describeRoundFault(name, most, points, twenties) {
  if (points < 0 || twenties < 0) return _("%(name)s: points and 20s cannot be negative.", { name });
  if (points % STEP) return _("%(name)s: %(total)s is not a possible score. A round's points must be a multiple of 5.", { name, total: points });
  if (twenties > most) return _("%(name)s: %(count)s is too many 20s for %(most)s discs.", { name, count: twenties, most });
  const least = TWENTY * twenties, best = least + BEST_ZONE * (most - twenties);
  if (points >= least && points <= best) return null;
  const made = twenties === 0 ? _("without a 20") : twenties === 1 ? _("with one 20") : _("with %(twenties)s twenties", { twenties });
  return _("%(name)s's %(total)s points do not add up: %(most)s discs %(count)s can score from %(TWENTY)s to %(TWENTY2)s points.", { name, total: points, most, count: made, TWENTY: least, TWENTY2: best });
}

/** Show what is wrong with each side of a form; whether nothing is. */
export function checkForm(form) {
  const faults = [...form.querySelectorAll("[data-check]")].map(showFault);
  return faults.every((fault) => fault === null);
}

/** Show what is wrong with one side's fields, beneath them. */
export function showFault(part) {
  const fault = describeFault(part);
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
