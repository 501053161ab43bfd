// Follows the server's event stream; after a lost connection it goes on with the id of the last message.
import { atRoot, boardNumber } from "./http.js";

/**
 * Follow the board at hand, or all (`board: "all"`). `onState(state)` gets every state, `onEvent(event, state)` every event, and
 * `onLink(isUp)` whether the connection stands.
 */
export function follow({ onState, onEvent = () => {}, onLink = () => {}, board = boardNumber }) {
  // Chromium gives up on a stream that was refused; then a new one is opened.
  const again_ms = 1000;
  let last = "";
  const open = () => {
    const query = new URLSearchParams({ lang: document.documentElement.lang, ...(board && { board }), ...(last && { after: last }) });
    const source = new EventSource(atRoot(`/events?${query}`));
    const take = (message) => {
      last = message.lastEventId;
      return JSON.parse(message.data);
    };
    source.addEventListener("state", (message) => onState(take(message).state));
    source.addEventListener("event", (message) => {
      const { event, state } = take(message);
      onState(state);
      onEvent(event, state);
    });
    source.addEventListener("open", () => onLink(true));
    source.addEventListener("error", () => {
      onLink(false);
      if (source.readyState === EventSource.CLOSED) setTimeout(open, again_ms);
    });
  };
  open();
}
