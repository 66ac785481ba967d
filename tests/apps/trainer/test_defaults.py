"""When a patch was made is written beside it, once."""

from datetime import UTC, datetime
from typing import Any

import pytest

from tests.apps.trainer.runtime_builders import a_job, a_patch
from windlass.apps.trainer.defaults import with_times

NOW = datetime(2026, 5, 4, 3, 2, 1, 999, UTC)
STAMP, EARLIER, THEIRS = "2026-05-04T03:02:01Z", "2026-01-01T00:00:00Z", "2025-01-01T00:00:00Z"


def times(job: Any, old: Any = None) -> list[Any]:
    return [patch.get("time") for patch in with_times(job, old, NOW)["spec"].get("runtimePatches", [])]


def test_a_new_job_gets_the_time_of_its_patches_unless_it_says_it() -> None:
    job = a_job(patches=[a_patch(), {**a_patch(manager="example.org/you"), "time": THEIRS}])

    assert times(job) == [STAMP, THEIRS]
    assert "time" not in job["spec"]["runtimePatches"][0]


def test_a_patch_that_stays_as_it_was_keeps_its_time() -> None:
    old = a_job(patches=[{**a_patch(), "time": EARLIER}, {**a_patch(manager="example.org/you"), "time": EARLIER}])
    new = a_job(patches=[{**a_patch(), "time": THEIRS}, a_patch(manager="example.org/you", nodeSelector={"a": "b"})])

    assert times(new, old) == [EARLIER, STAMP]


def test_nothing_else_is_filled_in() -> None:
    job = a_job()

    assert with_times(job, None, NOW) == job


@pytest.mark.parametrize("wrong", ["x", 1, None, ["x"], [None, 1, []], [{"manager": []}], {"manager": "x"}])
def test_what_is_not_of_its_type_is_left_to_the_schema(wrong: Any) -> None:
    job = a_job(runtimePatches=wrong)

    made = with_times(job, a_job(patches=[a_patch()]), NOW)["spec"]["runtimePatches"]

    assert made == wrong or [{key: one[key] for key in one if key != "time"} for one in made] == wrong
    assert with_times({"spec": "x"}, None, NOW) == {"spec": "x"}
