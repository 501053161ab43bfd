// The camera of this device: opened, another lens chosen, zoomed, and a full-size picture taken.
import { _ } from "./messages.js";

/** A picture that a slow camera has not taken by then is cut from the film instead. */
const TAKE_MS = 4000;
const REASONS = {
  NotAllowedError: _("Camera access is blocked. Allow it in the browser settings for this page, then try again."),
  NotFoundError: _("No camera was found on this device."),
  NotReadableError: _("Another program is using the camera. Close it, then try again."),
  OverconstrainedError: _("This lens cannot be used. Choose another."),
};

/** Whether the browser lends cameras to this page: over https, and on the machine of the server. */
export function hasCameras() {
  return Boolean(navigator.mediaDevices?.getUserMedia);
}

/** A stream of the lens with that id, or of one at the back. Throws an Error with a sentence. */
export async function openCamera(lens, { width, height, frameRate }) {
  const which = lens ? { deviceId: { exact: lens } } : { facingMode: "environment" };
  try {
    return await navigator.mediaDevices.getUserMedia({
      audio: false,
      video: { ...which, width: { ideal: width }, height: { ideal: height }, ...(frameRate && { frameRate: { ideal: frameRate } }) },
    });
  } catch (error) {
    throw new Error(REASONS[error.name] ?? _("No camera can be used here (%(name)s).", { name: error.name }));
  }
}

/** Fill a select with the lenses of this device, and show it where there is a choice. */
export async function listLenses(select, stream) {
  const lenses = (await navigator.mediaDevices.enumerateDevices()).filter((each) => each.kind === "videoinput");
  const now = stream.getVideoTracks()[0].getSettings().deviceId;
  select.replaceChildren(...lenses.map((each, k) => new Option(each.label || _("camera %(number)s", { number: k + 1 }), each.deviceId, false, each.deviceId === now)));
  select.parentElement.hidden = lenses.length < 2;
}

/** Let a range zoom the camera, and show it where the camera can. */
export function offerZoom(range, stream) {
  const track = stream.getVideoTracks()[0];
  const zoom = track.getCapabilities?.().zoom;
  range.parentElement.hidden = !zoom || zoom.max <= zoom.min;
  if (range.parentElement.hidden) return;
  Object.assign(range, { min: zoom.min, max: zoom.max, step: zoom.step || 0.1 });
  range.value = track.getSettings().zoom ?? zoom.min;
  range.oninput = () => track.applyConstraints({ advanced: [{ zoom: Number(range.value) }] }).catch(() => {});
}

export function closeCamera(stream) {
  stream?.getTracks().forEach((track) => track.stop());
}

/** What a video shows, as JPEG no longer than `long_px`; null before it shows anything. */
export async function cutFrame(video, canvas, long_px, quality) {
  const [w, h] = [video.videoWidth, video.videoHeight];
  if (!w) return null;
  const scale = Math.min(1, long_px / Math.max(w, h));
  [canvas.width, canvas.height] = [Math.round(w * scale), Math.round(h * scale)];
  canvas.getContext("2d", { alpha: false }).drawImage(video, 0, 0, canvas.width, canvas.height);
  return new Promise((take) => canvas.toBlob(take, "image/jpeg", quality));
}

/** A full-size picture: from the camera where the browser can ask it, else from the film. */
export async function takePicture(video, stream) {
  const late = new Promise((_, give) => setTimeout(() => give(new Error("late")), TAKE_MS));
  try {
    const picture = await Promise.race([new ImageCapture(stream.getVideoTracks()[0]).takePhoto(), late]);
    if (picture.size) return picture;
  } catch { /* no such thing here, or not in time */ }
  return cutFrame(video, document.createElement("canvas"), Infinity, 0.92);
}
