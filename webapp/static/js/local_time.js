// Times of day as the reader's clock and language tell them; without a script they stand in UTC.
const SHAPES = {
  time: { hour: "2-digit", minute: "2-digit", second: "2-digit" },
  day: { dateStyle: "medium" },
  moment: { dateStyle: "medium", timeStyle: "short" },
};
const { lang } = document.documentElement;
/** The page's language, as it is written where the reader lives. */
const language = navigator.languages.find((each) => each.split("-")[0] === lang) ?? lang;

/** Write every time of a part of the page in local time. */
export function localiseTimes(part = document) {
  for (const place of part.querySelectorAll("time[data-local]")) {
    const moment = new Date(place.dateTime);
    if (!Number.isNaN(moment.getTime())) place.textContent = new Intl.DateTimeFormat(language, SHAPES[place.dataset.local]).format(moment);
  }
}

localiseTimes();
