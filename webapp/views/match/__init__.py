"""The pages about matches: one match and its entries, a new one, the list and the files.

Everybody may look; the scorer alone enters anything. Each module adds its routes to one blueprint.
"""

from webapp.views.match import archive, new, page, players
from webapp.views.match.blueprint import BLUEPRINT
from webapp.views.match.page import PAGES

__all__ = ["BLUEPRINT", "PAGES", "archive", "new", "page", "players"]
