"""Whether the kernels were compiled on this machine before."""

import os
from pathlib import Path

from scorer.physics import kernels
from scorer.physics.compile import are_kernels_compiled, compile_kernels


def test_kernels_are_compiled_once_and_again_when_their_source_changes(monkeypatch):
    compile_kernels()
    assert are_kernels_compiled()
    file = kernels.run_shots._cache._cache_file
    monkeypatch.setattr(file, "_source_stamp", "that of another source")
    assert not are_kernels_compiled()


def test_a_copy_of_the_same_source_needs_no_new_kernels() -> None:
    compile_kernels()
    source = Path(kernels.__file__)
    before = source.stat()
    os.utime(source, ns=(before.st_atime_ns, before.st_mtime_ns + 10**9))
    try:
        assert are_kernels_compiled()
    finally:
        os.utime(source, ns=(before.st_atime_ns, before.st_mtime_ns))
