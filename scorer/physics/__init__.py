"""Where discs go: sliding, spinning, striking discs and posts, falling into the hole or the ditch.

Knows mechanics in board millimetres. Refuses to know rules, pictures and files.
"""
