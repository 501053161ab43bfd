// What the referee sees, how it goes, and what to do where it does not.
import "./choose_by_field.js";
import { say } from "./dom.js";
import { atBoard, read } from "./http.js";
import { follow } from "./event_stream.js";
import { followPicture } from "./live_picture.js";
import { showQuestions } from "./questions.js";
import { _, formatDecimal } from "./messages.js";

const at = (id) => document.getElementById(id);
const STATES = {
  off: _("No camera is running."), starting: _("Looking for the board…"), refereeing: _("Refereeing."),
  not_refereeing: _("Not refereeing."), paused: _("Paused."), ended: _("The video has ended."), failed: _("The referee has stopped."),
};
const WATCHING = ["starting", "refereeing", "not_refereeing"];
let status = "off";

function show({ referee, match }) {
  showQuestions(at("questions"), match);
  status = referee.status;
  say(at("state"), status === "ended" && referee.reason ? STATES.off : STATES[status] ?? status);
  at("out").classList.toggle("problem", status !== "ended");
  const trouble = [referee.reason, referee.advice].filter(Boolean).join(" ");
  at("out").hidden = !trouble;
  say(at("out"), trouble);
  const isWatching = WATCHING.includes(status);
  at("rates").hidden = !isWatching;
  if (at("pause") && status !== "off") { // which of them can be pressed changes by itself where a source ends
    at("pause").disabled = !isWatching;
    at("go-on").disabled = isWatching;
  }
  at("nothing").hidden = isWatching && !at("picture").hidden;
  const isToChoose = ["off", "ended"].includes(status) && document.getElementById("choose");
  const words = ["starting", "refereeing"].includes(status) ? _("The first frame will appear in a moment.") : _("No picture from the camera.");
  say(at("nothing"), isToChoose ? _("Choose a camera or video and press Start.") : words);
}

async function followRates() {
  try {
    const told = await read(atBoard("/referee/facts"));
    for (const box of document.querySelectorAll("[data-fact]")) {
      const value = told[box.dataset.fact];
      box.parentElement.hidden = !value && box.parentElement.matches(".if-any");
      say(box, value === null || value === undefined ? "–" : box.dataset.fact === "silent_s" ? _("%(seconds)s s ago", { seconds: formatDecimal(value, 1) }) : typeof value === "number" && !Number.isInteger(value) ? formatDecimal(value, 1) : String(value));
    }
  } catch { /* the stream says when the server is gone */ }
  setTimeout(followRates, 2000);
}

follow({ onState: show });
followPicture(at("picture"), () => WATCHING.includes(status) || status === "ended", (isThere) => { at("nothing").hidden = isThere; });
followRates();
