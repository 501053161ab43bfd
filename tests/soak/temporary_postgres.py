"""A separate PostgreSQL server in a temporary folder, which can be killed without harm."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

#: Longest time for a restart, s, however much it has to recover.
_PATIENCE_S = 120.0


class TemporaryPostgres:
    """A server with an empty database; it waits for the disk at every commit."""

    def __init__(self, folder: Path) -> None:
        """Create it in a folder, and start it; ends the program if PostgreSQL is not installed."""
        self._user = "postgres" if os.geteuid() == 0 else None  # it refuses to run as root
        self._log = folder / "log"
        data = folder / "data"
        if self._user is not None:
            folder.parent.chmod(0o711)  # a temporary folder that only its owner may enter
        data.mkdir()
        if self._user is not None:
            shutil.chown(data, self._user)
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = int(free.getsockname()[1])
        self.url = f"postgresql://postgres@127.0.0.1:{port}/postgres"
        self._command = [_find_program("postgres"), "-D", str(data), "-p", str(port)]
        self._command += ["-h", "127.0.0.1", "-c", "unix_socket_directories="]
        init = [_find_program("initdb"), "-D", str(data), "-U", "postgres", "-A", "trust"]
        subprocess.run(
            [*init, "-E", "UTF8"], user=self._user, cwd="/", check=True, capture_output=True
        )
        self._process = self._start()

    def kill(self) -> None:
        """Kill it with all its processes at once, like a power cut, and start it again."""
        children = Path(f"/proc/{self._process.pid}/task/{self._process.pid}/children")
        pids = [self._process.pid, *(int(word) for word in children.read_text().split())]
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self._process.wait()
        self._process = self._start()

    def stop(self) -> None:
        """Stop it for good."""
        self._process.send_signal(signal.SIGINT)
        self._process.wait(_PATIENCE_S)

    def _start(self) -> subprocess.Popen[bytes]:
        """The process of a server that answers."""
        until_s = time.monotonic() + _PATIENCE_S
        process = self._begin()
        while not self._answers():
            if process.poll() is not None:  # the killed server has not ended yet
                process = self._begin()
            if time.monotonic() > until_s:
                raise RuntimeError(self._log.read_text()[-2000:])
            time.sleep(0.02)
        return process

    def _begin(self) -> subprocess.Popen[bytes]:
        with self._log.open("ab") as log:
            return subprocess.Popen(self._command, user=self._user, cwd="/", stdout=log, stderr=log)

    def _answers(self) -> bool:
        import psycopg

        try:
            psycopg.connect(self.url, connect_timeout=5).close()
        except psycopg.OperationalError:
            return False
        return True


def _find_program(name: str) -> str:
    found = shutil.which(name) or next(
        (str(path) for path in sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))), None
    )
    if found is None:
        sys.exit(f"There is no {name} here; install PostgreSQL, or name a server's URL.")
    return found
