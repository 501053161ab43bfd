// Whoever fills in the field of a choice has chosen it.
for (const field of document.querySelectorAll(".choice select, .choice input:not([type=radio])")) {
  field.addEventListener("focus", () => { field.closest(".choice").querySelector("[type=radio]").checked = true; });
}
