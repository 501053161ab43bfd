"""Make pictures with their truth: ``python -m sample_images.renderer OUTDIR --seeds 1-40``.

Ends with one sentence and exit code 1 if Blender's Python module is missing.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path

import cv2

from sample_images.renderer.blender.sensor import develop
from sample_images.renderer.generate.scene_generator import generate_scene
from sample_images.renderer.samples import SAMPLES
from sample_images.renderer.scene import RenderScene
from sample_images.renderer.seeds import parse_seeds
from sample_images.renderer.truth import scene_truth

MISSING = (
    "Rendering needs Blender's Python module: install the optional extra with "
    '`pip install "crokinole-referee[render]"` and run this again.'
)
#: Largest picture that the repository keeps, and the JPEG quality below which we do not go.
SAMPLE_BYTES = 300_000
_LEAST_QUALITY = 60


def _build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m sample_images.renderer",
        description="Make pictures of boards from seeds, or the samples, with their truth beside.",
    )
    parser.add_argument("folder", type=Path, metavar="OUTDIR")
    parser.add_argument("--seeds", type=parse_seeds, default=[], help="such as 1-40 or 3,7,20-22")
    parser.add_argument(
        "--samples", action="store_true", help="the pictures of sample_images/stills"
    )
    parser.add_argument(
        "--only", default="", help="of the samples, those whose name has this in it"
    )
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--keep", action="store_true", help="leave pictures that are already there")
    return parser


def _encode_jpeg(picture, quality: int, limit: int | None) -> bytes:
    """JPEG bytes, at a lower quality if the size limit requires it."""
    while True:
        _, code = cv2.imencode(".jpg", picture[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, quality])
        if limit is None or len(code) <= limit or quality <= _LEAST_QUALITY:
            return code.tobytes()
        quality -= 4


def render(scene: RenderScene, path: Path, threads: int, limit: int | None = None) -> None:
    """Write the picture ``path``, and its truth next to it as .json."""
    from sample_images.renderer.blender.path_tracer import trace_scene

    picture = develop(trace_scene(scene, threads), scene.sensor, scene.seed)
    path.write_bytes(_encode_jpeg(picture, scene.sensor.jpeg_quality, limit))
    path.with_suffix(".json").write_text(json.dumps(scene_truth(scene), indent=1) + "\n")


def _select_scenes(args: argparse.Namespace) -> list[tuple[str, RenderScene, int | None]]:
    work: list[tuple[str, RenderScene, int | None]] = [
        (f"{s:05d}", generate_scene(s), None) for s in args.seeds
    ]
    if args.samples:
        named = [(n, make) for n, make in SAMPLES.items() if args.only in n]
        work += [(name, make(), SAMPLE_BYTES) for name, make in named]
    return work


def main(argv: list[str] | None = None) -> int:
    """Exit code: 0 done, 1 failed."""
    args = _build_parser().parse_args(argv)
    try:
        import bpy  # noqa: F401  (only to say early and clearly that it is missing)
    except ImportError:
        print(MISSING, file=sys.stderr)
        return 1
    args.folder.mkdir(parents=True, exist_ok=True)
    for name, scene, limit in _select_scenes(args):
        path = args.folder / f"{name}.jpg"
        if args.keep and path.with_suffix(".json").exists():
            continue
        begun = time.monotonic()
        render(scene, path, args.threads, limit)
        print(f"{path}  {time.monotonic() - begun:.1f} s", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
