"""The scorer's cookie: secure over HTTPS, and limited to the server's path."""

from __future__ import annotations

from flask import Flask, request
from flask.sessions import SecureCookieSessionInterface


class RequestCookies(SecureCookieSessionInterface):
    """Cookies for the browser's address, as a trusted proxy gives it."""

    def get_cookie_secure(self, app: Flask) -> bool:
        """Whether browsers send it over HTTPS alone."""
        return super().get_cookie_secure(app) or request.is_secure

    def get_cookie_path(self, app: Flask) -> str:
        """Below which path browsers send it."""
        return request.script_root or super().get_cookie_path(app)
