// Sends the place of a click on the photograph, in its pixels, for the disc there to be measured.
const photo = document.getElementById("photo");

photo?.addEventListener("click", (event) => {
  const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(photo.getScreenCTM().inverse());
  document.getElementById("disc-x").value = at.x.toFixed(1);
  document.getElementById("disc-y").value = at.y.toFixed(1);
  document.getElementById("disc").requestSubmit();
});
