// What a page sends to its server, and what comes back: JSON, or one sentence of what went wrong.
import { _ } from "./messages.js";

const csrf = document.querySelector("meta[name=csrf]")?.content ?? "";

/** The number of the board that this page is about, where its address or its match says one. */
export const boardNumber = document.documentElement.dataset.board ?? "";

/** The address of a path of this server, which a proxy may have put under another path. */
export const atRoot = (path) => (document.documentElement.dataset.root ?? "") + path;

/** The header by which the server words its JSON in this page's language. */
export const IN_WORDS = { "X-Page-Language": document.documentElement.lang };

/** The address of a page of the board at hand. */
export const atBoard = (path) => atRoot(boardNumber ? `/boards/${boardNumber}${path}` : path);

/** Thrown when the server refuses; its message is a sentence for the user. */
export class Refused extends Error {
  constructor(sentence, status) {
    super(sentence);
    this.status = status;
  }
}

/** The answer's JSON. `body` is FormData, a Blob, or anything that JSON holds. */
export async function send(address, body, { method = "POST", signal } = {}) {
  const headers = { Accept: "application/json", "X-CSRF-Token": csrf, ...IN_WORDS };
  const isPlain = !(body instanceof FormData || body instanceof Blob || body === undefined);
  if (isPlain) headers["Content-Type"] = "application/json";
  return readAnswer(
    fetch(address, { method, headers, signal, body: isPlain ? JSON.stringify(body) : body }),
  );
}

/** The JSON at an address. */
export async function read(address, { signal } = {}) {
  return readAnswer(fetch(address, { headers: { Accept: "application/json", ...IN_WORDS }, signal }));
}

async function readAnswer(request) {
  let answer;
  try {
    answer = await request;
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refused(_("The server cannot be reached. Check that it is running and that your network is working, then try again."), 0);
  }
  const content = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Refused(content.error ?? _("Server error %(status)s. Try again.", { status: answer.status }), answer.status);
  return content;
}
