// Puts the disc that is being added where the rectified image is tapped; the form gets board millimetres, y upwards.
const plan = document.getElementById("plan");
const spots = [document.getElementById("spot"), document.getElementById("spot-under")];

plan.addEventListener("click", (event) => {
  const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(plan.getScreenCTM().inverse());
  for (const spot of spots) {
    spot.setAttribute("cx", at.x);
    spot.setAttribute("cy", at.y);
    spot.setAttribute("visibility", "visible");
  }
  document.getElementById("x_mm").value = at.x.toFixed(1);
  document.getElementById("y_mm").value = (-at.y).toFixed(1);
});
