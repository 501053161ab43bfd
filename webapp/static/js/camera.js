// Films, and sends the newest frame as soon as the one before has arrived.
import { say } from "./dom.js";
import { send, Refused } from "./http.js";
import { follow } from "./event_stream.js";
import { keepScreenOn } from "./wake_lock.js";
import { followPicture } from "./live_picture.js";

const at = (id) => document.getElementById(id);
const WIDTH_PX = 1280, QUALITY = 0.85, PACE_MS = 33;
let session = null;

function showProblem(words) {
  at("problem").hidden = !words;
  say(at("problem"), words ?? "");
}

async function begin() {
  showProblem(null);
  if (!navigator.mediaDevices?.getUserMedia) {
    showProblem("This browser lends its camera only to https: start the server with --tls and open that address.");
    return;
  }
  let stream;
  try {
    stream = await navigator.mediaDevices.getUserMedia({
      audio: false,
      video: { facingMode: at("lens").value, width: { ideal: WIDTH_PX }, height: { ideal: 720 }, frameRate: { ideal: 30 } },
    });
  } catch (error) {
    showProblem(error.name === "NotAllowedError" ? "The browser was not allowed to film; allow it in its settings."
      : `No camera can be used here (${error.name}).`);
    return;
  }
  at("video").srcObject = stream;
  await at("video").play();
  try {
    await send("/camera/start");
  } catch (error) {
    showProblem(error.message);
    stream.getTracks().forEach((track) => track.stop());
    return;
  }
  session = { stream };
  at("begin").disabled = true;
  at("end").disabled = false;
  keepScreenOn();
  sendFrames(session);
}

function end() {
  session?.stream.getTracks().forEach((track) => track.stop());
  session = null;
  at("begin").disabled = false;
  at("end").disabled = true;
  say(at("rate"), "");
}

async function sendFrames(own) {
  const video = at("video"), canvas = document.createElement("canvas");
  let sent = 0, since_ms = performance.now();
  while (session === own) {
    const begun_ms = performance.now();
    canvas.width = Math.min(WIDTH_PX, video.videoWidth);
    canvas.height = Math.round((canvas.width * video.videoHeight) / video.videoWidth);
    canvas.getContext("2d", { alpha: false }).drawImage(video, 0, 0, canvas.width, canvas.height);
    const frame = await new Promise((take) => canvas.toBlob(take, "image/jpeg", QUALITY));
    try {
      const told = await send("/camera/frame", frame);
      sent += 1;
      showProblem(null);
      if (!told.is_wanted) {
        showProblem("The referee watches something else now.");
        end();
        return;
      }
      if (begun_ms - since_ms > 2000) {
        say(at("rate"), `${((1000 * sent) / (begun_ms - since_ms)).toFixed(0)} frames a second are sent; ${told.frames_dropped} were left out.`);
        [sent, since_ms] = [0, begun_ms];
      }
    } catch (error) {
      showProblem(error.message);
      if (error instanceof Refused && error.status === 401) return end();
      await new Promise((go) => setTimeout(go, 1000));
    }
    await new Promise((go) => setTimeout(go, Math.max(0, PACE_MS - (performance.now() - begun_ms))));
  }
}

at("begin").addEventListener("click", begin);
at("end").addEventListener("click", end);
follow({
  onState: ({ live }) => {
    const words = { starting: "Looking for the board …", refereeing: "Refereeing.", not_refereeing: `Not refereeing. ${live.reason ?? ""} ${live.advice ?? ""}` }[live.status];
    if (session && words) say(at("state"), words);
  },
});
followPicture(at("picture"), () => session !== null);
