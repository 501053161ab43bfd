// Hears what the server calls out, each call once and only while it is fresh: never what was missed or is long past.
import { clockIsMeasured, serverNow_ms } from "./server_clock.js";

const FRESH_MS = 10_000;

/** A function that takes every state and gives each fresh call to `onCall(call)` once; what the page came with is not called. */
export function hearCalls(first, onCall) {
  let last = first.call?.id;
  return async ({ call }) => {
    if (!call || call.id === last) return;
    last = call.id;
    await clockIsMeasured();
    if (serverNow_ms() - Date.parse(call.at) < FRESH_MS) onCall(call);
  };
}
