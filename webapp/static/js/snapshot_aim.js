// The dialog in which a phone aims at the board, and that takes the picture by itself once all lines are sure.
import { say } from "./dom.js";
import { followBoard } from "./aim.js";
import { closeCamera, listLenses, offerZoom, openCamera, takePicture } from "./live_camera.js";
import { _ } from "./messages.js";

const at = (id) => document.getElementById(id);
const FULL = { width: 3840, height: 2160 };
/** Seconds that are counted down, and answers in a row that must be sure and still before. */
const COUNT_S = 2, SURE_ANSWERS = 2;
const dialog = at("aim"), video = at("aim-video");
let stream = null, sure = 0, countdown = null;

/** Open the dialog; `onPicture(file)` gets what is taken. Where no camera may be used, its sentence is thrown. */
export async function aimAndTake(onPicture) {
  await open("");
  dialog.showModal();
  at("aim-take").onclick = () => take(onPicture);
  at("aim-lens").onchange = () => open(at("aim-lens").value).catch((error) => say(at("aim-words"), error.message));
  const own = stream;
  followBoard({
    video, svg: at("aim-rings"), words: at("aim-words"), isWanted: () => dialog.open,
    longPicture_px: () => Math.max(video.videoWidth, video.videoHeight),
    onReading: ({ isSure, isStill }) => {
      sure = isSure && isStill ? sure + 1 : 0;
      if (!sure) stopCountdown();
      else if (sure >= SURE_ANSWERS && !countdown && at("aim-auto").checked) startCountdown(onPicture);
    },
  });
  return own;
}

async function open(lens) {
  const fresh = await openCamera(lens, FULL);
  closeCamera(stream);
  stream = fresh;
  video.srcObject = stream;
  await video.play();
  await listLenses(at("aim-lens"), stream);
  offerZoom(at("aim-zoom"), stream);
}

function startCountdown(onPicture) {
  let left = COUNT_S;
  const tell = () => { at("aim-count").hidden = false; say(at("aim-count"), String(left)); };
  tell();
  countdown = setInterval(() => {
    left -= 1;
    if (left > 0) return tell();
    take(onPicture);
  }, 1000);
}

function stopCountdown() {
  clearInterval(countdown);
  countdown = null;
  at("aim-count").hidden = true;
}

async function take(onPicture) {
  if (at("aim-take").disabled) return;
  stopCountdown();
  at("aim-take").disabled = true;
  say(at("aim-words"), _("Taking the photo…"));
  const picture = await takePicture(video, stream);
  dialog.close();
  if (picture) onPicture(new File([picture], "board.jpg", { type: "image/jpeg" }));
}

dialog?.addEventListener("close", () => {
  stopCountdown();
  closeCamera(stream);
  stream = null;
  sure = 0;
  at("aim-take").disabled = false;
  say(at("aim-words"), "");
});
at("aim-close")?.addEventListener("click", () => dialog.close());
at("aim-auto")?.addEventListener("change", () => {
  try { localStorage.setItem("takes-itself", String(at("aim-auto").checked)); } catch { /* not kept, then */ }
  if (!at("aim-auto").checked) stopCountdown();
});
try { if (dialog && localStorage.getItem("takes-itself") === "false") at("aim-auto").checked = false; } catch { /* as it is */ }

export { hasCameras } from "./live_camera.js";
