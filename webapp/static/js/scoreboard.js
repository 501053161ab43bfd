// The scoreboard: shows every state that the server sends, and says aloud to screen readers what is called.
import { announce, awaitTouch, makeSwitches } from "./announcer.js";
import { ALARMS, VERDICTS, animateRemovals, animateShot, correctedDiscs, describeLie, drawDiscs } from "./board.js";
import { hearCalls } from "./calls.js";
import { fetchRectifiedImage } from "./close_up.js";
import { make, say } from "./dom.js";
import { follow } from "./event_stream.js";
import { followPicture } from "./live_picture.js";
import { showMoment } from "./celebration.js";
import { firstWords, showQuestions } from "./questions.js";
import { showOdds } from "./odds.js";
import { runClock } from "./round_clock.js";
import { chip, showSides } from "./score_sides.js";
import { startSettings } from "./screen_settings.js";
import { measureClock, startClock } from "./server_clock.js";
import { keepScreenOn } from "./wake_lock.js";
import { _, capitalise, nameColour } from "./messages.js";

const at = (id) => document.getElementById(id);
const tv = matchMedia("(min-width: 900px) and (min-aspect-ratio: 5/4)");
const ROUNDS_SHOWN = { tv: 8, live: 5, phone: 5 };
/** From how many letters on a question takes the line score's room on a television. */
const LONG_QUESTION = 120;
let state = JSON.parse(at("state").textContent);
let tick = null, lastBoard = null;
const choices = startSettings(() => show(state));

function show(next) {
  state = next;
  const { match, live } = state;
  const isLive = live.status !== "off";
  const pairing = match && !match.is_over ? null : state.pairing;
  showPairing(pairing);
  const isEmpty = !match && !isLive && !pairing;
  document.body.classList.toggle("is-live", isLive);
  document.body.classList.toggle("is-empty", isEmpty);
  const isDemoOver = Boolean(at("demo-over")) && live.status === "ended";
  document.body.classList.toggle("is-demo-over", isDemoOver);
  if (at("demo-over")) at("demo-over").hidden = !isDemoOver;
  at("empty").hidden = !isEmpty;
  at("live").hidden = !isLive && !isEmpty;
  const hasAlarm = showAlarm(live);
  document.body.classList.toggle("has-alarm", hasAlarm);
  showStrip(match);
  showSides(at("sides"), state, chooseShape(match?.sides.map((side) => side.name) ?? live.teams.map((team) => team.colour_name), isLive));
  showOdds(at("odds"), choices.odds ? match : null, choices.odds);
  const hasVerdict = showVerdict(live, match);
  showBottom(live, match, showQuestions(at("questions"), match));
  at("camera").hidden ||= !isCameraShown();
  showBoard(live, match);
  showHistory(match, isLive, hasAlarm || hasVerdict);
  at("ways")?.removeAttribute("hidden"); // where it stays, now that all above it is drawn
  tick?.();
}

function isCameraShown() {
  return choices.view === "both" && ["starting", "refereeing", "not_refereeing"].includes(state.live.status);
}

/** The tournament's match that is to begin here, in place of one that is over. */
function showPairing(pairing) {
  at("pairing").hidden = !pairing;
  document.body.classList.toggle("has-pairing", Boolean(pairing));
  if (!pairing) return;
  const words = {
    title: _("%(title)s, %(stage)s, round %(round)s", { title: pairing.title, stage: pairing.stage, round: pairing.round }), sides: pairing.sides.join(" – "), side0: pairing.sides[0], side1: pairing.sides[1],
  };
  for (const place of at("pairing").querySelectorAll("[data-pairing]")) say(place, words[place.dataset.pairing]);
}

/** Two sides stand beside each other where their names and the board leave room, else below each other. */
function chooseShape(names, isLive) {
  const hasRoom = tv.matches ? !isLive : names.every((name) => name.length <= 16);
  return names.length === 2 && hasRoom ? "panels" : "rows";
}

function showStrip(match) {
  say(at("round"), match ? (match.is_over ? _("Match over") : _("Round %(round)s", { round: match.round })) : "");
  const games = match?.games > 1 ? _("Game %(game)s of %(games)s", { game: match.game, games: match.games }) + " · " : "";
  say(at("goal"), match ? `${games}${match.goal} · ${match.rules_title}` : "");
}

function showAlarm(live) {
  const out = at("out");
  const words = ALARMS[live.status];
  out.hidden = !words;
  const parts = words ? [words, live.reason, live.advice].filter(Boolean) : [];
  if (out.dataset.words !== parts.join()) {
    out.dataset.words = parts.join();
    out.replaceChildren(...parts.map((part, k) => make(k ? "span" : "strong", {}, part)));
  }
  return Boolean(words);
}

/** The last shot's verdict, or the foul that a person called since; whether there is one. */
function showVerdict(live, match) {
  const box = at("verdict");
  const told = live.shots ? live.verdict : null;
  const foul = match?.foul;
  box.hidden = !told && !foul;
  box.className = `verdict ${foul ? "foul" : told?.what ?? ""}`;
  if (foul) {
    box.replaceChildren(call(_("Foul")), make("p", {}, `${foul.player} ${foul.words}.`),
      ...(foul.penalty ? [make("p", { class: "gone" }, foul.penalty)] : []));
  } else if (told) {
    const team = live.teams.find((each) => each.team === told.team);
    box.replaceChildren(...[call(VERDICTS[told.what] ?? told.what, nameOf(team, match)),
      ...told.faults.map((fault) => make("p", {}, asSentence(fault.words))),
      told.question ? make("p", {}, told.question) : null,
      told.removal ? make("p", { class: "gone" }, told.removal) : null,
      told.account ? make("p", { class: "seen" }, asSentence(told.account)) : null].filter(Boolean));
  }
  return !box.hidden;
}

function call(words, who) {
  return make("div", { class: "head" }, make("p", { class: "call" }, words), who ? make("span", { class: "who-shot" }, who) : null);
}

function nameOf(team, match) {
  return match?.sides.find((side) => team && side.colour_name === team.colour_name)?.name ?? capitalise(nameColour(team?.colour_name));
}

/** What the referee has to say, else what is asked, else what comes next; what is asked in a box of its own is not said twice. */
function showBottom(live, match, isAsked) {
  const disputes = match?.disputes.filter((each) => each.decision === null) ?? [];
  const asked = firstWords(match, true), said = match?.shots <= match?.players.length ? firstWords(match, false) : "";
  const isShown = isAsked || Boolean(live.verdict?.question) && disputes.at(-1)?.shot === live.verdict.shot;
  const dispute = disputes.length && !isShown ? _("Dispute: %(about)s", { about: disputes.at(-1).about }) : null;
  const notice = tv.matches && live.left_out ? _("Not added to the match. The scorer needs to fix this.") : live.notice;
  const next = at("next");
  const way = live.left_out && next.dataset.match; // the scorer's alone
  const open = notice || (isAsked ? "" : asked || dispute);
  document.body.classList.toggle("is-asked", isAsked);
  const words = isAsked ? at("questions").querySelector(".asked").textContent : open || "";
  document.body.classList.toggle("is-asked-long", words.length > LONG_QUESTION);
  next.classList.toggle("is-open", Boolean(open));
  say(next, open || (isAsked ? "" : said) || match?.next || "", way && make("a", { href: way }, _("Keep score")));
}

function asSentence(words) {
  return capitalise(words) + (/[.!?]$/.test(words) ? "" : ".");
}

function colourOf(live, match) {
  return (number) => {
    const team = live.teams.find((each) => each.team === number);
    const side = match?.sides.find((each) => team && each.colour_name === team.colour_name);
    return side?.colour ?? team?.colour ?? "#888888";
  };
}

/** The mark of a team's discs: its side's in the match, else its own. */
function markOf(live, match) {
  return (number) => {
    const team = live.teams.find((each) => each.team === number);
    const side = match?.sides.findIndex((each) => each.colour_name === team?.colour_name) ?? -1;
    return side < 0 ? number : side;
  };
}

/** Move what has just moved, once; nothing of what the page came with. */
function animateBoard(live, match, discs) {
  const now = { shot: live.verdict && `${live.verdict.number} ${live.verdict.t_s}`, discs };
  const before = lastBoard;
  if (!live.is_moving) lastBoard = now;
  if (!before || live.is_moving || choices.view === "camera") return;
  const colours = colourOf(live, match), here = new Set(discs.map((disc) => disc.id));
  if (now.shot && now.shot !== before.shot) animateShot(at("board"), live.verdict.track, colours(live.verdict.team));
  else animateRemovals(at("board"), before.discs.filter((disc) => !here.has(disc.id)), colours);
}

async function showBoard(live, match) {
  const discs = correctedDiscs(state);
  const picture = choices.view === "camera" && live.plan ? await fetchRectifiedImage(live.plan) : null;
  if (state.live !== live) return; // something newer is shown by now
  drawDiscs(at("board"), discs, colourOf(live, match), {
    picture, markOf: markOf(live, match), margins: !tv.matches, numbers: !tv.matches, track: live.is_moving || !live.shots ? [] : live.verdict?.track ?? [],
  });
  animateBoard(live, match, discs);
  const close = tv.matches ? discs.find((disc) => disc.is_close) : null;
  const names = new Map(live.teams.map((team) => [team.team, nameColour(team.colour_name)]));
  const seeing = {
    starting: _("Looking for the board…"), paused: _("Paused."), ended: live.reason ?? _("The video has ended."),
    refereeing: live.is_hand ? _("A hand is over the board.") : live.is_moving ? _("Shot in progress…")
      : close ? _("Close call: %(colour)s %(lie)s.", { colour: names.get(close.team) ?? "", lie: describeLie(close) }) : _("All discs have stopped."),
  }[live.status];
  say(at("seeing"), seeing ?? "");
  at("calls").hidden = !live.discs.length;
  const rows = [...discs].sort((a, b) => a.team - b.team || b.zone - a.zone);
  at("discs").replaceChildren(...rows.map((disc) => make("tr", {},
    make("td", {}, `${names.get(disc.team) ?? disc.team}`),
    make("td", { class: "number" }, String(disc.zone)),
    make("td", {}, disc.is_by_hand ? _("corrected by hand") : describeLie(disc)))));
}

/** The line score: a side a row, a round a column, the newest last. */
function showHistory(match, isLive, isTaken) {
  const box = at("history");
  box.hidden = !match?.rounds.length || (tv.matches && isTaken && (isLive || match.sides.length > 2));
  if (box.hidden) return;
  const most = tv.matches ? (isLive ? ROUNDS_SHOWN.live : ROUNDS_SHOWN.tv) : ROUNDS_SHOWN.phone;
  const first = Math.max(0, match.rounds.length - most);
  const rounds = match.rounds.slice(first);
  const head = make("tr", {}, make("th", {}, _("Round")), ...rounds.map((_round, k) => make("th", {}, String(first + k + 1))));
  const rows = match.sides.map((side, k) => make("tr", {}, make("th", { scope: "row", title: side.name }, chip(side.colour_name && side.colour, k), side.name),
    ...rounds.map(({ points, is_open: isOpen }) => make("td", { class: points.every((each, other) => other === k || each < points[k]) ? "best" : null },
      `${points[k]}${isOpen ? ` ${_("open")}` : ""}`))));
  box.replaceChildren(make("table", {}, make("thead", {}, head), make("tbody", {}, ...rows)));
}

/** The clock; that it ran out by itself is called by every page that saw it run. */
function showClock(told) {
  if (told?.isOut && at("clock").textContent.includes(":") && !state.match.clock.is_out) {
    announce({ id: `time-${state.match.clock.began}`, kind: "time", spoken: told.words });
  }
  at("clock").hidden = !told;
  at("clock").classList.toggle("is-out", Boolean(told?.isOut));
  if (told) say(at("clock"), told.words);
}

startClock(state.now);
show(state);
tick = runClock(() => state.match, showClock);
tv.addEventListener("change", () => show(state));
keepScreenOn();
followPicture(at("camera"), isCameraShown);
at("settings").prepend(makeSwitches());
awaitTouch((isWaiting) => {
  document.body.classList.toggle("is-mute", isWaiting);
  say(at("screen"), isWaiting ? _("Tap for sound") : _("Screen"));
});
const hear = hearCalls(state, (each) => {
  say(at("news"), _("%(name)s: %(words)s", { name: each.title, words: each.words }));
  showMoment(at("moment"), each, state);
  announce(each);
});
follow({
  onState: (next) => { show(next); hear(next); },
  onLink: (isUp) => {
    if (isUp && !at("lost").hidden) measureClock();
    at("lost").hidden = isUp;
  },
});
