// Hints for whoever is here for the first time; one that was put away stays away, by a cookie that the server reads.
const TEN_YEARS_S = 10 * 365 * 24 * 3600;

/** Let the hints of a page be put away on this device. */
export function showHints() {
  for (const hint of document.querySelectorAll("[data-hint]")) {
    const name = `hint-${hint.dataset.hint}`;
    hint.hidden = document.cookie.split("; ").includes(`${name}=seen`); // a page kept from before
    hint.querySelector("button").onclick = () => {
      document.cookie = `${name}=seen; path=/; max-age=${TEN_YEARS_S}; samesite=lax`;
      hint.hidden = true;
    };
  }
}
