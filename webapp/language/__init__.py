"""The language of the pages: the browser's choice, and the texts.

Programs get English: events, JSON, the command line and all logs. A page's own texts are translated
by gettext where the page is made. English sentences from other floors are translated there too, by
their pattern. This package does not know the meaning of a sentence.
"""
