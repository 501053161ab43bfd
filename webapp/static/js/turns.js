// What a wall shows in turn: the parts of its page that are marked data-turn, each for a while.

const TURN_MS = 15_000;
const isCalm = matchMedia("(prefers-reduced-motion: reduce)");
let turn = 0;

const parts = () => [...document.querySelectorAll("[data-turn]")];

/** Show the part whose turn it is; call it again when parts have come or gone. */
export function showTurn() {
  const all = parts();
  if (turn >= all.length) turn = 0;
  all.forEach((each, k) => (each.hidden = k !== turn));
}

/** Go on to the next part every few seconds, but never away from one that somebody is using. */
export function takeTurns(onTurn = () => {}) {
  const go = () => {
    showTurn();
    onTurn();
  };
  setInterval(() => {
    const all = parts();
    if (all.length < 2 || all.some((each) => each.contains(document.activeElement))) return;
    turn = (turn + 1) % all.length;
    if (isCalm.matches || !document.startViewTransition) return go();
    const change = document.startViewTransition(go);
    change.ready.catch(() => {}); // the part changes at once where the window changes meanwhile
  }, TURN_MS);
  go();
}
