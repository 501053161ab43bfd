// A match's picture as PNG: drawn from its SVG, then sent on by the device or saved.
const box = document.getElementById("share");
const picture = box?.querySelector("img");

async function makePng() {
  await picture.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [1200, 630];
  canvas.getContext("2d").drawImage(picture, 0, 0, 1200, 630);
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

if (box) {
  const [send, keep] = [box.querySelector("[data-share]"), box.querySelector("[data-save]")];
  keep.hidden = false;
  keep.addEventListener("click", async () => save(await makePng()));
  const trial = new File([""], "a.png", { type: "image/png" });
  if (navigator.canShare?.({ files: [trial] })) {
    send.hidden = false;
    send.addEventListener("click", async () => {
      const file = await makePng();
      await navigator.share({ files: [file], title: picture.alt }).catch(() => {}); // who gives it up is not told
    });
  }
}
