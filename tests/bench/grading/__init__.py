"""What was said of pictures and clips held against what they truly show, as counts and errors.

Nothing here measures time, prints, or knows where collections lie.
"""
