"""The scorer's cookie: secure over HTTPS, limited to the server's path, and valid for a limited
time.
"""

from __future__ import annotations

from datetime import UTC, datetime

from flask import Flask, Request, request
from flask.sessions import SecureCookieSession, SecureCookieSessionInterface
from itsdangerous import BadSignature


class RequestCookies(SecureCookieSessionInterface):
    """Cookies for the browser's address, as given by a trusted proxy."""

    def open_session(self, app: Flask, request: Request) -> SecureCookieSession | None:
        """The content of a cookie, unless it is too old. A cookie from the future is accepted: if
        the server's clock was set back, scorers must not be locked out.
        """
        serializer = self.get_signing_serializer(app)
        if serializer is None:
            return None
        sent = request.cookies.get(self.get_cookie_name(app), "")
        try:
            content, made = serializer.loads(sent, return_timestamp=True)
        except BadSignature:
            return self.session_class()
        is_old = datetime.now(UTC) - made > app.permanent_session_lifetime
        return self.session_class({} if is_old else content)

    def get_cookie_secure(self, app: Flask) -> bool:
        """Whether browsers send it only over HTTPS."""
        return super().get_cookie_secure(app) or request.is_secure

    def get_cookie_path(self, app: Flask) -> str:
        """The path below which browsers send it."""
        return request.script_root or super().get_cookie_path(app)
