// A wall's cards fill their grid, and its names are as large as their boxes allow.

const LEAST_PX = 8;

/** Give the cards columns that divide them evenly, or on a television wider cards in the last row. */
export function layOut(grid) {
  const cards = [...grid.children];
  const near = Math.max(1, Math.round(Math.sqrt((cards.length * innerWidth) / innerHeight / 1.2)));
  const even = [near, near + 1, near - 1].find((each) => cards.length % each === 0);
  const columns = near > 2 ? even ?? near : near;
  const rest = cards.length % columns || columns;
  const isTv = Boolean(document.querySelector(".wall-page"));
  cards.forEach((each, k) => { each.style.gridColumn = isTv ? `span ${k < cards.length - rest ? rest : columns}` : ""; });
  grid.style.setProperty("--columns", isTv ? columns * rest : columns);
}

/** Make lists as large as their screen allows, and names that do not fit smaller; call it again when others are shown. */
export function fitNames() {
  for (const list of document.querySelectorAll(".wall-lines")) {
    const lines = list.querySelectorAll("li, h3").length + list.querySelectorAll(".pairs li").length;
    list.style.setProperty("--lines", Math.ceil(lines / 2));
  }
  for (const name of document.querySelectorAll(".fits")) {
    breakLongWords(name);
    name.style.fontSize = "";
    let size_px = parseFloat(getComputedStyle(name).fontSize);
    while (isCut(name) && size_px > LEAST_PX) name.style.fontSize = `${(size_px *= 0.95)}px`;
  }
}

/** Let a word of 15 letters and more go on in the next line: unbroken, it made its whole name a third as large. */
function breakLongWords(name) {
  const [first, ...rest] = name.textContent.split(/(?<=\p{L}{10})(?=\p{L}{5})/u);
  if (rest.length && !name.querySelector("wbr")) name.replaceChildren(first, ...rest.flatMap((part) => [document.createElement("wbr"), part]));
}

function isCut(name) {
  const line = name.closest("p") ?? name;
  return name.scrollWidth > name.clientWidth + 1 || line.scrollHeight > line.clientHeight + 1;
}

document.fonts.ready.then(fitNames); // letters of another face have other widths
