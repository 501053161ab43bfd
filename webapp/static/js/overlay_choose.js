// Puts an overlay's address together from what is chosen, and shows the overlay as it will be.
import { atBoard } from "./http.js";
import { _ } from "./messages.js";

const at = (id) => document.getElementById(id);
const LOGO_PX = 160, DEFAULTS = { layout: "stack", look: "dark", scale: "1", hold: "7" };
let logo = ""; // a picture of one's own, as a data: address; it travels behind the #, which no server is sent

function buildQuery() {
  const form = new FormData(at("choices"));
  const query = new URLSearchParams({ parts: form.getAll("parts").join(","), corner: form.get("corner") });
  for (const [name, usual] of Object.entries(DEFAULTS)) {
    if (form.get(name) && form.get(name) !== usual) query.set(name, form.get(name));
  }
  if (at("has-colour").checked) query.set("colour", form.get("colour"));
  if (form.get("odds") && form.getAll("parts").includes("odds")) query.set("odds", form.get("odds"));
  if (form.get("logo") && at("logo").checkValidity()) query.set("logo", form.get("logo"));
  // A streaming program has a language of its own.
  if (document.documentElement.lang !== "en") query.set("lang", document.documentElement.lang);
  return query;
}

function show() {
  const base = new URL(atBoard("/overlay"), location.href);
  const tail = logo ? `#logo=${encodeURIComponent(logo)}` : "";
  // Commas may stand in an address as they are, which is easier to read.
  const query = buildQuery().toString().replaceAll("%2C", ",");
  at("address").value = `${base}?${query}${tail}`;
  // A change behind the # alone would load nothing; its length makes it another address.
  at("preview").contentWindow.location.replace(`${atBoard("/overlay")}?sample=${logo.length}&${query}${tail}`);
}

/** A picture made small enough for an address: WebP, at most `LOGO_PX` wide and high. */
async function shrink(file) {
  const image = await createImageBitmap(file);
  const scale = Math.min(1, LOGO_PX / Math.max(image.width, image.height));
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.round(image.width * scale));
  canvas.height = Math.max(1, Math.round(image.height * scale));
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  return canvas.toDataURL("image/webp", 0.85);
}

at("choices").addEventListener("input", async (event) => {
  if (event.target.id === "file") {
    const file = event.target.files[0];
    logo = file ? await shrink(file).catch(() => "") : "";
    at("copied").textContent = file && !logo ? _("This image cannot be opened. Choose another.") : "";
  }
  show();
});
at("choices").addEventListener("submit", (event) => event.preventDefault());
at("copy").addEventListener("click", async () => {
  at("address").select();
  try {
    await navigator.clipboard.writeText(at("address").value);
  } catch {
    document.execCommand("copy"); // the only way on a page without TLS
  }
  at("copied").textContent = _("Copied.");
});
at("address").addEventListener("focus", () => at("address").select());
show();
