// The words of scripts in the page's language, and English sentences of the server in it: ``webapp/language`` for browsers.
const { decimal = ".", words = {}, sentences = {} } = await fetchWords(document.documentElement.dataset.words);
/** Where a text falls into sentences, and these into parts that may be said apart. */
const SENTENCES = /(?<=[.!?]) /, PARTS = [/(?<=[;:]) /, /(?<=,) /, /(?<= and) | (?=and )/, /(?<=^\d) |(?<=^\d\d) /];
const PREDICATE = /^(did|missed|was|were|sent|left|touched|moved|used|shot|held|placed|is|has|must|counts|lies) ./;
const MAX_LETTERS = 1200, SURE_LETTERS = 8;
const GAP = /%\((\w+)\)s|%%/g;
const said = new Map();
const exact = new Map();
const shapes = Object.entries(sentences).map(([template, translation]) => makeShape(template, translation)).sort((a, b) => b.letters - a.letters);
const predicates = shapes.filter((each) => each.isPredicate), gapped = shapes.filter((each) => each.hasGap && each.letters);
for (const [template, translation] of Object.entries(sentences)) if (!hasGap(template)) exact.set(fill(template), fill(translation));

/** English needs no words, and where they cannot be had, English is said. */
async function fetchWords(address) {
  if (!address) return {};
  return fetch(address).then((answer) => (answer.ok ? answer.json() : {})).catch(() => ({}));
}

/** A text of a script: `_("Round %(round)s", { round: 3 })`. */
export function _(text, parts = {}) {
  return fill(words[text] ?? text, parts);
}

/** A number with so many places behind the language's decimal sign. */
export function formatDecimal(number, places) {
  return number.toFixed(places).replace(".", decimal);
}

/** An English sentence of the server in the page's language; what fits no shape stays, such as a name. */
export function translate(text) {
  if (typeof text !== "string" || !text.trim() || text.length > MAX_LETTERS || !shapes.length) return text;
  if (!said.has(text)) said.set(text, findWords(text).replace(/(?<![\w.])(\d+)\.(\d+)(?![\w.]|\.\d)/g, `$1${decimal}$2`));
  return said.get(text);
}

function findWords(text) {
  const parts = text.split(SENTENCES);
  const whole = findWhole(text, parts.length > 1 ? SURE_LETTERS : 0);
  if (whole !== null) return whole;
  const apart = [parts, ...PARTS.map((between) => text.split(between))].find((each) => each.length > 1);
  return apart ? apart.map(translate).join(" ") : text;
}

/** The text by a shape that fits all of it, whatever its capital and its end; or null. */
function findWhole(text, letters) {
  const endings = [[text, ""], ".!?;:,".includes(text.at(-1)) ? [text.slice(0, -1), text.at(-1)] : [`${text}.`, ""]];
  const tries = endings.flatMap(([body, end]) => [[body, body, end], [body.slice(0, 1).toLowerCase() + body.slice(1), body, end]]);
  for (const fit of [(each) => exact.get(each) ?? fitShape(gapped, each, letters), (each) => fitShape(predicates, each, letters, "(?<subject>.+?) ")]) {
    for (const [tried, body, end] of tries) {
      const found = fit(tried);
      if (found !== null) return (tried === body ? found : found.slice(0, 1).toUpperCase() + found.slice(1)) + end;
    }
  }
  return null;
}

/** `subject` is for what somebody did: "Ann left the chair". */
function fitShape(tried, text, letters, subject = "") {
  for (const { pattern, translation, letters: own } of tried) {
    if (own < letters) return null;
    const found = text.match(new RegExp(`^${subject}${pattern}$`, "s"));
    if (!found) continue;
    const parts = Object.fromEntries(Object.entries(found.groups ?? {}).map(([name, each]) => [name, translate(each)]));
    return (subject ? `${parts.subject} ` : "") + fill(translation, parts);
  }
  return null;
}

function makeShape(template, translation) {
  let pattern = "", literal = "", at = 0;
  const add = (text) => { literal += text; pattern += text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&"); };
  for (const gap of template.matchAll(GAP)) {
    add(template.slice(at, gap.index));
    pattern += gap[1] ? `(?<${gap[1]}>.*?)` : "%";
    at = gap.index + gap[0].length;
  }
  add(template.slice(at));
  const letters = literal.replace(/[^\p{L}]/gu, "").length;
  return { pattern, translation, letters, hasGap: hasGap(template), isPredicate: PREDICATE.test(template) };
}

function hasGap(template) {
  return template.includes("%(");
}

function fill(template, parts = {}) {
  return template.replace(GAP, (_gap, name) => (name ? String(parts[name]) : "%"));
}
