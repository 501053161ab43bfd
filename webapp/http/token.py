"""The scorer's token, which alone gives write access, and the key that signs cookies.

Both are stored in a file that only its owner can read (mode 0600), and are compared in constant
time. The file also lists ended sessions, whose cookies are void.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import secrets
from collections.abc import Callable
from pathlib import Path
from threading import Lock

from calibration.phrase import Phrase
from calibration.user_error import Trouble
from webapp.http.private_file import create_private_file, write_private_file

#: 128 bits cannot be guessed, and their QR code stays coarse.
_TOKEN_BYTES, _KEY_BYTES = 16, 32
#: Number of ended sessions that are remembered; each needed a login with the current token.
_LEFT_SESSIONS = 1000


def is_same_secret(candidate: object, secret: str) -> bool:
    """Whether a candidate equals the secret; the check takes equally long for every wrong one."""
    return hmac.compare_digest(str(candidate).encode(), secret.encode())


class SecretError(Trouble):
    """A file of secrets that cannot be used; the text is one sentence with the remedy."""


class Secret:
    """The scorer's code for logging in, ``token``, which can be replaced, and the key that signs
    cookies, ``signing_key``, which stays.

    Raises ``SecretError`` if its file cannot be read or written.
    """

    def __init__(self, path: Path | None, on_change: Callable[[], None] = lambda: None) -> None:
        """The secret stored in a file; a new one if there is none, or no file is named.

        on_change  called when the token was replaced, so other servers can ``reload`` it
        """
        self._path, self._lock = path, Lock()
        self._on_change = on_change
        stored = None if path is None else _load(path)
        made = secrets.token_urlsafe(_TOKEN_BYTES), secrets.token_hex(_KEY_BYTES), list[str]()
        self.token, self.signing_key, self._left = stored or made
        if stored is None and not self._save(self.token, is_first=True):
            self.reload()

    @property
    def session_signature(self) -> str:
        """The HMAC in a cookie instead of the token; a new token voids it."""
        return hmac.new(self.signing_key.encode(), self.token.encode(), hashlib.sha256).hexdigest()

    def is_token(self, candidate: str) -> bool:
        """Whether this is the token."""
        return is_same_secret(candidate, self.token)

    def leave_session(self, session: str) -> None:
        """Void a session's cookies, including copies. Raises ``SecretError`` if this would be lost
        at a restart.
        """
        with self._lock:
            self._left = [*self._left, session][-_LEFT_SESSIONS:]
            self._save(self.token)
        self._on_change()

    def has_left(self, session: str) -> bool:
        """Whether a session has ended, so that its cookies are void."""
        return session in self._left

    def board_code(self, number: int) -> str:
        """The code for writing at one board; a new token voids it. 128 bits."""
        return self._sign("board", str(number))

    @property
    def stream_code(self) -> str:
        """The code for an organiser's overlay with chances; it gives no write access."""
        return self._sign("stream")

    def _sign(self, *subject: str) -> str:
        content = " ".join((self.token, *subject)).encode()
        signed = hmac.new(self.signing_key.encode(), content, hashlib.sha256).digest()
        return base64.urlsafe_b64encode(signed[:_TOKEN_BYTES]).rstrip(b"=").decode()

    def replace_token(self) -> None:
        """Make a new token; holders of the old one are locked out.

        If it cannot be saved, the old one stays valid. Raises ``SecretError``.
        """
        with self._lock:
            token = secrets.token_urlsafe(_TOKEN_BYTES)
            self._save(token)
            self.token = token
        self._on_change()

    def reload(self) -> None:
        """Read the file again after another server has replaced the token."""
        with self._lock:
            stored = None if self._path is None else _load(self._path)
            if stored is not None:
                self.token, self.signing_key, self._left = stored

    def _save(self, token: str, *, is_first: bool = False) -> bool:
        """Save to the file; with ``is_first``, returns False if another server was faster."""
        if self._path is None:
            return True
        kept = {"token": token, "signing_key": self.signing_key, "left": self._left}
        content = json.dumps(kept).encode()
        try:
            if is_first:
                return create_private_file(self._path, content)
            write_private_file(self._path, content)
        except OSError as error:
            raise SecretError(
                Phrase(
                    "The token cannot be saved in %(path)s (%(strerror)s). Make its "
                    "folder writable, or choose another with --data.",
                    path=self._path,
                    strerror=error.strerror,
                )
            ) from None
        return True


def _load(path: Path) -> tuple[str, str, list[str]] | None:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        token, key, left = content["token"], content["signing_key"], content.get("left", [])
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError):
        raise SecretError(
            Phrase("%(path)s contains no token. Delete the file to get a new one.", path=path)
        ) from None
    if not (isinstance(token, str) and isinstance(key, str) and token and key):
        raise SecretError(
            Phrase("%(path)s contains no token. Delete the file to get a new one.", path=path)
        )
    return token, key, [str(session) for session in left]
