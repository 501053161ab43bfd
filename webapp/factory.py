"""The application, put together from a configuration: its parts, pages, guards, headers and errors.

``server`` listens on a port, not this module.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from functools import cache, partial

from flask import (
    Flask,
    Response,
    g,
    has_request_context,
    jsonify,
    redirect,
    render_template,
    request,
    url_for,
)
from flask.json.provider import DefaultJSONProvider
from flask.typing import ResponseReturnValue
from jinja2 import StrictUndefined
from werkzeug.exceptions import HTTPException
from werkzeug.middleware.proxy_fix import ProxyFix
from werkzeug.routing import Rule

from calibration.json_text import to_plain
from calibration.phrase import Phrase
from calibration.profile import ProfileError
from scorer.match.events import MatchError
from scorer.practice.events import PracticeError
from scorer.rules.sets import rule_set
from scorer.store import DamagedMatchError, Store, StoreError
from scorer.store.camera_pictures import CameraPictures
from scorer.store.camera_store import CameraStore
from scorer.store.message_store import MessageStore
from scorer.store.practice_store import PracticeStore
from scorer.store.tournament_store import TournamentStore
from scorer.texts import bound_sentence
from scorer.tournament.events import TournamentError
from webapp import auth
from webapp.api import register_api
from webapp.config import Config
from webapp.http.accepts import wants_json
from webapp.http.logs import LOG, LoggedFlask, log_requests, log_trouble, request_id
from webapp.http.rate_limit import PermitRate, RateLimiter
from webapp.http.redirects import safe_redirect_target
from webapp.http.session_cookie import RequestCookies
from webapp.http.token import Secret, SecretError
from webapp.http.webhooks import Webhooks
from webapp.jobs import job_services
from webapp.language.choice import LANGUAGES, choose_language
from webapp.language.template_texts import register_language
from webapp.language.translated_json import word_json
from webapp.live.clip_store import ClipStore
from webapp.live.live_boards import LiveBoards, MakeSupervisor
from webapp.live.supervisor import RefereeSupervisor
from webapp.live.workers.local_workers import LocalWorkers
from webapp.live.workers.message_feed import MessageFeed
from webapp.live.workers.worker_supervisor import WorkerSupervisor
from webapp.pages import pages_in_order, register_views
from webapp.pages.form_errors import show_note
from webapp.services import Closable, Services, find_board_number, register_services, services_of

#: How long a scorer's browser stays signed in: a tournament's weekend.
_COOKIE_LIFE = timedelta(days=3)

#: Log-in attempts: a few at once for typing errors, then one in 6 seconds.
LOGIN_RATE = PermitRate(burst=10, per_s=1 / 6)

#: Everything comes from this server; pages contain no inline scripts or styles.
_CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data: blob:",
        "media-src 'self' blob:",
        "font-src 'self'",
        "connect-src 'self'",
        "manifest-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-src 'self'",
        "frame-ancestors 'self'",
    )
)
_HEADERS = {
    "Content-Security-Policy": _CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(self), microphone=(), geolocation=(), screen-wake-lock=(self)",
}

_SENTENCES = {
    400: Phrase("This request cannot be read. Go back and try again."),
    401: Phrase("Only the scorer can do that. Join with the scorer's code."),
    403: Phrase("This request did not come from a page on this server. Reload the page."),
    404: Phrase("Page not found."),
    405: Phrase("This address does not support that request. Go back and try again."),
    429: Phrase("Too many requests. Wait a moment and try again."),
    500: Phrase(
        "Something went wrong. If it happens again, look up this reference in the server log."
    ),
}


class LazyRule(Rule):
    """A page's address; the functions that build its links are compiled for its first link.

    Werkzeug compiles two such functions per address, which takes most of the start-up time, and
    most addresses are never linked to.
    """

    def _compile_builder(self, append_unknown: bool = True) -> Callable[..., tuple[str, str]]:
        compiled = cache(partial(super()._compile_builder, append_unknown))
        return lambda rule, **values: compiled()(rule, **values)


class _PlainJson(DefaultJSONProvider):
    """Flask's JSON, also for dataclasses; a zero has no sign."""

    def dumps(self, obj: object, **kwargs: object) -> str:
        """As JSON text, in the language that a page's script names."""
        plain = to_plain(obj)
        language = request.headers.get("X-Page-Language") if has_request_context() else None
        worded = word_json(plain, language) if language in LANGUAGES else plain
        return super().dumps(worded, **kwargs)


def create_app(config: Config) -> Flask:
    """The application; ``close_app`` ends it. Raises ``StoreError`` and ``SecretError``."""
    app = LoggedFlask("webapp", template_folder="pages")
    app.url_rule_class = LazyRule
    app.url_map.strict_slashes = False  # people type /boards/2/, too
    app.json = _PlainJson(app)
    app.session_interface = RequestCookies()
    if config.hops:  # otherwise anybody could set an address of their own
        named = int(config.is_behind_proxy)
        app.wsgi_app = ProxyFix(  # type: ignore[method-assign]
            app.wsgi_app, x_for=config.hops, x_proto=named, x_host=named, x_prefix=named
        )
    app.jinja_options = {
        "trim_blocks": True,
        "lstrip_blocks": True,
        "undefined": StrictUndefined,  # a misspelt name is an error on its page, and so in its test
    }
    store = Store(config.database)
    announce_files = partial(_announce_files, store)
    secret = Secret(config.secret, announce_files)
    app.config.update(
        SECRET_KEY=secret.signing_key,
        MAX_CONTENT_LENGTH=config.upload_bytes,
        PERMANENT_SESSION_LIFETIME=_COOKIE_LIFE,
        SESSION_COOKIE_NAME="crokinole",
        SESSION_COOKIE_HTTPONLY=True,
        SESSION_COOKIE_SAMESITE="Lax",
        SESSION_COOKIE_SECURE=config.tls,
        SEND_FILE_MAX_AGE_DEFAULT=0,
    )
    webhooks = Webhooks(
        config.hooks, may_reach_inside=config.hooks_inside, on_change=announce_files
    )
    shots, tournaments = (
        ClipStore(config.shots, config.shots_bytes),
        TournamentStore(store.database),
    )
    practices = PracticeStore(store.database)
    boards = LiveBoards(store, tournaments, practices, shots, _choose_supervisor(config, store))
    feed = _make_feed(config, store, boards, (secret, webhooks))
    boards.add_listener(lambda event: _send_once(webhooks, feed, event))
    register_services(
        app,
        Services(
            config=config,
            secret=secret,
            store=store,
            tournaments=tournaments,
            boards=boards,
            practices=practices,
            shots=shots,
            hooks=webhooks,
            login_limiter=RateLimiter(LOGIN_RATE),
            workers=_start_workers(config, feed),
        ),
    )
    log_requests(app)
    auth.guard(app)
    register_views(app)
    register_api(app)
    register_language(app)
    app.jinja_env.filters["worded"] = lambda state: word_json(to_plain(state), choose_language())
    _add_template_context(app)
    _add_error_handlers(app)
    app.after_request(_add_headers)
    return app


def _choose_supervisor(config: Config, store: Store) -> MakeSupervisor:
    """The controller of a board's referee: a process of this server, or workers."""
    if config.workers is None:
        return lambda _number, recorder: RefereeSupervisor(recorder)
    cameras, rules = CameraStore(store.database), rule_set(config.rules)
    pictures = CameraPictures(store.database)
    return lambda number, recorder: WorkerSupervisor(
        recorder, cameras, number, rules, pictures=pictures
    )


def _make_feed(
    config: Config, store: Store, boards: LiveBoards, files: tuple[Secret, Webhooks]
) -> MessageFeed | None:
    """The listener to workers and other servers; None if there are neither."""
    if config.workers is None and not store.database.is_postgresql:
        return None

    return MessageFeed(store, boards, on_files=[file.reload for file in files])


def _announce_files(store: Store) -> None:
    """Tell other servers that the data folder's secrets or hooks have changed."""
    if not store.database.is_postgresql:
        return
    try:
        MessageStore(store.database).send(0, {"kind": "files"})
    # what was stored is used here at once, and there after the next start
    except StoreError as error:
        LOG.warning("other servers not informed", extra={"what": str(error)})


def _send_once(webhooks: Webhooks, feed: MessageFeed | None, event: dict[str, object]) -> None:
    """Send an event to other programs, unless another server does so."""
    if feed is None or feed.is_speaker:
        webhooks.send(event)


def _start_workers(config: Config, feed: MessageFeed | None) -> tuple[Closable, ...]:
    """The listener to others, which also keeps the workers on this computer running; None without
    workers.
    """
    if feed is None:
        return ()
    feed.start()
    if config.workers is None:
        return (feed,)
    data = [] if config.data is None else ["--data", str(config.data)]
    arguments = ["--db", config.database, *data, "--rules", config.rules]
    local = LocalWorkers(config.workers, arguments)
    local.start()
    return local, feed


def close_app(app: Flask) -> None:
    """End an application's jobs, its referee and its streams, and close its open files."""
    parts = services_of(app)
    for worker in parts.workers:
        worker.close()
    parts.boards.close()
    parts.hooks.close()
    parts.shots.close()
    job_services.close(app)
    parts.store.close()


def _add_template_context(app: Flask) -> None:
    """Give all pages' templates their common context."""

    @app.context_processor
    def _give_values() -> dict[str, object]:
        return {
            "is_scorer": auth.is_scorer(),
            "csrf_token": auth.csrf_token,
            "pages": pages_in_order(app, is_scorer=auth.is_scorer()),
            "board_number": find_board_number(),
            "boards": services_of(app).boards.names,
            "join_address": _find_join_address,
        }


def _find_join_address() -> str:
    """The address for joining as the scorer, after which people return to the current page.

    It does not return to the scoreboard, because the scorer's own page shows the same match, or to
    a sent form, which no browser asks for again.
    """
    if request.method != "GET" or request.endpoint in ("board.scoreboard", "join.join"):
        return url_for("join.join")
    return url_for("join.join", back=request.full_path.rstrip("?"))


def _add_error_handlers(app: Flask) -> None:
    """Show errors as a page to people, and as JSON to programs, always in one sentence."""

    @app.errorhandler(HTTPException)
    def _answer_http_error(error: HTTPException) -> ResponseReturnValue:
        if error.response is not None:  # such as a redirection to the right address
            return error
        code = error.code or 500
        sentence = (
            _SENTENCES.get(code)
            or error.description
            or Phrase("The server cannot do this. Go back and try again.")
        )
        if code == 413:
            most_mb = app.config["MAX_CONTENT_LENGTH"] // 1024**2
            sentence = Phrase(
                "The file is larger than %(most_mb)s MB. Send a smaller one.", most_mb=most_mb
            )
        return _make_error_response(code, sentence)

    @app.errorhandler(MatchError)
    @app.errorhandler(TournamentError)
    @app.errorhandler(PracticeError)
    @app.errorhandler(ProfileError)
    @app.errorhandler(StoreError)
    @app.errorhandler(SecretError)
    def _answer_refusal(error: Exception) -> ResponseReturnValue:
        is_outside = isinstance(error, StoreError | SecretError)
        code = 503 if is_outside and not isinstance(error, DamagedMatchError) else 409
        if is_outside:
            log_trouble(error)
        if wants_json() or request.method == "GET":
            return _make_error_response(code, str(error))
        show_note(bound_sentence(str(error)), "problem")
        return redirect(safe_redirect_target(request.form.get("back", "")), 303)


def _make_error_response(code: int, sentence: str) -> ResponseReturnValue:
    headers = {"Retry-After": str(g.retry_after_s)} if "retry_after_s" in g else {}
    if code == 401:
        headers["WWW-Authenticate"] = "Bearer"
    sentence = bound_sentence(sentence)
    reference = request_id() if code >= 500 else None
    if wants_json():
        return (
            jsonify({"error": sentence, **({"id": reference} if reference else {})}),
            code,
            headers,
        )
    page = render_template(
        "problem.html",
        code=code,
        sentence=sentence,
        reference=reference,
        typed=_list_typed_fields(code),
    )
    return page, code, headers


def _list_typed_fields(code: int) -> list[tuple[str, str]]:
    """The values of one of our forms, to be sent again after the failure; empty for other
    requests.
    """
    is_ours = request.headers.get("Sec-Fetch-Site") == "same-origin"
    if request.method != "POST" or code == 413 or not is_ours or request.files:
        return []
    secrets = ("csrf", "token")
    return [(name, text) for name, text in request.form.items(multi=True) if name not in secrets]


def _add_headers(response: Response) -> Response:
    for name, value in _HEADERS.items():
        response.headers.setdefault(name, value)
    if not request.path.startswith("/static/"):
        response.headers.setdefault("Cache-Control", "no-store")
    return response
