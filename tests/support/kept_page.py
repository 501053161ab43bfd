"""Scripts for a browser that check which parts of a match's page a phone has stored."""

#: Whether the service worker has stored the page and all its parts.
IS_KEPT = """(async () => {
  const addresses = performance.getEntriesByType("resource").map((entry) => entry.name);
  const parts = addresses.filter((address) => address.startsWith(`${location.origin}/static/`));
  const kept = await Promise.all([location.href, ...parts].map((address) => caches.match(address)));
  return parts.length && kept.every(Boolean);
})()"""
#: Whether no entry is waiting for the server.
IS_SENT = "(localStorage.getItem('crokinole.entries') ?? '[]') === '[]'"
