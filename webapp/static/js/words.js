// The words of scripts in the page's language, and English sentences of the server in it: ``webapp/language`` for browsers.
const { decimal = ".", words = {}, sentences = {} } = await fetchWords(document.documentElement.dataset.words);
/** Where a text falls into parts that may be said apart, the coarsest first. */
const BREAKS = [/(?<=[.!?;:]) /, /(?<=,) /, /(?<= and) | (?=and )/];
const MAX_LETTERS = 1200;
const GAP = /%\((\w+)\)s|%%/g;
const said = new Map();
const exact = new Map();
const shapes = [];
for (const [template, translation] of Object.entries(sentences)) {
  if (template.includes("%(")) shapes.push(makeShape(template, translation));
  else exact.set(fill(template), fill(translation));
}
shapes.sort((a, b) => b.letters - a.letters);

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
  if (typeof text !== "string" || !text.trim() || text.length > MAX_LETTERS || !(shapes.length || exact.size)) return text;
  if (!said.has(text)) said.set(text, findWords(text).replace(/(?<![\w.])(\d+)\.(\d+)(?![\w.]|\.\d)/g, `$1${decimal}$2`));
  return said.get(text);
}

function findWords(text) {
  const whole = findWhole(text);
  if (whole !== null) return whole;
  for (const between of BREAKS) {
    const parts = text.split(between);
    if (parts.length > 1) return parts.map(translate).join(" ");
  }
  return text;
}

/** The text by a shape that fits all of it, whatever its capital and its end; or null. */
function findWhole(text) {
  const isEnded = ".!?;:,".includes(text.at(-1));
  const endings = [[text, ""], isEnded ? [text.slice(0, -1), text.at(-1)] : [`${text}.`, ""]];
  for (const [body, end] of endings) {
    for (const tried of new Set([body, body.slice(0, 1).toLowerCase() + body.slice(1)])) {
      const found = exact.get(tried) ?? fitShape(tried);
      if (found !== null) return (tried === body ? found : found.slice(0, 1).toUpperCase() + found.slice(1)) + end;
    }
  }
  return null;
}

function fitShape(text) {
  for (const { pattern, translation } of shapes) {
    const found = text.match(pattern);
    if (found) return fill(translation, Object.fromEntries(Object.entries(found.groups).map(([name, each]) => [name, translate(each)])));
  }
  return null;
}

function makeShape(template, translation) {
  let pattern = "", literal = "", at = 0;
  const add = (text) => { literal += text; pattern += text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&"); };
  for (const gap of template.matchAll(GAP)) {
    add(template.slice(at, gap.index));
    pattern += gap[1] ? `(?<${gap[1]}>.+?)` : "%";
    at = gap.index + gap[0].length;
  }
  add(template.slice(at));
  return { pattern: new RegExp(`^${pattern}$`, "s"), translation, letters: literal.replace(/[^\p{L}]/gu, "").length };
}

function fill(template, parts = {}) {
  return template.replace(GAP, (_gap, name) => (name ? String(parts[name]) : "%"));
}
