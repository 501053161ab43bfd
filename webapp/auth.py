"""Write access: anyone with the scorer's token, or with a board's code at that board. Everybody may
read.

Default deny: a request other than plain reading (GET, HEAD, OPTIONS) is refused unless it comes
from the scorer (a signed cookie, or a bearer token), and with a cookie also from a page of this
server (CSRF token). A view must opt out explicitly (``allow_anyone``), so a forgotten check lets
nobody in. Refusals: 401 not the scorer, 403 not from a page of this server, 429 too often.
"""

from __future__ import annotations

import functools
import secrets
from collections.abc import Callable, Mapping
from typing import TypeVar

from flask import Flask, Request, abort, current_app, g, request, session
from flask.typing import ResponseReturnValue

from scorer.match.state import MatchState
from webapp.http.asgi_messages import Scope
from webapp.http.rate_limit import PermitRate, RateLimiter
from webapp.http.token import Secret, is_same_secret
from webapp.services import services, services_of

View = TypeVar("View", bound=Callable[..., ResponseReturnValue])

_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
_CSRF, _SIGNATURE, _BOARD, _BOARD_CODE, _ALLOWS_ANYONE, _SENDS_FRAMES, _LIMITS_ITSELF, _DEVICE = (
    "csrf",
    "scorer",
    "board",
    "board_code",
    "_anyone_may_send",
    "_many_are_sent",
    "_limits_itself",
    "device",
)

#: Limit for entries by the scorer and the scorer's programs; a camera's frames have a limit of
#: their own.
_WRITES = PermitRate(burst=60, per_s=20)
#: Limit for a camera's frames: slightly more than 30 a second.
_FRAMES = PermitRate(burst=120, per_s=45)
#: Limit for data that anybody may send, such as photos to be scored.
_SENDS = PermitRate(burst=20, per_s=1)


def allow_anyone(view: View) -> View:
    """Mark a view that receives data but writes nothing, so everybody may use it."""
    setattr(view, _ALLOWS_ANYONE, True)
    return view


def limit_as_frames(view: View) -> View:
    """Mark a view, open to scorers only, that receives a camera's frames."""
    setattr(view, _SENDS_FRAMES, True)
    return view


def limit_itself(view: View) -> View:
    """Mark a view that has its own limit, which other requests from the same address do not use
    up.
    """
    setattr(view, _LIMITS_ITSELF, True)
    return view


def scorer_only(view: View) -> View:
    """Mark a page that only the scorer may read."""

    @functools.wraps(view)
    def guarded(*args: object, **kwargs: object) -> ResponseReturnValue:
        if not is_scorer():
            abort(401)
        return view(*args, **kwargs)

    return guarded  # type: ignore[return-value]


def is_scorer() -> bool:
    """Whether the current request comes from the scorer, or from the scorer of its board."""
    if "is_scorer" not in g:
        g.is_scorer = may_write_at(g.get("board_number") or g.get("match_board"))
    return bool(g.is_scorer)


def is_server_scorer() -> bool:
    """Whether the current request comes from the scorer of all boards."""
    return _has_token() or _is_of_scorer(session, services().secret)


def may_see_chances(state: MatchState) -> bool:
    """Whether the current request may see a match's chances, because they must not help a player in
    a tournament.

    Until a tournament's match is over, only the organiser sees them, and overlays with the
    organiser's code (``?odds=``).
    """
    if state.is_over or not state.setup.tournament or is_server_scorer():
        return True
    return is_same_secret(request.args.get("odds", ""), services().secret.stream_code)


def may_write_at(board: int | None) -> bool:
    """Whether the current request comes from the scorer of all boards, or from that board's."""
    is_there = session.get(_BOARD) == board and _is_of_board(session, services().secret)
    return is_there or is_server_scorer()


def _is_of_scorer(held: Mapping[str, object], secret: Secret) -> bool:
    """Whether a session is the scorer's and has not ended."""
    is_given = is_same_secret(held.get(_SIGNATURE, ""), secret.session_signature)
    return is_given and not secret.has_left(str(held.get(_CSRF)))


def _is_of_board(held: Mapping[str, object], secret: Secret) -> bool:
    """Whether a session is that of its board's scorer and has not ended."""
    number = held.get(_BOARD)
    is_given = isinstance(number, int) and is_same_secret(
        held.get(_BOARD_CODE, ""), secret.board_code(number)
    )
    return is_given and not secret.has_left(str(held.get(_CSRF)))


def log_in_at_board(code: str) -> bool:
    """Whether the code is that of the current board; if so, this browser may write at it."""
    number = g.get("board_number")
    if number is None or not is_same_secret(code, services().secret.board_code(number)):
        return False
    _begin_session({_BOARD: number, _BOARD_CODE: code})
    return True


def log_in(token: str) -> bool:
    """Whether the token is right; if so, this browser is the scorer's from now on."""
    if not services().secret.is_token(token):
        return False
    _begin_session({_SIGNATURE: services().secret.session_signature})
    return True


def log_out() -> None:
    """Make this browser, and every copy of its cookie, a spectator's again."""
    was_given, left = _SIGNATURE in session or _BOARD in session, str(session.get(_CSRF))
    _begin_session({})
    if was_given:
        services().secret.leave_session(left)


def _begin_session(right: dict[str, object]) -> None:
    """Forget this browser's session, but keep the browser's identity. Its new CSRF token identifies
    the session.
    """
    kept = {name: session[name] for name in (_DEVICE,) if name in session}
    session.clear()
    session.update(kept | right)
    session.permanent = g.is_scorer = bool(right)
    csrf_token()


def comes_from_scorer(app: Flask, scope: Scope) -> bool:
    """Whether a request that no view has seen yet comes from a scorer, of all boards or of one."""
    sent = {name: value.decode("latin-1") for name, value in scope["headers"]}
    request = app.request_class(
        {
            "HTTP_COOKIE": sent.get(b"cookie", ""),
            "HTTP_AUTHORIZATION": sent.get(b"authorization", ""),
        }
    )
    secret = services_of(app).secret
    held: Mapping[str, object] = app.session_interface.open_session(app, request) or {}
    has_token = secret.is_token(_bearer_token(request) or "")
    return has_token or _is_of_scorer(held, secret) or _is_of_board(held, secret)


def device_name() -> str:
    """The name of this browser, whatever role it has; its cookie holds it."""
    if _DEVICE not in session:
        session[_DEVICE] = secrets.token_urlsafe(16)
        session.permanent = True
    return str(session[_DEVICE])


def csrf_token() -> str:
    """The token that this server's forms and scripts send with their requests."""
    if _CSRF not in session:
        session[_CSRF] = secrets.token_urlsafe(16)
    return str(session[_CSRF])


def limit_rate(limit: RateLimiter) -> None:
    """Refuse a request whose address has no permit left."""
    wait_s = 0.0 if services().config.is_rate_limit_off else limit.take(request.remote_addr or "")
    if wait_s:
        g.retry_after_s = int(wait_s) + 1
        abort(429)


def guard(app: Flask) -> None:
    """Check every request before any view sees it."""
    writes, sends, frames = RateLimiter(_WRITES), RateLimiter(_SENDS), RateLimiter(_FRAMES)

    @app.before_request
    def _check() -> None:
        if _bearer_token(request) is not None and not _has_token():  # a wrong token
            limit_rate(services().login_limiter)
        if request.method in _SAFE:
            return
        view = current_app.view_functions.get(request.endpoint or "")
        is_open = view is None or getattr(view, _ALLOWS_ANYONE, False)
        if not is_open:
            if not is_scorer():
                abort(401)
            limit_rate(frames if getattr(view, _SENDS_FRAMES, False) else writes)
        elif not is_scorer() and not getattr(view, _LIMITS_ITSELF, False):
            limit_rate(sends)
        if view is not None and not _has_token() and not _has_csrf_token():
            abort(403)


def _bearer_token(sent: Request) -> str | None:
    scheme, _, token = sent.headers.get("Authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else None


def _has_token() -> bool:
    return services().secret.is_token(_bearer_token(request) or "")


def _has_csrf_token() -> bool:
    """Whether a page of this server sent the request, because another site cannot know its
    token.
    """
    if request.headers.get("Sec-Fetch-Site", "same-origin") not in ("same-origin", "none"):
        return False
    token = request.headers.get("X-CSRF-Token") or request.form.get("csrf", "")
    return is_same_secret(token, str(session.get(_CSRF, ""))) and bool(token)
