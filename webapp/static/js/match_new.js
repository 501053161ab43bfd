// Shows as many names and colours as play; who starts is called by name.
const form = document.getElementById("new");

function fit() {
  const chosen = form.querySelector("[name=format]:checked").dataset;
  fitKind("player", Number(chosen.players));
  fitKind("side", Number(chosen.sides));
}

function fitKind(kind, count) {
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

function name() {
  for (const option of form.querySelectorAll("#starter option")) {
    const k = Number(option.value);
    option.textContent = form.elements[`player${k}`].value.trim() || `Player ${k + 1}`;
  }
}

form.addEventListener("change", fit);
form.addEventListener("input", name);
fit();
name();
