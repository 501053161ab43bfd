// Opens the disc nearest to a tap on the photograph: discs are smaller than a finger on a phone.
const photo = document.getElementById("photo");
const REACH_PX = 28;

photo.addEventListener("click", (event) => {
  if (event.detail === 0) return; // the keyboard goes where it says
  const toPhoto = photo.getScreenCTM().inverse();
  const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(toPhoto);
  let nearest = null;
  let least = REACH_PX * toPhoto.a;
  for (const disc of photo.querySelectorAll("a[data-at]")) {
    const [x, y] = disc.dataset.at.split(",").map(Number);
    const away = Math.hypot(x - at.x, y - at.y);
    if (away < least) [nearest, least] = [disc, away];
  }
  if (!nearest) return;
  event.preventDefault();
  location.assign(nearest.getAttribute("href"));
});
