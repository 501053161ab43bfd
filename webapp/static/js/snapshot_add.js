// Puts the disc that is being added where the rectified image is tapped, and proposes what it is worth there.
// The first tap magnifies the place, later ones move the disc. The form gets board millimetres, y upwards.
import { say } from "./dom.js";
import { read } from "./http.js";
import { _ } from "./messages.js";

const at = (id) => document.getElementById(id);
const plan = at("plan"), whole = plan.getAttribute("viewBox");
const spots = [at("spot"), at("spot-under")];
/** Half of what is seen of the board once it is magnified, mm. */
const CLOSE_HALF_MM = 70;
let newest = 0;

plan.addEventListener("click", (event) => {
  const place = new DOMPoint(event.clientX, event.clientY).matrixTransform(plan.getScreenCTM().inverse());
  for (const spot of spots) {
    spot.setAttribute("cx", place.x);
    spot.setAttribute("cy", place.y);
    spot.setAttribute("visibility", "visible");
  }
  at("x_mm").value = place.x.toFixed(1);
  at("y_mm").value = (-place.y).toFixed(1);
  if (at("whole").hidden) magnify(place);
  propose();
});
at("whole").addEventListener("click", () => {
  plan.setAttribute("viewBox", whole);
  at("whole").hidden = true;
  say(at("hint"), _("Tap where the disc is."));
});

function magnify({ x, y }) {
  plan.setAttribute("viewBox", `${x - CLOSE_HALF_MM} ${y - CLOSE_HALF_MM} ${2 * CLOSE_HALF_MM} ${2 * CLOSE_HALF_MM}`);
  at("whole").hidden = false;
  say(at("hint"), _("Tap again to move the circle until it covers the disc."));
}

async function propose() {
  const asked = (newest += 1);
  let told;
  try {
    told = await read(`${plan.dataset.zone}?x_mm=${at("x_mm").value}&y_mm=${at("y_mm").value}`);
  } catch {
    return; // what it is worth can be chosen all the same
  }
  if (asked !== newest) return;
  for (const button of document.querySelectorAll(".zones button")) {
    button.setAttribute("aria-pressed", String(button.value === String(told.zone)));
  }
  const isSure = told.other === null;
  at("proposal").hidden = false;
  at("proposal").className = `note ${isSure ? "sure" : "doubt"}`;
  say(at("proposal"), isSure ? _("A disc there scores %(zone)s. Tap %(zone)s to add it.", told)
    : _("A disc there scores %(zone)s or %(other)s. Check the board, then tap the value.", told));
}
