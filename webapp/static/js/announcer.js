// Says calls aloud, with short sounds and a phone's vibration; each can be switched off, and what is chosen stays on this
// device. What is said is made by the server; nothing is said twice, in however many windows of a device.
import { make } from "./dom.js";
import { _, translate } from "./words.js";

const KEPT = "crokinole.sound", CALLED = "crokinole.called";
const SWITCHES = { voice: _("Voice"), sounds: _("Sounds"), vibration: _("Vibration") };
/** Tones of each call: pitch in Hz, beginning and length in s. */
const TONES = {
  twenty: [[1047, 0, 0.12], [1319, 0.12, 0.12], [1568, 0.24, 0.3]],
  foul: [[220, 0, 0.2], [165, 0.22, 0.4]],
  question: [[440, 0, 0.15], [494, 0.2, 0.25]],
  dispute: [[440, 0, 0.15], [494, 0.2, 0.25]],
  round: [[659, 0, 0.15], [784, 0.15, 0.3]],
  win: [[523, 0, 0.15], [659, 0.15, 0.15], [784, 0.3, 0.15], [1047, 0.45, 0.5]],
  time: [[880, 0, 0.15], [880, 0.25, 0.15], [880, 0.5, 0.4]],
  alarm: [[330, 0, 0.25], [262, 0.3, 0.25], [330, 0.6, 0.25], [262, 0.9, 0.25]],
};
/** Vibration of each call: ms on, off, on … */
const SHAKES = { twenty: [60], foul: [180, 80, 180], question: [100, 60, 100, 60, 100], dispute: [100, 60, 100], round: [80], win: [80, 60, 240], time: [300], alarm: [300, 100, 300] };

// A room is quiet until somebody wants it otherwise; a phone in the hand may shake.
const choices = { voice: false, sounds: false, vibration: true, ...readKept() };
let context = null;

/** Announce a call in the ways that are switched on; once on this device. */
export function announce(call) {
  if (isMuted() || wasCalled(call.id)) return;
  if (choices.vibration) navigator.vibrate?.(SHAKES[call.kind] ?? []);
  if (choices.sounds) play(TONES[call.kind] ?? []);
  if (choices.voice && call.spoken) speak(translate(call.spoken));
}

/** The switches, as a part of a page. */
export function makeSwitches() {
  const names = Object.keys(SWITCHES).filter((name) => name !== "vibration" || navigator.vibrate).filter((name) => name !== "voice" || "speechSynthesis" in window);
  return make("fieldset", { id: "sound" }, make("legend", {}, _("Calls")), ...names.map((name) => {
    const input = make("input", { type: "checkbox", name, checked: choices[name] });
    input.addEventListener("change", () => {
      choices[name] = input.checked;
      localStorage.setItem(KEPT, JSON.stringify(choices));
      if (!input.checked) window.speechSynthesis?.cancel();
      else if (name === "voice") speak(_("Voice on."));
      else if (name === "sounds") play(TONES.twenty);
      else navigator.vibrate(SHAKES.twenty);
    });
    return make("label", { class: "inline" }, input, ` ${SWITCHES[name]}`);
  }));
}

/** Browsers are silent until somebody touched the page: `onWait(isWaiting)` says whether that is so. */
export function awaitTouch(onWait) {
  const isWaiting = () => (choices.voice || choices.sounds) && isMuted();
  onWait(isWaiting());
  for (const each of ["pointerup", "keydown"]) addEventListener(each, () => { context?.resume(); onWait(isWaiting()); }, { passive: true });
}

/** Whether the browser keeps this page silent, as nobody has touched it. */
function isMuted() {
  return navigator.userActivation?.hasBeenActive === false;
}

/** Whether another window of this device, or this one, has called it before. */
function wasCalled(id) {
  if (localStorage.getItem(CALLED) === id) return true;
  localStorage.setItem(CALLED, id);
  return false;
}

function readKept() {
  try {
    return JSON.parse(localStorage.getItem(KEPT)) ?? {};
  } catch {
    return {};
  }
}

function speak(words) {
  const voice = window.speechSynthesis;
  if (!voice) return;
  if (voice.pending) voice.cancel(); // what waits is older than what is called now
  const said = new SpeechSynthesisUtterance(words);
  said.lang = document.documentElement.lang || "en";
  voice.speak(said);
}

function play(tones) {
  context ??= new AudioContext();
  context.resume();
  for (const [pitch_hz, begin_s, length_s] of tones) {
    const [tone, volume] = [context.createOscillator(), context.createGain()];
    const at_s = context.currentTime + begin_s;
    tone.type = "triangle";
    tone.frequency.value = pitch_hz;
    volume.gain.setValueAtTime(0.0001, at_s);
    volume.gain.exponentialRampToValueAtTime(0.3, at_s + 0.02);
    volume.gain.exponentialRampToValueAtTime(0.0001, at_s + length_s);
    tone.connect(volume).connect(context.destination);
    tone.start(at_s);
    tone.stop(at_s + length_s + 0.05);
  }
}
