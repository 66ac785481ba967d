"""A short run of `make fuzz`: the same requests to the same platform, few of them."""

import asyncio
from pathlib import Path

from tests.fuzz.running import Run
from tests.fuzz.watched import watched

SEED, REQUESTS, SECONDS = 20261117, 2500, 10.0


def test_nothing_that_is_asked_breaks_anything(tmp_path: Path) -> None:
    with watched(tmp_path, "--max-pods", "10") as platform:
        run = Run(platform, SEED, REQUESTS, SECONDS)
        asyncio.run(run.run())

    assert run.sent >= 100, "the requests hardly got anywhere"
    assert run.codes[201] > 0, "nothing was accepted: the mutations are too wild"
    assert run.codes[422] + run.codes[400] > 0, "nothing was refused: the mutations are too tame"
