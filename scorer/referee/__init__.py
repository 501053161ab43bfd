"""The live referee: frames from any source become events, with one verdict per shot; and a board's
speed from a clip of flicks.

``shot`` judges a single shot; this folder keeps the state between shots. ``vision.track`` follows
the discs, ``scorer.rules`` has the rules, and ``webapp.live`` runs processes and the match.
"""
