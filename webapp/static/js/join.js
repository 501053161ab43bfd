// The token behind the # of the address goes into the form; the address then forgets it.
const form = document.getElementById("enter");
const token = decodeURIComponent(location.hash.slice(1));
if (token) {
  history.replaceState(null, "", location.pathname);
  if (form) {
    document.getElementById("token").value = token;
    form.requestSubmit();
  }
}
