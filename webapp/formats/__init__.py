"""Every JSON form that the command line and the API read or print, one file a form.

Each file has the models of its form, from which ``make schemas`` makes the published schema, and
what turns them into values and back. What the values mean is decided elsewhere.
"""
