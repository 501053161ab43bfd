// Checks the radio button of a choice as soon as somebody fills in that choice's field.
import "./whole_choice.js";
for (const field of document.querySelectorAll(".choice select, .choice input:not([type=radio])")) {
  for (const type of ["focus", "input"]) {
    field.addEventListener(type, () => { field.closest(".choice").querySelector("[type=radio]").checked = true; });
  }
}
