"""Sample pipelines end alike whichever version of the kfp SDK compiles and runs them: see samples/ for each."""

from pathlib import Path
from typing import Any

import pytest

from tests.e2e.notebooks.desk import Desk
from tests.e2e.pipelines.sdk import Kfp
from tests.e2e.training.sdk_environment import run_story, sdk_python

pytestmark = [pytest.mark.kfp_versions, pytest.mark.timeout(900)]

VERSIONS = ("2.1.3", "2.4.0", "2.7.0", "2.9.0", "2.12.1", "2.14.6", "2.16.1", "2.17.0", "2.17.3")
RUNNER = Path(__file__).parent / "samples" / "run_samples.py"
LONGEST_SECONDS = 600


@pytest.fixture(scope="module", autouse=True)
def given_objects(desk: Desk) -> None:
    """What the samples' tasks read."""
    desk.apply(
        {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "sample-secret"}, "stringData": {"key": "value"}},
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "sample-map"}, "data": {"key": "value"}},
    )


def packages_of(version: str) -> tuple[str, ...]:
    """The SDK, and the newest kfp-kubernetes that goes with it."""
    return (f"kfp=={version}", "kfp-kubernetes", "pip", "setuptools<81")


@pytest.mark.parametrize("version", VERSIONS)
def test_every_sample_ends_as_it_should(kfp: Kfp, version: str) -> None:
    words = (f"{kfp.url}/pipeline", kfp.token, kfp.namespace)
    ends: dict[str, Any] = run_story(sdk_python(*packages_of(version)), RUNNER, words, LONGEST_SECONDS)

    assert len(ends) > 40
    wrong = {name: end for name, end in ends.items() if not ended_as_wanted(end)}
    assert not wrong


def ended_as_wanted(end: dict[str, Any]) -> bool:
    wanted = end["wanted_outputs"]
    return end["state"] == end["wanted_state"] and (wanted is None or end["outputs"] == wanted)
