"""Accuracy page: a club agrees once, its saved photos count, and a wrong call is reported."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
from axe_faults import find_faults
from clear_picture import write_clear_picture
from photo_page import send
from playwright.sync_api import Page, expect

from bench.photos import grade_all, unpack_reports
from sample_images.renderer.picture_truth import load_pictures_with_truth
from scorer.match.events import MatchStarted, RoundCorrected
from scorer.match.fold import fold
from scorer.rules.choices import Format
from webapp.jobs.case_store import CaseSettings
from webapp.jobs.job_services import job_services_of
from webapp.jobs.photo_case import PhotoOutcome
from webapp.server import RunningServer
from webapp.services import services_of

CLEAR = write_clear_picture()
#: Black has a 5 that the test turns into a 10, as if the reading had been wrong.
SETUP = MatchStarted(
    rules="nca", format=Format.TWO, players=("Ann", "Bob"), colours=("black", "brown")
)


def read_photo_of(report: Path) -> np.ndarray:
    with zipfile.ZipFile(report) as archive:
        return cv2.imdecode(np.frombuffer(archive.read("photo.jpg"), np.uint8), cv2.IMREAD_COLOR)


def save_report(page: Page, folder: Path, name: str) -> Path:
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save the report").click()
    saved.value.save_as(folder / name)
    return folder / name


def test_a_club_that_agreed_sees_how_its_photos_were_read_and_reports_a_wrong_call(
    server: RunningServer,
    scorer: Page,
    show: Callable[[Page, str], None],
    tmp_path: Path,
) -> None:
    services_of(server.app).scoreboard.begin(SETUP)
    scorer.goto("/score")
    scorer.get_by_role("link", name="Accuracy on your boards").click()
    expect(scorer.get_by_text("Photos are not being kept.")).to_be_visible()
    send(scorer, CLEAR)
    scorer.get_by_role("button", name="Save as round 1").click()
    cases = job_services_of(server.app).cases
    assert cases.list_cases() == [], "nothing is kept before somebody agreed"
    scorer.get_by_role("button", name="Keep photos").click()
    expect(scorer.get_by_role("button", name="Keep photos")).to_have_count(0)
    (kept,) = cases.list_cases()
    assert (kept.outcome, kept.corrections) == (PhotoOutcome.SETTLED, ())

    scorer.get_by_role("link", name="4 black").click()
    scorer.get_by_role("button", name="10", exact=True).click()
    (kept,) = cases.list_cases()
    assert kept.outcome is PhotoOutcome.WRONG
    assert len(kept.corrections) == 1
    scorer.get_by_text("Report a wrong call").click()
    hidden = read_photo_of(save_report(scorer, tmp_path, "report.zip"))
    scorer.get_by_label("Do not blur anything around the board").check()
    (tmp_path / "whole").mkdir()
    whole = read_photo_of(save_report(scorer, tmp_path / "whole", "report.zip"))
    middle = np.s_[430:530, 590:690]  # of the board
    corner = np.s_[:60, :60]
    assert np.abs(hidden[middle].astype(int) - whole[middle]).mean() < 5
    assert np.abs(np.diff(hidden[corner].astype(int), axis=0)).max() < 12, "no edge is left"

    scorer.goto("/accuracy")
    expect(scorer.get_by_text("1 photo saved as a round")).to_be_visible()
    expect(scorer.get_by_role("img", name="Wrong without asking")).to_be_visible()
    assert find_faults(scorer) == []
    show(scorer, "accuracy")
    with zipfile.ZipFile(tmp_path / "report.zip") as archive:
        assert json.loads(archive.read("case.json"))["version"]
    (tmp_path / "unpacked").mkdir()
    assert unpack_reports(tmp_path, tmp_path / "unpacked") == 1
    ((graded,), _) = grade_all(load_pictures_with_truth(tmp_path / "unpacked"))
    assert (graded.status, graded.is_exact, graded.zone_wrong) == ("scored", False, 1)

    scorer.get_by_role("button", name="Delete", exact=True).click()
    expect(scorer.get_by_text("No photos yet.")).to_be_visible()
    scorer.get_by_label("Keep the photos of saved rounds").uncheck()
    scorer.get_by_label("Delete photos after (days)").fill("7")
    scorer.get_by_role("button", name="Save", exact=True).click()
    assert (cases.settings.is_kept, cases.settings.days) == (False, 7)


def test_a_round_corrected_in_the_match_is_a_photo_read_wrong(
    server: RunningServer, scorer: Page
) -> None:
    services = services_of(server.app)
    number = services.scoreboard.begin(SETUP)
    job_services_of(server.app).cases.agree(CaseSettings(is_kept=True))
    send(scorer, CLEAR)
    scorer.get_by_role("button", name="Save as round 1").click()
    expect(scorer.get_by_text("Saved as round 1")).to_be_visible()
    (round_,) = fold(services.store.log(number)).rounds
    (first, second), (twenties, others) = round_.points, round_.twenties
    aside = RoundCorrected(round=1, points=(first + 20, second), twenties=(twenties + 1, others))
    services.scoreboard.append(number, aside)
    scorer.goto("/accuracy")
    expect(scorer.get_by_text("1 photo saved as a round")).to_be_visible()
    expect(scorer.get_by_role("img", name="Wrong without asking")).to_have_count(0)
    corrected = RoundCorrected(round=1, points=(first + 5, second), twenties=(twenties, others))
    services.scoreboard.append(number, corrected)
    scorer.reload()
    expect(scorer.get_by_role("img", name="Wrong without asking")).to_be_visible()
    expect(scorer.get_by_text("The round was corrected in the match:")).to_be_visible()


def test_only_the_scorer_sees_what_is_kept(server: RunningServer, spectator: Page) -> None:
    for path in ("/accuracy", "/accuracy/abcdefghijk.zip", "/accuracy/abcdefghijk.jpg"):
        assert spectator.request.get(path, max_redirects=0).status in (302, 303, 401, 403)
    assert job_services_of(server.app).cases.list_cases() == []
