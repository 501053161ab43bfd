// Takes a photograph by the live camera, or uploads one or a film, and shows how much of it has arrived.
import { aimAndTake, hasCameras } from "./snapshot_aim.js";
import { say } from "./dom.js";
import { IN_WORDS } from "./http.js";
import { proceed } from "./proceed.js";
import { _ } from "./messages.js";

const form = document.getElementById("take");
const photo = document.getElementById("photo");
const camera = document.getElementById("camera");
const live = document.getElementById("live");
const isPhone = matchMedia("(pointer: coarse)").matches;

/** The phone's own camera program, where the browser lends no live picture. */
function offerCameraProgram() {
  document.querySelector("label[for=camera]").hidden = false;
  camera.hidden = false;
  camera.tabIndex = 0;
  live.hidden = true;
}

function upload(file) {
  const files = new DataTransfer();
  files.items.add(file);
  photo.files = files.files;
  form.requestSubmit();
}

async function aim() {
  const refusal = document.getElementById("refusal");
  refusal.hidden = true;
  live.disabled = true;
  try {
    await aimAndTake(upload);
  } catch (error) {
    say(refusal, error.message);
    refusal.hidden = false;
    if (isPhone) offerCameraProgram();
  }
  live.disabled = false;
}

const tooLarge = () => _("The file is over %(most)s MB. Send a smaller photo or a shorter video.", { most: form.dataset.mostBytes / 1024 ** 2 });

camera.addEventListener("change", () => camera.files.length && upload(camera.files[0]));
if (hasCameras()) {
  live.hidden = false;
  live.addEventListener("click", aim);
  if (location.hash === "#aim" && isPhone) aim();
} else if (isPhone) offerCameraProgram();
photo.addEventListener("change", () => photo.files.length && form.requestSubmit());

form.addEventListener("submit", (event) => {
  event.preventDefault();
  const how = document.getElementById("how");
  const sent = document.getElementById("sent");
  const send = document.getElementById("send");
  const stopped = (sentence) => {
    how.textContent = sentence;
    how.className = "note problem";
    sent.hidden = true;
    send.disabled = false;
  };
  document.getElementById("sending").hidden = false;
  if (photo.files[0]?.size > Number(form.dataset.mostBytes)) {
    stopped(tooLarge());
    return;
  }
  send.disabled = true;
  sent.hidden = false;
  sent.value = 0;
  how.className = "";
  how.textContent = _("Sending");
  const request = new XMLHttpRequest();
  request.open("POST", form.action);
  for (const [name, value] of Object.entries({ Accept: "application/json", ...IN_WORDS })) request.setRequestHeader(name, value);
  request.responseType = "json";
  request.upload.addEventListener("progress", (step) => {
    if (step.lengthComputable) sent.value = step.loaded / step.total;
  });
  request.addEventListener("load", () => {
    if (request.status === 200 && request.response?.address) proceed(() => location.assign(request.response.address));
    else if (request.status === 413) stopped(tooLarge());
    else stopped(request.response?.error ?? _("Server error %(status)s. Try again.", { status: request.status }));
  });
  request.addEventListener("error", () => stopped(_("The server cannot be reached. Check that it is running and that your network is working, then try again.")));
  request.send(new FormData(form));
});
