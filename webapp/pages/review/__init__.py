"""A film of a disputed shot, sent, judged and shown."""
