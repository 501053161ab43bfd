"""What editing did to a film: frames that were repeated, and cuts.

Not here: what decodes it (``vision.io.video_file``).
"""
