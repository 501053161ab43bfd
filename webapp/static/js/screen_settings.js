// How this screen shows the scoreboard: its look, the board drawn or as the camera sees it, and no menu while nobody
// points at it. What is chosen stays on this device; an address's own `look`, `view` and `odds` count first.

const QUIET_MS = 4000, KEPT = "crokinole.screen";
const LOOKS = ["light", "dark", "stage"];

/** The choices as they are: `{ look, view, odds }`; `onChange()` is called after each change. */
export function startSettings(onChange) {
  const hall = document.getElementById("hall").dataset;
  const kept = readKept();
  const choices = { look: hall.look || kept.look || "", view: hall.view || kept.view || "", odds: hall.odds || kept.odds || "" };
  const apply = () => {
    for (const look of LOOKS) document.body.classList.toggle(`look-${look}`, choices.look === look);
  };
  for (const input of document.querySelectorAll("#look input, #view input, #show-odds input")) {
    input.checked = choices[input.name] === input.value;
    input.addEventListener("change", () => {
      choices[input.name] = input.value;
      localStorage.setItem(KEPT, JSON.stringify(choices));
      apply();
      onChange();
    });
  }
  apply();
  offerFullScreen(document.getElementById("full"));
  hideWhileQuiet(document.getElementById("settings"));
  return choices;
}

function readKept() {
  try {
    return JSON.parse(localStorage.getItem(KEPT)) ?? {};
  } catch {
    return {};
  }
}

function offerFullScreen(button) {
  button.hidden = !document.fullscreenEnabled;
  button.addEventListener("click", () => {
    if (document.fullscreenElement) document.exitFullscreen();
    else document.documentElement.requestFullscreen();
  });
}

/** Menu, button and pointer go once nothing was touched for a while, and come back at once; the page shrinks below the menu. */
function hideWhileQuiet(settings) {
  const menu = document.querySelector(".top"); // a television has none
  const makeRoom = () => document.body.style.setProperty("--below-menu", String(1 - menu.offsetHeight / innerHeight));
  if (menu) {
    makeRoom();
    addEventListener("resize", makeRoom);
  }
  let timer;
  const wake = () => {
    document.body.classList.remove("is-quiet");
    clearTimeout(timer);
    timer = setTimeout(() => {
      const isUsed = settings.matches(":popover-open") || document.activeElement?.closest(".top");
      if (isUsed) wake();
      else document.body.classList.add("is-quiet");
    }, QUIET_MS);
  };
  for (const each of ["pointermove", "pointerdown", "keydown", "focusin"]) addEventListener(each, wake, { passive: true });
  if (document.body.classList.contains("is-tv")) document.body.classList.add("is-quiet");
  else wake();
}
