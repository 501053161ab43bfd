"""The server's health page."""

from __future__ import annotations

import pytest
from flask import Flask

from webapp.pages import health


def test_a_server_with_a_full_disk_is_not_well(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    answer = app.test_client().get("/healthz")
    assert (answer.status_code, answer.json["status"]) == (200, "well")
    monkeypatch.setattr(health, "_LEAST_FREE_BYTES", 2**70)  # no disk has so much
    answer = app.test_client().get("/healthz")
    assert (answer.status_code, answer.json["status"]) == (503, "disk full")
