"""All matches, and matches as files: the list, export and import."""

from __future__ import annotations

from base64 import b64encode

from flask import Response, abort, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from calibration.phrase import Phrase
from scorer.local_day import find_day
from scorer.match.events import MatchError
from scorer.match.exchange import read_matches
from scorer.store.player_store import PlayerStore
from webapp.formats.match_file import KINDS, write_match
from webapp.http.lanes import LaneName, answer_in
from webapp.live.match_summary import list_match, summarise_match
from webapp.pages.files import attach
from webapp.pages.form_errors import show_note
from webapp.pages.match.blueprint import BLUEPRINT, get_log
from webapp.pages.match.match_list import find_matches
from webapp.services import board_at_hand, services

#: Longest search text; no name is longer.
_MOST_LETTERS = 80


@BLUEPRINT.get("/matches")
@answer_in(LaneName.LONG)
def list_matches() -> str:
    """The matches found by a search, the newest first, page by page."""
    words = request.args.get("q", "").strip()[:_MOST_LETTERS]
    found = find_matches(services().store, words, request.args.get("page", 1, type=int))
    rows = [list_match(match) for match in found.matches]
    return render_template("match/matches.html", rows=rows, found=found, words=words)


@BLUEPRINT.get("/match/<int:number>/export.<kind>")
@answer_in(LaneName.LONG)
def export(number: int, kind: str) -> Response:
    """The match as a file for other programs."""
    if kind not in KINDS:
        abort(404)
    body = write_match(services().store, number, get_log(number), kind)
    return attach(body, KINDS[kind], f"crokinole-match-{number}.{kind}")


@BLUEPRINT.get("/match/<int:number>/card.svg")
@answer_in(LaneName.LONG)
def card(number: int) -> Response:
    """The match's result as a picture to share: SVG, which a browser also saves as PNG."""
    log, times = get_log(number), services().store.times(number)
    shown = summarise_match(number, log, times[: len(log)])
    pictures = PlayerStore(services().store.database).read_pictures(shown.players)
    read = {name: b64encode(jpeg).decode() for name, jpeg in pictures.items()}
    body = render_template(
        "match/match_card.svg",
        match=shown,
        day=find_day(times[0]) if times else "",
        pictures=[[read[name] for name in side.players if name in read] for side in shown.sides],
    )
    return Response(body, content_type="image/svg+xml; charset=utf-8")


@BLUEPRINT.post("/matches")
def import_match() -> ResponseReturnValue:
    """Import an exported match at the current board, whatever board its file names."""
    file = request.files.get("file")
    if file is None or not file.filename:
        raise MatchError(Phrase("Choose an exported match first."))
    try:
        text = file.read().decode("utf-8")
    except UnicodeDecodeError:
        raise MatchError(Phrase("This is not a text file. Choose an exported match.")) from None
    records = read_matches(text, file.filename)
    boards, board = services().boards, board_at_hand().number
    numbers = [boards.take_in(record.log, record.times, board=board) for record in records]
    if len(numbers) != 1:
        show_note(Phrase("%(count)s matches imported.", count=len(numbers)), "done")
        return redirect(url_for("match.list_matches"), 303)
    show_note(Phrase("Match %(number)s imported.", number=numbers[0]), "done")
    return redirect(url_for("match.show", number=numbers[0]), 303)
