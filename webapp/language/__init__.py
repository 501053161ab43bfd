"""The language of the pages: the browser's choice, and the texts.

Programs get English: events, JSON, the command line and all logs. A page's own texts are translated
by gettext where the page is made. Texts of Python code are phrases (``calibration.phrase``): they
are worded by gettext there too, or where JSON for a page's script is made.
"""
