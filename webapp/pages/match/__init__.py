"""The pages about matches: one match and its entries, a new one, the list and the files.

Everybody may look; only the scorer enters anything. The modules add their routes to one blueprint.
"""

from webapp.pages.match import analysis, match, match_new, matches
from webapp.pages.match.blueprint import BLUEPRINT
from webapp.pages.match.match import PAGES

__all__ = ["BLUEPRINT", "PAGES", "analysis", "match", "match_new", "matches"]
