// A click on a disc sends its place.
const photo = document.getElementById("photo");

photo?.addEventListener("click", (event) => {
  const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(photo.getScreenCTM().inverse());
  document.getElementById("disc-x").value = at.x.toFixed(1);
  document.getElementById("disc-y").value = at.y.toFixed(1);
  document.getElementById("disc").requestSubmit();
});
