// A new match in three taps: shows as many names as play, fills in names that were played before, names who starts.
import "./whole_choice.js";
import { _ } from "./messages.js";
const form = document.getElementById("new");
const format = document.getElementById("format");

function showChosen() {
  const preset = form.querySelector("[name=preset]:checked");
  for (const option of format.options) option.disabled = option.hidden = Boolean(preset) && !preset.dataset.formats.split(" ").includes(option.value);
  if (format.selectedOptions[0]?.disabled) format.value = [...format.options].find((each) => !each.disabled).value;
  const { players, sides } = format.selectedOptions[0].dataset;
  showFirst("player", Number(players));
  showFirst("side", Number(sides));
  for (const part of form.querySelectorAll("[data-format]")) part.hidden = part.dataset.format !== format.value;
  form.classList.toggle("many", Number(players) > 2);
}

function showFirst(kind, count) {
  for (const part of form.querySelectorAll(`[data-${kind}]`)) {
    const isIn = Number(part.dataset[kind]) < count;
    part.hidden = !isIn;
    if (part.tagName === "OPTION") part.disabled = !isIn;
    for (const field of part.querySelectorAll("input, select")) {
      field.disabled = !isIn;
      if (field.name.startsWith("player")) field.required = isIn;
    }
  }
}

function nameStarters() {
  for (const option of form.querySelectorAll("#starter option[data-player]")) {
    const k = Number(option.value);
    option.textContent = form.elements[`player${k}`].value.trim() || _("Player %(k)s", { k: k + 1 });
  }
  const playing = listNames().map((field) => field.value.trim());
  for (const button of form.querySelectorAll("[data-name]")) button.setAttribute("aria-pressed", String(playing.includes(button.dataset.name)));
}

/** The fields of those who play. */
function listNames() {
  return [...form.querySelectorAll("[data-player] input")].filter((field) => !field.disabled);
}

/** Somebody plays, or plays not after all; with the colour that was played last. */
function toggleName({ name, colour }) {
  const fields = listNames();
  const own = fields.find((field) => field.value.trim() === name);
  const place = own ?? fields.find((field) => !field.value.trim());
  if (!place) return;
  place.value = own ? "" : name;
  const discs = form.elements[`colour${place.name.at(-1)}`];
  if (own || !colour || !discs || discs.disabled) return;
  const other = [...form.querySelectorAll("[data-side] select:not(:disabled)")].find((each) => each.value === colour);
  if (other) other.value = discs.value; // two who have changed seats
  discs.value = colour;
}

form.addEventListener("change", (event) => {
  if (event.target.id === "rules") document.getElementById("show-rules").click();
  showChosen();
});
form.addEventListener("input", nameStarters);
form.addEventListener("click", (event) => {
  const button = event.target.closest("[data-name]");
  if (!button) return;
  toggleName(button.dataset);
  nameStarters();
});
document.getElementById("show-rules")?.setAttribute("hidden", "");
form.classList.remove("few-players");
showChosen();
nameStarters();
