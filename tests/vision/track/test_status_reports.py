"""The reported loss of tracking, and its stated cause."""

from __future__ import annotations

import pytest

from vision.track.status_reports import SLOW_MACHINE, TOO_FEW_FRAMES, LossReason, StatusReports


@pytest.mark.parametrize(
    ("left_out_share", "why"), [(0.0, TOO_FEW_FRAMES), (0.2, TOO_FEW_FRAMES), (0.8, SLOW_MACHINE)]
)
def test_frames_that_come_too_rarely_are_the_cameras_fault_unless_the_machine_left_them_out(
    left_out_share: float, why: LossReason
) -> None:
    reports = StatusReports()
    (told,) = reports.report_frame_rate(0.2, left_out_share, 1.0)
    assert (told.reason, told.advice, told.over) == (why.reason, why.advice, False)
    assert list(reports.report_frame_rate(0.2, left_out_share, 2.0)) == []
    (over,) = reports.report_frame_rate(0.03, 0.0, 3.0)
    assert over.over
