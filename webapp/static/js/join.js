// Pages that were kept for a lost connection are the scorer's: who stops scoring leaves none behind.
document.getElementById("leave")?.addEventListener("submit", (event) => {
  event.preventDefault(); // the form goes once they are deleted: a page that is being left may delete nothing any more
  Promise.resolve(globalThis.caches?.delete("crokinole-match")).finally(() => event.target.submit());
});

// The token behind the # of the address goes into the form; the address then forgets it.
const form = document.getElementById("enter");
function enter() {
  const token = decodeURIComponent(location.hash.slice(1));
  if (!token) return;
  history.replaceState(null, "", location.pathname);
  if (!form) return;
  document.getElementById("token").value = token;
  form.requestSubmit();
}

addEventListener("hashchange", enter); // the address was opened in this window, which showed the page already
enter();
