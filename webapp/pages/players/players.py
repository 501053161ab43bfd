"""The pages about players: everybody who played, and each player's record in all matches."""

from __future__ import annotations

from flask import Response, abort, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from calibration.phrase import Phrase
from scorer.store.player_store import PlayerStore
from scorer.texts import check_name
from webapp.http.lanes import LaneName, answer_in
from webapp.http.or_404 import or_404
from webapp.pages.form_errors import redirect_with_problem
from webapp.pages.match.blueprint import BLUEPRINT
from webapp.pages.players.player_page import build_player_record
from webapp.pages.players.shot_figures import list_seen_shots, summarise_shots
from webapp.pages.players.strengths import list_strengths
from webapp.pages.practice.practice_page import summarise_drills
from webapp.services import services

#: Names per page; a club's fit on one.
_PAGE_SIZE = 200
#: Beginning and largest size of a player's picture, which the browser makes small.
_JPEG, _MOST_BYTES = b"\xff\xd8\xff", 100_000


@BLUEPRINT.get("/players")
@answer_in(LaneName.LONG)
def list_players() -> str:
    """Everybody who played or practised, or those with words in their names, page by page."""
    words = request.args.get("q", "").strip()
    found = PlayerStore(services().store.database).list_by_name(words)
    page_count = max(1, -(-len(found) // _PAGE_SIZE))
    page = min(max(request.args.get("page", 1, type=int), 1), page_count)
    return render_template(
        "players/players.html",
        players=found[_PAGE_SIZE * (page - 1) : _PAGE_SIZE * page],
        page=page,
        page_count=page_count,
        words=words,
    )


@BLUEPRINT.get("/player")
@answer_in(LaneName.LONG)
def show_player() -> ResponseReturnValue:
    """One player's matches, 20s per round over time, practice, and results against everybody
    else.
    """
    name, store = request.args.get("name", ""), services().store
    listed = store.list_of(name)[::-1]
    practised = services().practices.list_of(name)
    if not listed and not practised:
        abort(404)
    return render_template(
        "players/player.html",
        player=build_player_record(name, listed),
        shots=summarise_shots(list_seen_shots(name, listed, store)),
        drills=summarise_drills(practised),
        strengths=list_strengths(name, listed, store),
        new_name=request.args.get("new", ""),
        picture=PlayerStore(store.database).find_pictures([name]).get(name),
    )


@BLUEPRINT.get("/player/picture/<key>.jpg")
def show_picture(key: str) -> Response:
    """A player's picture, JPEG; 404 once it is removed or replaced."""
    jpeg = or_404(PlayerStore(services().store.database).read_picture(key))
    headers = {"Cache-Control": "private, max-age=86400, immutable"}
    return Response(jpeg, content_type="image/jpeg", headers=headers)


@BLUEPRINT.post("/player/picture")
def set_picture() -> ResponseReturnValue:
    """Replace a player's picture with a small JPEG, or remove it."""
    name, parts = request.form.get("name", ""), services()
    known, address = PlayerStore(parts.store.database), url_for("match.show_player", name=name)
    if not known.has(name):
        abort(404)
    sent = request.files.get("picture")
    jpeg = sent.read(_MOST_BYTES + 1) if sent and "remove" not in request.form else b""
    if "remove" not in request.form and not (jpeg.startswith(_JPEG) and len(jpeg) <= _MOST_BYTES):
        problem = Phrase("This picture cannot be used. Choose another one.")
        return redirect_with_problem(problem, address)
    known.set_picture(name, jpeg)
    parts.boards.reload()
    return redirect(address, 303)


@BLUEPRINT.post("/player/rename")
def rename_player() -> ResponseReturnValue:
    """Give a player another name; if another player has it already, only after a confirmation."""
    old, new = request.form.get("name", ""), request.form.get("new", "").strip()
    parts, address = services(), url_for("match.show_player", name=old)
    known = PlayerStore(parts.store.database)
    if not known.has(old):
        abort(404)
    try:
        check_name(new)
    except ValueError:
        return redirect_with_problem(Phrase("Choose another name of up to 40 characters."), address)
    if new != old:
        if known.has(new) and request.form.get("merge") != new:
            return redirect(url_for("match.show_player", name=old, new=new), 303)
        parts.store.rename_player(old, new)
        parts.boards.reload()
    return redirect(url_for("match.show_player", name=new), 303)
