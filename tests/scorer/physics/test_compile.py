"""Whether the kernels were compiled on this machine before."""

import os
from pathlib import Path

from numba.core.registry import CPUDispatcher

from scorer.physics import kernels
from scorer.physics.compile import are_kernels_compiled, compile_kernels


def _find_kept(name: str, kernel: CPUDispatcher) -> list[Path]:
    return list(Path(kernel.stats.cache_path).glob(f"kernels.{name}-*.nbi"))


def test_kernels_are_compiled_once_and_again_when_their_source_changes(monkeypatch, tmp_path):
    compile_kernels()
    assert are_kernels_compiled()
    newer = tmp_path / "kernels.py"
    newer.touch()
    latest_s = max(
        kept.stat().st_mtime
        for name, var in vars(kernels).items()
        if isinstance(var, CPUDispatcher)
        for kept in _find_kept(name, var)
    )
    os.utime(newer, (latest_s + 1, latest_s + 1))
    monkeypatch.setattr(kernels, "__file__", str(newer))
    assert not are_kernels_compiled()
