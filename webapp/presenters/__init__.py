"""Sessions, shots and match logs as the plain values and sentences that templates, the API and the
terminal show.

Nothing here reads a request or changes a state.
"""
