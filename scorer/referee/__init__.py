"""The live referee: frames from any source to events, one verdict a shot; and a board's speed
from a clip of flicks.

``shot`` judges a single shot; this folder keeps the state between shots. Seeing is
``vision.track``'s, rules are ``scorer.rules``'s, processes and the match are ``webapp.live``'s.
"""
