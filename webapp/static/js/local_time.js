// Times of day as the reader's clock and language tell them; without a script they stand in UTC.
const SHAPES = {
  time: { hour: "2-digit", minute: "2-digit", second: "2-digit" },
  day: { dateStyle: "medium" },
  moment: { dateStyle: "medium", timeStyle: "short" },
};

/** Write every time of a part of the page in local time. */
export function localiseTimes(part = document) {
  for (const place of part.querySelectorAll("time[data-local]")) {
    const moment = new Date(place.dateTime);
    if (!Number.isNaN(moment.getTime())) place.textContent = new Intl.DateTimeFormat(undefined, SHAPES[place.dataset.local]).format(moment);
  }
}

localiseTimes();
