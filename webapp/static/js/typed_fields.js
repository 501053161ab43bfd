// What somebody typed and has not sent survives another language and a reload; `form_drafts.js` keeps a match's own forms.
import { fillField, isTouched, valueOf } from "./form_drafts.js";

const TYPED = `crokinole.typed.${location.pathname}`, LANGUAGE = "crokinole.language-of";
const UNKEPT = ["hidden", "file", "password"];

function listFields() {
  const fields = [...document.querySelectorAll("main form:not([data-form]) :is(input, select, textarea)")];
  return fields.filter((field) => field.name && !UNKEPT.includes(field.type) && !field.form.dataset.isSent);
}

/** A field's name on the page, which it has alone: its id, or its own name. */
function nameOf(field) {
  return field.id || (field.type === "radio" ? `${field.name}=${field.value}` : field.name);
}

document.addEventListener("submit", ({ target, defaultPrevented }) => {
  if (defaultPrevented) return;
  if (target.matches(".languages")) sessionStorage.setItem(LANGUAGE, location.pathname);
  else if (!target.dataset.form) target.dataset.isSent = "yes";
});

addEventListener("pagehide", () => {
  const typed = listFields().filter(isTouched).map((field) => [nameOf(field), valueOf(field)]);
  sessionStorage.setItem(TYPED, JSON.stringify(Object.fromEntries(typed)));
});

const [visit] = performance.getEntriesByType("navigation");
const typed = JSON.parse(sessionStorage.getItem(TYPED) ?? "{}");
if (visit?.type === "reload" || sessionStorage.getItem(LANGUAGE) === location.pathname) {
  for (const field of listFields()) {
    if (nameOf(field) in typed) fillField(field, typed[nameOf(field)]);
  }
}
sessionStorage.removeItem(LANGUAGE);
