"""The language of the pages: which one a browser is shown, and the words of each.

Programs write English: events, JSON, the command line and every log. A page's own words are
translated by gettext where it is drawn, and English sentences that come from below are translated
there too, by the shape they were made from. Nothing here knows a sentence's meaning.
"""
