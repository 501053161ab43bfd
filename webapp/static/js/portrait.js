// A player's picture: the chosen image becomes a small square, and is sent at once.
import { say } from "./dom.js";
import { _ } from "./messages.js";

const SIDE_PX = 320;
const form = document.getElementById("portrait");
const input = form.querySelector("input[type=file]");

/** The middle of an image as a square JPEG; of an upright photo a part above its middle, where faces are. */
async function cropSquare(file) {
  const image = await createImageBitmap(file);
  const side = Math.min(image.width, image.height);
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = SIDE_PX;
  const pen = canvas.getContext("2d");
  pen.fillStyle = "#fff"; // behind transparent parts
  pen.fillRect(0, 0, SIDE_PX, SIDE_PX);
  pen.drawImage(image, (image.width - side) / 2, (image.height - side) / 3, side, side, 0, 0, SIDE_PX, SIDE_PX);
  return new Promise((done) => canvas.toBlob(done, "image/jpeg", 0.85));
}

input.addEventListener("change", async () => {
  if (!input.files.length) return;
  try {
    const chosen = new DataTransfer();
    chosen.items.add(new File([await cropSquare(input.files[0])], "picture.jpg", { type: "image/jpeg" }));
    input.files = chosen.files;
    form.submit();
  } catch {
    input.value = "";
    say(form.querySelector("[role=status]"), _("This image cannot be opened. Choose another."));
  }
});
