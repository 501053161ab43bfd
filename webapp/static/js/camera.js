// Shows what this phone sees with the board's lines over it, then films: sends the frames that were captured while the ones before were on their way.
import { followBoard } from "./aim.js";
import { say } from "./dom.js";
import { atBoard, send, Refused } from "./http.js";
import { follow } from "./event_stream.js";
import { FrameCapture } from "./frame_capture.js";
import { closeCamera, hasCameras, listLenses, offerZoom, openCamera } from "./live_camera.js";
import { keepScreenOn } from "./wake_lock.js";
import { followPicture } from "./live_picture.js";
import { _ } from "./messages.js";

const at = (id) => document.getElementById(id);
const SIZE = { width: 1280, height: 720, frameRate: 30 };
const RETRY_MS = 1000, RATE_EVERY_MS = 2000;
/** A phone that is not charged is worth a word below this. */
const LOW_BATTERY = 0.2;
/** This page's name among the phones that may film the board: the one that began last does. */
const phone = crypto.randomUUID?.() ?? "";
let stream = null, session = null, previews = 0;

function showProblem(words) {
  at("problem").hidden = !words;
  say(at("problem"), words ?? "");
}

async function open(lens) {
  try {
    const fresh = await openCamera(lens, SIZE);
    closeCamera(stream);
    stream = fresh;
    at("video").srcObject = stream;
    await at("video").play();
  } catch (error) {
    showProblem(error.message);
    at("again").hidden = Boolean(stream);
    return;
  }
  showProblem(null);
  at("again").hidden = true;
  at("begin").disabled = false;
  await listLenses(at("lens"), stream);
  offerZoom(at("zoom"), stream);
  stream.getVideoTracks()[0].addEventListener("ended", () => {
    showProblem(_("The phone turned the camera off. Turn it on again."));
    at("again").hidden = false;
    end();
  });
}

/** The board's lines over the picture, until it is filmed: from then on the referee looks. */
function preview() {
  const own = (previews += 1);
  followBoard({
    video: at("video"), svg: at("rings"), words: at("state"),
    isWanted: () => session === null && own === previews, longPicture_px: () => SIZE.width, fine: _("Good. Press Start filming and leave the phone in place."),
  });
}

async function begin() {
  at("begin").disabled = true;
  try {
    const form = new FormData();
    form.append("phone", phone);
    await send(atBoard("/camera/start"), form);
  } catch (error) {
    showProblem(error.message);
    at("begin").disabled = false;
    return;
  }
  showProblem(null);
  session = {};
  showFilming(true);
  sendFrames(session);
}

function end() {
  if (!session) return;
  session = null;
  showFilming(false);
  say(at("rate"), "");
  preview();
}

function showFilming(isFilming) {
  at("begin").hidden = isFilming;
  at("begin").disabled = isFilming;
  at("end").hidden = !isFilming;
  at("seen").hidden = !isFilming;
  document.body.classList.toggle("is-filming", isFilming);
}

async function sendFrames(own) {
  const film = new FrameCapture(at("video"));
  let sent = 0, since_ms = performance.now();
  while (session === own) {
    const frames = await film.take();
    if (session !== own) break; // nobody wants what was captured last
    try {
      const told = await send(atBoard("/camera/frames"), packFrames(frames));
      if (session !== own) break;
      sent += frames.length;
      showProblem(null);
      if (!told.is_wanted) {
        showProblem(_("The referee is now using another camera or video."));
        end();
      }
      const now_ms = performance.now();
      if (now_ms - since_ms > RATE_EVERY_MS) {
        say(at("rate"), describeRate((1000 * sent) / (now_ms - since_ms), film.lost + told.frames_dropped));
        [sent, since_ms] = [0, now_ms];
      }
    } catch (error) {
      if (session !== own) break;
      showProblem(error.message);
      if (error instanceof Refused && error.status === 401) end();
      film.putBack(frames);
      await new Promise((go) => setTimeout(go, RETRY_MS));
    }
  }
  film.end();
}

/** Frames as a form: who films, and of each the JPEG, and when it was captured. */
function packFrames(frames) {
  const form = new FormData();
  form.append("phone", phone);
  for (const { captured_ms, jpeg } of frames) {
    form.append("captured_ms", captured_ms);
    form.append("frame", jpeg);
  }
  return form;
}

function describeRate(frames_per_s, dropped) {
  const rate = frames_per_s.toFixed(0);
  return dropped ? _("Sending %(rate)s frames per second (%(dropped)s skipped).", { rate, dropped }) : _("Sending %(rate)s frames per second.", { rate });
}

async function followBattery() {
  const battery = await navigator.getBattery?.().catch(() => null);
  if (!battery) return;
  const show = () => {
    const isLow = battery.level < LOW_BATTERY && !battery.charging;
    const percent = Math.round(100 * battery.level);
    say(at("battery"), (battery.charging ? _("Battery %(percent)s%%, charging.", { percent }) : isLow ? _("Battery %(percent)s%%. Plug in the phone.", { percent }) : _("Battery %(percent)s%%.", { percent })));
    at("battery").classList.toggle("is-low", isLow);
  };
  for (const change of ["levelchange", "chargingchange"]) battery.addEventListener(change, show);
  show();
}

at("begin").addEventListener("click", begin);
at("end").addEventListener("click", () => {
  end();
  send(atBoard("/camera/stop")).catch(() => {}); // after a minute without frames nobody waits for them anyway
});
at("again").addEventListener("click", () => open(""));
at("lens").addEventListener("change", () => open(at("lens").value));
follow({
  onState: ({ referee }) => {
    const words = { starting: _("Looking for the board…"), refereeing: _("Refereeing."), not_refereeing: `${_("Not refereeing.")} ${referee.reason ?? ""} ${referee.advice ?? ""}` }[referee.status];
    if (session && words) say(at("state"), words);
  },
});
followPicture(at("picture"), () => session !== null && at("seen").open);
followBattery();
keepScreenOn();
say(at("screen"), "wakeLock" in navigator ? _("The screen stays on while this page is open.") : _("This browser cannot keep the screen on. Change the phone's settings so that the screen stays on."));
if (hasCameras()) {
  open("");
  preview();
} else {
  showProblem(_("The camera needs https. Start the server with --tls and open its https address."));
}
