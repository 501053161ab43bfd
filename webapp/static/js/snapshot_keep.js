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
  if (target.type !== "radio") return;
  const sides = [...form.querySelectorAll(".side")];
  const taken = sides.find((side) => !side.contains(target) && target.value !== "none" && chosen(side)?.value === target.value);
  const open = sides.filter((side) => !chosen(side));
  if (taken) chooseFree(taken, sides); // who had that colour gets the one that is now free
  else if (open.length === 1 && listFree(open[0], sides).length === 1) chooseFree(open[0], sides);
  for (const side of sides) showAside(side);
});

/** The colours that no other side has. */
function listFree(side, sides) {
  const used = sides.filter((each) => each !== side).map((each) => chosen(each)?.value);
  return [...side.querySelectorAll("input[type=radio]")].filter((each) => each.value !== "none" && !used.includes(each.value));
}

function chooseFree(side, sides) {
  const free = listFree(side, sides)[0] ?? side.querySelector("input[value=none]");
  free.checked = true;
}

function chosen(side) {
  return side.querySelector("input[type=radio]:checked");
}

/** The 20s of a side that were counted and do not lie in the hole, unless somebody typed others. */
function showAside(side) {
  const input = side.querySelector("input[type=number]"), mine = chosen(side);
  if (!mine || !side.dataset.counted || input.value !== input.defaultValue) return;
  input.value = input.defaultValue = String(Math.max(0, Number(side.dataset.counted) - Number(mine.dataset.inHole)));
}
