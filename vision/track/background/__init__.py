"""The background model of the empty board: normalisation, subtraction, update, inpainting, texture
match, illumination changes and registration to it.

What lies on the board does not belong here.
"""
