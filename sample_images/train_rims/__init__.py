"""Training of the rim judges: the edge network, on fields of discs that are lit and photographed,
and the rim classifier, on pictures with truth.
"""
