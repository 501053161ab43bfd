// A second tap sends nothing while the answer to the first is on its way: over a slow network, it would start a second match.
const PATIENCE_MS = 10_000; // then the first is lost
const sent = new WeakSet();

document.addEventListener("submit", (event) => {
  const { target: form, submitter } = event;
  const method = submitter?.getAttribute("formmethod") ?? form.method;
  if (event.defaultPrevented || form.dataset.form || method !== "post") return;
  if (sent.has(form)) event.preventDefault();
  sent.add(form);
  setTimeout(() => sent.delete(form), PATIENCE_MS);
});
