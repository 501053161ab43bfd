// A shot again, at quarter speed or picture by picture, with what its verdict rests on.
import { VERDICTS, correctedDiscs, introduceDisc } from "./board.js";
import { drawCloseUp } from "./close_up.js";
import { make, say } from "./dom.js";
import { atRoot, read } from "./http.js";
import { offerOutcomes } from "./other_outcomes.js";
import { nameShot } from "./shot_name.js";
import { _, formatDecimal } from "./messages.js";

const SLOWNESS = 4, LAST_MS = 1500;

/** Turn every place of a shot into a button that shows it there. */
export function offerReplays() {
  for (const place of document.querySelectorAll("[data-shot]")) {
    const button = place.querySelector("button");
    if (place.dataset.isReady) continue;
    place.dataset.isReady = "yes";
    button.addEventListener("click", () => open(place, button));
  }
}

async function open(place, button) {
  if (place.dataset.isOpen) {
    delete place.dataset.isOpen;
    place.querySelector(".shown").remove();
    say(button, button.dataset.words);
    return;
  }
  let told;
  try {
    told = await read(atRoot(`/api/v1/shots/${place.dataset.shot}`));
  } catch (error) {
    say(button, error.status === 404 ? _("The pictures of this shot are no longer stored.") : error.message);
    button.disabled = error.status === 404;
    return;
  }
  button.dataset.words = button.textContent;
  say(button, _("Close"));
  place.dataset.isOpen = "yes";
  place.append(make("div", { class: "shown" }, told.pictures.length ? makePlayer(told) : null, listEvidence(told), offerOutcomes(told), offerReport(told), showClosest(told)));
}

function makePlayer(told) {
  const times_s = told.pictures.map((each) => each.t_s - told.pictures[0].t_s), last = times_s.length - 1;
  const video = make("video", { src: told.video, playsinline: "", preload: "auto", "aria-label": _("Shot %(number)s at quarter speed", { number: told.number }) });
  video.muted = true;
  video.defaultPlaybackRate = video.playbackRate = 1 / SLOWNESS;
  const play = make("button", { type: "button", class: "main" }, _("Play"));
  const back = make("button", { type: "button", "aria-label": _("Previous frame") }, "‹");
  const on = make("button", { type: "button", "aria-label": _("Next frame") }, "›");
  const place = make("input", { type: "range", min: 0, max: last, value: 0, "aria-label": _("Position in the replay") });
  const time = make("output", {});
  const show = (k) => {
    place.value = k;
    say(time, `${formatDecimal(times_s[k], 2)} s`);
  };
  const seek = (k) => {
    video.pause();
    show(k);
    // In the middle of the time for which a picture is shown no rounding leads to another.
    video.currentTime = k < last ? (times_s[k] + times_s[k + 1]) / 2 : times_s[k] + 0.001;
  };
  const follow = () => {
    if (video.paused) return;
    show(Math.max(0, times_s.findLastIndex((each) => each <= video.currentTime + 0.001)));
    requestAnimationFrame(follow);
  };
  const start = () => video.play().catch(() => {});
  video.addEventListener("play", () => { say(play, _("Pause")); follow(); });
  video.addEventListener("pause", () => say(play, _("Play")));
  video.addEventListener("ended", () => {
    show(last);
    setTimeout(() => { if (video.ended && video.isConnected) start(); }, LAST_MS);
  });
  video.addEventListener("error", () => say(time, _("This browser cannot play the replay.")));
  play.addEventListener("click", () => (video.paused ? start() : video.pause()));
  place.addEventListener("input", () => seek(Number(place.value)));
  for (const [button, step] of [[back, -1], [on, 1]]) {
    button.addEventListener("click", () => seek(Math.max(0, Math.min(last, Number(place.value) + step))));
  }
  show(0);
  if (!matchMedia("(prefers-reduced-motion: reduce)").matches) requestAnimationFrame(start);
  return make("figure", {}, video, make("div", { class: "player" }, play, back, on, place, time));
}

/** The shot as a file for a bug report; people can be seen in its video alone. */
function offerReport({ key }) {
  const link = (query, words) => make("a", { class: "button", href: atRoot(`/shots/${key}/report.zip${query}`), download: "" }, words);
  return make("p", { class: "row" }, link("", _("Report a wrong call")), link("?whole=yes", _("Report it with the video")));
}

function listEvidence({ told, colour_name, number }) {
  const lines = [
    ...told.faults.flatMap((fault) => [fault.rule ?? fault.code, fault.evidence && _("Seen: %(evidence)s.", { evidence: fault.evidence })]),
    told.account && _("Seen: %(evidence)s", { evidence: told.account }),
    ...told.doubts.map((doubt) => _("Uncertain: %(doubt)s.", { doubt })),
    told.question,
    told.remove ? (told.remove === 1 ? _("Remove 1 disc.") : _("Remove %(count)s discs.", { count: told.remove })) : null,
  ].filter(Boolean);
  return make("div", {},
    make("p", {}, make("strong", {}, _("%(shot)s: %(verdict)s", { shot: nameShot(number, colour_name), verdict: VERDICTS[told.what] ?? told.what }))),
    make("ul", { class: "evidence" }, ...lines.map((line) => make("li", {}, line))));
}

/** The discs after the shot: close calls first, then those that lie nearest to a line, and last those
    that have their zone by how they lie; the one that is chosen is magnified. */
function showClosest(told) {
  const discs = correctedDiscs({ live: told, match: null }).filter((disc) => typeof disc.margin_mm === "number");
  if (!discs.length) return null;
  const sigmas = (disc) => (disc.state === "flat" ? Math.abs(disc.margin_mm) / Math.max(disc.sigma_mm, 0.01) : Number.MAX_VALUE);
  discs.sort((a, b) => b.is_close - a.is_close || sigmas(a) - sigmas(b));
  const choose = make("select", { "aria-label": _("Which disc") }, ...discs.map((disc, k) =>
    make("option", { value: k }, introduceDisc(disc, told.teams))));
  const view = make("div", {}, drawCloseUp(discs[0], told.plan));
  choose.addEventListener("change", () => view.replaceChildren(drawCloseUp(discs[choose.value], told.plan)));
  return make("div", { class: "closest" }, make("p", {}, _("Discs after the shot, closest call first:")), choose, view);
}
