// The referee's notice on the page of a match: that it does not see, its last verdict, what it left to a person.
import { ALARMS, VERDICTS } from "./board.js";
import { make } from "./dom.js";

/** Show it where the page has a place for it. */
export function showRefereeNotice({ live }) {
  const box = document.getElementById("referee-says");
  if (!box) return;
  const lines = [...describeAlarm(live), ...describeVerdict(live), live.notice].filter(Boolean);
  box.hidden = live.status === "off" || !lines.length;
  box.classList.toggle("problem", live.status in ALARMS);
  box.classList.toggle("doubt", !(live.status in ALARMS) && (Boolean(live.notice) || live.verdict?.what === "needs_review"));
  if (box.dataset.words === lines.join()) return; // so that screen readers hear it once
  box.dataset.words = lines.join();
  box.replaceChildren(...lines.map((line, k) => make("p", {}, k ? line : make("strong", {}, line))));
}

function describeAlarm({ status, reason, advice }) {
  return status in ALARMS ? [`${ALARMS[status]}. ${[reason, advice].filter(Boolean).join(" ")}`] : [];
}

function describeVerdict({ verdict: told, teams }) {
  if (!told) return [];
  const colour = teams.find((team) => team.team === told.team)?.colour_name;
  const gone = told.remove ? ` To be removed: ${told.remove} ${told.remove === 1 ? "disc" : "discs"}.` : "";
  return [`Shot ${told.number}${colour ? `, ${colour}` : ""}: ${VERDICTS[told.what] ?? told.what}.${gone}`,
    ...told.faults.map((fault) => fault.rule ?? fault.code), told.question];
}
