"""A film of a disputed shot, uploaded, judged and shown."""
