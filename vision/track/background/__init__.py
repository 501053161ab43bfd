"""The background model of the empty board: normalisation, subtraction, update, inpainting, texture
match, illumination changes and registration to it.

The discs on the board are handled elsewhere.
"""
