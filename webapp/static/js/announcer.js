// Says calls aloud, with short sounds and a phone's vibration; each can be switched off, and what is chosen (voice, volume,
// pronunciations, own sounds) stays on this device. What is said is made by the server; nothing is said twice, in however
// many windows of a device.
import { make } from "./dom.js";
import { _ } from "./messages.js";

const KEPT = "crokinole.sound", CALLED = "crokinole.called", OWN = "crokinole.own-sound.";
const MOST_OWN_BYTES = 500_000;
/** Within this, what a window keeps is there for the others. */
const SPREAD_MS = 2000;
const OWN_SOUNDS = { twenty: "20", foul: _("Foul"), win: _("Win") };
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
const choices = { voice: false, sounds: false, vibration: true, speaker: "", volume: 1, names: "", ...readKept() };
let context = null;

/** Announce a call in the ways that are switched on; once on this device. */
export async function announce(call) {
  if (isMuted() || !(await isFirst(call.id))) return;
  if (choices.vibration) navigator.vibrate?.(SHAKES[call.kind] ?? []);
  if (choices.sounds) playCall(call.kind);
  if (choices.voice && call.spoken) speak(call.spoken);
}

/** The switches, as a part of a page. */
export function makeSwitches() {
  const names = Object.keys(SWITCHES).filter((name) => name !== "vibration" || navigator.vibrate).filter((name) => name !== "voice" || "speechSynthesis" in window);
  return make("fieldset", { id: "sound" }, make("legend", {}, _("Calls")), ...names.map((name) => {
    const input = make("input", { type: "checkbox", name, checked: choices[name] });
    input.addEventListener("change", () => {
      choose(name, input.checked);
      if (!input.checked) window.speechSynthesis?.cancel();
      else if (name === "voice") speak(_("Voice on."));
      else if (name === "sounds") playCall("twenty");
      else navigator.vibrate(SHAKES.twenty);
    });
    return make("label", { class: "inline" }, input, ` ${SWITCHES[name]}`);
  }), makeCaller());
}

function choose(name, value) {
  choices[name] = value;
  localStorage.setItem(KEPT, JSON.stringify(choices));
}

/** Which voice speaks, how loud, how names are spoken, and sounds of one's own. */
function makeCaller() {
  const speaker = make("select", {}), volume = make("input", { type: "range", min: 0, max: 1, step: 0.1, value: choices.volume });
  const names = make("textarea", { rows: 2, placeholder: "Siobhan = Shivawn", spellcheck: "false" });
  names.value = choices.names;
  const listVoices = () => {
    const voices = window.speechSynthesis?.getVoices() ?? [], own = voices.filter(({ lang }) => lang.startsWith(document.documentElement.lang || "en"));
    speaker.replaceChildren(make("option", { value: "" }, _("same as this device")), ...(own.length ? own : voices).map(({ name }) => make("option", { selected: name === choices.speaker }, name)));
  };
  listVoices();
  window.speechSynthesis?.addEventListener?.("voiceschanged", listVoices);
  speaker.addEventListener("change", () => choose("speaker", speaker.value));
  volume.addEventListener("input", () => choose("volume", Number(volume.value)));
  names.addEventListener("change", () => choose("names", names.value));
  const test = make("button", { type: "button" }, _("Test"));
  test.addEventListener("click", async () => {
    await playCall("twenty");
    speak(_("Twenty, %(name)s.", { name: names.value.split("=")[0].trim() || "Ann" }));
  });
  const field = (words, input) => make("label", {}, words, input);
  return make("details", {}, make("summary", {}, _("Voice, volume and sounds")), field(_("Voice"), speaker), field(_("Volume"), volume), field(_("How names are pronounced, one per line"), names),
    ...Object.entries(OWN_SOUNDS).map(([kind, words]) => field(_("Your own sound: %(call)s", { call: words }), takeSound(kind))), make("p", { class: "row" }, test));
}

/** A field for a sound file that is played for a call from then on; no file is the usual sound. */
function takeSound(kind) {
  const input = make("input", { type: "file", accept: "audio/*" });
  input.addEventListener("change", async () => {
    const file = input.files[0];
    localStorage.removeItem(OWN + kind);
    if (!file) return;
    const isPlayable = file.size < MOST_OWN_BYTES && await file.arrayBuffer().then((bytes) => openContext().decodeAudioData(bytes)).catch(() => null);
    input.setCustomValidity(isPlayable ? "" : _("Choose a sound file of up to 500 kB that this browser can play."));
    input.reportValidity();
    if (!isPlayable) return;
    localStorage.setItem(OWN + kind, await readBase64(file));
    playCall(kind);
  });
  return input;
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

/** Whether no window of this device has called it before. Two that hear it at once may not see yet what the other keeps: the one that holds the call's lock is first. */
function isFirst(id) {
  const claim = () => localStorage.getItem(CALLED) !== id && (localStorage.setItem(CALLED, id), true);
  if (!navigator.locks) return claim();
  return new Promise((answer) => navigator.locks.request(`${CALLED}.${id}`, { ifAvailable: true }, async (lock) => {
    answer(lock && claim());
    if (lock) await new Promise((done) => setTimeout(done, SPREAD_MS));
  }));
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
  const said = new SpeechSynthesisUtterance(pronounce(words));
  said.lang = document.documentElement.lang || "en";
  said.voice = voice.getVoices().find(({ name }) => name === choices.speaker) ?? null;
  said.volume = choices.volume;
  voice.speak(said);
}

/** Words with each name as this device was told to speak it. */
function pronounce(words) {
  const pairs = choices.names.split("\n").map((line) => line.split("=").map((part) => part.trim())).filter(([name, spoken]) => name && spoken);
  return pairs.reduce((text, [name, spoken]) => text.replaceAll(name, spoken), words);
}

function openContext() {
  context ??= new AudioContext();
  context.resume();
  return context;
}

function readBase64(file) {
  const reader = new FileReader();
  return new Promise((done) => {
    reader.addEventListener("load", () => done(reader.result.split(",")[1]));
    reader.readAsDataURL(file);
  });
}

async function playCall(kind) {
  const own = localStorage.getItem(OWN + kind);
  if (!own) return play(TONES[kind] ?? []);
  const source = openContext().createBufferSource(), gain = context.createGain();
  source.buffer = await context.decodeAudioData(Uint8Array.from(atob(own), (letter) => letter.charCodeAt(0)).buffer);
  gain.gain.value = choices.volume;
  source.connect(gain).connect(context.destination);
  source.start();
}

function play(tones) {
  openContext();
  for (const [pitch_hz, begin_s, length_s] of tones) {
    const [tone, volume] = [context.createOscillator(), context.createGain()];
    const at_s = context.currentTime + begin_s;
    tone.type = "triangle";
    tone.frequency.value = pitch_hz;
    volume.gain.setValueAtTime(0.0001, at_s);
    volume.gain.exponentialRampToValueAtTime(Math.max(0.0002, 0.3 * choices.volume), at_s + 0.02);
    volume.gain.exponentialRampToValueAtTime(0.0001, at_s + length_s);
    tone.connect(volume).connect(context.destination);
    tone.start(at_s);
    tone.stop(at_s + length_s + 0.05);
  }
}
