import ctypes
import resource
from pathlib import Path

import pytest

from windlass.kube.heap import give_back


def resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "malloc_trim"), reason="only glibc can be asked")
def test_memory_that_is_free_goes_back_to_the_system() -> None:
    held = [bytes(8192) for _ in range(8192)]  # small enough for the heap, and 64 MB in all
    pins = held[::512]
    held.clear()
    before = resident()
    give_back()

    assert len(pins) == 16
    assert resident() < before - 32 * 1024 * 1024
