// Films, and sends the newest frame as soon as the one before has arrived.
import { say } from "./dom.js";
import { send, Refused } from "./http.js";
import { follow } from "./live.js";
import { stayAwake } from "./awake.js";
import { watchPicture } from "./pictures.js";

const at = (id) => document.getElementById(id);
const WIDTH_PX = 1280, QUALITY = 0.85, PACE_MS = 33;
let film = null;

function problem(words) {
  at("problem").hidden = !words;
  say(at("problem"), words ?? "");
}

async function begin() {
  problem(null);
  if (!navigator.mediaDevices?.getUserMedia) {
    problem("This browser lends its camera only to https: start the server with --tls and open that address.");
    return;
  }
  let stream;
  try {
    stream = await navigator.mediaDevices.getUserMedia({
      audio: false,
      video: { facingMode: at("lens").value, width: { ideal: WIDTH_PX }, height: { ideal: 720 }, frameRate: { ideal: 30 } },
    });
  } catch (error) {
    problem(error.name === "NotAllowedError" ? "The browser was not allowed to film; allow it in its settings."
      : `No camera can be used here (${error.name}).`);
    return;
  }
  at("video").srcObject = stream;
  await at("video").play();
  try {
    await send("/camera/start");
  } catch (error) {
    problem(error.message);
    stream.getTracks().forEach((track) => track.stop());
    return;
  }
  film = { stream };
  at("begin").disabled = true;
  at("end").disabled = false;
  stayAwake();
  sendFrames(film);
}

function end() {
  film?.stream.getTracks().forEach((track) => track.stop());
  film = null;
  at("begin").disabled = false;
  at("end").disabled = true;
  say(at("rate"), "");
}

async function sendFrames(own) {
  const video = at("video"), canvas = document.createElement("canvas");
  let sent = 0, since_ms = performance.now();
  while (film === own) {
    const begun_ms = performance.now();
    canvas.width = Math.min(WIDTH_PX, video.videoWidth);
    canvas.height = Math.round((canvas.width * video.videoHeight) / video.videoWidth);
    canvas.getContext("2d", { alpha: false }).drawImage(video, 0, 0, canvas.width, canvas.height);
    const frame = await new Promise((take) => canvas.toBlob(take, "image/jpeg", QUALITY));
    try {
      const told = await send("/camera/frame", frame);
      sent += 1;
      problem(null);
      if (!told.is_wanted) {
        problem("The referee watches something else now.");
        end();
        return;
      }
      if (begun_ms - since_ms > 2000) {
        say(at("rate"), `${((1000 * sent) / (begun_ms - since_ms)).toFixed(0)} frames a second are sent; ${told.frames_dropped} were left out.`);
        [sent, since_ms] = [0, begun_ms];
      }
    } catch (error) {
      problem(error.message);
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
    if (film && words) say(at("state"), words);
  },
});
watchPicture(at("picture"), () => film !== null);
