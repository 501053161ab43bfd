// Service worker of the pages under /match: each is the server's own, or, where that does not answer, the one kept last.
const KEPT = "crokinole-match";
const PATIENCE_MS = 5000;
// Where the server is: a proxy may have put it under another path.
const ROOT = new URL(".", location).pathname;

// A newer worker waits until no page of a match is open: taking over at work, it can hold up a page that loads.
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));
self.addEventListener("message", (event) => event.waitUntil(keep(event.data.keep)));

self.addEventListener("fetch", (event) => {
  const address = new URL(event.request.url);
  const isOurs = address.origin === location.origin && event.request.method === "GET";
  if (isOurs && (isMatch(address.pathname) || address.pathname.startsWith(`${ROOT}static/`))) {
    event.respondWith(fetchOrRecall(event.request));
  }
});

/** Whether a path is that of a match, or of the newest. */
function isMatch(pathname) {
  return pathname.startsWith(ROOT) && /^match(\/\d+)?$/.test(pathname.slice(ROOT.length));
}

/** Keep what a page was made of before this worker saw its requests. */
async function keep(addresses) {
  const cache = await caches.open(KEPT);
  await Promise.allSettled(addresses.map((each) => cache.add(each)));
}

async function fetchOrRecall(request) {
  const cache = await caches.open(KEPT);
  const kept = await recall(cache, request);
  const fresh = fetch(request).then((answer) => {
    if (answer.ok && !answer.redirected) cache.put(request.url, answer.clone());
    return answer;
  });
  if (!kept || request.cache === "no-store") return fresh; // whoever asks so has the older one
  const late = new Promise((resolve) => setTimeout(() => resolve(kept), PATIENCE_MS));
  return Promise.race([fresh.catch(() => kept), late]);
}

async function recall(cache, request) {
  const { pathname } = new URL(request.url);
  if (pathname !== `${ROOT}match`) return cache.match(request.url);
  const matches = (await cache.keys()).filter((each) => new URL(each.url).pathname !== pathname && isMatch(new URL(each.url).pathname));
  return matches.length ? Response.redirect(matches.at(-1).url) : undefined;
}
