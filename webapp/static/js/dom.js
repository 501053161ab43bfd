// Small pieces of a page, made from values; text is always text and never markup.

/** An element: `make("p", { class: "soft" }, "text", child)`. */
export function make(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

/** The same for a part of a drawing. */
export function draw(name, attributes = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
}

function fill(element, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** Set an element's text, and a link behind it, only where they change, so that screen readers are not told twice. */
export function say(element, text, link = null) {
  const said = link ? `${text} ${link.textContent}` : text;
  if (element.textContent === said) return;
  element.textContent = text;
  if (link) element.append(" ", link);
}

/** A mark by which a side's discs are told apart without their colours: none, a ring, dashes, dots. */
export function drawMark(side, radius, colour) {
  const dashes = { 1: null, 2: `${radius * 0.5} ${radius * 0.28}`, 3: `0.1 ${radius * 0.52}` };
  const place = side % 4;
  return place ? draw("circle", { r: radius, class: "side-mark", stroke: letterColourOn(colour), "stroke-width": radius * (place === 3 ? 0.24 : 0.15), "stroke-dasharray": dashes[place] }) : null;
}

/** Dark or light letters, whichever can be read on a colour. */
export function letterColourOn(colour) {
  const [r, g, b] = [1, 3, 5].map((k) => parseInt(colour.slice(k, k + 2), 16) / 255);
  const linear = (c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
  const light = 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
  return light > 0.18 ? "#14100c" : "#ffffff";
}
