// The messages of scripts in the page's language; what the server sends to a page is in that language already.
const { decimal = ".", percent = "%", words = {} } = await fetchWords(document.documentElement.dataset.words);
const GAP = /%\((\w+)\)s|%%/g;

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

/** A colour of discs as players call it: contracts call light wood natural, and a club may have a name of its own. */
export function nameColour(name) {
  return COLOURS[name] ?? name;
}

function fill(template, parts = {}) {
  return template.replace(GAP, (_gap, name) => (name ? String(parts[name]) : "%"));
}

const COLOURS = {
  white: _("white"), cream: _("cream"), natural: _("light wood"), brown: _("brown"), black: _("black"), grey: _("grey"), red: _("red"),
  pink: _("pink"), orange: _("orange"), yellow: _("yellow"), green: _("green"), blue: _("blue"), navy: _("navy"), purple: _("purple"),
};
