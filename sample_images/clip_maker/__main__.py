"""Clips of rounds with their truth: ``python -m sample_images.clip_maker OUTDIR --seeds 1-4``."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from sample_images.clip_maker.make_clip import format_truth, make_clip, write_clip, write_tracks
from sample_images.clip_maker.options import ClipOptions
from sample_images.clip_maker.presets import KINDS, SAMPLES
from sample_images.renderer.seeds import parse_seeds
from webapp.cli.compile_notice import announce_compilation

#: x264's constant rate factors: of clips to measure with, and of those that the repository keeps.
_QUALITY, _SAMPLE_QUALITY = 22, 25


def _build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m sample_images.clip_maker",
        description="Make clips of rounds from seeds, or the samples, with their truth beside.",
    )
    parser.add_argument("folder", type=Path, metavar="OUTDIR")
    parser.add_argument("--seeds", type=parse_seeds, default=[], help="such as 1-4 or 3,7,20-22")
    parser.add_argument(
        "--kind", choices=sorted(KINDS), default="plain", help="what is hard about them"
    )
    parser.add_argument("--samples", action="store_true", help="the clips of sample_images/clips")
    parser.add_argument(
        "--only", default="", help="of the samples, those whose name has this in it"
    )
    parser.add_argument(
        "--tracks", action="store_true", help="also write every disc's place in every frame (.npz)"
    )
    parser.add_argument("--truth", action="store_true", help="write the truth alone, no pictures")
    return parser


def _select_clips(args: argparse.Namespace) -> list[tuple[str, int, ClipOptions, int]]:
    kind = KINDS[args.kind]
    work = [(f"{args.kind}_{seed}", seed, kind, _QUALITY) for seed in args.seeds]
    if args.samples:
        work += [
            (name, seed, options, _SAMPLE_QUALITY)
            for name, (seed, options) in SAMPLES.items()
            if args.only in name
        ]
    return work


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit code: 0 done, 1 failed."""
    args = _build_parser().parse_args(arguments)
    args.folder.mkdir(parents=True, exist_ok=True)
    for name, seed, options, quality in _select_clips(args):
        begun = time.monotonic()
        path = args.folder / f"{name}.mp4"
        with announce_compilation():
            clip = make_clip(name, seed, options)
        if args.truth:
            path = path.with_suffix(".json")
            path.write_text(format_truth(clip.truth), encoding="utf-8")
        else:
            write_clip(clip, path, quality=quality, small=quality == _SAMPLE_QUALITY)
        if args.tracks:
            write_tracks(clip, path.with_name(f"{name}_tracks.npz"))
        print(f"{path}  {time.monotonic() - begun:.1f} s", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
