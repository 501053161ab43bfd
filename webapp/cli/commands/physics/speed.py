"""``crokinole speed``: a board's friction and bounce, from observed shots."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from calibration.board import BoardSpec
from calibration.profile import CalibrationProfile, load_profile, save_profile
from calibration.user_error import Trouble
from webapp.cli.argument_values import check_outputs
from webapp.cli.compile_notice import announce_compilation
from webapp.cli.console import print_result, warn
from webapp.formats.form import name_file_in_errors, read_object
from webapp.formats.scene import load_table


def measure_speed(shots: Path, profile: Path | None, out: Path | None, as_json: bool) -> None:
    """Measure, print and write."""
    check_outputs([out], [shots])
    with announce_compilation():
        from webapp.formats.speed import make_speed_report, parse_shots, report_json, report_lines

        known, spreads = load_table(profile, warn)
        with name_file_in_errors(shots):
            table, seen = parse_shots(read_object(shots), known)
            report = make_speed_report(table, seen, spreads)
    print_result(report_json(report), report_lines(report), as_json=as_json)
    if out is None:
        return
    before = load_profile(profile) if profile else CalibrationProfile(board=BoardSpec())
    try:
        save_profile(replace(before, speed=report.fit.speed), out)
    except OSError as error:
        raise Trouble(f"The profile {out} cannot be written ({error.strerror}).") from None
