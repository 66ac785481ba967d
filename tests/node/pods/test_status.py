"""A status patch, merged as the API server merges it by the real schema of pods, gives the new status."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kube.words_builders import core
from tests.node.pods.merged import merged, sorted_conditions
from windlass.kube.json import Object
from windlass.kube.patch import strategic
from windlass.node.pods.status import status_patch

READY: Object = {"type": "Ready", "status": "True"}
NOT_READY: Object = {"type": "Ready", "status": "False", "reason": "ContainersNotReady", "message": "…"}
RESIZE: Object = {"type": "PodResizePending", "status": "True"}
RUNNING: Object = {"name": "main", "state": {"running": {"startedAt": "2026-01-01T00:00:00Z"}}, "ready": True}
WAITING: Object = {"name": "main", "state": {"waiting": {"reason": "CrashLoopBackOff"}}, "restartCount": 1}


@pytest.mark.parametrize(
    ("before", "after", "patch"),
    [
        ({"phase": "Running"}, {"phase": "Running"}, None),
        ({}, {"phase": "Pending"}, {"phase": "Pending"}),
        ({"phase": "Failed", "reason": "Evicted"}, {"phase": "Failed"}, {"reason": None}),
        ({"conditions": [READY]}, {"conditions": [READY]}, None),
        ({"conditions": [READY, RESIZE]}, {"conditions": [RESIZE, READY]}, None),
        (
            {"conditions": [NOT_READY, RESIZE]},
            {"conditions": [READY, RESIZE]},
            {"conditions": [READY | {"reason": None, "message": None}]},
        ),
        (
            {"conditions": [READY, RESIZE]},
            {"conditions": [READY]},
            {"conditions": [{"type": "PodResizePending", "$patch": "delete"}]},
        ),
        ({"conditions": []}, {"conditions": [NOT_READY]}, {"conditions": [NOT_READY]}),
        (
            {"podIPs": [{"ip": "10.0.0.1"}], "podIP": "10.0.0.1"},
            {"podIPs": [{"ip": "10.0.0.2"}], "podIP": "10.0.0.2"},
            {"podIP": "10.0.0.2", "podIPs": [{"ip": "10.0.0.2"}, {"ip": "10.0.0.1", "$patch": "delete"}]},
        ),
        ({"podIPs": [{"ip": "10.0.0.1"}]}, {}, {"podIPs": None}),
        ({"containerStatuses": [RUNNING]}, {"containerStatuses": [WAITING]}, {"containerStatuses": [WAITING]}),
    ],
)
def test_a_patch_says_what_has_changed_and_no_more(before: Object, after: Object, patch: Object | None) -> None:
    assert status_patch(before, after) == patch
    assert merged(before, after) == sorted_conditions(after)


def addresses() -> st.SearchStrategy[list[Object]]:
    names = st.lists(st.sampled_from(["10.0.0.1", "10.0.0.2", "fd00::1"]), max_size=3, unique=True)
    return names.map(lambda found: [{"ip": each} for each in found])


def conditions() -> st.SearchStrategy[list[Object]]:
    texts = st.sampled_from(["", "a", "b"])
    each = st.fixed_dictionaries(
        {"type": st.sampled_from(["Ready", "Initialized", "Mine", "DisruptionTarget"]), "status": texts},
        optional={"reason": texts, "message": texts, "observedGeneration": st.integers(1, 3)},
    )
    return st.lists(each, max_size=4, unique_by=lambda found: found["type"])


def statuses() -> st.SearchStrategy[Object]:
    containers = st.lists(st.sampled_from([RUNNING, WAITING]), max_size=2)
    return st.fixed_dictionaries(
        {},
        optional={
            "phase": st.sampled_from(["Pending", "Running"]),
            "reason": st.just("Evicted"),
            "podIP": st.just("10.0.0.1"),
            "podIPs": addresses(),
            "hostIPs": addresses(),
            "conditions": conditions(),
            "containerStatuses": containers,
            "ephemeralContainerStatuses": containers,
            "observedGeneration": st.integers(1, 3),
        },
    )


def _without_empty(status: Object) -> Object:
    """No elements and no list are the same."""
    merging = ("podIPs", "hostIPs", "conditions")
    return {key: value for key, value in sorted_conditions(status).items() if value or key not in merging}


@given(statuses(), statuses())
def test_any_status_becomes_any_other(before: Object, after: Object) -> None:
    patch = status_patch(before, after)
    whole = strategic.apply({"status": before}, {"status": patch or {}}, core("Pod"))

    assert _without_empty(whole["status"]) == _without_empty(after)
    assert (patch is None) == (_without_empty(before) == _without_empty(after)) or patch is not None


@given(statuses(), conditions())
def test_what_others_have_set_meanwhile_stays(before: Object, theirs: list[Object]) -> None:
    own = {each["type"] for each in before.get("conditions", ())}
    foreign = [each for each in theirs if each["type"] not in own]
    there = before | {"conditions": [*before.get("conditions", ()), *foreign]}
    patch = status_patch(before, before | {"phase": "Failed"})

    held = strategic.apply({"status": there}, {"status": patch or {}}, core("Pod"))["status"]

    assert sorted_conditions(held) == sorted_conditions(there | {"phase": "Failed"})
