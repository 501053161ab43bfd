// Keeps the screen on while the page is seen, where the browser can.

/** Ask now, and again whenever the page comes back into view. */
export function stayAwake() {
  if (!("wakeLock" in navigator)) return;
  const ask = () => {
    if (document.visibilityState === "visible") navigator.wakeLock.request("screen").catch(() => {});
  };
  document.addEventListener("visibilitychange", ask);
  ask();
}
