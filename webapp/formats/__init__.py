"""Every JSON form that the command line and the API read or print, with the sentences about what is
wrong in a file: scene, scenario, pair, speed, advice, outcome, score, truth.

What the values mean is decided elsewhere.
"""
