"""What the home page says needs attention. Pure."""

from datetime import UTC, datetime
from typing import Any

import pytest

from windlass.gateway.views.home.home_rows import attention_items, is_well

NOW = datetime(2026, 1, 1, 12, 0, tzinfo=UTC)


def a_warning(kind: str, name: str, message: str = "Failed to pull image") -> dict[str, Any]:
    return {
        "metadata": {"name": f"{name}.1", "namespace": "ml", "uid": f"event-{kind}-{name}"},
        "type": "Warning",
        "reason": "Failed",
        "message": message,
        "count": 2,
        "firstTimestamp": "2026-01-01T11:58:00Z",
        "lastTimestamp": "2026-01-01T11:59:00Z",
        "involvedObject": {"apiVersion": "v1", "kind": kind, "namespace": "ml", "name": name, "uid": f"{kind}-{name}"},
    }


def test_what_a_notebook_repeats_of_its_pod_is_shown_once() -> None:
    events = [a_warning("Pod", "lab-0"), a_warning("Notebook", "lab"), a_warning("StatefulSet", "lab")]

    items = attention_items(events, (), frozenset(), NOW)

    assert [(item.object.kind, item.object.name) for item in items] == [("Notebook", "lab")]


def test_a_pod_of_its_own_is_shown() -> None:
    items = attention_items([a_warning("Pod", "lone")], (), frozenset(), NOW)

    assert [(item.object.name, item.count) for item in items] == [("lone", 2)]


def test_a_warning_is_shown_in_the_words_that_say_most() -> None:
    pull = a_warning("Pod", "lone", 'Failed to pull image "nosuch:1": windlass images add nosuch:1')
    newest = {**a_warning("Pod", "lone", "Error: ImagePullBackOff"), "lastTimestamp": "2026-01-01T11:59:30Z"}

    (item,) = attention_items([newest, pull], (), frozenset(), NOW)

    assert "windlass images add nosuch:1" in item.why.sentence
    assert (item.count, item.last) == (4, "2026-01-01T11:59:30Z")


def test_objects_that_are_gone_need_no_attention() -> None:
    assert attention_items([a_warning("Pod", "lone")], (), frozenset({"Pod-lone"}), NOW) == ()


def test_an_object_that_was_made_again_is_shown_once() -> None:
    earlier = a_warning("TFJob", "bert")
    earlier["involvedObject"]["uid"] = "of the one before"

    items = attention_items([a_warning("TFJob", "bert"), earlier], (), frozenset(), NOW)

    assert [item.object.uid for item in items] == ["TFJob-bert"]


def test_the_gang_that_the_scheduler_made_for_a_job_is_shown_as_the_job() -> None:
    events = [a_warning("PodGroup", "podgroup-TFJob-bert"), a_warning("TFJob", "bert")]

    items = attention_items(events, (), frozenset(), NOW)

    assert [item.object.kind for item in items] == ["TFJob"]


@pytest.mark.parametrize(
    ("phase", "statuses", "expected"),
    [
        ("Succeeded", [], True),
        ("Running", [{"ready": True, "restartCount": 0}], True),
        ("Running", [{"ready": True, "restartCount": 3}], False),
        ("Running", [{"ready": False, "restartCount": 0}], False),
        ("Pending", [], False),
        ("Failed", [], False),
    ],
)
def test_a_pod_that_runs_or_has_succeeded_needs_no_attention(
    phase: str, statuses: list[dict[str, Any]], expected: bool
) -> None:
    assert is_well({"status": {"phase": phase, "containerStatuses": statuses}}) is expected
