"""The language of the pages: the browser's choice, and the texts.

Programs get English: events, JSON, the command line and all logs. A page's own texts are translated
by gettext where the page is made. Texts in Python code are phrases (``calibration.phrase``):
gettext translates them when a page, or the JSON for its script, is made.
"""
