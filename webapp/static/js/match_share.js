// A picture as PNG: sent on by the device, copied or saved. A match's is drawn from its SVG.
async function makePng(picture) {
  await picture.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [1200, 630];
  canvas.getContext("2d").drawImage(picture, 0, 0, 1200, 630);
  return toFile(canvas);
}

/** A canvas as a PNG file. */
export async function toFile(canvas) {
  const blob = await new Promise((done) => canvas.toBlob(done, "image/png"));
  return new File([blob], "crokinole.png", { type: "image/png" });
}

function save(file) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = file.name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** Let the buttons of a box send, copy or save the file of `makeFile()`, where the browser can. */
export function offerFile(box, makeFile, title) {
  const offer = (name, canDo, act) => {
    const button = box.querySelector(`[data-${name}]`);
    button.hidden = !canDo;
    button.addEventListener("click", act);
  };
  const trial = new File([""], "a.png", { type: "image/png" });
  offer("share", Boolean(navigator.canShare?.({ files: [trial] })), async () => {
    await navigator.share({ files: [await makeFile()], title }).catch(() => {}); // who gives it up is not told
  });
  offer("copy", "ClipboardItem" in window && Boolean(navigator.clipboard), () => navigator.clipboard.write([new ClipboardItem({ "image/png": makeFile() })]));
  offer("save", true, async () => save(await makeFile()));
}

/** Make the buttons of a page that was just shown work. */
export function prepareShare() {
  const box = document.getElementById("share");
  if (!box) return;
  const picture = box.querySelector("img");
  const share = document.querySelector("[data-show-share]");
  offerFile(box, () => makePng(picture), picture.alt);
  if (share) share.hidden = false;
  share?.addEventListener("click", () => { box.open = true; box.scrollIntoView({ block: "start" }); });
}
