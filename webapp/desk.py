"""What the pages about pictures share: the process that looks at them, and what they look at now.

Knows how these parts belong to one application. Refuses to do their work.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import cast

from flask import Flask, current_app

from calibration.profile import Profile, load_profile
from webapp.calibrations import Calibrations
from webapp.data_folder import TemporaryFolder
from webapp.photos import Photos
from webapp.profiles import Profiles
from webapp.services import services_of
from webapp.snapshots import Snapshots
from webapp.worker import Worker

_KEY, _CLOSERS = "crokinole.desk", "crokinole.closers"


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """The parts, and the profile that the server was started with."""

    worker: Worker
    snapshots: Snapshots
    photos: Photos
    calibrations: Calibrations
    profiles: Profiles
    usual: Profile | None

    def profile(self, key: str) -> Profile | None:
        """The profile that a person chose: a kept one, or the server's own for no choice."""
        kept = self.profiles.get(key) if key else None
        return kept.profile if kept else self.usual


def desk() -> Desk:
    """The desk of the application that answers the request at hand."""
    return desk_of(current_app)


def desk_of(app: Flask) -> Desk:
    """The desk of an application, which is set up at the first question."""
    if _KEY not in app.extensions:
        config = services_of(app).config
        worker = Worker()
        snapshots, calibrations = Snapshots(worker), Calibrations(worker)
        own = TemporaryFolder("profiles")
        app.extensions[_KEY] = Desk(
            worker=worker,
            snapshots=snapshots,
            photos=Photos(worker),
            calibrations=calibrations,
            profiles=Profiles(config.profiles or own.folder()),
            usual=_loaded(config.profile),
        )
        closers = (worker.close, snapshots.close, calibrations.close, own.cleanup)
        app.extensions.setdefault(_CLOSERS, []).extend(closers)
    return cast(Desk, app.extensions[_KEY])


def close(app: Flask) -> None:
    """End what an application's desk has going."""
    for each in app.extensions.get(_CLOSERS, ()):
        each()


def _loaded(path: Path | None) -> Profile | None:
    """The profile in a file. Raises ``ProfileError``."""
    return None if path is None else load_profile(path)
