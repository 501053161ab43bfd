// The form that keeps a photographed round: its counters, and no colour for two sides.
const form = document.getElementById("keep");

for (const button of form?.querySelectorAll("[data-step]") ?? []) {
  button.hidden = false;
  button.addEventListener("click", () => {
    const input = button.parentElement.querySelector("input");
    const next = Number(input.value || 0) + Number(button.dataset.step);
    input.value = Math.max(Number(input.min), Math.min(Number(input.max), next));
  });
}

form?.addEventListener("change", ({ target }) => {
  if (target.type !== "radio" || target.value === "none") return;
  // who had that colour gets the one that is now free
  const taken = [...form.querySelectorAll(`input[value="${target.value}"]:checked`)].find((each) => each !== target);
  if (!taken) return;
  const used = [...form.querySelectorAll("input[type=radio]:checked")].filter((each) => each !== taken).map((each) => each.value);
  const free = [...form.querySelectorAll(`input[name="${taken.name}"]`)].find((each) => !used.includes(each.value));
  if (free) free.checked = true;
});
