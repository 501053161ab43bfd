"""The bench that ``crokinole bench`` asks for.

A bench is imported only when requested, because some load the compiler and some the server.
"""

from __future__ import annotations

from pathlib import Path


def dispatch(
    what: str,
    boards: int,
    shots: int,
    impacts: int,
    truth: Path | None,
    sweep: str | None,
    ablate: str | None,
    parameters: str | None,
    as_json: bool,
) -> list[str]:
    """Measure the requested stages; returns the errors, one sentence each.

    Raises ``ParameterError`` for a parameter or stage that does not exist.
    """
    if parameters is not None:
        from bench.parameter_list import print_parameters

        return print_parameters(parameters, as_json=as_json)
    if ablate is not None:
        from bench.ablate import bench_ablate

        return bench_ablate(ablate, truth, as_json=as_json)
    if sweep is not None:
        from bench.sweep import bench_sweep, parse_sweep

        return bench_sweep(parse_sweep(sweep), truth, as_json=as_json)
    match what:
        case "watch":
            from bench.clips import bench_watch, clips_folder

            return bench_watch(truth or clips_folder(), as_json=as_json)
        case "physics":
            from bench.physics import bench_physics

            return bench_physics(as_json=as_json)
        case "impacts":
            from bench.impacts import print_impacts

            return print_impacts(impacts, as_json=as_json)
        case "explain":
            from bench.explain import bench_explain

            return bench_explain(shots, as_json=as_json)
        case "views":
            from bench.tilted_views import bench_views

            return bench_views(boards, as_json=as_json)
        case "serve":
            from bench.spectators import bench_serve

            return bench_serve(as_json=as_json)
    from bench.photos import bench_photos, stills_folder

    return bench_photos(truth or stills_folder(), as_json=as_json)
