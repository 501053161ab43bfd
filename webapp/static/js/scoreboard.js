// The scoreboard: shows every state that the server tells, and says changes aloud.
import { ALARMS, VERDICTS, correctedDiscs, drawDiscs, formatMargin } from "./board.js";
import { runClock } from "./round_clock.js";
import { draw, make, say, letterColourOn } from "./dom.js";
import { follow } from "./event_stream.js";
import { measureClock, startClock } from "./server_clock.js";
import { keepScreenOn } from "./wake_lock.js";

const at = (id) => document.getElementById(id);
let state = JSON.parse(at("state").textContent);
let tick = null;

function show(next) {
  state = next;
  const { match, live } = state;
  const isLive = live.status !== "off";
  at("empty").hidden = Boolean(match) || isLive;
  at("strip").hidden = !match;
  at("live").hidden = !isLive;
  document.body.classList.toggle("is-live", isLive);
  showAlarm(live);
  showMatch(match, live);
  showVerdict(live);
  showBoard(live, match);
  showHistory(match, isLive);
  tick?.();
}

function showAlarm(live) {
  const out = at("out");
  const words = ALARMS[live.status];
  out.hidden = !words;
  const parts = words ? [words, live.reason, live.advice].filter(Boolean) : [];
  if (out.dataset.words === parts.join()) return;
  out.dataset.words = parts.join();
  out.replaceChildren(...parts.map((part, k) => make(k ? "span" : "strong", {}, part)));
}

function showMatch(match, live) {
  const sides = match ? match.sides : seenSides(live);
  at("sides").replaceChildren(...sides.map((side) => sideCard(side, match)));
  at("sides").dataset.count = sides.length;
  say(at("next"), match ? match.next : "");
  if (!match) return;
  const number = match.is_over ? "Match over" : `Round ${match.round}`;
  say(at("round"), number);
  say(at("goal"), `${match.goal} · ${match.rules} rules`);
  at("games").hidden = match.games < 2;
  say(at("games"), `Game ${match.game} of ${match.games}`);
}

/** Sides of a round that nobody made a match of: the colours that the referee sees. */
function seenSides(live) {
  return live.teams.map((team) => {
    const discs = live.discs.filter((disc) => disc.team === team.team);
    const told = live.totals.find((total) => total.team === team.team);
    return {
      name: team.colour_name, colour: team.colour,
      total: told ? told.points : discs.reduce((sum, disc) => sum + disc.zone, 0),
      twenties: told ? told.twenties : discs.filter((disc) => disc.zone === 20).length,
    };
  });
}

function sideCard(side, match) {
  const marks = [];
  if (side.has_turn && match && !match.is_over) marks.push(make("span", { class: "mark turn" }, "To shoot"));
  if (side.has_hammer && match && !match.is_over) marks.push(make("span", { class: "mark" }, "Hammer"));
  if (side.is_winner) marks.push(make("span", { class: "mark turn" }, "Winner"));
  const facts = [fact(side.twenties, "20s")];
  if (match && match.shots) facts.push(fact(side.round_points, "this round"), fact(side.discs_left, "discs left"));
  if (match && match.games > 1) facts.push(fact(side.games_won, "games"));
  return make("article", { class: `side${side.has_turn ? " has-turn" : ""}${side.is_winner ? " is-winner" : ""}` },
    heading(side),
    make("p", { class: "total", "aria-label": `${side.name}: ${side.total}` }, String(side.total)),
    make("p", { class: "marks" }, ...marks),
    make("dl", { class: "facts" }, ...facts));
}

/** Whose side it is: a long name in smaller letters, partners below each other. */
function heading({ name, colour }) {
  const partners = name.split(" & ");
  const size = partners.length > 1 ? "team" : name.length > 22 ? "longer" : name.length > 12 ? "long" : null;
  const words = partners.length > 1 ? partners.map((each) => make("b", {}, each)) : [name];
  return make("h2", { class: size, title: name }, chip(colour), make("span", {}, ...words));
}

function fact(value, words) {
  return make("div", {}, make("dt", {}, words), make("dd", {}, String(value)));
}

function chip(colour) {
  return draw("svg", { viewBox: "0 0 20 20", class: "chip", "aria-hidden": "true" },
    draw("circle", { cx: 10, cy: 10, r: 9, fill: colour }),
    draw("circle", { cx: 10, cy: 10, r: 5.5, fill: "none", stroke: letterColourOn(colour) }));
}

function showVerdict(live) {
  const box = at("verdict");
  const verdict = live.verdict;
  box.hidden = !verdict && !live.notice;
  box.className = `verdict ${verdict ? verdict.what : ""}`;
  const team = verdict && live.teams.find((each) => each.team === verdict.team);
  const parts = [];
  if (verdict) {
    const who = team ? `Shot ${verdict.number}, ${team.colour_name}` : `Shot ${verdict.number}`;
    parts.push(make("p", { class: "who" }, who), make("p", { class: "call" }, VERDICTS[verdict.what] ?? verdict.what));
    for (const fault of verdict.faults) {
      parts.push(make("p", { class: "rule" }, fault.rule ?? fault.code));
      if (fault.evidence) parts.push(make("p", { class: "evidence" }, `Seen: ${fault.evidence}.`));
    }
    if (verdict.question) parts.push(make("p", { class: "rule" }, verdict.question));
    if (verdict.account) parts.push(make("p", { class: "evidence" }, `Seen: ${withFullStop(verdict.account)}`));
    if (verdict.remove) parts.push(make("p", { class: "rule" }, `To be removed: ${verdict.remove} ${verdict.remove === 1 ? "disc" : "discs"}.`));
  }
  if (live.notice) parts.push(make("p", { class: "notice" }, live.notice));
  box.replaceChildren(...parts);
}

/** A sentence with its full stop. */
function withFullStop(words) {
  return words + (words.endsWith(".") ? "" : ".");
}

function colourOf(live, match) {
  return (number) => {
    const team = live.teams.find((each) => each.team === number);
    const side = match?.sides.find((each) => team && each.colour_name === team.colour_name);
    return side?.colour ?? team?.colour ?? "#888888";
  };
}

function showBoard(live, match) {
  drawDiscs(at("board"), correctedDiscs(state), colourOf(live, match), { track: live.is_moving ? [] : live.verdict?.track ?? [] });
  const seeing = {
    starting: "Looking for the board …", paused: "Paused.", ended: "The source has ended.",
    refereeing: live.is_hand ? "A hand is over the board." : live.is_moving ? "A shot is under way …" : "The board is still.",
  }[live.status];
  say(at("seeing"), seeing ?? "");
  at("calls").hidden = !live.discs.length;
  const names = new Map(live.teams.map((team) => [team.team, team.colour_name]));
  const rows = correctedDiscs(state).sort((a, b) => a.team - b.team || b.zone - a.zone);
  at("discs").replaceChildren(...rows.map((disc) => make("tr", {},
    make("td", {}, `${names.get(disc.team) ?? disc.team}${disc.state === "flat" ? "" : `, ${disc.state.replace("_", " ")}`}`),
    make("td", { class: "number" }, String(disc.zone)),
    make("td", { class: "number" }, `${formatMargin(disc)} mm`),
    make("td", {}, disc.is_by_hand ? "by hand" : disc.is_close ? "close" : "certain"))));
}

function showHistory(match, isLive) {
  const box = at("history");
  box.hidden = !match || !match.rounds.length || (isLive && innerWidth < 900);
  if (box.hidden) return;
  const head = make("tr", {}, make("th", {}, "Round"), ...match.sides.map((side) => make("th", { class: "number" }, side.name)));
  const rows = match.rounds.map((each, k) => make("tr", {}, make("td", {}, String(k + 1)),
    ...each.points.map((points, side) => make("td", { class: "number" },
      `${points}`, make("span", { class: "soft" }, each.is_open ? " open" : each.value[side] ? ` +${each.value[side]}` : "")))));
  box.replaceChildren(make("table", {}, make("thead", {}, head), make("tbody", {}, ...rows.reverse())));
}

function showClock(told) {
  at("clock").hidden = !told;
  at("clock").classList.toggle("is-out", Boolean(told?.isOut));
  if (told) say(at("clock"), told.words);
}

/** What a screen reader hears of an event; most of a round is told, movement is not. */
function describeNews(event, { match, live }) {
  if (event.type === "shot" && live.verdict) {
    const faults = live.verdict.faults.map((fault) => fault.rule).join(" ");
    return `Shot ${live.verdict.number}: ${VERDICTS[live.verdict.what] ?? live.verdict.what}. ${faults}`;
  }
  if (event.type === "round") return "The round is over.";
  if (event.type === "twenty") return "Twenty!";
  if (event.type === "match" && match) {
    const score = match.sides.map((side) => `${side.name} ${side.total}`).join(", ");
    return `${score}. ${match.next}`;
  }
  return null;
}

at("full").hidden = !document.fullscreenEnabled;
at("full").addEventListener("click", () => {
  if (document.fullscreenElement) document.exitFullscreen();
  else document.documentElement.requestFullscreen?.();
});
startClock(state.now);
show(state);
tick = runClock(() => state.match, showClock);
keepScreenOn();
follow({
  onState: show,
  onEvent: (event, next) => {
    const words = describeNews(event, next);
    if (words) say(at("news"), words);
  },
  onLink: (isUp) => {
    if (isUp && !at("lost").hidden) measureClock();
    at("lost").hidden = isUp;
  },
});
