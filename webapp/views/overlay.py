"""The score over a stream's picture, in parts that the address chooses; and the web app manifest by
which a phone installs the scoreboard.
"""

from __future__ import annotations

from typing import Any

from flask import Blueprint, Response, json, render_template, request, url_for

from webapp.services import services

BLUEPRINT = Blueprint("overlay", __name__)

PARTS = ("score", "board", "verdict", "clock")
_MIN_SCALE, _MAX_SCALE = 0.25, 6.0


@BLUEPRINT.get("/overlay")
def show() -> str:
    """The chosen parts alone: ``?parts=score,verdict&scale=1.5&corner=bottom-left``."""
    wanted = request.args.get("parts", "score,verdict").split(",")
    corner = request.args.get("corner", "bottom-left")
    corners = ("top-left", "top-right", "bottom-left", "bottom-right")
    return render_template(
        "overlay.html",
        parts=[each for each in PARTS if each in wanted],
        corner=corner if corner in corners else corners[2],
        scale=_parse_scale(request.args.get("scale", "1")),
        state=services().scoreboard.state,
    )


@BLUEPRINT.get("/manifest.webmanifest")
def manifest() -> Any:
    """The web app manifest, by which a phone puts the scoreboard among its applications."""
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
        "name": "Crokinole Referee",
        "short_name": "Crokinole",
        "start_url": "/",
        "display": "standalone",
        "background_color": "#17130f",
        "theme_color": "#17130f",
        "icons": icons,
    }
    return Response(json.dumps(content), content_type="application/manifest+json")


def _parse_scale(text: str) -> float:
    try:
        scale = float(text)
    except ValueError:
        return 1.0
    return min(_MAX_SCALE, max(_MIN_SCALE, scale)) if scale == scale else 1.0
