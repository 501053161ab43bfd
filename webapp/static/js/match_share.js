// A match's picture as PNG: drawn from its SVG, then sent on by the device or saved.
async function makePng(picture) {
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

/** Make the buttons of a page that was just shown work. */
export function prepareShare() {
  const box = document.getElementById("share");
  if (!box) return;
  const picture = box.querySelector("img");
  const [send, keep] = [box.querySelector("[data-share]"), box.querySelector("[data-save]")];
  const share = document.querySelector("[data-show-share]");
  const show = () => { box.open = true; box.scrollIntoView({ block: "start" }); };
  keep.hidden = false;
  keep.addEventListener("click", async () => save(await makePng(picture)));
  const trial = new File([""], "a.png", { type: "image/png" });
  const canSend = Boolean(navigator.canShare?.({ files: [trial] }));
  const sendOn = async () => {
    const file = await makePng(picture);
    await navigator.share({ files: [file], title: picture.alt }).catch(() => {}); // who gives it up is not told
  };
  send.hidden = !canSend;
  send.addEventListener("click", sendOn);
  if (share) share.hidden = false;
  share?.addEventListener("click", show);
}
