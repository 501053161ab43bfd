// Four handles on the outer ring: by mouse, finger or arrow keys. While they move, the rings that they
// would make are drawn through the plane's homography, and a loupe shows what the finger covers.
const stage = document.getElementById("stage");
const photo = document.getElementById("photo");
const dragged = document.getElementById("dragged");
const loupe = document.getElementById("loupe");
const form = document.getElementById("drag");
const refit = document.getElementById("refit");
const handles = [...stage.querySelectorAll(".handle")];
const [left, top_, width, height] = stage.dataset.window.split(",").map(Number);
const radii_mm = document.getElementById("control-points").dataset.radii.split(",").map(Number);
const CURVE_POINTS = 120;
const STEP_PX = 1;
const LEAP_PX = 12;
const LOUPE_PX = 34; // half of the picture's pixels that the loupe shows

const places_mm = handles.map((handle) => handle.dataset.place.split(",").map(Number));
const at = handles.map((handle) => [Number(handle.dataset.x), Number(handle.dataset.y)]);

/** The solution of A x = b, by Gauss-Jordan elimination with partial pivoting; null where A is singular. */
function solveLinear(a, b) {
  const n = b.length;
  const rows = a.map((row, k) => [...row, b[k]]);
  for (let k = 0; k < n; k += 1) {
    const best = rows.slice(k).reduce((m, row, j) => (Math.abs(row[k]) > Math.abs(rows[m][k]) ? k + j : m), k);
    if (Math.abs(rows[best][k]) < 1e-12) return null;
    [rows[k], rows[best]] = [rows[best], rows[k]];
    for (let j = 0; j < n; j += 1) {
      if (j === k) continue;
      const share = rows[j][k] / rows[k][k];
      for (let c = k; c <= n; c += 1) rows[j][c] -= share * rows[k][c];
    }
  }
  return rows.map((row, k) => row[n] / row[k]);
}

/** The homography from board places, in units of 300 mm, to the picture through the four handles, as the eight
    entries of its matrix after h33 = 1 (direct linear transform); null where three of them lie on a line. */
function fitHomography() {
  const a = [];
  const b = [];
  places_mm.forEach(([xm, ym], k) => {
    const [x, y] = [xm / 300, ym / 300];
    const [u, v] = at[k];
    a.push([x, y, 1, 0, 0, 0, -u * x, -u * y], [0, 0, 0, x, y, 1, -v * x, -v * y]);
    b.push(u, v);
  });
  return solveLinear(a, b);
}

function drawRings() {
  const h = fitHomography();
  dragged.replaceChildren();
  if (!h) return;
  for (const radius_mm of radii_mm) {
    const points = [];
    for (let k = 0; k < CURVE_POINTS; k += 1) {
      const angle = (2 * Math.PI * k) / CURVE_POINTS;
      const [x, y] = [(radius_mm / 300) * Math.cos(angle), (radius_mm / 300) * Math.sin(angle)];
      const w = h[6] * x + h[7] * y + 1;
      if (w < 0.05) return;
      points.push(`${(h[0] * x + h[1] * y + h[2]) / w},${(h[3] * x + h[4] * y + h[5]) / w}`);
    }
    const ring = document.createElementNS("http://www.w3.org/2000/svg", "polygon");
    ring.setAttribute("class", "curve");
    ring.setAttribute("points", points.join(" "));
    dragged.append(ring);
  }
}

function placeHandle(k) {
  handles[k].style.left = `${(100 * (at[k][0] - left)) / width}%`;
  handles[k].style.top = `${(100 * (at[k][1] - top_)) / height}%`;
}

function moveHandle(k, x, y) {
  at[k] = [Math.min(Math.max(x, left), left + width - 1), Math.min(Math.max(y, top_), top_ + height - 1)];
  placeHandle(k);
  stage.classList.add("moving");
  form.elements[`x${k}`].value = at[k][0].toFixed(1);
  form.elements[`y${k}`].value = at[k][1].toFixed(1);
  refit.classList.add("main");
  showLoupe(k);
  drawRings();
}

/** Show what lies under a handle, away from it. */
function showLoupe(k) {
  const [x, y] = at[k];
  loupe.removeAttribute("hidden");
  loupe.setAttribute("viewBox", `${x - LOUPE_PX} ${y - LOUPE_PX} ${2 * LOUPE_PX} ${2 * LOUPE_PX}`);
  document.getElementById("cross").setAttribute("d", `M ${x - 9} ${y} h 18 M ${x} ${y - 9} v 18`);
  loupe.classList.toggle("right", x - left < width / 2);
}

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

handles.forEach((handle, k) => {
  placeHandle(k);
  let grip = null;
  const toPhoto = (event) =>
    new DOMPoint(event.clientX, event.clientY).matrixTransform(photo.getScreenCTM().inverse());
  handle.addEventListener("pointerdown", (event) => {
    const start = toPhoto(event);
    grip = [at[k][0] - start.x, at[k][1] - start.y];
    handle.setPointerCapture(event.pointerId);
    showLoupe(k);
  });
  handle.addEventListener("pointermove", (event) => {
    if (!grip) return;
    const now = toPhoto(event);
    moveHandle(k, now.x + grip[0], now.y + grip[1]);
  });
  const done = () => {
    grip = null;
    loupe.setAttribute("hidden", "");
  };
  handle.addEventListener("pointerup", done);
  handle.addEventListener("pointercancel", done);
  handle.addEventListener("blur", done);
  handle.addEventListener("keydown", (event) => {
    const way = ARROWS[event.key];
    if (!way) return;
    event.preventDefault();
    const far = event.shiftKey ? LEAP_PX : STEP_PX;
    moveHandle(k, at[k][0] + way[0] * far, at[k][1] + way[1] * far);
  });
  handle.hidden = false; // now that it lies in its place and can be moved
  for (const axis of ["x", "y"]) {
    form.elements[`${axis}${k}`].addEventListener("input", () => {
      const [x, y] = ["x", "y"].map((each) => Number(form.elements[`${each}${k}`].value));
      if (Number.isFinite(x) && Number.isFinite(y)) {
        at[k] = [x, y];
        placeHandle(k);
        stage.classList.add("moving");
        drawRings();
      }
    });
  }
});
if (!document.querySelector("#fitted .curve")) drawRings();
