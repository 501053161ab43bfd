// What a shot is called.
import { _, nameColour } from "./messages.js";

/** A shot by its number and the colour of its disc, where that is known. */
export function nameShot(number, colour) {
  return colour ? _("Shot %(number)s, %(colour)s", { number, colour: nameColour(colour) }) : _("Shot %(number)s", { number });
}
