"""What a match's page keeps on a phone, as scripts that a browser runs."""

#: Whether the service worker has kept the page and every part of it.
IS_KEPT = """(async () => {
  const addresses = performance.getEntriesByType("resource").map((each) => each.name);
  const parts = addresses.filter((each) => each.startsWith(`${location.origin}/static/`));
  const kept = await Promise.all([location.href, ...parts].map((each) => caches.match(each)));
  return parts.length && kept.every(Boolean);
})()"""
#: Whether nothing that was entered waits for the server.
IS_SENT = "(localStorage.getItem('crokinole.entries') ?? '[]') === '[]'"
