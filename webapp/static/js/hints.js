// Hints for whoever is here for the first time; one that was put away stays away.

/** Show the hints of a page that nobody has put away on this device. */
export function showHints() {
  for (const hint of document.querySelectorAll("[data-hint]")) {
    const place = `crokinole.hint.${hint.dataset.hint}`;
    hint.hidden = localStorage.getItem(place) !== null;
    hint.querySelector("button").onclick = () => {
      localStorage.setItem(place, "seen");
      hint.hidden = true;
    };
  }
}
