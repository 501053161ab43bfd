"""The prior of a lens, before its picture is read."""

from __future__ import annotations

import pytest

from calibration.lens_prior import guess_lens


def test_exif_is_believed_over_the_picture_s_size() -> None:
    from_exif = guess_lens(4000, 3000, 2900.0)
    guessed = guess_lens(4000, 3000)
    assert from_exif.focal_px == 2900.0
    assert from_exif.focal_log_sigma < guessed.focal_log_sigma


@pytest.mark.parametrize(("width_px", "height_px"), [(4000, 3000), (3000, 4000), (1920, 1080)])
def test_a_camera_s_own_shape_is_taken_for_a_phone_s_main_lens(
    width_px: int, height_px: int
) -> None:
    lens = guess_lens(width_px, height_px)
    side = max(width_px, height_px)
    assert 23 / 34.6 < lens.focal_px / side < 28 / 34.6
    assert lens.centre_px == ((width_px - 1) / 2, (height_px - 1) / 2)


def test_a_cropped_picture_s_lens_is_longer_and_less_sure() -> None:
    whole, cropped = guess_lens(4000, 3000), guess_lens(4000, 3700)
    assert cropped.focal_px > whole.focal_px
    assert cropped.focal_log_sigma > whole.focal_log_sigma
    assert cropped.centre_sigma_px > whole.centre_sigma_px


def test_a_rescaled_prior_is_the_resized_picture_s() -> None:
    half, direct = guess_lens(4000, 3000).rescale(0.5), guess_lens(2000, 1500)
    assert half.focal_px == pytest.approx(direct.focal_px)
    assert half.centre_px == pytest.approx(direct.centre_px)
    assert half.centre_sigma_px == pytest.approx(direct.centre_sigma_px)


def test_a_focal_length_far_from_any_phones_is_a_zoomed_lenss() -> None:
    usual = guess_lens(1280, 720)
    assert usual.adapt_to(1.1 * usual.focal_px) is usual
    zoomed = usual.adapt_to(2.5 * usual.focal_px)
    assert zoomed.focal_log_sigma > usual.focal_log_sigma
    assert zoomed.adapt_to(2.5 * usual.focal_px) is zoomed


def test_a_lens_known_from_exif_has_no_zoom_prior() -> None:
    from_exif = guess_lens(4000, 3000, 2900.0)
    assert from_exif.adapt_to(6000.0) is from_exif


def test_a_lens_that_may_be_zoomed_is_tried_shorter_and_longer() -> None:
    usual = guess_lens(1280, 720)
    (only,) = usual.likely_cameras()
    assert only.fx_px == usual.focal_px
    shorter, longer = usual.allow_zoom().likely_cameras()
    assert usual.focal_px < shorter.fx_px < usual.allow_zoom().focal_px < longer.fx_px
