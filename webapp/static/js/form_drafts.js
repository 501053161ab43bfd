// What somebody has typed and not sent yet: it survives fresh pages and a reload, with the version that it was typed on.

/** Fields of a form that somebody sees. */
function listFields(form) {
  return [...form.querySelectorAll("input:not([type=hidden]), select, textarea")].filter((each) => each.name);
}

function valueOf(field) {
  return field.type === "checkbox" && !field.checked ? "" : field.value;
}

function isTouched(field) {
  if (field.type === "checkbox") return field.checked !== field.defaultChecked;
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
      if (!(field.name in draft.fields)) continue;
      if (field.type === "checkbox") field.checked = Boolean(draft.fields[field.name]);
      else field.value = draft.fields[field.name];
    }
    form.querySelector("input:not([type=hidden])")?.dispatchEvent(new Event("input", { bubbles: true }));
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
