// Players' pictures beside their names.
import { make } from "./dom.js";
import { atRoot } from "./http.js";

/** Images of pictures with these keys; decoration, because the name stands beside them. */
export function portraits(keys) {
  return keys.map((key) => make("img", { class: "portrait", src: atRoot(`/player/picture/${key}.jpg`), alt: "" }));
}

/** The keys of the pictures of a side's players. */
export function keysOf(side, pictures) {
  return (side.players ?? []).map((player) => pictures[player]).filter(Boolean);
}
