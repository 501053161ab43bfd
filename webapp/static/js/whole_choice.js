// Under a box of choices that is too narrow for what is chosen, as on a phone, the choice stands in full.
const ruler = document.createElement("canvas").getContext("2d");
const ARROW_PX = measureArrow(); // beside the words; browsers draw it 16 to 24 px wide
const sizes = new ResizeObserver((seen) => seen.forEach(({ target }) => showWhole(target)));

function showWhole(box) {
  const words = box.selectedOptions[0]?.text ?? "";
  const told = box.nextElementSibling?.matches(".whole-choice") ? box.nextElementSibling : null;
  if (!isCut(box, words)) told?.remove();
  else if (told) told.textContent = words;
  else {
    const made = Object.assign(document.createElement("span"), { className: "whole-choice", textContent: words });
    made.setAttribute("aria-hidden", "true"); // a screen reader reads the box itself, in full
    box.after(made);
  }
}

function isCut(box, words) {
  return box.clientWidth > 0 && measureRoom(box, words) < ARROW_PX - 1;
}

/** The width of a box beside some words, px. */
function measureRoom(box, words) {
  const { fontWeight, fontSize, fontFamily, paddingInlineStart, paddingInlineEnd } = getComputedStyle(box);
  ruler.font = `${fontWeight} ${fontSize} ${fontFamily}`;
  return box.clientWidth - parseFloat(paddingInlineStart) - parseFloat(paddingInlineEnd) - ruler.measureText(words).width;
}

/** The width of a box's arrow, px: the room in a box that is just as wide as its words need. */
function measureArrow() {
  const box = document.createElement("select");
  box.append(new Option("0"));
  box.style.cssText = "position: absolute; visibility: hidden; width: auto; min-width: 0; max-width: none";
  document.body.append(box);
  const arrow_px = measureRoom(box, "0");
  box.remove();
  return arrow_px;
}

function watchBoxes() {
  document.querySelectorAll("select").forEach((box) => sizes.observe(box));
}

watchBoxes();
new MutationObserver(watchBoxes).observe(document.body, { childList: true, subtree: true });
// Other scripts may change boxes when one of them changes, so they are looked at after that.
document.addEventListener("change", () => requestAnimationFrame(() => document.querySelectorAll("select").forEach(showWhole)));
