// The clock of a round, as everybody shows it: by the server's time, and at the turn of each second.
import { serverNow_ms } from "./server_clock.js";
import { _ } from "./messages.js";

/** What the clock shows `now_ms` after 1970 by the server: words, and whether the time is out; null for none. */
export function describeClock(match, now_ms) {
  const clock = match?.clock;
  if (!clock?.began || match.is_over) return null;
  const passed_s = Math.max(0, Math.floor((now_ms - Date.parse(clock.began)) / 1000));
  const left_s = clock.minutes ? clock.minutes * 60 - passed_s : null;
  const isOut = clock.is_out || (left_s !== null && left_s <= 0);
  const shown_s = left_s ?? passed_s;
  const words = `${Math.floor(shown_s / 60)}:${String(shown_s % 60).padStart(2, "0")}`;
  return { words: isOut ? _("Time!") : words, isOut };
}

/** Call `show(told)` now and whenever the clock of `findMatch()` may show another second; the answer shows it at once. */
export function runClock(findMatch, show) {
  let timer;
  const tick = () => {
    clearTimeout(timer);
    const now_ms = serverNow_ms();
    const match = findMatch();
    show(describeClock(match, now_ms));
    const began_ms = Date.parse(match?.clock?.began) || 0;
    timer = setTimeout(tick, 1000 - (Math.max(0, now_ms - began_ms) % 1000 || 0) + 5);
  };
  document.addEventListener("visibilitychange", tick);
  tick();
  return tick;
}
