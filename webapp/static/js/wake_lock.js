// Keeps the screen on while the page is seen, by the Screen Wake Lock API where the browser has it.

/** Ask now, and again whenever the page comes back into view. */
export function keepScreenOn() {
  if (!("wakeLock" in navigator)) return;
  const ask = () => {
    if (document.visibilityState === "visible") navigator.wakeLock.request("screen").catch(() => {});
  };
  document.addEventListener("visibilitychange", ask);
  ask();
}
