"""The live referee: frames from any source to events, one verdict a shot; and a board's speed
from a clip of flicks.

What belongs to one shot is in ``shot``; here is what lasts from shot to shot. Seeing is
``vision.track``'s, rules are ``scorer.rules``'s, processes and the match are ``webapp.live``'s.
"""
