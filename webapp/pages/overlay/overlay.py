"""The score over a stream's picture, with the parts chosen by the address; the page to choose and
preview them; and the web app manifest, with which a phone installs the scoreboard.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from flask import Blueprint, Response, json, make_response, render_template, request, url_for
from flask.typing import ResponseReturnValue

from calibration.phrase import Phrase
from webapp.auth import is_server_scorer
from webapp.pages import Page
from webapp.pages.overlay.sample_state import make_sample_state
from webapp.services import board_at_hand, services

BLUEPRINT = Blueprint("overlay", __name__)
PAGES = (Page(endpoint="overlay.choose", name=Phrase("Overlay"), order=60),)

#: The parts, with their descriptions on the page where they are chosen.
PARTS = {
    "score": Phrase("the score"),
    "verdict": Phrase("calls: fouls, 20s, results"),
    "clock": Phrase("the round clock"),
    "figures": Phrase("points and 20s per round"),
    "odds": Phrase("winning chances"),
    "tournament": Phrase("tournament and round"),
    "board": Phrase("the board from above"),
    "replay": Phrase("slow replay of the last foul or 20"),
}
CORNERS = ("top-left", "top-right", "bottom-left", "bottom-right")
LAYOUTS = {"stack": Phrase("one line per side"), "bar": Phrase("all sides on one line")}
LOOKS = {"dark": "dark", "light": "light", "stage": "stage", "clear": Phrase("text only")}
_SCALES, _HOLDS_S = (0.25, 6.0), (1.0, 120.0)
_COLOUR = re.compile(r"#?[0-9a-fA-F]{6}")
_ADDRESS = re.compile(r"https?://[A-Za-z0-9.-]+(:[0-9]{1,5})?(/[!-~]{0,500})?")


@BLUEPRINT.get("/overlay")
def show() -> Response:
    """Only the chosen parts: ``?parts=score,verdict&scale=1.5&corner=bottom-left``.

    Also ``layout=stack|bar``, ``look=dark|light|stage|clear``, ``colour=#rrggbb`` for accents,
    ``logo=`` a picture's address, ``hold=`` seconds that a call is shown, ``odds=`` the organiser's
    code for the chances of a tournament's match, and ``sample`` for a match that shows every part.
    """
    wanted = request.args.get("parts", "score,verdict").split(",")
    logo, colour = request.args.get("logo", ""), request.args.get("colour", "")
    logo = logo if _ADDRESS.fullmatch(logo) else ""
    page = render_template(
        "overlay/overlay.html",
        parts=[part for part in PARTS if part in wanted],
        corner=_choose("corner", dict.fromkeys(CORNERS), "bottom-left"),
        layout=_choose("layout", LAYOUTS, "stack"),
        look=_choose("look", LOOKS, "dark"),
        scale=_parse_number("scale", 1.0, _SCALES),
        hold_s=_parse_number("hold", 7.0, _HOLDS_S),
        colour=f"#{colour.removeprefix('#').lower()}" if _COLOUR.fullmatch(colour) else "",
        logo=logo,
        odds=request.args.get("odds", ""),
        is_sample="sample" in request.args,
        state=make_sample_state() if "sample" in request.args else board_at_hand().scoreboard.state,
    )
    answer = make_response(page)
    if logo:
        answer.headers["Content-Security-Policy"] = _allow_pictures_from(logo)
    return answer


@BLUEPRINT.get("/overlay/choose")
def choose() -> str:
    """The page to put an overlay together, which shows its address."""
    return render_template(
        "overlay/overlay_choose.html",
        parts=PARTS,
        corners=CORNERS,
        layouts=LAYOUTS,
        looks=LOOKS,
        odds=services().secret.stream_code if is_server_scorer() else "",
    )


@BLUEPRINT.get("/manifest.webmanifest")
def manifest() -> ResponseReturnValue:
    """The web app manifest, with which a phone adds the scoreboard to its apps."""
    icons: list[dict[str, str]] = [
        {
            "src": url_for("static", filename=f"icon-{size}.png"),
            "sizes": f"{size}x{size}",
            "type": "image/png",
            "purpose": "any maskable",
        }
        for size in (192, 512)
    ]
    content = {
        "name": Phrase("Crokinole Referee"),
        "short_name": "Crokinole",
        "start_url": url_for("board.scoreboard"),
        "display": "standalone",
        "background_color": "#17130f",
        "theme_color": "#17130f",
        "icons": icons,
    }
    return Response(json.dumps(content), content_type="application/manifest+json")


def _choose(name: str, choices: Mapping[str, object], default: str) -> str:
    """The choice in the address, if it is valid."""
    wanted = request.args.get(name, default)
    return wanted if wanted in choices else default


def _parse_number(name: str, default: float, bounds: tuple[float, float]) -> float:
    """The address's number, within limits."""
    value = request.args.get(name, default, type=float)
    return min(bounds[1], max(bounds[0], value)) if value == value else default


def _allow_pictures_from(address: str) -> str:
    """The content security policy of an overlay with a picture from another site."""
    scheme, _, rest = address.partition("://")
    host = re.split(r"[/?#]", rest, maxsplit=1)[0]
    return (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
        f"media-src 'self'; img-src 'self' data: {scheme}://{host}; "
        "base-uri 'none'; frame-ancestors 'self'"
    )
