// A second tap sends nothing while the answer to the first is on its way: over a slow network, it would start a second match.
// If the server cannot be reached, a form stays on its page: the browser would show a page of its own instead.
import { atRoot } from "./http.js";
import { make } from "./dom.js";
import { _ } from "./messages.js";

const PATIENCE_MS = 10_000; // then the first is lost
const sent = new WeakSet(), reaching = new WeakSet();
const unreached = make("p", { class: "note problem", role: "alert" }, _("There is no connection, so nothing was sent. Try again in a moment."));

document.addEventListener("submit", (event) => {
  const { target: form, submitter } = event;
  const method = submitter?.getAttribute("formmethod") ?? form.method;
  if (event.defaultPrevented || form.dataset.form || method !== "post") return;
  if (!navigator.onLine && !reaching.delete(form)) {
    event.preventDefault();
    reach(form, submitter);
    return;
  }
  if (sent.has(form)) event.preventDefault();
  sent.add(form);
  setTimeout(() => sent.delete(form), PATIENCE_MS);
});

/** Send the form where the server answers all the same: it may run on this device. */
async function reach(form, submitter) {
  try {
    await fetch(atRoot("/clock"), { cache: "no-store" });
  } catch {
    form.append(unreached);
    return;
  }
  reaching.add(form);
  form.requestSubmit(submitter);
}
