// The referee's notice on the page of a match: that it does not see, its last verdict, what it left to a person.
import { announce } from "./announcer.js";
import { ALARMS, VERDICTS } from "./board.js";
import { hearCalls } from "./calls.js";
import { make } from "./dom.js";
import { nameShot } from "./shot_name.js";
import { _ } from "./messages.js";

let hear = null;

/** Show it where the page has a place for it; what is called is announced in the ways that this device chose. */
export function showRefereeNotice(state) {
  hear ??= hearCalls(state, announce);
  hear(state);
  showNotice(state);
}

function showNotice({ live, match }) {
  const box = document.getElementById("referee-says");
  if (!box) return;
  const lines = [...describeAlarm(live), ...describeEnd(live, match), ...describeVerdict(live), live.notice].filter(Boolean);
  box.hidden = !lines.length;
  box.classList.toggle("problem", live.status in ALARMS);
  box.classList.toggle("doubt", !(live.status in ALARMS) && (Boolean(live.notice) || live.verdict?.what === "needs_review"));
  if (box.dataset.words === lines.join()) return; // so that screen readers hear it once
  box.dataset.words = lines.join();
  box.replaceChildren(...lines.map((line, k) => make("p", {}, k ? line : make("strong", {}, line))));
}

function describeAlarm({ status, reason, advice }) {
  return status in ALARMS ? [`${ALARMS[status]}. ${[reason, advice].filter(Boolean).join(" ")}`] : [];
}

/** That a server has been started again without the camera that began the round. */
function describeEnd({ status }, match) {
  if (status !== "off" || !match?.shots || !match.board.length) return [];
  return [_("No camera is running."), _("Choose a camera or video again on the Referee page.")];
}

function describeVerdict({ verdict: told, teams }) {
  if (!told) return [];
  const colour = teams.find((team) => team.team === told.team)?.colour_name;
  const what = told.faults.map((fault) => fault.words).join("; ");
  const verdict = VERDICTS[told.what] ?? told.what;
  const called = what ? _("%(shot)s: %(verdict)s", { shot: verdict, verdict: what }) : verdict;
  const line = _("%(shot)s: %(verdict)s", { shot: nameShot(told.number, colour), verdict: called });
  return [`${line}. ${told.removal}`.trim(),
    ...told.faults.map((fault) => fault.rule), told.question];
}
