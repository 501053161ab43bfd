"""The pictures of a simulated shot that ``simulate`` and ``advise`` write."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from PIL import ImageColor

from calibration.user_error import Trouble
from scorer.photo.shot_plot import ShotPlot, save_animation, save_picture
from scorer.physics.engine import SimulationResult
from scorer.physics.scene import PhysicsScene
from webapp.live.side_colours import side_colour


def write_plot(
    scene: PhysicsScene,
    outcome: SimulationResult,
    teams: Mapping[str, str],
    *,
    plot: Path | None = None,
    animation: Path | None = None,
) -> None:
    """Write the requested pictures. Raises ``Trouble`` if one cannot be written.

    teams  the discs' owners, by id; a side named after a colour is drawn in it
    """
    sides = sorted(set(teams.values()))
    colours = {side: ImageColor.getrgb(side_colour(k, side))[:3] for k, side in enumerate(sides)}
    drawing = ShotPlot(scene, teams, colours)
    path = plot
    try:
        if plot is not None:
            save_picture(drawing.draw_shot(outcome), plot)
        path = animation
        if animation is not None:
            save_animation(drawing.animate_shot(outcome), str(animation))
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        kinds = "in .png or .jpg" if path is plot else "in .gif"
        raise Trouble(
            f"The picture {path} cannot be written ({reason}). Use a name that ends {kinds}."
        ) from None
