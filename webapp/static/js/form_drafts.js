// What somebody has typed and not sent yet: it survives fresh pages and a reload, with the version that it was typed on.

/** Whether a field is chosen or not, and has no other value. */
function isBox(field) {
  return ["checkbox", "radio"].includes(field.type);
}

/** Put a value into a field, so that its page follows as if it had been typed. */
export function fillField(field, value) {
  if (isBox(field)) field.checked = Boolean(value);
  else field.value = value;
  for (const kind of ["input", "change"]) field.dispatchEvent(new Event(kind, { bubbles: true }));
}

/** Fields of a form that somebody sees. */
function listFields(form) {
  return [...form.querySelectorAll("input:not([type=hidden]), select, textarea")].filter((each) => each.name);
}

export function valueOf(field) {
  return isBox(field) && !field.checked ? "" : field.value;
}

export function isTouched(field) {
  if (isBox(field)) return field.checked !== field.defaultChecked;
  if (field.tagName !== "SELECT") return field.value !== field.defaultValue;
  const first = Math.max(0, [...field.options].findIndex((each) => each.defaultSelected));
  return field.selectedIndex !== first;
}

/** Every form that was begun: `{ form: { seen, fields, words } }`; `describe(form)` gives the words. */
export function readDrafts(describe) {
  const drafts = {};
  for (const form of document.querySelectorAll("form[data-form]")) {
    const touched = listFields(form).filter(isTouched);
    if (!touched.length || form.dataset.isSent) continue;
    drafts[form.dataset.form] = {
      seen: form.elements.seen.value,
      action: form.action.split("/").at(-1),
      words: describe(form),
      fields: Object.fromEntries(touched.map((each) => [each.name, valueOf(each)])),
      all: Object.fromEntries(new FormData(form)),
    };
  }
  return drafts;
}

/** Fill forms with what was typed; those drafts that no form is there for any more. */
export function fillForms(drafts) {
  const orphans = {};
  for (const [name, draft] of Object.entries(drafts)) {
    const form = document.querySelector(`form[data-form="${CSS.escape(name)}"]`);
    if (!form) {
      orphans[name] = draft;
      continue;
    }
    form.elements.seen.value = draft.seen;
    for (const field of listFields(form)) {
      if (field.name in draft.fields) fillField(field, draft.fields[field.name]);
    }
  }
  return orphans;
}

/** Drafts that an earlier load of this page has kept. */
export function recallDrafts(match) {
  try {
    return JSON.parse(sessionStorage.getItem(`crokinole.drafts.${match}`) ?? "{}");
  } catch {
    return {};
  }
}

/** Keep drafts for the next load of this page. */
export function keepDrafts(match, drafts) {
  sessionStorage.setItem(`crokinole.drafts.${match}`, JSON.stringify(drafts));
}
