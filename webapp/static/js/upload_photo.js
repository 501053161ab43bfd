// Uploads a photograph or a film and shows how much of it has arrived; a phone gets a button that opens its camera.
const form = document.getElementById("take");
const photo = document.getElementById("photo");
const camera = document.getElementById("camera");

if (matchMedia("(pointer: coarse)").matches) {
  document.querySelector("label[for=camera]").hidden = false;
  camera.hidden = false;
  camera.tabIndex = 0;
  camera.addEventListener("change", () => {
    if (!camera.files.length) return;
    photo.files = camera.files;
    form.requestSubmit();
  });
}
photo.addEventListener("change", () => photo.files.length && form.requestSubmit());

form.addEventListener("submit", (event) => {
  event.preventDefault();
  const how = document.getElementById("how");
  const sent = document.getElementById("sent");
  const send = document.getElementById("send");
  document.getElementById("sending").hidden = false;
  send.disabled = true;
  how.textContent = "Sending it";
  const request = new XMLHttpRequest();
  request.open("POST", form.action);
  request.setRequestHeader("Accept", "application/json");
  request.responseType = "json";
  request.upload.addEventListener("progress", (step) => {
    if (step.lengthComputable) sent.value = step.loaded / step.total;
  });
  const stopped = (sentence) => {
    how.textContent = sentence;
    sent.value = 0;
    send.disabled = false;
  };
  request.addEventListener("load", () => {
    if (request.status === 200 && request.response?.address) location.assign(request.response.address);
    else if (request.status === 413) stopped("It is too large; send a smaller photograph, or a shorter film.");
    else stopped(request.response?.error ?? `The server answered ${request.status}; try again.`);
  });
  request.addEventListener("error", () => stopped("The server cannot be reached; is it running?"));
  request.send(new FormData(form));
});
