"""All JSON forms that the command line and the API read or print, one file per form.

A file has the models of its form, from which ``make schemas`` makes the published schema, and the
conversion into values and back. The meaning of the values is decided elsewhere.
"""
