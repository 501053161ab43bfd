// A camera's frames as JPEGs, each with the time at which it was captured; they wait here until they are sent.
import { cutFrame } from "./live_camera.js";

const WIDTH_PX = 1280;
/** A JPEG's quality, and where the network is behind: half as many bytes. */
const QUALITY = 0.85, SMALL_QUALITY = 0.6;
/** Browsers that do not tell of each frame are asked this often. */
const POLL_MS = 33;
/** So many frames wait at most: a shot, and what a slow network is behind after it. One request carries no more than its share of them. */
const MOST_FRAMES = 240, REQUEST_FRAMES = 24;
/** Where the network is behind by more than this, a frame that shows what the last one showed is left out, but for ten a second. */
const BEHIND_MS = 300, STILL_EVERY_MS = 90;
/** Frames show the same where their thumbnails' grey levels differ by no more than this. */
const THUMBNAIL = { width: 80, height: 45 }, STILL_GREY = 6;
/** A processor that cannot encode in time encodes no more than so many frames at once. */
const MOST_ENCODING = 3;

export class FrameCapture {
  /** How many frames with motion were lost: those that could not be encoded or kept. */
  lost = 0;
  #video; #isOver = false; #waiting = []; #encoding = 0; #wake = () => {};
  #canvas = document.createElement("canvas");
  #thumbnail = Object.assign(document.createElement("canvas"), THUMBNAIL).getContext("2d", { alpha: false, willReadFrequently: true });
  #levels = null;
  #last_ms = -Infinity;

  constructor(video) {
    this.#video = video;
    this.#thumbnail.imageSmoothingQuality = "high";
    this.#awaitFrame();
  }

  /** Capture no more, and forget what waits. */
  end() {
    this.#isOver = true;
    this.#waiting = [];
    this.#wake();
  }

  /** The frames that wait longest, oldest first, each { captured_ms, jpeg }; waits for one. Empty at the end. */
  async take() {
    while (!this.#waiting.length && !this.#isOver) await new Promise((go) => (this.#wake = go));
    const taken = this.#waiting.splice(0, REQUEST_FRAMES);
    const jpegs = await Promise.all(taken.map((each) => each.jpeg));
    return taken.map(({ captured_ms }, k) => ({ captured_ms, jpeg: jpegs[k] })).filter((each) => each.jpeg);
  }

  /** Let frames that were taken, and did not arrive, wait again. */
  putBack(frames) {
    if (!this.#isOver) this.#waiting.unshift(...frames);
  }

  #awaitFrame() {
    if (this.#isOver) return;
    if (this.#video.requestVideoFrameCallback) this.#video.requestVideoFrameCallback((now_ms, { captureTime }) => this.#capture(captureTime ?? now_ms));
    else setTimeout(() => this.#capture(performance.now()), POLL_MS);
  }

  #capture(at_ms) {
    this.#awaitFrame();
    const isStill = this.#showsTheSame(), isBehind = this.#isBehind(at_ms);
    if (isStill && isBehind && at_ms - this.#last_ms < STILL_EVERY_MS) return;
    if (this.#encoding >= MOST_ENCODING) {
      this.lost += !isStill;
      return;
    }
    this.#last_ms = at_ms;
    this.#encoding += 1;
    const jpeg = cutFrame(this.#video, this.#canvas, WIDTH_PX, isBehind ? SMALL_QUALITY : QUALITY).finally(() => (this.#encoding -= 1));
    this.#waiting.push({ captured_ms: performance.timeOrigin + at_ms, jpeg, isStill });
    if (this.#waiting.length > MOST_FRAMES) this.#thin();
    this.#wake();
  }

  #isBehind(at_ms) {
    return this.#waiting.length > 0 && performance.timeOrigin + at_ms - this.#waiting[0].captured_ms > BEHIND_MS;
  }

  /** Leave out every second of the frames that wait, but for the next request's: those were sent before, where the network failed. */
  #thin() {
    const isKept = (k) => k < REQUEST_FRAMES || k % 2 === 0;
    this.lost += this.#waiting.filter(({ isStill }, k) => !isKept(k) && !isStill).length;
    this.#waiting = this.#waiting.filter((_, k) => isKept(k));
  }

  /** Whether the video shows what it showed before. */
  #showsTheSame() {
    const before = this.#levels;
    this.#thumbnail.drawImage(this.#video, 0, 0, THUMBNAIL.width, THUMBNAIL.height);
    this.#levels = this.#thumbnail.getImageData(0, 0, THUMBNAIL.width, THUMBNAIL.height).data;
    return before !== null && this.#levels.every((level, k) => Math.abs(level - before[k]) <= STILL_GREY);
  }
}
