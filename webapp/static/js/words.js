// The words of scripts in the page's language, and English sentences of the server in it: ``webapp/language`` for browsers.
const { decimal = ".", percent = "%", words = {}, sentences = {} } = await fetchWords(document.documentElement.dataset.words);
/** Where a text falls into sentences and clauses, and a part of one into names and amounts. */
const BREAKS = [/(?<=[.!?]) /, /(?<=[;:]) /, /(?<=,) /];
const JOINS = [/(?<= against) | (?=against )/, /(?<= and) | (?=and )/, /(?<=^\d) |(?<=^\d\d) /];
const PREDICATE = /^(did|missed|was|were|sent|left|touched|moved|used|shot|held|placed|is|has|must|counts|lies) ./;
/** Who did it: a name, and no clause. */
const SUBJECT = "(?<subject>(?:[^.;:,]|\\.(?! ))+?) ";
const MAX_LETTERS = 1200, SURE_LETTERS = 5, SURE_LETTERS_FIRST = 3, TELLING_LETTERS = 20, TELLING_LETTERS_FIRST = 10;
const GAP = /%\((\w+)\)s|%%/g;
const said = new Map();
const exact = new Map();
const shapes = Object.entries(sentences).map(([template, translation]) => makeShape(template, translation)).sort((a, b) => a.beginsWithGap - b.beginsWithGap || b.letters - a.letters);
const predicates = shapes.filter((each) => each.isPredicate), gapped = shapes.filter((each) => each.hasGap && each.letters);
const sure = gapped.filter((each) => each.isSure), unsure = gapped.filter((each) => !each.isSure);
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

/** A share from 0 to 1 in percent, as the language writes it. */
export function formatPercent(share) {
  return `${Math.round(100 * share)}${percent}`;
}

/** Words that begin a sentence, or stand as a name. */
export function capitalise(words) {
  return words && words[0].toUpperCase() + words.slice(1);
}

/** An English sentence of the server in the page's language; what fits no shape stays, such as a name. */
export function translate(text) {
  if (typeof text !== "string") return text;
  if (!text.trim() || text.length > MAX_LETTERS || !shapes.length) return nameWood(text);
  if (!said.has(text)) said.set(text, findWords(text).replace(/(?<![\w.])(\d+)\.(\d+)(?![\w.]|\.\d)/g, `$1${decimal}$2`).replace(/(?<=\d)%/g, percent));
  return said.get(text);
}

/** Discs that contracts call natural, as players call them. */
function nameWood(text) {
  return text.replace(/\bnatural\b/g, "light wood").replace(/\bNatural\b/g, "Light wood");
}

function findWords(text) {
  for (const first of text.matchAll(/[,:] /g)) { // what is said of a sentence, and the sentence
    const rest = exact.get(text.slice(first.index + 2));
    if (rest !== undefined && text.endsWith(".")) return `${translate(text.slice(0, first.index))}${first[0]}${rest}`;
  }
  const whole = findWhole(text);
  if (whole !== null) return whole;
  const apart = (breaks) => breaks.map((between) => text.split(between)).filter((parts) => parts.length > 1);
  const clauses = apart(BREAKS)[0];
  if (clauses) return clauses.map(translate).join(" ");
  const joined = apart(JOINS).find((parts) => parts.every((each) => isLikelyPart(each, translate(each))));
  return findFit(text, (tried) => fillFirst(unsure, tried)) ?? joined?.map(translate).join(" ") ?? text;
}

/** The text by what surely fits all of it; else null. */
function findWhole(text) {
  return findFit(text, (tried) => exact.get(tried) ?? null) ?? findFit(text, (tried) => fillFirst(sure, tried))
    ?? findFit(text, (tried) => fillFirst(predicates, tried, SUBJECT));
}

/** The text in a way that fits it, whatever its capital and its end; or null. */
function findFit(text, fit) {
  const endings = [[text, ""], ".!?;:,".includes(text.at(-1)) ? [text.slice(0, -1), text.at(-1)] : [`${text}.`, ""]];
  for (const [body, end] of endings) {
    for (const tried of new Set([body, body.slice(0, 1).toLowerCase() + body.slice(1)])) {
      const found = fit(tried);
      if (found !== null) return (tried === body ? found : found.slice(0, 1).toUpperCase() + found.slice(1)) + end;
    }
  }
  return null;
}

/** The text by the first shape that fits; `subject` is for what somebody did: "Ann left the chair". */
function fillFirst(tried, text, subject = "") {
  for (const { pattern, translation, isTelling } of tried) {
    const found = text.match(new RegExp(`^${subject}${pattern}$`, "s"));
    if (!found) continue;
    const gaps = Object.entries(found.groups ?? {}), parts = Object.fromEntries(gaps.map(([name, each]) => [name, translate(each)]));
    if (!isTelling && !gaps.every(([name, each]) => isLikelyPart(each, parts[name]))) continue;
    return (subject ? `${parts.subject} ` : "") + fill(translation, parts);
  }
  return null;
}

/** Whether it is a name or an amount, or was translated: no words that somebody made up. */
function isLikelyPart(text, translated) {
  const words = text.split(/\s+/).filter(Boolean);
  return translated !== text || words.length <= 1 || 2 * words.filter((each) => !/^\p{Ll}/u.test(each)).length >= words.length;
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
  const beginsWithGap = template.startsWith("%("), isSure = letters >= (beginsWithGap ? SURE_LETTERS : SURE_LETTERS_FIRST);
  const isTelling = letters >= (beginsWithGap ? TELLING_LETTERS : TELLING_LETTERS_FIRST);
  return { pattern, translation, letters, beginsWithGap, isSure, isTelling, hasGap: hasGap(template), isPredicate: PREDICATE.test(template) };
}

function hasGap(template) {
  return template.includes("%(");
}

function fill(template, parts = {}) {
  return template.replace(GAP, (_gap, name) => (name ? String(parts[name]) : "%"));
}
