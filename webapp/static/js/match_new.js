// Shows as many names and colours as play; who starts is called by name.
const form = document.getElementById("new");

function showChosen() {
  const chosen = form.querySelector("[name=format]:checked").dataset;
  showFirst("player", Number(chosen.players));
  showFirst("side", Number(chosen.sides));
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
  for (const option of form.querySelectorAll("#starter option")) {
    const k = Number(option.value);
    option.textContent = form.elements[`player${k}`].value.trim() || `Player ${k + 1}`;
  }
}

form.addEventListener("change", showChosen);
form.addEventListener("input", nameStarters);
showChosen();
nameStarters();
