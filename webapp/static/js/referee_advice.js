// What could be played: the best three shots of whoever shoots next, drawn with their chances.
import { drawDiscs } from "./board.js";
import { draw, make, say } from "./dom.js";
import { atBoard, read } from "./http.js";
import { follow } from "./event_stream.js";
import { _, formatDecimal, formatPercent } from "./messages.js";

const AGAIN_MS = 1000;
const box = document.getElementById("advice");
const skill = document.getElementById("advice-skill");
const words = document.getElementById("advice-words");
const shown = box.querySelector(".advice"), board = box.querySelector("svg"), list = box.querySelector("ol");
let state = null, seen = "", timer = 0;


async function look() {
  clearTimeout(timer);
  if (!box.open) return;
  let told;
  try {
    told = await read(atBoard(`/referee/advice?skill=${skill.value}`));
  } catch (error) {
    say(words, error.message);
    return;
  }
  if (told.status === "waiting") {
    say(words, _("%(name)s shoots next. Looking for the best shots…", { name: told.name }));
    timer = setTimeout(look, AGAIN_MS);
  } else if (told.status === "nothing") {
    say(words, _("There is nothing to analyse yet. Start the referee, or wait until all discs have stopped."));
  } else if (!told.shots.length) {
    say(words, _("No good shot was found in this position."));
  } else if (told.shots[0].is_foul) {
    say(words, _("%(name)s shoots next. No legal shot was found. These fouls cost the least:", { name: told.name }));
  } else {
    say(words, _("%(name)s shoots next:", { name: told.name }));
  }
  shown.hidden = told.status !== "done" || !told.shots.length;
  if (!shown.hidden) show(told);
}

function show({ discs, shots }) {
  const colours = new Map(state.live.teams.map((team) => [team.team, team.colour]));
  const known = new Map(state.live.discs.map((disc) => [disc.id, disc]));
  const lying = discs.map((disc) => known.get(disc.id)).filter(Boolean);
  drawDiscs(board, lying, (team) => colours.get(team) ?? "#858585", { margins: false, numbers: false });
  const ways = shots.flatMap(({ path }, k) => {
    const points = path.map(([x, y]) => `${x.toFixed(1)},${(-y).toFixed(1)}`);
    const [x, y] = path[0] ?? [0, 0];
    return [
      draw("polyline", { points: points.join(" "), class: `way way-${k + 1}` }),
      draw("circle", { cx: x, cy: -y, r: 15.9, class: `way-start way-${k + 1}` }),
      draw("text", { x, y: -y + 7, class: "way-number" }, String(k + 1)),
    ];
  });
  board.querySelector(".b-discs").append(...ways.reverse());
  list.replaceChildren(...shots.map((shot, k) => make("li", { class: `way-${k + 1}` },
    make("strong", {}, _("20: %(share)s", { share: formatPercent(shot.p_twenty) })),
    " · ", _("stays %(share)s", { share: formatPercent(shot.p_stays) }), " · ", _("foul %(share)s", { share: formatPercent(shot.p_foul) }),
    make("span", { class: "soft" }, " · ", _("%(points)s ahead", { points: formatDecimal(shot.lead, 1) })))));
}

box.addEventListener("toggle", look);
skill.addEventListener("change", look);
follow({
  onState: (next) => {
    state = next;
    const { discs, is_moving: isMoving, is_hand: isHand } = next.live;
    const now = JSON.stringify([discs.map(({ id, x_mm: x, y_mm: y }) => [id, x, y]), next.match?.turn, isMoving || isHand]);
    if (now === seen) return;
    seen = now;
    look();
  },
});
