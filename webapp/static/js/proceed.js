// Shows what a page has waited for, unless the person is on the way to another page: a script's move would take theirs away.
const LEAVING_MS = 10_000, AGAIN_MS = 400;
let left_ms = -Infinity;
addEventListener("beforeunload", () => { left_ms = performance.now(); });

/** Go on, once nobody is leaving; a move that takes longer than this has come to nothing. */
export function proceed(go) {
  if (performance.now() - left_ms < LEAVING_MS) setTimeout(() => proceed(go), AGAIN_MS);
  else go();
}
