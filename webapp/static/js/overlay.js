// The overlay: the parts that its address chose, kept up to date; calls come and go.
import { atRoot } from "./http.js";
import { ALARMS, correctedDiscs, drawDiscs } from "./board.js";
import { hearCalls } from "./calls.js";
import { make, say } from "./dom.js";
import { follow } from "./event_stream.js";
import { drawOdds, showOdds } from "./odds.js";
import { runClock } from "./round_clock.js";
import { keysOf, portraits } from "./portraits.js";
import { chip, discsLeft } from "./score_sides.js";
import { measureClock, startClock } from "./server_clock.js";
import { _, formatDecimal } from "./messages.js";

const REPLAY_SPEED = 0.5;
/** Calls that the last shot's pictures show. */
const REPLAYED = ["foul", "twenty", "question"];
const at = (id) => document.getElementById(id);
const { scale, hold, colour, sample } = document.body.dataset;
const isSample = sample !== undefined;
document.documentElement.style.setProperty("--scale", scale);
if (colour) document.body.style.setProperty("--own", colour);
let state = JSON.parse(at("state").textContent);
let tick = null, gone = null;

function show(next) {
  state = next;
  const { match, live } = state;
  const isPlayed = Boolean(match?.shots && !match.is_over);
  at("score")?.replaceChildren(...(match ? [head(match, isPlayed)] : []), ...(match?.sides ?? []).map((side, k) => line(side, match, isPlayed, k)));
  if (at("odds") && !isSample) showOdds(at("odds"), match, at("odds").dataset.code);
  showTournament(state.playing ?? state.pairing);
  const board = at("board");
  if (board) {
    board.toggleAttribute("hidden", !live.discs.length);
    const colours = new Map(live.teams.map((team) => [team.team, team.colour]));
    drawDiscs(board, correctedDiscs(state), (team) => colours.get(team) ?? "#888888", { margins: false });
  }
  if (ALARMS[live.status]) showCall({ kind: "alarm", title: ALARMS[live.status], words: live.reason ?? "" }, true);
  else if (at("verdict")?.className === "box alarm") hideCall();
  tick?.();
}

/** Which round it is, and over the sides' numbers what they are. */
function head(match, isPlayed) {
  const [small, total] = columns(isPlayed);
  return make("div", { class: "head" }, make("span", { class: "round" }, match.is_over ? _("Match over") : _("Round %(round)s", { round: match.round }), make("span", { class: "goal" }, match.goal)),
    make("span", { class: "small" }, small), make("span", { class: "total" }, total));
}

function columns(isPlayed) {
  return isPlayed ? [_("match"), _("this round")] : [_("20s"), _("match")];
}

/** A side: while a round is played its running score is large, and the match's beside it. */
function line(side, match, isPlayed, place) {
  const [small, total] = columns(isPlayed);
  const isOn = !match.is_over;
  const marks = [side.has_hammer && isOn && "H", side.is_winner && "★"].filter(Boolean).join(" ");
  const box = make("div", { class: `line${side.has_turn && isOn ? " has-turn" : ""}` }, make("span", { class: "portraits" }, ...portraits(keysOf(side, state.pictures)), chip(side.colour_name && side.colour, place)),
    make("span", { class: "name" }, make("span", { class: "whole" }, side.name), marks ? make("span", { class: "mark" }, ` ${marks}`) : null, at("score").dataset.figures === undefined ? null : figures(match, place)),
    make("span", { class: "small", "data-label": small }, String(isPlayed ? side.total : side.twenties)),
    make("span", { class: "total", "data-label": total }, String(isPlayed ? side.round_points : side.total)), discsLeft(side, match));
  box.style.setProperty("--disc", side.colour);
  return box;
}

/** A side's points and 20s a round, in the rounds that were scored. */
function figures({ rounds }, place) {
  if (!rounds.length) return null;
  const [points, twenties] = ["points", "twenties"].map((name) => formatDecimal(rounds.reduce((sum, round) => sum + round[name][place], 0) / rounds.length, 1));
  return make("span", { class: "figures" }, _("%(points)s points and %(twenties)s twenties per round", { points, twenties }));
}

function showTournament(told) {
  const box = at("tournament");
  if (!box) return;
  box.hidden = !told;
  if (told) say(box, _("%(title)s, %(stage)s, round %(round)s", { title: told.title, stage: told.stage, round: told.round }));
}

function showCall(call, stays = false) {
  const box = at("verdict");
  if (!box) return;
  clearTimeout(gone);
  box.className = `box ${call.kind}`;
  box.replaceChildren(make("b", {}, call.title), call.words);
  if (!stays) gone = setTimeout(hideCall, 1000 * Number(hold));
}

function hideCall() {
  at("verdict").classList.add("is-gone");
}

/** Play the last shot again, once; where its pictures are not kept, nothing is shown. */
function replay(key) {
  const video = at("replay");
  if (!video || !key) return;
  video.onended = video.onerror = () => { video.hidden = true; };
  video.onplaying = () => { video.hidden = false; };
  video.src = atRoot(`/shots/${key}.mp4`);
  video.muted = true;
  video.defaultPlaybackRate = video.playbackRate = REPLAY_SPEED;
  video.play().catch(() => { video.hidden = true; });
}

function showClock(told) {
  const box = at("clock");
  if (!box) return;
  box.hidden = !told;
  if (told) say(box, told.words);
}

function showOwnLogo() {
  const logo = new URLSearchParams(location.hash.slice(1)).get("logo") ?? "";
  if (!logo.startsWith("data:image/")) return;
  at("logo").src = logo;
  at("logo").hidden = false;
}

showOwnLogo();
startClock(state.now);
show(state);
tick = runClock(() => state.match, showClock);
if (isSample) {
  showCall(state.call, true);
  if (at("odds")) drawOdds(at("odds"), state.match, { win: [0.7, 0.27], tie: 0.03 });
  if (at("replay")) at("replay").hidden = false;
} else {
  const hear = hearCalls(state, (call) => {
    showCall(call);
    if (REPLAYED.includes(call.kind)) replay(state.live.plan);
  });
  follow({ onState: (next) => { show(next); hear(next); }, onLink: (isUp) => isUp && measureClock() });
}
